"""Blocked accounts, muted games and silenced accounts."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from tpserver.store import audit
from tpserver.store import tables as t
from tpserver.store.audit import AuditEntry

EVERYWHERE = 0
"""In the place of a game: in all games except anonymous ones in progress."""


@dataclass(frozen=True, slots=True)
class Block:
    """A blocked account; ``game`` is EVERYWHERE or the only game of the block."""

    other: int
    name: str
    game: int


@dataclass(frozen=True, slots=True)
class Silence:
    """End of an account's silence (UTC unix seconds), and its reason."""

    until: float
    reason: str


@dataclass(frozen=True, slots=True)
class Hearing:
    """Accounts that do not receive messages of an account in a game.

    They have blocked it (``blocked_by``), are blocked by it (``blocks``), or have ``muted`` the game.
    """

    blocked_by: frozenset[int]
    blocks: frozenset[int]
    muted: frozenset[int]


def hearing_of(c: Connection, account: int, game: int, only_there: bool) -> Hearing:
    """Return the accounts that get no messages of an account in a game.

    With ``only_there`` only blocks for this game count.
    """
    counts = t.blocks.c.game.in_([game] if only_there else [EVERYWHERE, game])
    by = c.scalars(select(t.blocks.c.account).where(t.blocks.c.other == account, counts))
    blocks = c.scalars(select(t.blocks.c.other).where(t.blocks.c.account == account, counts))
    muted = c.scalars(select(t.mutes.c.account).where(t.mutes.c.game == game))
    return Hearing(frozenset(by), frozenset(blocks), frozenset(muted))


def blocks(c: Connection, account: int) -> list[Block]:
    """Return the blocks by an account, sorted by name."""
    query = select(t.blocks.c.other, t.accounts.c.name, t.blocks.c.game).join(
        t.accounts, t.accounts.c.id == t.blocks.c.other
    )
    rows = c.execute(query.where(t.blocks.c.account == account).order_by(t.accounts.c.name, t.blocks.c.game))
    return [Block(*row) for row in rows]


def block(c: Connection, account: int, other: int, game: int, most: int) -> bool:
    """Block an account; return False, without changes, if ``most`` are blocked already."""
    unblock(c, account, other, game)
    if c.scalar(select(func.count()).where(t.blocks.c.account == account)) >= most:  # type: ignore[operator]
        return False
    c.execute(insert(t.blocks).values(account=account, other=other, game=game))
    return True


def unblock(c: Connection, account: int, other: int, game: int) -> bool:
    """Unblock an account; return whether it was blocked."""
    one = (t.blocks.c.account == account) & (t.blocks.c.other == other) & (t.blocks.c.game == game)
    return c.execute(delete(t.blocks).where(one)).rowcount == 1


def mutes(c: Connection, account: int) -> list[int]:
    """Return the games that an account has muted."""
    return list(c.scalars(select(t.mutes.c.game).where(t.mutes.c.account == account).order_by(t.mutes.c.game)))


def set_mute(c: Connection, account: int, game: int, muted: bool) -> None:
    """Mute messages to all in a game for an account, or unmute them."""
    c.execute(delete(t.mutes).where(t.mutes.c.account == account, t.mutes.c.game == game))
    if muted:
        c.execute(insert(t.mutes).values(account=account, game=game))


def silence_of(c: Connection, account: int, now: float) -> Silence | None:
    """Return an account's current silence; None if it may write."""
    query = select(t.silences.c.until, t.silences.c.reason).where(t.silences.c.account == account)
    row = c.execute(query.where(t.silences.c.until > now)).first()
    return None if row is None else Silence(*row)


def silence(c: Connection, account: int, wanted: Silence | None, entry: AuditEntry | None = None) -> None:
    """Silence an account, or end its silence with None; ``entry`` goes into the audit."""
    c.execute(delete(t.silences).where(t.silences.c.account == account))
    if wanted is not None:
        c.execute(insert(t.silences).values(account=account, until=wanted.until, reason=wanted.reason))
    if entry is not None:
        audit.add(c, entry)


def forget(c: Connection, account: int) -> None:
    """Remove all blocks and mutes by an account, and blocks of it by others."""
    c.execute(delete(t.blocks).where((t.blocks.c.account == account) | (t.blocks.c.other == account)))
    c.execute(delete(t.mutes).where(t.mutes.c.account == account))
    c.execute(delete(t.silences).where(t.silences.c.account == account))
