"""The orders in the queues of a copy: read where they have changed, and noted when they are given."""

from collections.abc import Iterable, Mapping, Sequence

from tpproto import tp_pb2

from .connection import Connection
from .errors import RequestFailed
from .orders import APPEND
from .session import Request
from .universe import Changes, Universe


async def read_orders(
    connection: Connection,
    universe: Universe,
    changes: Changes,
    orders: dict[int, tuple[tp_pb2.Order, ...]],
    unsure: set[int],
) -> None:
    """Bring `orders`, by queue, up to date after a refresh of the universe with these changes.

    The queues in `unsure` are read in any case, and taken out of it. Whoever is interrupted here finds in it what has
    to be read the next time.
    """
    changed = changes.fetched.get("queues" if connection.has_turn_numbers else "objects", ())
    doubtful = unsure & universe.queues.keys()
    counts = {number: universe.queues[number].num_orders for number in changed if number in universe.queues}
    unsure.clear()  # now, for somebody else may put a queue into it while we wait
    for number in orders.keys() - universe.queues.keys():
        del orders[number]
    try:
        await _read_doubtful(connection, orders, doubtful)
        await _read_counted(connection, orders, {number: counts[number] for number in counts.keys() - doubtful})
    except BaseException:
        unsure |= doubtful | counts.keys()
        raise


async def _read_doubtful(
    connection: Connection, orders: dict[int, tuple[tp_pb2.Order, ...]], numbers: Iterable[int]
) -> None:
    for number in sorted(numbers):
        try:
            orders[number] = tuple(await connection.orders(number))
        except RequestFailed as refusal:
            if not refusal.is_gone:
                raise
            orders.pop(number, None)


async def _read_counted(
    connection: Connection, orders: dict[int, tuple[tp_pb2.Order, ...]], counts: Mapping[int, int]
) -> None:
    """Read queues, all in one go, of which it is known how many orders they have."""
    filled = [number for number, count in sorted(counts.items()) if count]
    for number in counts.keys() - set(filled):
        orders.pop(number, None)
    requests = [Request("get_order", tp_pb2.GetWithIDSlot(id=number, slots=range(counts[number]))) for number in filled]
    answers = await connection.ask_all(requests)
    for number, answer in zip(filled, answers, strict=True):
        found = [order for order in answer.items(tp_pb2.Order) if isinstance(order, tp_pb2.Order)]
        orders[number] = tuple(found)


def insert_known(queued: Sequence[tp_pb2.Order], order: tp_pb2.Order) -> tuple[tp_pb2.Order, ...]:
    """A queue after the server has taken an order into it; those behind it move up."""
    slot = len(queued) if order.slot == APPEND else min(order.slot, len(queued))
    after = [*queued[:slot], order, *queued[slot:]]
    for number, one in enumerate(after):
        one.slot = number
    return tuple(after)
