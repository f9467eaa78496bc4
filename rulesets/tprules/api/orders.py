"""Orders, the plan of a seat, and the order types of a ruleset."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from tprules.api.appearance import OrderWords
from tprules.api.derived import derived
from tprules.api.params import Choice, Param
from tprules.api.types import Oid, Refusal, Seat

if TYPE_CHECKING:
    from tprules.api.objects import Shown

W = TypeVar("W")


class Order(NamedTuple):
    """One order of one seat on one object. ``args`` are parsed and JSON-able."""

    seat: Seat
    on: Oid
    type: str
    args: Mapping[str, Any] = MappingProxyType({})
    stamp: int = 0
    """A number that rises with each accepted order of the game, and within each queue from first to last."""
    draft: bool = False
    """True if a choice is missing.

    A draft has no effect and is dropped when its phase closes.
    """

    def dump(self) -> list[Any]:
        """Return the order as JSON-able data for ``load``."""
        return [self.seat, self.on, self.type, dict(self.args), self.stamp, self.draft]

    @classmethod
    def load(cls, data: Sequence[Any]) -> Order:
        """Return the order for data that ``dump`` returned."""
        seat, on, name, args, stamp, draft = data
        return cls(seat, on, name, args, stamp, draft)


class Plan(NamedTuple, Generic[W]):
    """The basis for the check of an order.

    It has the world, the name of the phase, and the seat's earlier accepted orders. ``before`` is in the order of the
    stamps and has no drafts. Orders of other seats are not included.
    """

    world: W
    phase: str
    seat: Seat
    before: tuple[Order, ...] = ()


CommonCheck: TypeAlias = Literal["over", "nosuch", "owner", "kind", "phase", "active", "form", "choice"]
"""The name of a check that all games have: "form" parses the arguments, "choice" tests that selections are offered."""

OwnCheck: TypeAlias = Callable[[Plan[Any], Order], None]
"""A check of one game, which raises a Refusal.

It gets parsed arguments if it comes after "form". In a draft, ``Param.stand_in`` replaces missing arguments.
"""


def _unchanged(refusal: Refusal) -> Refusal:
    return refusal


@dataclass(frozen=True)
class Checks:
    """The checks of an inserted or probed order that come before ``OrderType.check``.

    ``steps`` has them in their order. "choice" may be omitted. ``reword`` returns the refusal to use instead of that of
    a common check, whose reason is over, phase, active, nosuch, gone, owner, kind, form, choice, slot or full.
    """

    steps: tuple[CommonCheck | OwnCheck, ...] = (
        "over",
        "nosuch",
        "owner",
        "kind",
        "phase",
        "active",
        "form",
        "choice",
    )
    reword: Callable[[Refusal], Refusal] = _unchanged


ONE_TURN = 1
"""The default number of turns that an order takes."""


def _name(cls: type[Any]) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__)


class OrderType(Generic[W]):
    """One type of order. Each is a subclass. The host creates one instance of it, which must have no state.

    ``number`` is its id in the protocol, another one for each type of a game. ``name`` is by default that of the class:
    "Place Disc" of PlaceDisc. ``kinds`` are the kinds of object that may carry it. ``params`` are its parameters in the
    order of the protocol.
    """

    number: ClassVar[int] = 1
    name: ClassVar[str] = derived(_name)
    help: ClassVar[str] = ""
    kinds: ClassVar[tuple[str, ...]] = ()
    params: ClassVar[Mapping[str, Param]] = {}
    stored_names: ClassVar[Mapping[str, str]] = {}
    """Renamed parameters: the present name -> the name under which their arguments are still stored.

    Older games can continue with the same digests.
    """
    words: ClassVar[OrderWords | None] = None
    """The words for it (``tprules.api.appearance``). None means the names above."""

    def offered(self, world: W, seat: Seat, on: Oid, shown: Shown) -> bool:
        """Return whether clients should offer this order to ``seat`` on its object ``on``, which looks like ``shown``.

        Called only for objects that ``seat`` owns, of a kind in ``kinds``, in a phase that accepts this type. If it is
        False, drafts and probes on the object are refused. It may use only what the seat may know.
        """
        return True

    def choices(self, plan: Plan[W], on: Oid, param: str) -> Sequence[Choice]:
        """Return the choices for the parameter ``param``, a Selection or ResourceList, of an order on ``on``.

        ``plan`` is the plan before the order. The result may depend only on what ``plan.seat`` may know.
        """
        return ()

    def check(self, plan: Plan[W], order: Order) -> None:
        """Raise a Refusal if the order is against the rules. It must change nothing.

        Called after ``Ruleset.checks`` when the order is inserted or probed. Called again when an earlier order of the
        plan is inserted, replaced or removed. ``order.args`` are parsed and complete. ``plan.before`` are the seat's
        orders before it. It may use only what ``order.seat`` sees.
        """

    def doubt(self, plan: Plan[W], order: Order) -> str:
        """Return the reason why an accepted order may fail, or "".

        For example "the entrance needs 3 more rounds of digging". Called on a client's request, for an order that
        ``check`` accepts after those in ``plan.before``. It may use only what ``order.seat`` sees.
        """
        return ""

    def turns(self, world: W, order: Order) -> int:
        """Return the number of turns that the order will take, as information for the player."""
        return ONE_TURN
