"""Views: when each thing that a seat sees has last changed. The bytes are the host's own and opaque here."""

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, delete, insert, select

from tpserver.store.tables import views

# The seat under which the view of somebody without a seat lies.
SPECTATOR = -1


def _key(seat: int | None) -> int:
    return SPECTATOR if seat is None else seat


# Made once: to put a statement together costs more than to run it, and every turn of every game runs these.
_DELETE = delete(views).where(views.c.game == bindparam("which_game"), views.c.seat == bindparam("which_seat"))
_INSERT = insert(views)
_SELECT = select(views.c.data).where(views.c.game == bindparam("which_game"), views.c.seat == bindparam("which_seat"))


def put_all(c: Connection, game: int, data: Mapping[int | None, bytes]) -> None:
    """Replace what these seats (None: the spectator) see."""
    if data:
        c.execute(_DELETE, [{"which_game": game, "which_seat": _key(seat)} for seat in data])
        c.execute(_INSERT, [{"game": game, "seat": _key(seat), "data": blob} for seat, blob in data.items()])


def put(c: Connection, game: int, seat: int | None, data: bytes) -> None:
    """Replace what a seat (None: the spectator) sees."""
    put_all(c, game, {seat: data})


def get(c: Connection, game: int, seat: int | None) -> bytes | None:
    """Return what was put for a seat (None: the spectator); None if nothing was."""
    data = c.execute(_SELECT, {"which_game": game, "which_seat": _key(seat)}).scalar_one_or_none()
    return None if data is None else bytes(data)
