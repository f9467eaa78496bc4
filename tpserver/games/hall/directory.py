"""Rows and summaries of all games, in memory or not."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tprules.printable import quoted
from tpserver.cluster.node import Node
from tpserver.concurrency import Timers
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.hall.summary import (
    UNKNOWN,
    GameOutline,
    Resting,
    is_of_version,
    outline_from,
    outline_of,
    resting_from,
)
from tpserver.games.stored.compat import too_new
from tpserver.games.terms.anonymity import hides, seat_name
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.store import Store
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow

MOST_NAMES = 20
"""Maximum games that a refusal lists."""


class GameDirectory:
    """Rows and summaries of the games of a server. Used on the reactor's thread.

    ``games`` are those in memory, by id. ``watches`` returns whether the clocks of games run: in a server, not in a
    command.
    """

    def __init__(
        self,
        store: Store,
        rulesets: Rulesets,
        games: Mapping[int, Game],
        timers: Timers,
        node: Node | None,
        watches: Callable[[], bool],
    ) -> None:
        self._store = store
        self._rulesets = rulesets
        self._games = games
        self._timers = timers
        self._node = node
        self._watches = watches
        self.unloadable: dict[int, str] = {}
        """The reasons why games cannot be loaded, by game id."""
        self._missing: dict[str, str] = {}
        """The reasons why rulesets are not usable, by name."""
        self._rows: dict[int, GameRow] = {}
        """The rows of all games by id, the oldest first. For games not in memory they equal the stored rows."""
        self._names: dict[int, tuple[str, ...]] = {}
        """The names of the players by game id and seat, empty for an open seat. The same applies to them."""
        self._rows_read = False
        self._rows_are_new = False
        """In a node: True if the rows were read in this turn of the reactor and have not changed here since."""

    # --- changes ------------------------------------------------------------------------------------------------------

    def created(self, row: GameRow) -> None:
        """Add a game that was just created."""
        if self._node is None:
            self.stored().setdefault(row.id, row)

    def found(self, row: GameRow) -> None:
        """Add a game that another process or a restore has put into the store."""
        if self._node is None and row.id not in self.stored():
            self._rows[row.id] = row
            self.renamed([row.id])

    def changed(self) -> None:
        """Read the rows of a cluster again before their next use, as a game was loaded or released."""
        self._rows_are_new = False

    def released(self, game: Game) -> None:
        """Update the row of a game that leaves memory."""
        self.changed()
        if self._node is None:
            told, wake = game.at_rest or (None, None)
            self.stored()[game.row.id] = replace(game.row, resting=told, wake=wake)
            self._names[game.row.id] = tuple(player.name for player in game.players)

    def renamed(self, numbers: Iterable[int]) -> None:
        """Read the names of the players of these games again."""
        self._names.update(self._store.read(stored_games.seat_names, list(numbers)))

    def removed(self, number: int) -> None:
        """Forget a game that was removed from the store."""
        self._rows.pop(number, None)
        self._names.pop(number, None)

    # --- rows and summaries -------------------------------------------------------------------------------------------

    def rows(self) -> list[GameRow]:
        """Return the rows of all games, the oldest first. Those in memory have present values.

        A game that could not be loaded, or that a newer version of its ruleset saved, is shown as suspended.
        """
        return [self._as_it_is(row) for row in self.stored().values()]

    def row_named(self, name: str) -> GameRow | None:
        """Return the row of the game of this name from ``rows``, ignoring case, or None."""
        row = self.named(name)
        return None if row is None else self._as_it_is(row)

    def named(self, name: str) -> GameRow | None:
        """Return the stored row of the game of this name, or of the name with plain characters; else None."""
        plain = _plain_name(name)
        row = self._store.read(stored_games.by_name, name)
        return row if row is not None or plain == name else self._store.read(stored_games.by_name, plain)

    def existing(self, name: str) -> GameRow:
        """Return the row that ``named`` returns. Raises GameError with the names of games if no such game exists."""
        row = self.named(name)
        if row is None:
            known = names_of(sorted(self.rows(), key=lambda other: other.name)) or "none"
            raise GameError(f"there is no game {quoted(name)} (games: {known})")
        return row

    def rows_of(self, account: int) -> list[GameRow]:
        """Return the rows of the games that an account plays or owns, the newest first."""
        mine = self._store.read(stored_games.with_seat_of, account) | self._store.read(
            stored_ownership.made_by, account
        )
        if self._node is not None:  # otherwise each call would read the rows of all games
            return [self._as_it_is(row) for row in reversed(self._store.read(stored_games.all, mine))]
        stored = self.stored()
        return [self._as_it_is(stored[number]) for number in sorted(mine, reverse=True) if number in stored]

    def _as_it_is(self, row: GameRow) -> GameRow:
        if row.id in self._games:
            return self._games[row.id].row
        problem = self.unloadable.get(row.id) or self.why_unplayable(row)
        if problem and row.state != "over":
            return replace(row, state="held", held_reason=problem, deadline=None)
        return row

    def why_unplayable(self, row: GameRow) -> str:
        """Return why the rulesets of this server cannot continue a game, or an empty text."""
        rules = self._rulesets.usable.get(row.ruleset)
        return self.why_missing(row) if rules is None else too_new(row, rules)

    def why_missing(self, row: GameRow) -> str:
        """Return why a game cannot be loaded without its ruleset."""
        if row.ruleset not in self._missing:
            try:
                self._rulesets.named(row.ruleset)
            except UnknownRuleset as error:
                self._missing[row.ruleset] = str(error)
        return f"game {row.name!r} cannot be loaded: {self._missing.get(row.ruleset)}"

    def is_summarized(self, row: GameRow) -> bool:
        """Return whether a stored game has a summary by the present version of its rules."""
        rules = self._rulesets.usable.get(row.ruleset)
        return row.resting is not None and rules is not None and is_of_version(row.resting, rules.version)

    def seat_counts(self) -> dict[int, tuple[int, int]]:
        """Return the number of taken seats, and of all seats, by game id, also for games not in memory."""
        counts = {
            number: (len(game.players) - len(game.open_seats()), len(game.players))
            for number, game in self._games.items()
        }
        self.stored()
        resting = {
            number: (len(names) - names.count(""), len(names))
            for number, names in self._names.items()
            if number not in counts
        }
        return {**resting, **counts}

    def seat_names(self, number: int) -> tuple[str, ...]:
        """Return the names of a game's players by seat, empty for an open seat."""
        if number in self._games:
            return tuple(player.name for player in self._games[number].players)
        row, names = self._read(number), self._names.get(number, ())
        if row is not None and hides(row):
            return tuple(seat_name(seat) if name else "" for seat, name in enumerate(names))
        return names

    def stored(self) -> dict[int, GameRow]:
        """Return the stored rows of all games by id, the oldest first.

        They are read once. Only games in memory change the stored rows, and for those callers use the game. A row is
        updated as its game leaves memory. In a cluster other nodes change rows, too. Then one read serves all calls in
        the same turn of the reactor, as a client may request all games repeatedly.
        """
        if self._node is not None and not self._rows_are_new:
            self._rows.clear()
            self._names.clear()
            self._rows_read = False
            if self._watches():  # else no timer is needed
                self._rows_are_new = True
                self._timers.callLater(0, self._forget_rows)
        if not self._rows_read:
            self._rows.update((row.id, row) for row in self._store.read(stored_games.all))
            self._names.update(self._store.read(stored_games.seat_names))
            self._rows_read = True
        return self._rows

    def _forget_rows(self) -> None:
        self._rows_are_new = False

    def _read(self, number: int) -> GameRow | None:
        """Return the stored row of a game, or None, and cache the names of its players."""
        if self._node is None:
            return self.stored().get(number)
        row = self._store.read(stored_games.by_id, number)
        self._names.update(self._store.read(stored_games.seat_names, [number]))
        return row

    def resting(self, number: int) -> Resting:
        """Return the summary of a game that is not in memory, or UNKNOWN."""
        row = self._read(number)
        return UNKNOWN if row is None else self._rest_of(row)

    def _rest_of(self, row: GameRow) -> Resting:
        return UNKNOWN if row.resting is None or row.id in self.unloadable else resting_from(row)

    def outline(self, number: int) -> GameOutline | None:
        """Return the summary of a game, in memory or not; None for an unknown or deleted game."""
        if number in self._games:
            return outline_of(self._games[number])
        row = self._read(number)
        if row is None:
            return None
        return outline_from(self._as_it_is(row), self._rest_of(row), self._store.read(stored_games.seats, number))


def names_of(rows: Sequence[GameRow]) -> str:
    """Return the names of at most MOST_NAMES games for a sentence."""
    more = len(rows) - MOST_NAMES
    names = ", ".join(row.name for row in rows[:MOST_NAMES])
    return f"{names} and {more} more" if more > 0 else names


def _plain_name(name: str) -> str:
    """Return a typed name with plain spaces and hyphens, and without invisible characters from copying."""
    letters = unicodedata.normalize("NFKC", name)
    kept = ("-" if unicodedata.category(one) == "Pd" else one for one in letters if unicodedata.category(one) != "Cf")
    return " ".join("".join(kept).split())
