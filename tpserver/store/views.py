"""Views: when each thing that a seat sees has last changed. The bytes are the host's own and opaque here."""

from sqlalchemy import Connection, insert, select, update

from tpserver.store.tables import views

# The seat under which the view of somebody without a seat lies.
SPECTATOR = -1


def _key(seat: int | None) -> int:
    return SPECTATOR if seat is None else seat


def put(c: Connection, game: int, seat: int | None, data: bytes) -> None:
    """Replace what a seat (None: the spectator) sees."""
    where = (views.c.game == game) & (views.c.seat == _key(seat))
    # There is one writer, so that nothing can come between the two statements, and both databases understand them.
    if c.execute(update(views).where(where).values(data=data)).rowcount == 0:
        c.execute(insert(views).values(game=game, seat=_key(seat), data=data))


def get(c: Connection, game: int, seat: int | None) -> bytes | None:
    """Return what was put for a seat (None: the spectator); None if nothing was."""
    query = select(views.c.data).where(views.c.game == game, views.c.seat == _key(seat))
    data = c.execute(query).scalar_one_or_none()
    return None if data is None else bytes(data)
