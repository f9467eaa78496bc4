"""What a client needs to know to go on after its connection was lost: how long to wait, whether what answers is still
the same game, and what became of orders that were not answered."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import random

from tpproto import tp_pb2

from .connection import Connection
from .errors import RequestFailed
from .events import Fate, PendingOrder
from .orders import choices


def growing_pauses(first: float = 0.5, factor: float = 2.0, longest: float = 30.0) -> Iterator[float]:
    """Seconds before each attempt, without end: every pause is `factor` times the one before, up to `longest`."""
    pause = first
    while True:
        yield min(pause, longest)
        pause = min(pause * factor, longest)


def scattered_pauses(chance: Callable[[], float] = random) -> Iterator[float]:
    """The growing pauses, each cut by chance to something between its half and its whole.

    So the clients of a server that starts again do not all come back at the same moment. `chance` gives numbers from 0
    up to 1.
    """
    return (pause * (1 + chance()) / 2 for pause in growing_pauses())


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells one game from another: the player, and the game's name, rules and time of creation.

    The game is empty if the server has several and we do not know in which we are, and in TP03, which cannot ask.
    """

    player: int
    player_name: str
    game: str = ""
    rules: str = ""
    created: int = 0

    def difference(self, now: "Identity") -> str:
        """How what answers now differs, as a sentence; empty if it is the same."""
        if self.game and not now.game:
            return f"The game {self.game} is not there any more."
        if self.game and (self.game, self.rules) != (now.game, now.rules):
            return f"The game is now {now.game} ({now.rules}), not {self.game} ({self.rules})."
        if self.game and self.created != now.created:
            return f"The game {self.game} was made anew."
        if (self.player, self.player_name) != (now.player, now.player_name):
            return f"We are now player {now.player}, {now.player_name}, not player {self.player}, {self.player_name}."
        return ""


async def identify(connection: Connection, game: str) -> Identity:
    """Who we are, and in which game. `game` is its name, or empty for the only one there is."""
    player = (await connection.ask("get_player", tp_pb2.GetWithID(ids=[0]))).one(tp_pb2.Player)
    games: list[tp_pb2.Game] = []
    if connection.has_turn_numbers:
        try:
            games = await connection.games()
        except RequestFailed:  # a server need not tell
            games = []
    found = [one for one in games if one.name == game] if game else games
    if len(found) != 1:
        return Identity(player.id, player.name)
    (one,) = found
    return Identity(player.id, player.name, one.name, one.rule, one.created)


def settle(
    pending: Sequence[PendingOrder],
    before: Mapping[int, Sequence[tp_pb2.Order]],
    now: Mapping[int, Sequence[tp_pb2.Order]],
    turn: int,
) -> None:
    """Decide the fate of orders that were never answered.

    `before` are the orders that were known by queue when the connection was lost, without the pending ones, and `now`
    those that are there, in turn number `turn`. An order that is there oftener than before was accepted.
    """
    fresh: dict[int, list[tp_pb2.Order]] = {}
    for one in pending:
        if one.queue not in fresh:
            fresh[one.queue] = _additional(before.get(one.queue, ()), now.get(one.queue, ()))
        found = next((order for order in fresh[one.queue] if choices(order) == choices(one.order)), None)
        if found is not None:
            fresh[one.queue].remove(found)
            one.order = found
            one.fate = Fate.CONFIRMED
        elif one.turn == turn:
            one.fate = Fate.LOST
            one.why = f"The connection broke, and the order {one.kind} has not reached the server; give it again."
        else:
            one.fate = Fate.UNKNOWN
            one.why = (
                f"The connection broke and the turn has passed; nobody can tell whether the order {one.kind} had "
                "reached the server."
            )


def _additional(before: Sequence[tp_pb2.Order], now: Sequence[tp_pb2.Order]) -> list[tp_pb2.Order]:
    """The orders that were not there before, each as often as it has been added."""
    known = Counter(map(choices, before))
    fresh = []
    for order in now:
        if known[choices(order)]:
            known[choices(order)] -= 1
        else:
            fresh.append(order)
    return fresh
