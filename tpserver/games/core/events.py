"""Events of games and sessions, with their publishers and subscribers.

Each event is published on the `tpserver.bus.Bus` of the server, after the commit of the announced change. Timers
publish `DeadlineReached` and `TurnDue` when a saved time has come. The registry subscribes the parts of this room in
its constructor, and `tpserver.subscriptions` subscribes the other rooms. The subscribers are listed in the order in
which they are called.

A node of a cluster also publishes `tpserver.cluster.node.LeaseLost`, at which the registry drops all games.
"""

from __future__ import annotations

from dataclasses import dataclass

from tpserver.games.core.game import Game
from tpserver.games.core.next_turn import TurnResult


@dataclass(frozen=True, slots=True)
class DeadlineReached:
    """The timer for the deadline of a running turn has fired.

    Publisher: `TurnTimers`. Subscriber: the closing of turns.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class TurnDue:
    """The timer of a turn that is due before its deadline has fired: grace and time banks remain.

    Publisher: `TurnTimers`. Subscriber: the closing of turns.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class TurnClosed:
    """A turn was computed and saved, and the game shows the next one.

    Publisher: `TurnService`. Subscriber: the command ``tpserver play``.
    """

    game: Game
    result: TurnResult


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn begins or continues: after the start, a closing or a resumption.

    Also after the game was read again, because a save failed or it came from another node.

    Publishers: `TurnService`, `GameRegistry`, `StaleGames`. Subscribers: silent seats, proposals, the delayed feed
    for spectators, bots, notifications.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class AwaitedSeatsChanged:
    """The running turn awaits other seats than before, or the game has another clock.

    Publishers: `TurnService`, `ClockChanges`. Subscribers: silent seats, bots.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class GameSuspended:
    """The rules of a game have failed, and the game waits for the operator.

    Publisher: `SuspensionService`. Subscriber: messages to the operator.
    """

    game: Game
    reason: str


@dataclass(frozen=True, slots=True)
class GameAborted:
    """A game has ended without a result.

    Publisher: `GameControl`. Subscriber: the delayed feed for spectators.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class GameLoaded:
    """A stored game has come into memory.

    Publisher: `GameRegistry`. Subscriber: bots.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class GameDropped:
    """A game that this server has lost to another node, or may have lost.

    Publisher: `GameRegistry`. Subscribers: sessions at old turns, the delayed feed for spectators.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class GameRemoved:
    """A game was removed with all that was stored of it.

    Publisher: `tpserver.games.service.ownership`. Subscriber: the delayed feed for spectators.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class PlayerChanged:
    """A seat has another player, or none, or its player is silent.

    Publisher: `SeatChanges`. Subscriber: proposals.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class SpectatorsLimited:
    """Fewer accounts may watch a game: it is for invited players, has another owner, or is shown later.

    Publishers: `SeatChanges`, `tpserver.games.service.ownership`. Subscriber: sessions.
    """

    game: Game


@dataclass(frozen=True, slots=True)
class LoginsRevoked:
    """All sessions of an account end, except ``spare``, as it has another password or name, or may not log in.

    Publisher: `Accounts`. Subscriber: sessions.
    """

    account: int
    why: str
    spare: object = None


@dataclass(frozen=True, slots=True)
class AccountMailQueued:
    """There may be a mail to send about a change of an account, or to reset a password.

    Publishers: `Accounts`, `PasswordResets`. Subscriber: the mail queues.
    """


@dataclass(frozen=True, slots=True)
class NoticeQueued:
    """There may be a notification to deliver besides those of a new turn, such as the code of an address.

    Publishers: `NoticeBook`, `tpserver.requests.lobby.agreements`. Subscriber: notifications.
    """
