"""Tokens with which programs log in, by their digests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, func, insert, select, update

from tpserver.store.tables import tokens


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an account, called ``label`` in lists.

    ``game`` is the only game that it opens, None: all games of the account. With a ``read_only`` token nothing can be
    changed. ``created``, ``ends`` and ``used`` (None: never) are in UTC unix seconds.
    """

    id: int
    account: int
    label: str
    game: int | None
    read_only: bool
    created: float
    ends: float
    used: float | None


_SELECT = select(*(tokens.c[each.name] for each in fields(Token)))


def add(
    c: Connection,
    account: int,
    digest: bytes,
    label: str,
    game: int | None,
    read_only: bool,
    *,
    ends: float,
    most: int,
    now: float,
) -> Token | None:
    """Add a token, after removing the expired ones of the account; None if it has ``most`` others."""
    mine = tokens.c.account == account
    c.execute(delete(tokens).where(mine, tokens.c.ends <= now))
    if (c.scalar(select(func.count()).select_from(tokens).where(mine)) or 0) >= most:
        return None
    values = {"account": account, "label": label, "game": game, "read_only": read_only, "created": now, "ends": ends}
    number = c.execute(insert(tokens).values(digest=digest, **values).returning(tokens.c.id)).scalar_one()
    return Token(number, account, label, game, read_only, now, ends, None)


def by_digest(c: Connection, digest: bytes) -> Token | None:
    """Return the token with this digest, or None."""
    row = c.execute(_SELECT.where(tokens.c.digest == digest)).first()
    return None if row is None else Token(*row)


def there(c: Connection, ids: Iterable[int]) -> set[int]:
    """Return the existing tokens among these ids."""
    return set(c.scalars(select(tokens.c.id).where(tokens.c.id.in_(list(ids)))))


def of_account(c: Connection, account: int) -> list[Token]:
    """Return the tokens of an account, the newest first."""
    query = _SELECT.where(tokens.c.account == account).order_by(tokens.c.id.desc())
    return [Token(*row) for row in c.execute(query)]


def note_use(c: Connection, token: int, now: float) -> bool:
    """Set the time of the last use of a token; return whether the token exists."""
    return c.execute(update(tokens).where(tokens.c.id == token).values(used=now)).rowcount == 1


def remove(c: Connection, account: int, token: int) -> bool:
    """Remove a token of the account; return whether it existed."""
    mine = (tokens.c.account == account) & (tokens.c.id == token)
    return c.execute(delete(tokens).where(mine)).rowcount == 1
