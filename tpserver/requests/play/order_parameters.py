"""Parameters of orders: arguments for the rules, and parts of messages.

TP04 describes them at the Order frame. A new type of parameter needs a case in ``parameter`` and a line in
``_READING``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tprules.api import (
    Choice,
    Coordinates,
    Number,
    ObjectRef,
    Order,
    OrderType,
    Param,
    Plan,
    PlayerRef,
    ResourceList,
    Selection,
    String,
    Turns,
)
from tpserver.games.core.game import Game
from tpserver.requests.session.refusals import RequestError

NO_PLAYER = 0xFFFFFFFF
"""-1 in an unsigned field: no player was chosen, as with 0."""


def _offers(kind: OrderType[Any], plan: Plan[Any] | None, order: Order, name: str, chosen: Any) -> list[Choice]:
    """Return the choices of a list parameter, and chosen values that are no longer possible.

    Graphical clients look up the name of every chosen item among the possible ones.
    """
    offers = [] if plan is None else list(kind.choices(plan, order.on, name))
    known = {offer.id for offer in offers}
    return offers + [Choice(number, f"choice {number}", most) for number, most in chosen or () if number not in known]


def parameter(
    game: Game, plan: Plan[Any] | None, kind: OrderType[Any], order: Order, name: str, param: Param, value: Any
) -> tp.OrderParameter:
    """Return a parameter as a message. Without a plan it offers only the current choice."""
    made = tp.OrderParameter
    match param:
        case ObjectRef():
            types = sorted(game.description.type_of[kind] for kind in param.kinds)  # empty: all kinds are allowed
            return made(object=tp.OrderObject(object_id=value or 0, valid_types=types))
        case Selection():
            offers = _offers(kind, plan, order, name, value)
            return made(
                list=tp.OrderList(
                    possible_selections=[
                        tp.PossibleSelection(id=offer.id, name=game.text(offer.name), max_number=offer.most)
                        for offer in offers
                    ],
                    selection=[tp.Selection(id=number, number=count) for number, count in value or ()],
                )
            )
        case Number():
            number = param.low if value is None else value
            return made(
                range=tp.OrderRange(value=number, min_value=param.low, max_value=param.high, increment=param.step)
            )
        case Coordinates():
            x, y, z = value or (0, 0, 0)
            return made(coordinates=tp.Vector(x=x, y=y, z=z))
        case Turns():
            turns = param.low if value is None else value
            return made(time=tp.OrderTime(turns=turns, max_time=param.high))
        case PlayerRef():
            return made(player=tp.OrderPlayer(player_id=0 if value is None else value + 1))
        case String():
            return made(string=tp.OrderString(max_length=param.longest, string=value or ""))
        case ResourceList():
            offers = _offers(kind, plan, order, name, value)
            return made(
                resource_list=tp.OrderResourceList(
                    allowed=[tp.ResourceMaximum(resource_id=offer.id, maximum=offer.most) for offer in offers],
                    selected=[tp.ResourceQuantity(resource_id=number, quantity=count) for number, count in value or ()],
                )
            )
    raise TypeError(f"parameter {name!r} of {order.type!r} is of no known type")


def arguments(kind: OrderType[Any], message: tp.Order) -> dict[str, Any]:
    """Return the raw arguments of an order message. Read-only fields only distinguish a default range from -1."""
    if len(message.parameters) != len(kind.params):
        wanted = ", ".join(kind.params) or "none"
        raise RequestError(
            FailCode.FRAME, f"{kind.name} has {len(kind.params)} parameters ({wanted}), not {len(message.parameters)}"
        )
    return first_arguments(kind, message.parameters)


def first_arguments(kind: OrderType[Any], parameters: Sequence[tp.OrderParameter]) -> dict[str, Any]:
    """Return the raw arguments for an order type's first parameters. Raises RequestError if there are too many."""
    if len(parameters) > len(kind.params):
        raise RequestError(FailCode.FRAME, f"{kind.name} has {len(kind.params)} parameters, not {len(parameters)}")
    return {
        name: _argument(name, param, parameter)
        for (name, param), parameter in zip(kind.params.items(), parameters, strict=False)
    }


def _argument(name: str, param: Param, parameter: tp.OrderParameter) -> Any:
    field, read = _READING[next(kind for kind in type(param).__mro__ if kind in _READING)]
    if parameter.WhichOneof("value") != field:
        raise RequestError(FailCode.FRAME, f"parameter {name} is not of the type that the order's description names")
    return read(getattr(parameter, field))


def _is_default_range(sent: tp.OrderRange) -> bool:
    """Return whether a range is the one that graphical clients send before the player chose a number."""
    return sent.value == sent.min_value == sent.max_value == sent.increment == -1


# For each parameter type, its field in the message and the function that reads its value.
_READING: dict[type, tuple[Any, Callable[[Any], Any]]] = {
    ObjectRef: ("object", lambda sent: sent.object_id),
    Selection: ("list", lambda sent: [[chosen.id, chosen.number] for chosen in sent.selection]),
    Number: ("range", lambda sent: None if _is_default_range(sent) else sent.value),
    Coordinates: ("coordinates", lambda sent: [sent.x, sent.y, sent.z]),
    Turns: ("time", lambda sent: sent.turns),
    PlayerRef: ("player", lambda sent: -1 if sent.player_id == NO_PLAYER else sent.player_id - 1),
    String: ("string", lambda sent: sent.string),
    ResourceList: ("resource_list", lambda sent: [[chosen.resource_id, chosen.quantity] for chosen in sent.selected]),
}
