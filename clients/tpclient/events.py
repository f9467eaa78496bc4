"""Events of a followed game: turns, time, changes, messages, connection.

`following` yields them.
"""

from dataclasses import dataclass
from enum import Enum

from tpclient.errors import ClientError
from tpclient.universe import Changes
from tpproto import tp_pb2


class Fate(Enum):
    """The result of an order that was sent."""

    SENT = "sent"
    """The server has not answered yet."""
    CONFIRMED = "confirmed"
    """The server has it."""
    LOST = "lost"
    """The connection broke before the answer, and the order is not in the queue."""
    UNKNOWN = "unknown"
    """The connection broke before the answer, and the turn has passed: it may have been carried out or never come."""


@dataclass(eq=False, slots=True)
class PendingOrder:
    """An order that was sent: `order` as it was built, or as the server has it once it is confirmed.

    `kind` is the name of its type, `turn` the turn in which it was sent, `why` a sentence if it is lost or unknown.
    """

    kind: str
    order: tp_pb2.Order
    turn: int
    fate: Fate = Fate.SENT
    why: str = ""

    @property
    def queue(self) -> int:
        return self.order.id


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn has begun, and the copy of the game is that of this turn. `number` is the turn's (TP03: the year that the
    root object shows).
    """

    number: int
    name: str
    clock: tp_pb2.TimeRemaining


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The computing of a turn has begun; orders are refused until the next one starts."""

    number: int
    clock: tp_pb2.TimeRemaining


@dataclass(frozen=True, slots=True)
class TimeTold:
    """The clock changed within a turn: somebody has finished, or the time is running out."""

    clock: tp_pb2.TimeRemaining


@dataclass(frozen=True, slots=True)
class ThingsChanged:
    """The copy of the game has changed: what is new or changed, and what has gone, by table."""

    changes: Changes


@dataclass(frozen=True, slots=True)
class MessagesCame:
    """New messages on the player's own board, oldest first."""

    messages: tuple[tp_pb2.Message, ...]


@dataclass(frozen=True, slots=True)
class MessagesGone:
    """Messages that were removed from the player's board, by any client."""

    messages: tuple[tp_pb2.Message, ...]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over; `name` is what the turn is called, which often says who has won. Looking goes on."""

    name: str


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """There is no connection: `error` says why, in a sentence. Attempt number `attempt` comes after `pause` seconds."""

    error: ClientError
    attempt: int
    pause: float


@dataclass(frozen=True, slots=True)
class ConnectionBack:
    """The connection is there again and the copy is up to date."""

    attempts: int


@dataclass(frozen=True, slots=True)
class GameReplaced:
    """The server has another game than before; `why` has the evidence.

    The copy was dropped and downloaded again.
    """

    why: str


@dataclass(frozen=True, slots=True)
class OrderSettled:
    """The connection had broken before an order was answered; now it is known, or can never be, what became of it."""

    pending: PendingOrder


Event = (
    TurnStarted
    | TurnEnded
    | TimeTold
    | ThingsChanged
    | MessagesCame
    | MessagesGone
    | GameEnded
    | ConnectionLost
    | ConnectionBack
    | GameReplaced
    | OrderSettled
)
