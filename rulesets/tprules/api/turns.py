"""Phases, and one closing of a phase."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from tprules.api.dice import Dice
from tprules.api.orders import Order, OrderType
from tprules.api.renamed import PHASE, refuse_old
from tprules.api.types import ORDER_INVALID, Oid, Reference, RefKind, Seat

W = TypeVar("W")


class Report(NamedTuple):
    """A message to one seat, or to everybody (``to`` is None)."""

    to: Seat | None
    subject: str
    body: str = ""
    references: tuple[Reference, ...] = ()


class Event(NamedTuple):
    """A public fact about a turn, for statistics and logs.  Only what everybody may know."""

    name: str
    facts: Mapping[str, Any]


@dataclass
class Turn(Generic[W]):
    """One closing of a phase.  ``world`` is a private copy: stages change it freely, the caller sees a pure call.

    ``queues`` holds the orders of the types that this phase takes, without drafts; what stages leave there is kept for
    the next time.
    """

    world: W
    number: int
    """How many turns were closed before this one."""
    phase: str
    queues: dict[Oid, list[Order]]
    seed: bytes
    step: int = 0
    """0 for the phase that closed; phases without anybody to move, passed on the way, count up."""
    reports: list[Report] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def orders(self) -> list[Order]:
        """Return all orders of the phase in the order in which they were accepted."""
        return sorted((order for queue in self.queues.values() for order in queue), key=lambda order: order.stamp)

    def dice(self, name: str) -> Dice:
        """Return the named stream of this turn; a new draw in one stage never shifts another's."""
        return Dice.named(self.seed, self.number, self.step, name)

    def report(self, to: Seat | None, subject: str, body: str = "", references: Iterable[Reference] = ()) -> None:
        """Tell one seat, or everybody."""
        self.reports.append(Report(to, subject, body, tuple(references)))

    def failed(self, order: Order, why: str) -> None:
        """Tell the owner of an order that it could not be carried out."""
        references = (ORDER_INVALID, Reference(RefKind.OBJECT, order.on))
        self.report(order.seat, "Order failed", f"{order.type}: {why}", references)

    def event(self, name: str, **facts: Any) -> None:
        """Note a public fact."""
        self.events.append(Event(name, facts))


Stage: TypeAlias = Callable[[Turn[Any]], None]


def nobody_else(world: Any) -> Iterable[Seat]:
    return ()


def no_orders(world: Any, seat: Seat) -> Iterable[Order]:
    return ()


@dataclass(frozen=True)
class Phase(Generic[W]):
    """A part of the game in which certain seats may give certain orders.  Closing it is one turn of the protocol."""

    name: str
    active: Callable[[W], Iterable[Seat]]
    """Who is awaited.  Nobody: the phase closes at once, without a turn of its own."""
    orders: tuple[type[OrderType[Any]], ...]
    """The types that run when the phase closes."""
    stages: tuple[Stage, ...]
    """What happens at the closing, in this order."""
    next_phase: Callable[[W], str]
    """The name of the phase that follows."""
    ends_after: Literal["all", "each"] = "all"
    """When all active seats are done or time is up; or after each accepted order."""
    title: Callable[[W], str] = lambda world: ""
    """The turn's name, shown to everybody."""
    default_orders: Callable[[W, Seat], Iterable[Order]] = no_orders
    """Orders for an active seat that has none when the phase closes."""
    planners: Callable[[W], Iterable[Seat]] = nobody_else
    """Who may give orders without being awaited."""
    deferred_orders: tuple[type[OrderType[Any]], ...] = ()
    """Types that are taken now and run in a later phase."""
    removal: Literal["checked", "free"] = "checked"
    """Whether removing an order is refused where a later order of the seat would become illegal."""

    if not TYPE_CHECKING:

        def __new__(cls, *args: Any, **given: Any) -> Phase[W]:
            refuse_old("Phase", given, PHASE)
            return super().__new__(cls)

    def takes(self) -> tuple[type[OrderType[Any]], ...]:
        return self.orders + self.deferred_orders
