"""The one way from the terminal client to a server: who we are, what we know of the game, what we ask for.

Everything that waits for the server is here, so nothing else in the terminal client knows how a connection is kept.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from tpproto import tp_pb2
from tpproto.dialects import Dialect

from ..address import Address
from ..connection import Connection, Progress
from ..errors import RequestFailed
from ..events import Event
from ..following import Game
from ..listing import game_and_purpose, hindrance_of, own_game
from ..login import greeted
from ..names import player_name
from ..objects import NOBODY, PLAYER, SpaceObject
from ..parameters import Value
from ..plain.context import NO_DEADLINE
from ..plain.queues import order_line
from ..plain.single import classic_groups, value_groups
from ..universe import EVERYTHING, Universe
from ..views import Map, read_map

GLANCE = 10.0
"""Seconds without news after which the server is asked: letters come without notice."""

_PLACES = frozenset({0, 1, 2, 3, 9})
"""The parameter types of position, velocity, acceleration, bound position and size (TP04, ObjectDesc)."""

Groups = list[tuple[str, list[tuple[str, str]]]]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who logs in where: `game` is the name of one of several games, or nothing."""

    address: Address
    user: str
    password: str
    game: str = ""
    register: bool = False


async def games_of(address: Address, dialect: Dialect | None, timeout: float) -> list[tp_pb2.Game]:
    """The games of a server; none where the dialect cannot ask. Raises what `greeted` does."""
    async with await greeted(partial(Connection.open, address, dialect, timeout)) as connection:
        return await connection.games() if connection.has_turn_numbers else []


class Link:
    """A game that is followed over whatever connection there is. `map` is as of the last `look`.

    Methods that ask the server wait while there is no connection, and raise what those of `Game` do.
    """

    def __init__(self, game: Game, name: str = "") -> None:
        """`name` is that of the game, if the player said it."""
        self.game = game
        self.name = name
        self.hindrance = ""
        """Why the game does not go on, in the server's word, as "paused"; nothing if it does. See `look_why`."""
        self.map: Map = read_map(game.universe)
        self.told: dict[int, tp_pb2.Order] = {}
        """By order type, the last order that the server has described: what its parameters may name holds for all."""

    @classmethod
    async def open(
        cls, identity: Identity, dialect: Dialect | None, timeout: float, progress: Progress | None = None
    ) -> Self:
        """Connect, log in and download the game; tried once. Raises what `Game.open` does."""
        game = await Game.open(
            identity.address,
            identity.user,
            identity.password,
            identity.game,
            dialect=dialect,
            timeout=timeout,
            register=identity.register,
            tables=EVERYTHING,
            progress=progress,
            glance=min(GLANCE, timeout),
        )
        return cls(game, identity.game or game_and_purpose(identity.user)[0])

    async def close(self) -> None:
        """Hang up."""
        await self.game.close()

    # --- keeping up to date

    def events(self) -> AsyncIterator[Event]:
        """What happens, until `close`; what is known is up to date before it is told."""
        return self.game.events()

    async def refresh(self) -> None:
        """Ask for whatever has changed."""
        await self.game.refresh()
        self.look()

    def look(self) -> None:
        """Read the map of what is known now."""
        self.map = read_map(self.universe)

    async def look_why(self) -> bool:
        """Look into the list of games why this one does not go on; say whether that is another reason than before.

        A clock that runs says enough, so then nothing is asked; nor at the end, nor in TP03, which cannot ask.
        """
        before = self.hindrance
        if self.is_over or not self.has_turn_numbers or 0 < self.clock.time < NO_DEADLINE:
            self.hindrance = ""
        else:
            games = await self.game.ask(lambda connection: connection.games())
            own = own_game(games, self.name, self.game.welcome)
            self.hindrance = hindrance_of(own) if own is not None else ""
        return self.hindrance != before

    # --- what is known

    @property
    def universe(self) -> Universe:
        return self.game.universe

    @property
    def messages(self) -> Sequence[tp_pb2.Message]:
        """The messages of the player's own board, oldest first."""
        return self.game.mail

    @property
    def clock(self) -> tp_pb2.TimeRemaining:
        """The newest clock."""
        return self.game.clock

    @property
    def has_turn_numbers(self) -> bool:
        return self.game.has_turn_numbers

    @property
    def turn(self) -> int:
        """The number of the turn, as messages have it."""
        if self.has_turn_numbers:
            return self.clock.turn
        return max((message.turn for message in self.messages), default=self.game.turn)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.game.is_over

    def queued(self, thing: SpaceObject) -> Sequence[tp_pb2.Order]:
        """The orders in an object's queue."""
        return self.game.orders.get(thing.queue, ()) if thing.queue else ()

    def line(self, order: tp_pb2.Order) -> str:
        """An order in words."""
        return order_line(self.universe, order)

    def names(self, players: Sequence[int]) -> list[str]:
        """Players by name, this one marked as you."""
        me = self.universe.me
        return [f"{player_name(self.universe, one)}{' (you)' if one == me != NOBODY else ''}" for one in players]

    def writer(self, message: tp_pb2.Message) -> str:
        """Who wrote a letter; nothing for a report of the game."""
        players = [one.id for one in message.references if one.type == PLAYER]
        return player_name(self.universe, players[0]) if players else ""

    # --- asking

    async def groups(self, thing: SpaceObject) -> tuple[str, Groups]:
        """What an object says of itself, and the groups of values of its description."""
        wanted = tp_pb2.Object if self.has_turn_numbers else tp_pb2.ClassicObject
        answer = await self.game.ask(
            lambda connection: connection.ask("get_objects_by_id", tp_pb2.GetWithID(ids=[thing.id]))
        )
        frame = answer.one(wanted)
        if not isinstance(frame, tp_pb2.Object):
            return "", classic_groups(self.universe, thing)
        groups = value_groups(self.universe, frame)
        description = self.universe.object_descriptions.get(frame.otype)
        if description is not None:  # where it is can be seen on the map, so that comes last
            places = [_is_place(group) for group in description.property_groups]
            groups = [group for _, group in sorted(zip(places, groups, strict=True), key=lambda pair: pair[0])]
        return frame.desc, groups

    async def probe(self, queue: int, kind: tp_pb2.OrderDesc, values: Mapping[str, Value]) -> tp_pb2.Order:
        """What an order would become; kept in `told`."""
        order = self.told[kind.id] = await self.game.probe(queue, kind, values)
        return order

    @property
    def is_connected(self) -> bool:
        return self.game.is_connected

    async def give(self, queue: int, kind: tp_pb2.OrderDesc, values: Mapping[str, Value], slot: int) -> tp_pb2.Order:
        """Give an order."""
        return await self.game.order(queue, kind, values, slot)

    async def remove(self, queue: int, slot: int) -> None:
        """Take an order out of its queue."""
        await self.game.remove_order(queue, slot)

    async def move(self, order: tp_pb2.Order, slot: int) -> None:
        """Move an order to another slot of its queue; if that is refused it stays where it is."""
        await self.game.move_order(order, slot)

    async def replace(self, order: tp_pb2.Order, kind: tp_pb2.OrderDesc, values: Mapping[str, Value]) -> tp_pb2.Order:
        """Change an order of a queue; if the new one is refused the old one stays."""
        return await self.game.replace_order(order, kind, values)

    async def post(self, board: int, subject: str, body: str) -> None:
        """Write to the player whose board this is."""
        await self.game.post(board, subject, body)

    async def remove_messages(self, messages: Sequence[tp_pb2.Message]) -> int:
        """Take messages off the own board for good and say how many of them were still there."""
        return await self.game.remove_messages(*messages)

    async def finish(self) -> None:
        """Say that this player is done with the turn."""
        await self.game.finish_turn()
        await self.game.time_remaining()


def _is_place(group: tp_pb2.PropertyGroup) -> bool:
    return all(parameter.type in _PLACES for parameter in group.parameters)


def spoken(error: Exception) -> str:
    """What went wrong, as one sentence for the screen: of a refusal the server's own words."""
    if isinstance(error, RequestFailed):
        text = (error.text or "no reason was given").rstrip(".")
        return f"Refused: {text}."
    return str(error)
