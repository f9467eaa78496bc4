"""Putting an order in the place of another: in one request where the protocol has it, else so that neither is lost."""

from contextlib import suppress

from tpproto import tp_pb2

from .conversation import Conversation
from .errors import BadArgument, ClientError, RequestFailed
from .orders import choices, is_unfinished
from .session import Answer, Request

REPLACE = "order_replace"


async def replace_order(connection: Conversation, old: tp_pb2.Order, new: tp_pb2.Order) -> tp_pb2.Order:
    """Put `new` into slot `new.slot` of the queue in which `old` is, and take `old` out; return the new order.

    `old` is as the server gave it; its slot may be another one than that of the new order, which then is moved. If the
    server refuses, the old order stays and the refusal is raised. Raises ClientError if another order is there by now.

    Protocol Buffers have a request for orders that stay where they are. Else the new one goes in before the old one
    comes out. Only where the rules do not take both at once, and a probe says that they take the new one alone, the
    old one comes out first, in one go with the insertion of the new one.
    """
    if not await _is_there(connection, old, old.slot):
        raise ClientError("The queue has changed meanwhile; look at it and try again.")
    if old.slot == new.slot and REPLACE in (kind.field for kind in connection.session.dialect.kinds.values()):
        return (await connection.ask(REPLACE, new)).one(tp_pb2.Order)
    forward = new.slot > old.slot
    asked = _at(new, new.slot + 1 if forward else new.slot)
    try:
        made = await _insert(connection, asked)
    except RequestFailed:
        return await _one_by_one(connection, old, new)
    moved = old.slot if forward else old.slot + 1
    if await _is_there(connection, old, moved):  # where orders are carried out at once the queue may be another one
        try:
            await _remove(connection, old.id, moved)
        except RequestFailed:
            await _remove(connection, old.id, made.slot)
            raise
    return _at(made, new.slot)


async def move_order(connection: Conversation, old: tp_pb2.Order, slot: int) -> tp_pb2.Order:
    """Move an order to another slot of its queue, as `replace_order` does. Raises BadArgument for a draft.

    What a draft shows and nobody chose would be sent as if it had been chosen.
    """
    if is_unfinished(old):
        raise BadArgument("Something is not chosen yet in this order; change it or remove it.")
    return old if slot == old.slot else await replace_order(connection, old, _at(old, slot))


async def _one_by_one(connection: Conversation, old: tp_pb2.Order, new: tp_pb2.Order) -> tp_pb2.Order:
    """Take the old order out and put the new one in; if that is refused after all, put the old one back."""
    (await connection.ask("order_probe", new)).one(tp_pb2.Order)
    removal = Request("remove_order", tp_pb2.GetWithIDSlot(id=old.id, slots=[old.slot]))
    removed, inserted = await connection.ask_all([removal, Request("order_insert", new)])
    try:
        removed.one(tp_pb2.Okay)
    except RequestFailed:
        with suppress(RequestFailed):
            inserted_order(inserted, new)
            await _remove(connection, old.id, new.slot)
        raise
    try:
        return inserted_order(inserted, new)
    except RequestFailed as refusal:
        if is_unfinished(old):
            raise  # what nobody chose would be sent as if it had been chosen; such an order counts for nothing
        try:
            await _insert(connection, old)
        except RequestFailed as second:
            text = f"{refusal.text} What was there before is refused now, too: {second.text}"
            raise RequestFailed(refusal.code, text, refusal.request, refusal.parameter) from second
        raise


def inserted_order(answer: Answer, sent: tp_pb2.Order) -> tp_pb2.Order:
    """The order in the answer to OrderInsert; where the server only says Okay, as TP03 has it, the one that was sent.

    Raises RequestFailed.
    """
    if any(isinstance(reply.message, tp_pb2.Okay) for reply in answer.replies):
        return sent
    return answer.one(tp_pb2.Order)


async def _insert(connection: Conversation, order: tp_pb2.Order) -> tp_pb2.Order:
    return inserted_order(await connection.ask("order_insert", order), order)


async def _remove(connection: Conversation, queue: int, slot: int) -> None:
    (await connection.ask("remove_order", tp_pb2.GetWithIDSlot(id=queue, slots=[slot]))).one(tp_pb2.Okay)


async def _is_there(connection: Conversation, order: tp_pb2.Order, slot: int) -> bool:
    """Whether an order with the same choices is in a slot of its queue."""
    (found,) = (await connection.ask("get_order", tp_pb2.GetWithIDSlot(id=order.id, slots=[slot]))).items(tp_pb2.Order)
    return isinstance(found, tp_pb2.Order) and choices(found) == choices(order)


def _at(order: tp_pb2.Order, slot: int) -> tp_pb2.Order:
    moved = tp_pb2.Order()
    moved.CopyFrom(order)
    moved.slot = slot
    return moved
