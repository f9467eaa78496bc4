"""The context of a plain command: connection, known objects and output."""

import argparse
import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Self

from tpclient.address import Address
from tpclient.appearance import PLAIN, read_appearance
from tpclient.clocks import NO_DEADLINE
from tpclient.columns import listed, shown
from tpclient.connection import APPEARANCE, NOT_ABOUT_ACCOUNT, Connection, Login, greeted, newest_dialect
from tpclient.errors import RequestFailed
from tpclient.games import game_and_purpose, is_over, login_name, own_game
from tpclient.names import marked_name, player_name
from tpclient.transport import dialect_named
from tpclient.universe import EVERYTHING, Universe
from tpproto import tp_pb2

GLANCE = 10.0
"""Seconds without news after which the clock and the board are requested. Messages arrive without a push."""

PATIENCE = 5.0
"""Maximum seconds for a server to understand the greeting of Protocol Buffers."""

MOST_LOOKS = 3
"""Maximum of downloads until things and clock belong to one turn."""


class CommandContext:
    """A connection, and a copy of the universe that the command fills as far as it needs.

    `options` are those of the command line, with user and password from `credentials`. All output goes through `tell`:
    lines for people, or with --json the same as data.
    """

    def __init__(self, connection: Connection, address: Address, options: argparse.Namespace) -> None:
        self.connection = connection
        self.address = address
        self.options = options
        self.universe = connection.universe()
        self.clock = tp_pb2.TimeRemaining()
        self._has_asked = False

    @classmethod
    async def open(cls, address: Address, options: argparse.Namespace, *, is_player: bool) -> Self:
        """Connect, and for a player log in. With --register, create the account if the login is refused.

        Without --dialect it uses Protocol Buffers if the server does, and otherwise TP04. Raises the errors of
        `Login.enter`, and BadArgument for unreadable certificates.
        """
        dialect = dialect_named(options.dialect) or await newest_dialect(address, min(options.timeout, PATIENCE))
        dial = partial(Connection.open, address, dialect, options.timeout)
        if not is_player:
            return cls(await greeted(dial), address, options)
        login = Login(dial, options.user, options.password, register=options.register)
        return cls(await login.enter(), address, options)

    async def enter(self, turn: int) -> None:
        """Log in to an old turn, on a connection without a login. Raises the errors of `Login.log_in`."""
        options = self.options
        options.user = login_name(options.user, turn=turn)
        login = Login(self._greeted, options.user, options.password, register=options.register)
        await login.log_in(self.connection)

    async def log_in_to_account(self) -> None:
        """Log in to the account without a game. With --register, create the account if the login is refused."""
        options, connection = self.options, self.connection
        user = options.user.partition("@")[0]
        try:
            await connection.login_account(user, options.password)
        except RequestFailed as refusal:
            if not options.register or refusal.code in NOT_ABOUT_ACCOUNT:
                raise
            await connection.create_account(user, options.password)
            await connection.login_account(user, options.password)

    async def _greeted(self) -> Connection:
        return self.connection

    async def look(self, tables: Iterable[str] = EVERYTHING) -> Universe:
        """Update the copy of the universe and return it."""
        await self._learn_words()
        await self.connection.refresh(self.universe, tables)
        return self.universe

    async def _learn_words(self) -> None:
        """Request the words of the game, once.

        Older servers, TP03 and TP04 have none.
        """
        if self.universe.appearance is not PLAIN or not self.connection.speaks(APPEARANCE) or self._has_asked:
            return
        self._has_asked = True
        with suppress(RequestFailed):
            self.universe.appearance = read_appearance(await self.connection.appearance())

    async def look_at_turn(self) -> Universe:
        """Update the copy of the universe and the clock, both of one turn, and return the universe.

        The game may begin, or the turn end, during the download. Then the download is repeated, at most MOST_LOOKS
        times.
        """
        await self.ask_clock()
        for _ in range(MOST_LOOKS):
            before = self.clock
            await self.look()
            await self.ask_clock()
            if _moment(before) == _moment(self.clock):
                break
        return self.universe

    async def meet(self) -> Universe:
        """Download players and boards, which the clock and messages refer to, and return the universe.

        In TP03 only the objects contain the turn's number and the other players.
        """
        return await self.look(("players", "boards") if self.connection.has_turn_numbers else EVERYTHING)

    async def game(self) -> tp_pb2.Game | None:
        """Return the present game from the server's list; None if the server does not tell, as in TP03."""
        if not self.connection.has_turn_numbers:
            return None
        try:
            found = await self.connection.games()
        except RequestFailed:
            return None
        return own_game(found, game_and_purpose(self.options.user)[0], self.connection.welcome)

    def tell(self, facts: Any, lines: Iterable[str]) -> None:
        """Print lines, or with --json one JSON document on one line."""
        if self.options.json:
            print(json.dumps(facts), flush=True)
        else:
            for line in lines:
                print(line)
            sys.stdout.flush()

    # --- the clock

    async def ask_clock(self) -> None:
        """Request the clock."""
        self.clock = await self.connection.time_remaining()

    async def next_clock(self) -> None:
        """Set a newer clock. It may have arrived already. Otherwise wait for it, and request it at the end."""
        self.clock = await self.connection.next_clock(self.clock, GLANCE)

    @property
    def turns(self) -> int:
        """The number of the turn, or without turn numbers on the clock, the count of turns since login."""
        return self.clock.turn if self.connection.has_turn_numbers else self.connection.turns_begun

    def clock_facts(self, messages: Iterable[tp_pb2.Message] = ()) -> dict[str, Any]:
        """Return the clock as data. TP03 has only the seconds, so there the turn is that of the root object.

        `messages` are searched for a report that the game is over.
        """
        clock = self.clock
        turn = clock.turn if self.connection.has_turn_numbers else self.universe.turn
        return {
            "turn": turn,
            "turn_name": clock.turn_name,
            "seconds": None if clock.time >= NO_DEADLINE else clock.time,
            "computing": clock.time == 0,
            "awaited": [{"id": number, "name": player_name(self.universe, number)} for number in clock.waiting],
            "over": is_over(clock, messages),
            **({"watch_delay": clock.watch_delay, "present_turn": clock.present_turn} if clock.watch_delay else {}),
        }

    def turn_line(self) -> str:
        """Return the number of the turn, as in messages, and its name."""
        facts = self.clock_facts()
        number = "" if facts["turn"] is None else f"[turn {facts['turn']}]"
        return f"{number} {shown(facts['turn_name'])}".strip()

    def awaited_words(self) -> str:
        """Return the awaited players, in words."""
        return listed(shown(marked_name(self.universe, number)) for number in self.clock.waiting) or "nobody"


def _moment(clock: tp_pb2.TimeRemaining) -> tuple[int, str, bool]:
    """Return the identity of a turn, or of its computation.

    The first turn of a game has the same number as the wait before it.
    """
    return clock.turn, clock.turn_name, clock.time == 0
