"""Vacations of accounts: their limits, and the games that wait for them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

from tprules.api import Report, Seat, player
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game, durable
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.hall.directory import GameDirectory
from tpserver.games.terms.clock import duration, known_clock
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.turn_time import DAY
from tpserver.store import Store
from tpserver.store.games import vacations as stored_vacations
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.journal import ON_VACATION
from tpserver.store.games.vacations import Vacation

DAYS_A_YEAR = 30
"""Maximum days of vacation of an account in each year (UTC)."""
MOST_A_YEAR = 20
"""Maximum vacations that an account adds in a year, with the cancelled ones. Each is a message to all."""
LONGEST_AHEAD = 366 * DAY
"""Maximum seconds from now to the end of a vacation."""
SHORTEST = 3600.0
"""Minimum seconds of a vacation."""
KEPT_SECONDS = 2 * LONGEST_AHEAD
"""Seconds for which a vacation is kept after its end."""


class NoSuchVacation(GameError):
    """An account has no vacation with this number. The message is one sentence."""


class LoadedGames(Protocol):
    """Interface of the registry that this module needs."""

    def with_id(self, number: int) -> Game: ...

    def living(self) -> list[Game]: ...


class Vacations:
    """The vacations of all accounts of a server. Used on the reactor's thread.

    ``now`` returns unix seconds.
    """

    def __init__(
        self,
        games: LoadedGames,
        directory: GameDirectory,
        store: Store,
        clocks: ClockService,
        now: Callable[[], float],
    ) -> None:
        self._directory = directory
        self._store = store
        self._games = games
        self._clocks = clocks
        self._now = now
        self._saving: set[int] = set()
        """The accounts with a vacation that is being saved."""

    def of_account(self, account: int) -> list[Vacation]:
        """Return the present and future vacations of an account, the earliest first."""
        return [one for one in self._all(account) if one.ends > max(self._now(), one.begins)]

    def _all(self, account: int) -> list[Vacation]:
        return self._store.read(stored_vacations.of_accounts, [account])

    def seconds_left(self, account: int, year: int) -> float:
        """Return the remaining seconds of vacation of an account in a year (UTC)."""
        first, last = _year(year)
        taken = sum(max(0.0, min(one.ends, last) - max(one.begins, first)) for one in self._all(account))
        return max(0.0, DAYS_A_YEAR * DAY - taken)

    async def add(self, account: int, begins: float, ends: float) -> Vacation:
        """Add a vacation of an account between two times, in unix seconds.

        A past beginning means now. On return it is durable, and the games that wait for it show it. Raises GameError,
        NotNow.
        """
        now = self._now()
        begins = max(begins, now)
        if ends - begins < SHORTEST:
            raise GameError(f"a vacation ends at least {duration(SHORTEST)} after it begins, and later than now")
        if ends > now + LONGEST_AHEAD:
            raise GameError("a vacation ends within a year from now")
        mine = self._all(account)
        if any(one.begins < ends and begins < one.ends for one in mine):
            raise GameError("you already have a vacation at that time; end it first")
        if sum(one.made > now - LONGEST_AHEAD for one in mine) >= MOST_A_YEAR:
            raise NotNow(f"you have had {MOST_A_YEAR} vacations within a year, the maximum")
        for year in range(datetime.fromtimestamp(begins, UTC).year, datetime.fromtimestamp(ends, UTC).year + 1):
            first, last = _year(year)
            left = self.seconds_left(account, year)
            if min(ends, last) - max(begins, first) > left:
                raise GameError(
                    f"you can be on vacation for {DAYS_A_YEAR} days a year, and {duration(left)} of {year} are left"
                )
        if account in self._saving:
            raise NotNow("a vacation of yours is just being saved; try again in a moment")
        self._saving.add(account)
        try:
            added = await self._store.write(stored_vacations.add, account, begins, ends, now)
            await self._store.write(stored_vacations.forget, account, now - KEPT_SECONDS)
        finally:
            self._saving.discard(account)
        await self._changed(account, added)
        return added

    async def end(self, account: int, number: int) -> None:
        """End a vacation of an account now, or cancel it; durable and shown as for ``add``. Raises NoSuchVacation."""
        found = next((one for one in self.of_account(account) if one.id == number), None)
        if found is None:
            raise NoSuchVacation(f"you have no vacation {number} that has not ended")
        ends = max(self._now(), found.begins)
        await self._store.write(stored_vacations.end, number, ends)
        await self._changed(account, Vacation(number, account, found.begins, ends, found.made))

    async def _changed(self, account: int, vacation: Vacation) -> None:
        for game in self._games.living():
            _note(game, account, vacation)
        for row in self._directory.rows_of(account):
            # A game whose turns do not wait for it reads it with the next load.
            clock = known_clock(row.clock)
            if row.state in ("over", "waiting") or clock is None or not clock.vacation:
                continue
            with suppress(GameError, NotNow):
                game = self._games.with_id(row.id)
                seat = _note(game, account, vacation)
                if seat is not None and not game.saving.stale and game.started and seat not in game.resigned:
                    self._tell(game, seat, vacation)
                    self._clocks.fit_deadline(game)
                    await durable(game)

    def _tell(self, game: Game, seat: Seat, vacation: Vacation) -> None:
        now, words = self._now(), game.clock.time_words
        if vacation.ends > max(now, vacation.begins):
            text = f"{player(seat)} is on vacation from {words(vacation.begins)} to {words(vacation.ends)}. "
            text += f"Turns wait for that, for {game.clock.vacation} days of the game."
        else:
            text = f"{player(seat)} is no longer on vacation."
        report = Report(None, "Vacation", text, by=seat)
        body = {"begins": vacation.begins, "ends": vacation.ends}
        delivered = delivery(game, written(game, [report]), game.row.turn, now)
        game.commit(GameChanges(entry=game.entry(ON_VACATION, seat, body, now), delivery=delivered), now)


def _note(game: Game, account: int, vacation: Vacation) -> Seat | None:
    """Add a vacation to a game in memory; return the seat of the account, or None."""
    seat = game.seat_of(account)
    if seat is not None:
        others = [one for one in game.players[seat].vacations if one.id != vacation.id]
        game.players[seat].vacations = sorted([*others, vacation], key=lambda one: one.begins)
    return seat


def _year(year: int) -> tuple[float, float]:
    return datetime(year, 1, 1, tzinfo=UTC).timestamp(), datetime(year + 1, 1, 1, tzinfo=UTC).timestamp()
