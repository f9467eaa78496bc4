"""Everything that a ruleset may import besides the standard library.

This package itself uses only the standard library; it has no clock, no input or output, and no server.
"""

from typing import Any

from tprules.api.codec import WorldError, copy_world, dump_world, load_world, stored, stored_as_row
from tprules.api.dice import Dice
from tprules.api.objects import (
    Amount,
    Catalogue,
    Component,
    Design,
    DesignProperty,
    Group,
    Kind,
    Resource,
    Role,
    Ships,
    Shown,
)
from tprules.api.options import Flag, Integer, IntegerList, OneOf, Option, Text, parse_options
from tprules.api.orders import Order, OrderType, Plan
from tprules.api.params import (
    Choice,
    Coordinates,
    Number,
    ObjectRef,
    Param,
    PlayerRef,
    ResourceList,
    Selection,
    String,
    Turns,
)
from tprules.api.renamed import NAMES
from tprules.api.ruleset import Outcome, Ruleset
from tprules.api.turns import BotTurn, Event, Phase, Report, Stage, Turn
from tprules.api.types import (
    ELIMINATED,
    ORDER_COMPLETED,
    ORDER_INVALID,
    Code,
    Oid,
    OptionError,
    Reference,
    RefKind,
    Refusal,
    Seat,
    canonical,
    digest,
    player,
    with_names,
)

__all__ = [
    "ELIMINATED",
    "ORDER_COMPLETED",
    "ORDER_INVALID",
    "Amount",
    "BotTurn",
    "Catalogue",
    "Choice",
    "Code",
    "Component",
    "Coordinates",
    "Design",
    "DesignProperty",
    "Dice",
    "Event",
    "Flag",
    "Group",
    "Integer",
    "IntegerList",
    "Kind",
    "Number",
    "ObjectRef",
    "Oid",
    "OneOf",
    "Option",
    "OptionError",
    "Order",
    "OrderType",
    "Outcome",
    "Param",
    "Phase",
    "Plan",
    "PlayerRef",
    "RefKind",
    "Reference",
    "Refusal",
    "Report",
    "Resource",
    "ResourceList",
    "Role",
    "Ruleset",
    "Seat",
    "Selection",
    "Ships",
    "Shown",
    "Stage",
    "String",
    "Text",
    "Turn",
    "Turns",
    "WorldError",
    "canonical",
    "copy_world",
    "digest",
    "dump_world",
    "load_world",
    "parse_options",
    "player",
    "stored",
    "stored_as_row",
    "with_names",
]


def __getattr__(name: str) -> Any:
    """Raise ImportError, with the present name, for a name that was renamed; else AttributeError.

    Python calls this only for names that the module lacks.
    """
    if name in NAMES:
        # Not AttributeError: `from tprules.api import ...` would replace its message with Python's own.
        raise ImportError(f"tprules.api.{name} is now called {NAMES[name]}", name=__name__)
    raise AttributeError(f"tprules.api has no {name!r}")
