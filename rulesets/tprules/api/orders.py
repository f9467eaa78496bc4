"""Orders, what a seat plans, and the types of order a ruleset offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from tprules.api.params import Choice, Param
from tprules.api.types import Oid, Seat

if TYPE_CHECKING:
    from tprules.api.objects import Shown

W = TypeVar("W")


class Order(NamedTuple):
    """One order of one seat on one object.  ``args`` are parsed and JSON-able."""

    seat: Seat
    on: Oid
    type: str
    args: Mapping[str, Any] = MappingProxyType({})
    stamp: int = 0
    """The number of its acceptance, rising through the game; within one queue stamps rise from first to last."""
    draft: bool = False
    """A choice is still missing: the order counts for nothing and is dropped when its phase closes."""

    def dump(self) -> list[Any]:
        return [self.seat, self.on, self.type, dict(self.args), self.stamp, self.draft]

    @classmethod
    def load(cls, data: Sequence[Any]) -> Order:
        seat, on, name, args, stamp, draft = data
        return cls(seat, on, name, args, stamp, draft)


class Plan(NamedTuple, Generic[W]):
    """What ``OrderType.check`` may look at: the world, and the seat's own accepted orders that come before.

    Drafts are left out.  ``before`` is in the order of the stamps.  Nothing of what other seats planned is here.
    """

    world: W
    phase: str
    seat: Seat
    before: tuple[Order, ...] = ()


class OrderType(Generic[W]):
    """One type of order: a subclass for each, an instance without state.

    ``number`` is its id on the wire, ``kinds`` the kinds of object that may carry it, ``params`` its parameters in the
    order of the wire.
    """

    number: ClassVar[int]
    name: ClassVar[str]
    help: ClassVar[str] = ""
    kinds: ClassVar[tuple[str, ...]] = ()
    params: ClassVar[Mapping[str, Param]] = {}
    stored_names: ClassVar[Mapping[str, str]] = {}
    """Parameters that were renamed: the present name -> the one under which their arguments are still stored, so that
    games that were begun before go on, and their digests stay."""

    def offered(self, world: W, seat: Seat, on: Oid, shown: Shown) -> bool:
        """Return whether clients should offer this order to ``seat`` on its own object ``on``.

        Called only for objects that ``seat`` owns, of a kind in ``kinds``, in a phase that takes this type.
        """
        return True

    def choices(self, plan: Plan[W], on: Oid, param: str) -> Sequence[Choice]:
        """Return what a list parameter offers here; only what the seat may know."""
        return ()

    def check(self, plan: Plan[W], order: Order) -> None:
        """Raise a Refusal if the order is against the rules, judged by what ``order.seat`` sees and planned before.

        Asked at insertion; it must change nothing.
        """

    def turns(self, world: W, order: Order) -> int:
        """Return how many turns the order will take, for the player's information."""
        return 1
