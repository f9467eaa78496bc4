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
    """The server has not responded yet."""
    CONFIRMED = "confirmed"
    """The server has it."""
    LOST = "lost"
    """The connection broke before the response, and the order is not in the queue."""
    UNKNOWN = "unknown"
    """The connection broke before the response, and the turn has passed. The order may have been carried out or not."""


@dataclass(eq=False, slots=True)
class PendingOrder:
    """An order that was sent: as it was built, or as the server has it once it is confirmed.

    `kind` is the name of its type, `turn` the turn in which it was sent. `why` is a sentence if it is lost or unknown.
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
    """A turn has begun, and the copy of the game is that of this turn.

    `number` is the number of the turn. In TP03 it is the year in the root object.
    """

    number: int
    name: str
    clock: tp_pb2.TimeRemaining


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The computation of a turn has begun. The server refuses orders until the next turn starts."""

    number: int
    clock: tp_pb2.TimeRemaining


@dataclass(frozen=True, slots=True)
class TimeTold:
    """The clock changed within a turn: a player has finished, or the time is running out."""

    clock: tp_pb2.TimeRemaining


@dataclass(frozen=True, slots=True)
class ThingsChanged:
    """The copy of the game has changed: new, changed and removed things, by table."""

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
    """The game is over. `name` is the name of the turn, which often names the winner. The game can still be read."""

    name: str


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """The connection is lost. `error` is the reason. Attempt number `attempt` follows after `pause` seconds."""

    error: ClientError
    attempt: int
    pause: float


@dataclass(frozen=True, slots=True)
class ConnectionBack:
    """The connection is available again, and the copy is up to date."""

    attempts: int


@dataclass(frozen=True, slots=True)
class GameReplaced:
    """The server has another game than before; `why` has the evidence.

    The copy was dropped and downloaded again.
    """

    why: str


@dataclass(frozen=True, slots=True)
class OrderSettled:
    """The fate of an order is decided. The connection had broken before its response."""

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
