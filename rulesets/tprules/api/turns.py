"""Phases, and the view of their stages when a phase closes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from tprules.api.dice import Dice
from tprules.api.orders import Order, OrderType, Plan
from tprules.api.renamed import PHASE, refuse_old
from tprules.api.types import ORDER_INVALID, Oid, Reference, RefKind, Refusal, Seat

W = TypeVar("W")


class Report(NamedTuple):
    """A message to one seat, or to all (``to`` is None). ``by`` is the seat that caused it, if any."""

    to: Seat | None
    subject: str
    body: str = ""
    references: tuple[Reference, ...] = ()
    by: Seat | None = None


class Event(NamedTuple):
    """A public fact about a turn, for statistics and logs. It must not contain secrets."""

    name: str
    facts: Mapping[str, Any]


@dataclass
class Turn(Generic[W]):
    """One closing of a phase, for its stages.

    ``world`` is a copy of the game's world, which stages change in place. ``queues`` holds the orders that run in this
    phase, by the object that carries them, without drafts. Orders that the stages leave in it stay in the game.
    """

    world: W
    number: int
    """Number of turns that were closed before this one."""
    phase: str
    queues: dict[Oid, list[Order]]
    seed: bytes
    step: int = 0
    """0 for the phase that closed; 1, 2, ... for the phases without an active seat that run after it."""
    reports: list[Report] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    handed_out: list[Dice] = field(default_factory=list, repr=False, compare=False)
    """The dice of the stages."""

    def orders(self) -> list[Order]:
        """Return all orders of the phase in the order in which they were accepted."""
        return sorted((order for queue in self.queues.values() for order in queue), key=lambda order: order.stamp)

    def take_orders(self) -> list[Order]:
        """Return ``orders()`` and empty the queues. Orders left in them would be orders of the next turn."""
        orders = self.orders()
        self.queues.clear()
        return orders

    def dice(self, name: str) -> Dice:
        """Return the dice with this name for this turn and step.

        Each call starts the same stream again. Draws from one name never change the draws from another.
        """
        dice = Dice.named(self.seed, self.number, self.step, name)
        self.handed_out.append(dice)
        return dice

    @property
    def drew(self) -> bool:
        """Return whether any dice were drawn."""
        return any(dice.drawn for dice in self.handed_out)

    def report(
        self,
        to: Seat | None,
        subject: str,
        body: str = "",
        references: Iterable[Reference | Oid] = (),
        by: Seat | None = None,
    ) -> None:
        """Send a report to one seat, or to all if ``to`` is None.

        A number refers to the object that has it.

        ``by`` is the seat that caused it, if any. Clients show its name and color, so the recipients must be allowed to
        know it. A report with the reference ORDER_INVALID is about an order that failed.
        """
        about = (Reference(RefKind.OBJECT, each) if isinstance(each, int) else each for each in references)
        self.reports.append(Report(to, subject, body, tuple(about), by))

    def failed(self, order: Order, why: str) -> None:
        """Report to the seat of an order that it could not be executed, with the reason."""
        self.report(order.seat, "Order failed", f"{order.type}: {why}", (ORDER_INVALID, order.on), by=order.seat)

    def event(self, name: str, **facts: Any) -> None:
        """Record a public fact."""
        self.events.append(Event(name, facts))


Stage: TypeAlias = Callable[[Turn[Any]], None]
"""One step of the closing of a phase. It changes ``turn.world`` and ``turn.queues``, and reports."""


@dataclass(frozen=True)
class Phase(Generic[W]):
    """A part of the game in which certain seats may give certain orders. Closing it is one turn of the protocol.

    Its functions get the present world and must not change it.
    """

    name: str
    active: Callable[[W], Iterable[Seat]]
    """Returns the seats that the turn waits for. Without any, the phase closes at once, without a turn of its own."""
    orders: tuple[type[OrderType[Any]], ...]
    """The types of order that are accepted and that run when the phase closes."""
    stages: tuple[Stage, ...]
    """The functions that are called when the phase closes, in this order."""
    next_phase: Callable[[W], str] | None = None
    """Returns the name of the phase that follows; None: the same phase again.

    Called after the stages, unless the game is over.
    """
    ends_after: Literal["all", "each"] = "all"
    """The condition that closes the phase.

    "all": all active seats are done, or time is up; "each": after each accepted order.
    """
    title: Callable[[W], str] = lambda world: ""
    """Returns the name of the turn, which is public."""
    default_orders: Callable[[W, Seat], Iterable[Order]] = lambda world, seat: ()
    """Returns the orders for an active seat that has none when the phase closes. They are not checked."""
    planners: Callable[[W], Iterable[Seat]] = lambda world: ()
    """Returns further seats that may give orders, although the turn does not wait for them."""
    deferred_orders: tuple[type[OrderType[Any]], ...] = ()
    """Further types of order that are accepted in this phase, and run in a later one."""
    removal: Literal["checked", "free"] = "checked"
    """The check for removing an order.

    "checked": refused if a later order of the seat would become illegal; "free": no check.
    """
    reveals_nothing: bool = False
    """True if its closing reveals nothing hidden, so it can be taken back.

    Hidden are secret orders of others, and items that lay face down. A closing in which dice were drawn cannot be taken
    back.
    """
    clock_group: str = ""
    """The group in ``Ruleset.clock_groups`` whose clock its turns have.

    If it is empty, or the host has given the group no clock, they have the clock of the game.
    """

    if not TYPE_CHECKING:

        def __new__(cls, *args: Any, **given: Any) -> Phase[W]:
            refuse_old("Phase", given, PHASE)
            return super().__new__(cls)

    def takes(self) -> tuple[type[OrderType[Any]], ...]:
        """Return all types of order that are accepted in this phase."""
        return self.orders + self.deferred_orders


class BotTurn(ABC, Generic[W]):
    """One turn of a bot: its knowledge, and the orders that it gives. ``dice`` is its only source of chance."""

    seat: Seat
    dice: Dice

    @property
    @abstractmethod
    def world(self) -> W:
        """The world as the seat knows it (``Ruleset.known``). It must not be changed."""

    @property
    @abstractmethod
    def phase(self) -> str:
        """The name of the present phase."""

    @property
    @abstractmethod
    def plan(self) -> Plan[W]:
        """Return the basis for the next order: the known world, and the plan so far.

        The plan has the seat's orders.
        """

    @abstractmethod
    def legal_orders(self) -> list[Order]:
        """Return legal orders that the seat can give next (``tprules.api.legal.legal_orders``)."""

    @abstractmethod
    def give(self, order: Order) -> Refusal | None:
        """Append an order to the queue of its object. Return None if it is accepted, else the refusal.

        An order with a missing choice is also refused. So are orders after one that ends the phase, and orders after a
        thousand attempts.
        """
