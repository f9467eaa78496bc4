"""Messages between the spectators of a game."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Text, delete, func, insert, select, type_coerce

from tpserver.store.games.boards import stored_size
from tpserver.store.games.rows import LACKING
from tpserver.store.tables import accounts, games, spectator_letters, values_of


@dataclass(frozen=True, slots=True)
class SpectatorLetter:
    """One message to the spectators of a game.

    ``number`` increases and is never reused. ``turn`` is the turn that its author, an ``account``, saw then. ``at`` is
    in UTC unix seconds.
    """

    game: int
    number: int
    turn: int
    at: float
    account: int
    subject: str
    body: str

    @property
    def size(self) -> int:
        """Size in the store, in bytes."""
        return stored_size(self.subject, self.body, [])


_TABLE = spectator_letters


def add(c: Connection, letter: SpectatorLetter, gone: Collection[int]) -> None:
    """Add a message, and remove those with the numbers ``gone`` to make room for it."""
    if gone:
        c.execute(delete(_TABLE).where(_TABLE.c.game == letter.game, _TABLE.c.number.in_(gone)))
    c.execute(insert(_TABLE).values(values_of(letter)))


def listing(c: Connection, game: int) -> list[tuple[int, int, int]]:
    """Return number, account and stored bytes of all messages to the spectators of a game, the oldest first."""
    if f"{_TABLE.name}.game" in c.info.get(LACKING, ()):  # the tables are of an older version
        return []
    # The texts are stored as ASCII, so their lengths are bytes. An empty list of references takes two more.
    size = func.length(type_coerce(_TABLE.c.subject, Text)) + func.length(type_coerce(_TABLE.c.body, Text)) + 2
    query = select(_TABLE.c.number, _TABLE.c.account, size).where(_TABLE.c.game == game).order_by(_TABLE.c.number)
    return [(number, account, length) for number, account, length in c.execute(query)]


def texts(c: Connection, game: int, numbers: Collection[int]) -> dict[int, tuple[SpectatorLetter, str]]:
    """Return the existing messages among these numbers, each with the name of its author."""
    query = select(_TABLE, accounts.c.name).join(accounts, accounts.c.id == _TABLE.c.account)
    rows = c.execute(query.where(_TABLE.c.game == game, _TABLE.c.number.in_(numbers)))
    return {row.number: (SpectatorLetter(*row[:-1]), row[-1]) for row in rows}


def of_account(c: Connection, account: int) -> list[dict[str, Any]]:
    """Return an account's messages as a spectator, the newest first: the game's name, turn, at, subject, body."""
    columns = [games.c.name.label("game"), *(_TABLE.c[name] for name in ("turn", "at", "subject", "body"))]
    query = select(*columns).join(games, games.c.id == _TABLE.c.game).where(_TABLE.c.account == account)
    query = query.order_by(_TABLE.c.at.desc(), _TABLE.c.game)
    return [dict(row) for row in c.execute(query).mappings()]
