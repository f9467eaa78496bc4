"""Requests about orders: probe, insert, replace, read and remove them.

Clients also read order queues.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import Oid, Order, OrderType, Plan, Refusal, ResourceList, Seat, Selection, order_checks
from tprules.api.order_checks import LONGEST_QUEUE, Change, plan_before
from tprules.api.orders import ONE_TURN
from tprules.api.ruleset import find_order_type
from tpserver.games.core.game import Game
from tpserver.games.core.old_views import Vanished
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.views import Queue, View, VisibleObject
from tpserver.games.stored.history import PastGame
from tpserver.games.turns import order_intake
from tpserver.requests.play.objects import missing, view_of
from tpserver.requests.play.order_parameters import arguments, parameter
from tpserver.requests.session import refusals
from tpserver.requests.session.error_codes import request_error
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.paging import Ids, after, get_ids
from tpserver.requests.session.refusals import ORDER, ORDER_TYPE, PARAMETER, QUEUE, RequestError
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Session

CHOOSING = (Selection, ResourceList)
"""The parameter types whose choices are computed by the ruleset."""

CHECKS_AT_ONCE = 500
"""Maximum orders checked for one request before other connections are served."""

NO_QUEUE = 0
"""The queue id in objects that have no queue (TP04, ObjectParams, order queue)."""

ORDER_FRAME, QUEUE_FRAME = BY_NAME["order"].number, BY_NAME["order_queue"].number


def insert(session: Session, message: tp.Order) -> Answer:
    """Insert an order. TP03 answers Okay, TP04 the order with its real slot.

    An order that cannot be encoded is refused.
    """
    return _put(session, message, order_intake.insertion)


def replace(session: Session, message: tp.Order) -> Answer:
    """Replace the order in a slot; the response is that of ``insert``. On refusal the old order stays."""
    return _put(session, message, order_intake.replacement)


def _put(session: Session, message: tp.Order, checked: Callable[..., Change]) -> Answer:
    """Check an order by ``checked``, encode the response, apply the change, and return the response."""
    game, seat = session.playing()
    refusals.check_turn(message, game.state.turn)
    kind = _type(game, message)
    registry = session.host.registry
    now = registry.now()
    try:
        change = checked(game, seat, message.id, kind.name, arguments(kind, message), message.slot, now)
    except Refusal as refusal:
        raise _refused(refusal, kind, message) from None
    if session.dialect is TP03:
        answer = okay(session.dialect, "The order is in the queue")
    else:
        frame = order_frame(game, seat, change.order, change.slot, lambda: plan_before(game.state, change))
        answer = session.payload(ORDER_FRAME, frame)
    order_intake.make(game, change, now)
    registry.seat_changes.back(game, seat)
    session.changed(message.id)
    if not change.order.draft:
        registry.turns.ordered(game, change.order)
    return [answer]


def put_before(session: Session, message: tp.Order) -> Answer:
    """Return the response for an order that an earlier process has queued.

    It shows the order at its current place: the requested one, or the last of its kind. If the turn has ended since, it
    shows the order as the client sent it.
    """
    game, seat = session.playing()
    if session.dialect is TP03:
        return [okay(session.dialect, "The order is in the queue")]
    name = _type(game, message).name
    queue = list(game.state.queues.get(message.id, ()))
    slots = [slot for slot, order in enumerate(queue) if order.type == name]
    if not slots:
        return [session.payload(ORDER_FRAME, message)]
    slot = message.slot if message.slot in slots else slots[-1]
    return [told_order_payload(session, game, seat, queue[slot], slot)]


def probe(session: Session, message: tp.Order) -> Answer:
    """Return an order as it would be, with the possible choices (TP03 and TP04, OrderProbe).

    The order is judged as the only one of its object. With ``judged`` it is judged as in OrderInsert or OrderReplace.
    It is a draft if a choice is missing.
    """
    game, seat = session.playing()
    kind = _type(game, message)
    args = arguments(kind, message)
    try:
        if not message.judged:
            order = order_intake.probe(game, seat, message.id, kind.name, args)
            frame = order_frame(game, seat, order, message.slot, lambda: game.state.plan_apart_from(seat, order.on))
        else:
            check = _AS.get(message.judged)
            if check is None:
                raise RequestError(FailCode.FRAME, f"judged is 0, 1 or 2, not {message.judged}")
            change = order_intake.trial(game, seat, message.id, kind.name, args, message.slot, check)
            frame = order_frame(game, seat, change.order, change.slot, lambda: plan_before(game.state, change))
    except Refusal as refusal:
        raise _refused(refusal, kind, message) from None
    return [session.payload(ORDER_FRAME, frame)]


_AS = {1: order_checks.insertion, 2: order_checks.replacement}
"""By ``Order.judged`` the check that a probe makes in place of that for an empty queue."""


def get_order(session: Session, message: tp.GetWithIDSlot) -> Frames:
    """Return orders.

    The first read of a slot of a listed queue returns the order as listed
    (`tpserver.requests.session.repeatable_reads`).
    """
    game, seat = session.playing()
    view, reading = game.views[seat], session.reading
    told = None if reading is None else reading.told_of(message.id, session.host.registry.now())
    if told is None and not _is_no_queue(session, view, message.id):
        own_queue(view, message.id)
    refusals.limit_slots(len(message.slots), LONGEST_QUEUE)
    queue = list(game.state.queues.get(message.id, ())) if _commands(view, message.id) else []
    chosen = []
    read: set[int] = set()
    for slot in message.slots:
        chosen.append(None if told is None or slot in read else told.order(slot))
        read.add(slot)
    if reading is not None:
        reading.read(message.id, read)

    def one(slot: int, told_order: Any) -> bytes:
        if told_order is not None:
            return told_order_payload(session, game, seat, told_order, slot)
        if slot < len(queue):
            return order_payload(session, game, seat, queue[slot], slot)
        return session.fail_payload(_no_slot(message.id, slot, len(queue)))

    return Frames(session.dialect, len(message.slots), map(one, message.slots, chosen))


def remove(session: Session, message: tp.GetWithIDSlot) -> Frames:
    """Remove orders slot by slot, in the order given; each slot gets its own response."""
    game, seat = session.playing()
    refusals.check_turn(message, game.state.turn)
    refusals.limit_slots(len(message.slots), LONGEST_QUEUE)
    if _is_no_queue(session, game.views[seat], message.id):
        nothing = (session.fail_payload(_no_slot(NO_QUEUE, slot, 0)) for slot in message.slots)
        return Frames(session.dialect, len(message.slots), nothing)
    own_queue(game.views[seat], message.id)
    registry = session.host.registry
    done = okay(session.dialect, "The order is removed")

    def one(slot: int) -> bytes:
        if game.saving.stale:
            raise NotSaved("the game goes on from what the store holds")
        try:
            change = order_intake.removal(game, seat, message.id, slot, registry.now())
        except Refusal as refusal:
            references = [(QUEUE, message.id), (ORDER, slot)]
            refused = request_error(session, refusal)
            return session.fail_payload(RequestError(refused.code, refused.text, references))
        order_intake.make(game, change, registry.now())
        registry.seat_changes.back(game, seat)
        session.changed(message.id)
        return done

    # Each removal checks all orders behind it: of a long queue remove only a few at a time.
    at_once = max(1, CHECKS_AT_ONCE // (1 + len(game.state.queues.get(message.id, ()))))
    return Frames(session.dialect, len(message.slots), map(one, message.slots), at_once=at_once)


# --- queues -----------------------------------------------------------------------------------------------------------


def queue_ids(session: Session, fromtime: int) -> tuple[Ids, int]:
    """List the order queues that exist, and those that have vanished but are named by objects the client has seen.

    In TP04 also queue 0, which objects without a queue name.
    """
    view, now = view_of(session), session.host.registry.now()
    ids = after([(oid, view.time(oid)) for oid, seen in sorted(view.objects.items()) if seen.has_queue], fromtime)
    reading = session.reads()
    reading.list_ids(reading.queues, view, (oid for oid, _ in ids), now)
    vanished = after([(oid, gone.time) for oid, gone in _vanished(session, view, now).items()], fromtime)
    if _is_no_queue(session, view, NO_QUEUE):
        ids += after([(NO_QUEUE, session.seeing().modtime)], fromtime)
    return sorted(ids + vanished), view.newest()


def _is_no_queue(session: Session, view: View, oid: int) -> bool:
    """Return whether ``oid`` means "no queue": in TP04, whose clients request it for objects without a queue."""
    return oid == NO_QUEUE and session.dialect in (TP04, TP04.padded) and not view.objects[NO_QUEUE].has_queue


def get_queue(session: Session, message: tp.GetWithID) -> Frames:
    view, reading, now = view_of(session), session.reading, session.host.registry.now()
    ids = list(message.ids)
    sources = [view] * len(ids) if reading is None else reading.sources(reading.queues, ids, view, now)
    vanished = _vanished(session, view, now)
    game = session.seeing()
    if reading is not None:
        reading.fetched(reading.queues, ids)

    def one(oid: Oid, source: View) -> bytes:
        if _is_no_queue(session, view, oid):
            return session.payload(QUEUE_FRAME, tp.OrderQueue(id=oid, serial=game.modtime))
        gone = vanished.pop(oid, None) if source is view else None
        try:
            seen = own_queue(source, oid) if gone is None else gone.seen
        except RequestError as refused:
            return session.fail_payload(refused)
        queue: Queue | None = source.queues.get(oid) if gone is None else gone.queue
        if reading is not None:
            reading.fetched_queues({oid: queue}, now)
        session.tell(oid, queue)
        frame = tp.OrderQueue(
            id=oid,
            serial=source.time(oid) if gone is None else gone.time,
            max_slots=game.rules.kinds[seen.shown.kind].slots,
            num_orders=seen.orders,
            order_types=seen.order_types,
        )
        return session.payload(QUEUE_FRAME, frame)

    return Frames(session.dialect, len(ids), map(one, ids, sources))


def _vanished(session: Session, view: View, now: float) -> dict[Oid, Vanished]:
    """Return the queues that have vanished but are named by objects the client has seen."""
    game, reading = session.seeing(), session.reading
    if reading is None:
        return {}
    found = reading.vanished(game.past[session.seat], now)
    return {oid: gone for oid, gone in found.items() if not _commands(view, oid)}


def _commands(view: View, oid: Oid) -> bool:
    seen = view.objects.get(oid)
    return seen is not None and seen.has_queue


def own_queue(view: View, oid: int) -> VisibleObject:
    """Return the object that the queue belongs to. Raises RequestError, also for another player's, which is secret."""
    seen = view.objects.get(oid)
    if seen is None:
        raise missing(view, oid)
    if not seen.has_queue:
        if seen.shown.owner is None or seen.shown.owner == view.seat:
            raise refusals.no_such("order queue", oid, QUEUE)
        text = f"object {oid} is not yours; its orders are its owner's secret"
        raise RequestError(FailCode.PERMISSION_DENIED, text, [(QUEUE, oid)])
    return seen


# --- conversion of orders from and to messages ------------------------------------------------------------------------


def order_payload(session: Session, game: Game, seat: Seat, order: Order, slot: int) -> bytes:
    if isinstance(game, PastGame):
        return session.payload(ORDER_FRAME, bare_order_frame(game, order, slot))
    return session.payload(ORDER_FRAME, order_frame(game, seat, order, slot))


def told_order_payload(session: Session, game: Game, seat: Seat, order: Order, slot: int) -> bytes:
    """Return the payload of an order as listed, with the current choices.

    If the seat no longer commands the object, or the rules fail, the only choice is the present one.
    """
    if _commands(game.views[seat], order.on):
        with suppress(Refusal):  # logged already
            return order_payload(session, game, seat, order, slot)
    return session.payload(ORDER_FRAME, bare_order_frame(game, order, slot))


def bare_order_frame(game: Game, order: Order, slot: int) -> tp.Order:
    """Return an order as a message with its current choices only, without calling the rules."""
    kind = _accepted_type(game, order)
    return tp.Order(id=order.on, slot=slot, otype=kind.number, turns=0, parameters=_parameters(game, None, kind, order))


def order_frame(
    game: Game, seat: Seat, order: Order, slot: int, judged_by: Callable[[], Plan[Any]] | None = None
) -> tp.Order:
    """Return an order as a message with the possible choices.

    ``judged_by`` returns the plan that determines the choices, and is called only if there are any. None stands for the
    plan by which the order was checked when queued.
    """
    kind = _accepted_type(game, order)
    plan = None
    if any(isinstance(param, CHOOSING) for param in kind.params.values()):
        plan = _judging(game, seat, order) if judged_by is None else judged_by()

    def looked_up() -> tuple[int, list[tp.OrderParameter]]:
        turns = 0 if order.draft else kind.turns(game.state.world, order)
        return turns, _parameters(game, plan, kind, order)

    if plan is None and type(kind).turns is OrderType.turns:  # no code of the ruleset would run
        turns, parameters = 0 if order.draft else ONE_TURN, _parameters(game, None, kind, order)
    else:
        turns, parameters = order_intake.run_guarded(game, seat, looked_up)
    return tp.Order(id=order.on, slot=slot, otype=kind.number, turns=turns, parameters=parameters)


def _accepted_type(game: Game, order: Order) -> OrderType[Any]:
    kind = find_order_type(game.rules, order.type)
    if kind is None:
        raise LookupError(f"order type {order.type!r} of an accepted order")
    return kind


def _parameters(game: Game, plan: Plan[Any] | None, kind: OrderType[Any], order: Order) -> list[tp.OrderParameter]:
    return [
        parameter(game, plan, kind, order, name, param, order.args.get(name)) for name, param in kind.params.items()
    ]


def _judging(game: Game, seat: Seat, order: Order) -> Plan[Any]:
    """Return the plan by which a queued order was checked.

    So the resources that it uses itself are offered, too. A draft, or an order that is not queued, comes after all
    others.
    """
    plan = game.state.plan(seat)
    if order.draft or not order.stamp:
        return plan
    earlier = bisect_left(plan.before, order.stamp, key=lambda other: other.stamp)
    return plan._replace(before=plan.before[:earlier])


def _type(game: Game, message: tp.Order) -> OrderType[Any]:
    name = game.description.order_name.get(message.otype)
    kind = None if name is None else find_order_type(game.rules, name)
    if kind is None:
        raise refusals.no_such("order type", message.otype, ORDER_TYPE)
    return kind


def _refused(refusal: Refusal, kind: OrderType[Any], message: tp.Order) -> RequestError:
    references = [(QUEUE, message.id), (ORDER_TYPE, message.otype)]
    if refusal.param in kind.params:
        references.append((PARAMETER, list(kind.params).index(refusal.param)))
    return RequestError(FailCode(int(refusal.code)), refusal.text, references)


def _no_slot(on: int, slot: int, length: int) -> RequestError:
    return refusals.no_such_slot(slot, length, [(QUEUE, on), (ORDER, slot)])


# `make mutants` leaves out decorated functions, so these are registered here.
handles("order_insert")(insert)
handles("order_probe")(probe)
handles("order_replace")(replace)
handles("get_order")(get_order)
handles("remove_order")(remove)
handles("get_order_queue")(get_queue)
handles("get_order_queue_ids")(get_ids("order_queue_ids", queue_ids))
