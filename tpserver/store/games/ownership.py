"""Games that accounts have created, and their owners."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, true, update

from tpserver.network_counts import may_take
from tpserver.store import known_accounts
from tpserver.store.tables import creations, games, removals, seats

DAYS = 30
"""Days without another player after which a game ends."""


class TooManyGames(Exception):
    """An account, or all together, have created too many games.

    The message is a sentence for the account that wants another game, without its full stop. ``passes``: waiting helps.
    """

    def __init__(self, text: str, *, passes: bool) -> None:
        super().__init__(text)
        self.passes = passes


@dataclass(frozen=True, slots=True)
class Creator:
    """An account that creates a game, with its limits.

    It may have ``most_open`` games that are not over, and create ``most_new`` in ``seconds``. All accounts together may
    have ``most_of_all`` open games with two people, and as many others. Some of these others are reserved for known
    accounts, and for a network that ``is_new`` (see `may_take`).
    """

    account: int
    most_open: int
    most_of_all: int
    most_new: int
    seconds: float
    is_new: bool = True


def add(c: Connection, game: int, creator: Creator, now: float) -> None:
    """Record the creator of a game. Raises TooManyGames."""
    check_own(c, creator, now)
    together = c.scalar(_MADE.where(_IS_OPEN, _WITH_OTHERS)) or 0
    others = (c.scalar(_MADE.where(_IS_OPEN)) or 0) - together
    is_known = known_accounts.is_known(c, creator.account, now)
    if together >= creator.most_of_all or not may_take(
        others, creator.most_of_all, is_new=creator.is_new, is_known=is_known
    ):
        raise TooManyGames("this server has as many games of its players as it can take", passes=True)
    c.execute(insert(creations).values(game=game, account=creator.account, alone_since=now))


_MADE = select(func.count()).select_from(creations.join(games, creations.c.game == games.c.id))
_IS_OPEN = games.c.state != "over"
_WITH_OTHERS = (
    select(seats.c.game)
    .where(seats.c.game == games.c.id, seats.c.account != creations.c.account, ~seats.c.bot)
    .exists()
)
"""Condition that a person other than the owner has a seat."""


def note_player(c: Connection, game: int, account: int | None) -> None:
    """Record that an account, or a bot of the server (None), has a seat: a game with another player does not expire."""
    another = true() if account is None else creations.c.account != account
    alone = update(creations).where(creations.c.game == game, creations.c.alone_since.is_not(None), another)
    c.execute(alone.values(alone_since=None))


def expired(c: Connection, now: float, most: int) -> list[int]:
    """Return games that are not over and have had no player but the owner for DAYS, the oldest first."""
    since = creations.c.alone_since
    query = select(games.c.id).join(creations, creations.c.game == games.c.id).order_by(since).limit(most)
    return list(c.scalars(query.where(_IS_OPEN, since <= now - DAYS * 86400.0)))


def check_own(c: Connection, creator: Creator, now: float) -> None:
    """Raise TooManyGames if an account has its maximum of games, or has created too many recently."""
    mine = creations.c.account == creator.account
    lately = (games.c.created > now - creator.seconds) & (games.c.created <= now + 60)
    if c.scalar(_MADE.where(mine, lately)) >= creator.most_new:  # type: ignore[operator]
        raise TooManyGames("you have created many games recently; try again later", passes=True)
    if c.scalar(_MADE.where(mine, _IS_OPEN)) >= creator.most_open:  # type: ignore[operator]
        text = f"you own {creator.most_open} games that are not over, the maximum; wait until one is over"
        raise TooManyGames(text, passes=False)


def made_by(c: Connection, account: int) -> set[int]:
    """Return the ids of the games that an account owns."""
    return set(c.scalars(select(creations.c.game).where(creations.c.account == account)))


def creator_of(c: Connection, game: int) -> int | None:
    """Return the account that owns a game; None for the operator."""
    return c.scalar(select(creations.c.account).where(creations.c.game == game))


def hand_over(c: Connection, game: int, account: int | None) -> None:
    """Make another account the owner of a game, or the operator if None; its invitation code is revoked."""
    c.execute(delete(creations).where(creations.c.game == game))
    if account is not None:
        c.execute(insert(creations).values(game=game, account=account))


def remove_player(c: Connection, game: int, account: int) -> None:
    """Record that an account was removed from a game."""
    if not was_removed(c, game, account):
        c.execute(insert(removals).values(game=game, account=account))


def was_removed(c: Connection, game: int, account: int) -> bool:
    """Return whether an account was removed from a game."""
    query = select(removals.c.account).where(removals.c.game == game, removals.c.account == account)
    return c.scalar(query) is not None


def invitation_of(c: Connection, game: int) -> bytes | None:
    """Return the digest of the invitation code of a game; None if there is none."""
    return c.scalar(select(creations.c.invitation).where(creations.c.game == game))


def set_invitation(c: Connection, game: int, digest: bytes) -> None:
    """Set the digest of the invitation code of a game of an account."""
    c.execute(update(creations).where(creations.c.game == game).values(invitation=digest))
