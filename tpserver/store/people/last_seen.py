"""Last-seen markers: the last turn and message each account has seen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from tpserver.store.tables import looks, messages


class LastLook(NamedTuple):
    """The last turn and message of a game that an account has seen.

    ``turn`` is -1 for none. ``letter`` is the number of a player's message on its board, 0 for none.
    """

    turn: int
    letter: int


NEVER = LastLook(-1, 0)
"""The marker of a game that the account has not opened since its start."""

# Compiled once: building a statement costs more than running it.
_DELETE = delete(looks).where(looks.c.game == bindparam("which_game"), looks.c.account == bindparam("which_account"))
_INSERT = insert(looks)
_OF_GAME = select(looks.c.account, looks.c.turn, looks.c.letter).where(looks.c.game == bindparam("which_game"))
_OF_ACCOUNT = select(looks.c.game, looks.c.turn, looks.c.letter).where(
    looks.c.account == bindparam("which_account"), looks.c.game.in_(bindparam("games", expanding=True))
)
_LETTERS = select(func.count()).where(
    messages.c.game == bindparam("which_game"),
    messages.c.board == bindparam("which_board"),
    messages.c.number > bindparam("read"),
    messages.c.sender != bindparam("which_board"),  # neither reports, with sender NULL, nor own copies
)


def put_all(c: Connection, seen: Mapping[tuple[int, int], LastLook]) -> None:
    """Replace last-seen markers, by pairs of game and account."""
    if seen:
        c.execute(_DELETE, [{"which_game": game, "which_account": account} for game, account in seen])
        rows = [{"game": game, "account": account, **look._asdict()} for (game, account), look in seen.items()]
        c.execute(_INSERT, rows)


def of_game(c: Connection, game: int) -> dict[int, LastLook]:
    """Return the last-seen markers of a game by account, without accounts that have not opened it."""
    return {account: LastLook(turn, letter) for account, turn, letter in c.execute(_OF_GAME, {"which_game": game})}


def of_account(c: Connection, account: int, games: Collection[int]) -> dict[int, LastLook]:
    """Return the last-seen markers of an account by game, without games that it has never opened."""
    rows = c.execute(_OF_ACCOUNT, {"which_account": account, "games": list(games)})
    return {game: LastLook(turn, letter) for game, turn, letter in rows}


def letters_after(c: Connection, game: int, board: int, read: int) -> int:
    """Return the number of messages of other players on a board with a number above ``read``."""
    return int(c.scalar(_LETTERS, {"which_game": game, "which_board": board, "read": read}) or 0)
