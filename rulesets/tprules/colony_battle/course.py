"""What happens during one closing: deaths, their consequences, and reports to players (R8, R37 to R42, R72)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tprules.api import ORDER_COMPLETED, Oid, Order, Reference, RefKind, Seat, Turn
from tprules.colony_battle.board import Square
from tprules.colony_battle.pieces import ANTLION, QUEEN, SPAWNED, STATS, TERMITE
from tprules.colony_battle.world import NOBODY, Unit, World


def about(*oids: Oid) -> list[Reference]:
    """Return references to objects."""
    return [Reference(RefKind.OBJECT, oid) for oid in oids]


@dataclass
class Course:
    """A turn, and state that is needed only while it is closed."""

    turn: Turn[World]
    blasts: list[Square] = field(default_factory=list)
    """Squares of dead termite bombs that must still go off, in this order."""

    @property
    def world(self) -> World:
        return self.turn.world

    # Orders.

    def is_waiting(self, order: Order) -> bool:
        """Return whether an order is still in its queue."""
        return order in self.turn.queues.get(order.on, ())

    def remove(self, order: Order) -> None:
        """Remove an order from its queue."""
        self.turn.queues[order.on].remove(order)

    def complete(self, order: Order, text: str) -> None:
        """Remove an order that was executed, and report it."""
        self.remove(order)
        body = f"{order.type}: {text}"
        self.turn.report(order.seat, "Order complete", body, [ORDER_COMPLETED, *about(order.on)])

    def fail(self, order: Order, why: str) -> None:
        """Remove an order that cannot be executed, and report why."""
        self.remove(order)
        self.turn.failed(order, why)

    # Deaths.

    def kill(self, oid: Oid, cause: str) -> None:
        """Remove a dead unit and its orders.  Its item drops (R47); a termite bomb is noted to go off later."""
        world = self.world
        unit = world.units.pop(oid)
        del world.occupied[unit.square]
        if unit.item:
            item = world.items[unit.item]
            item.carrier, item.square = 0, unit.square
        self.turn.queues.pop(oid, None)
        if unit.kind == TERMITE:
            self.blasts.append(unit.square)
        place = world.layout.name(unit.square)
        body = f"Your {STATS[unit.kind].name} at {place} is lost: {cause}."
        self.turn.report(unit.owner, "Unit lost", body, about(oid))
        self.turn.event("unit lost", seat=unit.owner, kind=STATS[unit.kind].kind, place=place, cause=cause)

    def kill_dead(self, oids: Iterable[Oid], cause: str) -> None:
        """Kill the units that have no hit points left, in the order of their numbers."""
        for oid in sorted(oids):
            if self.world.units[oid].hit_points <= 0:
                self.kill(oid, cause)

    def settle(self) -> None:
        """Let dead termite bombs go off, one after the other, until none is left (R42)."""
        if not self.blasts:
            return
        world = self.world
        reach, damage = world.settings.blast_range, world.settings.blast_damage
        while self.blasts:
            centre = self.blasts.pop(0)
            hurt = [
                oid
                for oid, unit in world.units.items()
                if unit.kind != ANTLION and world.layout.within(centre, unit.square, reach)
            ]
            for oid in hurt:
                unit = world.units[oid]
                unit.hit_points -= damage
                if unit.kind == QUEEN and unit.hit_points > 0:
                    self.tell_queen(oid, unit, "Queen hit")
            self.kill_dead(hurt, "blast")
        self.check_queens()

    def check_queens(self) -> None:
        """End the game if a queen is dead (R8)."""
        world = self.world
        missing = [seat for seat in range(len(world.colonies)) if world.queen(seat) is None]
        if missing and not world.ended:
            world.ended = "queens" if len(missing) > 1 else "queen"
            world.winner = NOBODY if len(missing) > 1 else 1 - missing[0]

    def tell_queen(self, oid: Oid, queen: Unit, subject: str) -> None:
        """Report to the owner how many hit points a queen has left."""
        self.turn.report(queen.owner, subject, f"Your queen has {queen.hit_points} hit points left.", about(oid))

    # What waits for those who come near.

    def greet(self, oid: Oid) -> None:
        """Let antlions, and then spiders, strike at a unit that has just arrived on its square (R37, R72)."""
        unit = self.world.units[oid]
        if unit.kind in SPAWNED:
            self._meet_antlion(oid, unit)
        if oid in self.world.units:
            self._meet_spiders(unit.square)

    def _meet_antlion(self, oid: Oid, unit: Unit) -> None:
        world = self.world
        near = []
        for other, antlion in world.units.items():
            if antlion.kind == ANTLION and antlion.owner != unit.owner:
                distance = world.layout.distance(antlion.square, unit.square)
                if distance is not None and distance <= world.settings.antlion_range:
                    near.append((distance, other))
        if not near:
            return
        striker = min(near)[1]
        antlion = world.units[striker]
        self.kill(oid, "antlion")
        antlion.kills -= 1
        if not antlion.kills:
            body = f"The antlion at {world.layout.name(antlion.square)} has destroyed its last ant."
            self.kill(striker, "spent")
            self.turn.report(None, "Antlion spent", body, about(striker))

    def _meet_spiders(self, square: Square) -> None:
        world = self.world
        around = world.layout.around()[square]
        for spider in sorted(world.spiders):
            if world.spiders[spider].square in around:
                self.strike(spider)

    def strike(self, spider: Oid) -> None:
        """Let a spider kill all units around it, and bite queens (R72, R73); termite bombs go off afterwards (R74)."""
        world = self.world
        around = world.layout.around()[world.spiders[spider].square]
        found = [world.occupied[square] for square in around if square in world.occupied]
        for oid in sorted(oid for oid in found if oid in world.units):
            unit = world.units[oid]
            if unit.kind != QUEEN:
                self.kill(oid, "spider")
            elif (spider, oid) not in world.bitten:
                world.bitten.append((spider, oid))
                unit.hit_points -= unit.hit_points // 2
                self.tell_queen(oid, unit, "Queen bitten")
        self.settle()

    def move_unit(self, oid: Oid, square: Square) -> None:
        """Move a unit to another square."""
        world = self.world
        unit = world.units[oid]
        del world.occupied[unit.square]
        unit.square = square
        world.occupied[square] = oid

    def spawned(self, seat: Seat, kind: int, square: Square) -> Oid:
        """Put a new unit on a square, let antlions and spiders strike at it, and return its number (R34)."""
        oid = self.world.add_unit(kind, seat, square)
        body = f"A new {STATS[kind].name} is at {self.world.layout.name(square)}."
        self.turn.report(seat, "Unit spawned", body, about(oid))
        self.greet(oid)
        return oid
