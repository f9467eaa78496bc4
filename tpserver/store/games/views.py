"""Views: the last change of each object that a seat sees.

The data is opaque to the store.
"""

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, delete, insert, select

from tpserver.store.tables import views

# The seat under which the spectators' view is stored.
SPECTATOR = -1


def key_of(seat: int | None) -> int:
    """Return the number under which data of a seat (None: spectators) is stored."""
    return SPECTATOR if seat is None else seat


# Compiled once: building a statement takes longer than running it. These run in every turn of every game.
_DELETE = delete(views).where(views.c.game == bindparam("which_game"), views.c.seat == bindparam("which_seat"))
_INSERT = insert(views)
_SELECT = select(views.c.data).where(views.c.game == bindparam("which_game"), views.c.seat == bindparam("which_seat"))


def put_all(c: Connection, game: int, data: Mapping[int | None, bytes]) -> None:
    """Replace the stored views of these seats (None: spectators)."""
    if data:
        c.execute(_DELETE, [{"which_game": game, "which_seat": key_of(seat)} for seat in data])
        c.execute(_INSERT, [{"game": game, "seat": key_of(seat), "data": blob} for seat, blob in data.items()])


def get(c: Connection, game: int, seat: int | None) -> bytes | None:
    """Return the stored view of a seat (None: spectators), or None."""
    data = c.execute(_SELECT, {"which_game": game, "which_seat": key_of(seat)}).scalar_one_or_none()
    return None if data is None else bytes(data)
