"""Games that accounts have made."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from tpserver.store.tables import creations, games, removals


class TooManyGames(Exception):
    """An account, or all of them, have made too many games; the message is one sentence, without its end, for whoever
    wants one more.  ``passes``: waiting a while helps."""

    def __init__(self, text: str, *, passes: bool) -> None:
        super().__init__(text)
        self.passes = passes


@dataclass(frozen=True, slots=True)
class Creator:
    """An account that makes a game: ``most_open`` games of it may be there that are not over, ``most_of_all`` of all
    accounts, and it may make ``most_new`` in ``seconds``."""

    account: int
    most_open: int
    most_of_all: int
    most_new: int
    seconds: float


def add(c: Connection, game: int, creator: Creator, now: float) -> None:
    """Note who makes a game.  Raises TooManyGames."""
    check_own(c, creator, now)
    if c.scalar(_MADE.where(_IS_OPEN)) >= creator.most_of_all:  # type: ignore[operator]
        raise TooManyGames("this server has as many games of its players as it can take", passes=True)
    c.execute(insert(creations).values(game=game, account=creator.account))


_MADE = select(func.count()).select_from(creations.join(games, creations.c.game == games.c.id))
_IS_OPEN = games.c.state != "over"


def check_own(c: Connection, creator: Creator, now: float) -> None:
    """Raise TooManyGames if an account has as many games as it may have, or has got as many of late."""
    mine = creations.c.account == creator.account
    if c.scalar(_MADE.where(mine, games.c.created > now - creator.seconds)) >= creator.most_new:  # type: ignore[operator]
        raise TooManyGames("you have made many games of late; try again later", passes=True)
    if c.scalar(_MADE.where(mine, _IS_OPEN)) >= creator.most_open:  # type: ignore[operator]
        text = f"{creator.most_open} games that you have made are not over, and more cannot be made before one is"
        raise TooManyGames(text, passes=False)


def made_by(c: Connection, account: int) -> set[int]:
    """Return the ids of the games that an account has made."""
    return set(c.scalars(select(creations.c.game).where(creations.c.account == account)))


def creator_of(c: Connection, game: int) -> int | None:
    """Return the account that has made a game; None if the operator has."""
    return c.scalar(select(creations.c.account).where(creations.c.game == game))


def hand_over(c: Connection, game: int, account: int | None) -> None:
    """Have another account be the maker of a game, or the operator, if None; an invitation holds no more then."""
    c.execute(delete(creations).where(creations.c.game == game))
    if account is not None:
        c.execute(insert(creations).values(game=game, account=account))


def remove_player(c: Connection, game: int, account: int) -> None:
    """Note that an account was removed from a game."""
    if not was_removed(c, game, account):
        c.execute(insert(removals).values(game=game, account=account))


def was_removed(c: Connection, game: int, account: int) -> bool:
    """Return whether an account was removed from a game."""
    query = select(removals.c.account).where(removals.c.game == game, removals.c.account == account)
    return c.scalar(query) is not None


def invitation_of(c: Connection, game: int) -> bytes | None:
    """Return the digest of the word that lets others into a game; None if there is none."""
    return c.scalar(select(creations.c.invitation).where(creations.c.game == game))


def set_invitation(c: Connection, game: int, digest: bytes) -> None:
    """Set the digest of the word that lets others into a game that an account has made."""
    c.execute(update(creations).where(creations.c.game == game).values(invitation=digest))
