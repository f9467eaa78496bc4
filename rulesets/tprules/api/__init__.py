"""The interface of rulesets: all that a ruleset may import.

The standard library is allowed, too. The package itself uses nothing else: it has no clock, no input or output, and no
server.
"""

from types import ModuleType
from typing import Any

from tprules.api.appearance import Appearance as Appearance
from tprules.api.appearance import Look as Look
from tprules.api.appearance import OrderWords as OrderWords
from tprules.api.appearance import Places as Places
from tprules.api.appearance import Region as Region
from tprules.api.codec import WorldError as WorldError
from tprules.api.codec import copy_world as copy_world
from tprules.api.codec import dump_world as dump_world
from tprules.api.codec import load_world as load_world
from tprules.api.codec import stored as stored
from tprules.api.codec import stored_as_row as stored_as_row
from tprules.api.dice import Dice as Dice
from tprules.api.endings import Outcome as Outcome
from tprules.api.objects import Amount as Amount
from tprules.api.objects import Catalogue as Catalogue
from tprules.api.objects import Component as Component
from tprules.api.objects import Design as Design
from tprules.api.objects import DesignProperty as DesignProperty
from tprules.api.objects import Group as Group
from tprules.api.objects import Kind as Kind
from tprules.api.objects import Resource as Resource
from tprules.api.objects import Role as Role
from tprules.api.objects import Ships as Ships
from tprules.api.objects import Shown as Shown
from tprules.api.options import Flag as Flag
from tprules.api.options import Integer as Integer
from tprules.api.options import IntegerList as IntegerList
from tprules.api.options import OneOf as OneOf
from tprules.api.options import Option as Option
from tprules.api.options import Text as Text
from tprules.api.options import parse_options as parse_options
from tprules.api.orders import Checks as Checks
from tprules.api.orders import Order as Order
from tprules.api.orders import OrderType as OrderType
from tprules.api.orders import Plan as Plan
from tprules.api.params import Choice as Choice
from tprules.api.params import Coordinates as Coordinates
from tprules.api.params import Number as Number
from tprules.api.params import ObjectRef as ObjectRef
from tprules.api.params import Param as Param
from tprules.api.params import PlayerRef as PlayerRef
from tprules.api.params import ResourceList as ResourceList
from tprules.api.params import Selection as Selection
from tprules.api.params import String as String
from tprules.api.params import Turns as Turns
from tprules.api.renamed import NAMES
from tprules.api.ruleset import Ruleset as Ruleset
from tprules.api.turns import BotTurn as BotTurn
from tprules.api.turns import Event as Event
from tprules.api.turns import Phase as Phase
from tprules.api.turns import Report as Report
from tprules.api.turns import Stage as Stage
from tprules.api.turns import Turn as Turn
from tprules.api.types import ELIMINATED as ELIMINATED
from tprules.api.types import ORDER_COMPLETED as ORDER_COMPLETED
from tprules.api.types import ORDER_INVALID as ORDER_INVALID
from tprules.api.types import Code as Code
from tprules.api.types import Oid as Oid
from tprules.api.types import OptionError as OptionError
from tprules.api.types import Reference as Reference
from tprules.api.types import RefKind as RefKind
from tprules.api.types import Refusal as Refusal
from tprules.api.types import Seat as Seat
from tprules.api.types import canonical as canonical
from tprules.api.types import digest as digest
from tprules.api.types import player as player
from tprules.api.types import with_names as with_names

# Without it ``help(api)`` shows nothing that another module defines.
__all__ = [
    name
    for name, value in globals().items()
    if name[0] != "_" and name not in ("Any", "ModuleType", "NAMES") and not isinstance(value, ModuleType)
]


def __getattr__(name: str) -> Any:
    """Raise ImportError, with the present name, for a name that was renamed; else AttributeError.

    Python calls this only for names that the module lacks.
    """
    if name in NAMES:
        # Not AttributeError: `from tprules.api import ...` would replace its message with Python's own.
        raise ImportError(f"tprules.api.{name} is now called {NAMES[name]}", name=__name__)
    raise AttributeError(f"tprules.api has no {name!r}")
