"""The game as the terminal shows it: followed, with map and legal orders."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Self

from tpclient.address import Address
from tpclient.appearance import PLAIN, Appearance, read_appearance
from tpclient.clocks import NO_DEADLINE
from tpclient.connection import APPEARANCE, MY_GAMES, Connection, greeted, read_manual
from tpclient.errors import ClientError, RequestFailed
from tpclient.events import ConnectionBack, Event, GameEnded, GameReplaced, ThingsChanged, TurnEnded, TurnStarted
from tpclient.following import Game
from tpclient.games import game_and_purpose, hindrance_of, own_game
from tpclient.legal import Legal
from tpclient.manual import Manual
from tpclient.objects import SpaceObject
from tpclient.orders import APPEND, Arguments, OrderType
from tpclient.plain.ending import told_places
from tpclient.plain.facts import Groups, described
from tpclient.summaries import Absence, absence_of, read_summaries
from tpclient.universe import Changes
from tpclient.views import Map, read_map
from tpproto import tp_pb2
from tpproto.dialects import PB, TP03, Dialect

GLANCE = 10.0
"""Seconds without news after which the server is asked. Messages arrive without a push."""

_PLACES = frozenset({0, 1, 2, 3, 9})
"""The parameter types of position, velocity, acceleration, bound position and size (TP04, ObjectDesc)."""


PATIENCE = 10.0
"""Maximum seconds for a response that other servers may never send."""


async def games_of(address: Address, dialect: Dialect, timeout: float) -> tuple[list[tp_pb2.Game], dict[str, str]]:
    """Return the games of a server, and the titles of its rulesets by name. Raises the errors of `greeted`.

    TP03 cannot request them. It then tries Protocol Buffers, and returns none if the server does not speak them.
    """
    if dialect is TP03:
        try:
            return await games_of(address, PB, min(timeout, PATIENCE))
        except ClientError:
            return [], {}
    async with await greeted(partial(Connection.open, address, dialect, timeout)) as connection:
        return await connection.games(), await connection.ruleset_titles()


async def open_seat_of(address: Address, game: str, timeout: float) -> tp_pb2.OpenSeat | None:
    """Return the first open seat of a game; None if there is none, or the server does not tell."""
    try:
        async with await greeted(partial(Connection.open, address, PB, min(timeout, PATIENCE))) as connection:
            seats = await connection.open_seats()
    except ClientError:
        return None
    return next((seat for seat in seats if seat.game.casefold() == game.casefold()), None)


async def take_seat(address: Address, user: str, password: str, seat: tp_pb2.OpenSeat, timeout: float) -> str:
    """Take an open seat, and return the server's text. Raises the errors of `Connection.take_seat`."""
    async with await greeted(partial(Connection.open, address, PB, timeout)) as connection:
        await connection.login_account(user, password)
        return await connection.take_seat(seat.game, seat.player)


class FollowedGame(Game):
    """A followed game. `map` is that of the last `look`.

    `told` has the last order of each type from the server: the allowed types of its parameters are the same for all.
    `legal` has the legal orders; only its own `learn` requests them. `hindrance` is the reason why the game does not go
    on, in the server's word, such as "paused", or "". See `look_why`.
    """

    address: Address
    timeout: float

    @classmethod
    async def open(cls, address: Address, *words: Any, timeout: float = 30.0, **more: Any) -> Self:  # type: ignore[override]
        """See `Game.open`."""
        link = await super().open(address, *words, timeout=timeout, **more)
        link.address, link.timeout = address, timeout
        return link

    async def past(self, turn: int) -> "FollowedGame":
        """Return an old turn as this player saw it, on a separate connection.

        The caller has to close it. Raises the errors of `Game.open`.
        """
        login = replace(self._login, turn=turn, register=False)
        past = FollowedGame(login, tables=self._tables, glance=self._glance)
        past.address, past.timeout = self.address, self.timeout
        await past.start()
        past._manual = self._manual
        return past

    async def start(self) -> None:
        self._manual: Manual | None = None
        self.legal = Legal(self)
        self._appearance: Appearance | None = None
        await super().start()
        self.told: dict[int, tp_pb2.Order] = {}
        self.hindrance = ""
        await self._learn_appearance()
        self.look()

    # --- keeping up to date

    async def refresh(self) -> Changes:
        changes = await super().refresh()
        await self._learn_appearance()
        self.look()
        return changes

    async def _learn_appearance(self) -> None:
        """Request the appearance of the game, once. Older servers and some dialects have none."""
        if self._appearance is None:
            self._appearance = PLAIN
            if self.speaks(APPEARANCE):
                with suppress(ClientError):
                    self._appearance = read_appearance(await self.appearance())
        self.universe.appearance = self._appearance

    def _tell(self, events: Iterable[Event]) -> None:
        told = [*events]
        if any(isinstance(one, GameReplaced | ConnectionBack) for one in told):
            self.legal.reset()
            self._appearance = None
        elif any(isinstance(one, TurnStarted | TurnEnded | ThingsChanged | GameEnded) for one in told):
            self.legal.forget()
        super()._tell(told)

    def _heard(self, clock: tp_pb2.TimeRemaining, is_push: bool) -> None:
        before = self.clock.turn, self.is_awaited
        super()._heard(clock, is_push)
        if (clock.turn, self.is_awaited) != before:
            self.legal.forget()

    def look(self) -> None:
        """Read the map from the present copy."""
        self.map: Map = read_map(self.universe)

    async def look_why(self) -> bool:
        """Find the reason in the list of games why this one does not go on. Return whether it has changed.

        No request is needed while the clock runs or after the end. TP03 cannot request it.
        """
        before = self.hindrance
        if self.is_over or not self.has_turn_numbers or 0 < self.clock.time < NO_DEADLINE:
            self.hindrance = ""
        else:
            games = await self.ask(lambda connection: connection.games())
            own = own_game(games, self.game_name, self.welcome)
            self.hindrance = hindrance_of(own) if own is not None else ""
        return self.hindrance != before

    async def places(self) -> list[dict[str, Any]]:
        """Return the final table as `plain.ending.place_facts` does.

        Empty before the end, and if the server does not send it.
        """
        return await told_places(self, self.universe) if self.is_over else []

    # --- what is known

    @property
    def game_name(self) -> str:
        """The name of the game at login, or ""."""
        return self._login.game or game_and_purpose(self._login.user)[0]

    @property
    def is_watching(self) -> bool:
        """Return whether the game is only watched, as in `carol@friday/watch`."""
        login = self._login
        return "watch" in (login.game.partition("/")[2], game_and_purpose(login.user)[1])

    @property
    def can_order(self) -> bool:
        """Return whether any order can be given now.

        If the server does not tell, return whether any object takes orders.
        """
        if self.legal.is_known:
            return bool(self.legal.orders)
        universe = self.universe
        return any(universe.offers(thing) for thing in universe.objects.values())

    @property
    def is_behind(self) -> bool:
        """Return whether a turn has begun that is not yet downloaded.

        Everything known is then of the turn before.
        """
        return self.is_stale or (self.has_turn_numbers and self.clock.turn != self.turn)

    @property
    def message_turn(self) -> int:
        """The number of the turn, as messages have it."""
        if self.has_turn_numbers:
            return self.clock.turn
        return max((message.turn for message in self.mail), default=self.turn)

    def queued(self, thing: SpaceObject) -> Sequence[tp_pb2.Order]:
        """Return the orders in an object's queue."""
        return self.orders.get(thing.queue, ()) if thing.queue else ()

    # --- asking

    async def manual(self) -> Manual:
        """Return the rules of this game for players, read once. Raises ClientError."""
        if self._manual is None:
            ruleset = self._identity.rules if self._identity is not None else ""
            timeout = min(self.timeout, PATIENCE)
            self._manual = await read_manual(
                self.address, ruleset, game=self.game_name, welcome=self.welcome, timeout=timeout
            )
        return self._manual

    def forget_manual(self) -> None:
        """Read the rules again at the next request, as the game is another one."""
        self._manual = None

    async def give_again(self, order: tp_pb2.Order) -> tp_pb2.Order:
        """Give a removed order again, in its old slot. Raises the errors of `move_order`."""
        return await self._change(order.id, lambda connection: connection.send_order(order), "the order was given")

    async def summaries(self, first: int, last: int) -> list[tp_pb2.TurnSummary]:
        """Return the summaries of the turns `first` to `last`.

        Raises ClientError; BadArgument in a dialect without that request.
        """
        return await read_summaries(self.turn_summaries, first, last)

    async def absence(self) -> Absence | None:
        """Return the turns that began while the player was away.

        None if they are few, or unknown. Raises ClientError.
        """
        if not self.speaks(MY_GAMES):
            return None
        games = await self.ask(lambda connection: connection.my_games())
        own = own_game(games, self.game_name, self.welcome)
        return absence_of(own) if own is not None else None

    async def groups(self, thing: SpaceObject) -> tuple[str, Groups]:
        """Return an object's description, and the groups of its values."""
        about, groups = await self.ask(lambda connection: described(connection, self.universe, thing))
        description = self.universe.object_descriptions.get(thing.role)
        if description is not None:  # the map shows the position, so it comes last
            places = [all(one.type in _PLACES for one in group.parameters) for group in description.property_groups]
            groups = [group for _, group in sorted(zip(places, groups, strict=False), key=lambda pair: pair[0])]
        return about, groups

    async def probe(
        self,
        carrier: int | SpaceObject,
        kind: OrderType,
        arguments: Arguments | None = None,
        slot: int = APPEND,
        *,
        replaces: bool = False,
    ) -> tp_pb2.Order:
        """Return an order as the server would take it, and keep it in `told`."""
        order = await super().probe(carrier, kind, arguments, slot, replaces=replaces)
        self.told[order.otype] = order
        return order


def spoken(error: Exception) -> str:
    """Return an error as one sentence. For a refusal it is the server's text."""
    if isinstance(error, RequestFailed):
        text = (error.text or "no reason was given").rstrip(".")
        return f"Refused: {text}."
    return str(error)
