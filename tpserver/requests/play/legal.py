"""Requests for legal orders, and for legal values of a parameter.

Each response takes at most one slice of the reactor's time, with any ruleset. It has the results found by then, and the
place to continue.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from itertools import islice
from time import perf_counter
from typing import Any, TypeVar

from google.protobuf.message import Message
from twisted.internet.defer import Deferred

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import (
    Choice,
    ObjectRef,
    Order,
    OrderType,
    Param,
    PlayerRef,
    Refusal,
    ResourceList,
    Seat,
    Selection,
    legal,
)
from tprules.api.ruleset import find_order_type
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.games.core.game import Game
from tpserver.games.turns import order_intake
from tpserver.requests.play.order_parameters import first_arguments, parameter
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import ORDER_TYPE, QUEUE, RequestError
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session

T = TypeVar("T")

ANSWER_SECONDS = 0.003
"""Seconds of tries for one response."""

MOST_TRIED = 1024
"""Maximum steps for one response, which limits its length."""

LONGEST_DOUBT = 1000
"""Maximum characters of a ruleset's doubt about an order."""

MOST_OBJECTS = 256
"""Maximum objects in one request."""

LEGAL_ORDERS, LEGAL_VALUES = BY_NAME["legal_orders"].number, BY_NAME["legal_values"].number


def _in_turn(
    handler: Callable[[Session, Any], Answer],
) -> Callable[[Session, Message], Coroutine[Deferred[Any], Any, Answer]]:
    """Return a handler with the same response, at the account's turn."""

    async def answer(session: Session, message: Message) -> Answer:
        def work() -> Answer:
            if session.gone or session.ended:
                raise RequestError(FailCode.PERMISSION_DENIED, session.ended or "this connection has ended")
            return handler(session, message)

        return await session.host.questions.answer(session.account_id, work)

    return answer


@handles("get_legal_orders")
@_in_turn
def get_legal_orders(session: Session, message: tp.GetLegalOrders) -> Answer:
    """Return the orders that the player can give. Raises the RequestError that an order would get now."""
    game, seat = session.playing()
    if len(message.ids) > MOST_OBJECTS:
        text = f"name at most {MOST_OBJECTS} objects, not {len(message.ids)}; name none to ask for all"
        raise RequestError(FailCode.REQUEST_TOO_BIG, text)
    order_intake.check_open(game, seat)
    about = [oid for oid in message.ids if oid in game.views[seat].objects]
    if message.ids and not about:
        return [session.payload(LEGAL_ORDERS, tp.LegalOrders())]
    seats, start, enough = len(game.players), message.start, _limit()
    found, following = _asked(
        game, seat, lambda: legal.possible_orders(game.rules, game.state, seat, seats, about, start, enough)
    )
    numbers = game.description.order_number
    if message.grouped:
        told = tp.LegalOrders(groups=_grouped(found, numbers), following=following)
    else:
        orders = [
            tp.LegalOrder(id=order.on, otype=numbers[order.type], named=order.named or 0, unsure=order.unsure)
            for order in found
        ]
        told = tp.LegalOrders(orders=orders, following=following)
    return [session.payload(LEGAL_ORDERS, told)]


def _grouped(found: list[legal.Possible], numbers: Mapping[str, int]) -> list[tp.LegalGroup]:
    """Return the same orders in groups, by the numbers of their types. Each object's orders stay in order."""
    groups: dict[tuple[int, bool, int], tp.LegalGroup] = {}
    for order in found:
        otype = numbers[order.type]
        key = otype, order.unsure, 0 if order.named is None else order.on
        group = groups.setdefault(key, tp.LegalGroup(otype=otype, unsure=order.unsure))
        if order.named is None:
            group.ids.append(order.on)
        else:
            group.ids[:] = [order.on]
            group.named.append(order.named)
    return [groups[key] for key in sorted(groups)]


@handles("get_legal_values")
@_in_turn
def get_legal_values(session: Session, message: tp.GetLegalValues) -> Answer:
    """Return the possible values of an order's next parameter. Raises RequestError if no such order is accepted."""
    game, seat = session.playing()
    name = game.description.order_name.get(message.otype)
    kind = None if name is None else find_order_type(game.rules, name)
    if kind is None:
        raise refusals.no_such("order type", message.otype, ORDER_TYPE)
    order_intake.check_open(game)
    chosen = list(first_arguments(kind, message.parameters).values())
    on, start, seats, enough = message.id, message.start, len(game.players), _limit()

    def looked_up() -> tuple[legal.Values, dict[int, Choice]]:
        values = legal.legal_values(game.rules, game.state, seat, seats, on, kind.name, chosen, start, enough)
        param = kind.params.get(values.param)
        choices = kind.choices(game.state.plan(seat), on, values.param) if isinstance(param, _CHOSEN) else ()
        return values, {choice.id: choice for choice in islice(choices, legal.MOST_CHOICES)}

    try:
        values, offers = _asked(game, seat, looked_up)
    except Refusal as refusal:
        raise RequestError(
            FailCode(int(refusal.code)), refusal.text, [(QUEUE, on), (ORDER_TYPE, message.otype)]
        ) from None
    param = kind.params.get(values.param)
    ids: list[int] = []
    others: list[tp.OrderParameter] = []
    if isinstance(param, ObjectRef):
        ids = values.values
    elif isinstance(param, PlayerRef):
        ids = [seat + 1 for seat in values.values]
    elif param is not None:
        others = [_value(game, kind, values.param, param, raw, offers) for raw in values.values]
    told = tp.LegalValues(
        parameter=list(kind.params).index(values.param) if values.param else len(kind.params),
        ids=ids,
        values=others,
        free=values.free,
        left_out=values.left_out,
        following=values.following,
        refusal="" if values.refusal is None else game.text(values.refusal.text),
        doubt=game.text(printable(values.doubt, LONGEST_DOUBT, KEPT_FOR_PLAYERS)),
    )
    return [session.payload(LEGAL_VALUES, told)]


_CHOSEN = (Selection, ResourceList)


def _asked(game: Game, seat: Seat, work: Callable[[], T]) -> T:
    """Return a result of the rules. Visible objects come from the seat's view, which is faster than the rules."""
    game.state.listing = lambda seat: ((oid, seen.shown) for oid, seen in game.views[seat].objects.items())
    return order_intake.run_guarded(game, seat, work)


def _limit() -> Callable[[], bool]:
    """Return a function that counts its calls and returns whether the response is complete enough."""
    until, left = perf_counter() + ANSWER_SECONDS, MOST_TRIED

    def enough() -> bool:
        nonlocal left
        left -= 1
        return left <= 0 or perf_counter() >= until

    return enough


def _value(
    game: Game, kind: OrderType[Any], name: str, param: Param, raw: Any, offers: dict[int, Choice]
) -> tp.OrderParameter:
    """Return one value as a message, with names and numbers of the chosen offers only."""
    made = parameter(game, None, kind, Order(0, 0, kind.name), name, param, raw)
    if isinstance(param, Selection):
        for possible in made.list.possible_selections:
            offer = offers.get(possible.id)
            if offer is not None:
                possible.name, possible.max_number = game.text(offer.name), offer.most
    elif isinstance(param, ResourceList):
        for allowed in made.resource_list.allowed:
            offer = offers.get(allowed.resource_id)
            if offer is not None:
                allowed.maximum = offer.most
    return made
