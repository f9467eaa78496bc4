"""The context of executing a turn: the world, the dice, and reports (RULES.md, section 7)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from tprules.api import ORDER_INVALID, Dice, Oid, Order, Reference, RefKind, Seat, Turn
from tprules.taller_ants.board import Place
from tprules.taller_ants.refusals import Illegal
from tprules.taller_ants.world import World

OPEN, OWN = "open", "own"
"""Values of the option ``underground``: whether all see what is below ground (RULES.md, section 6)."""


@dataclass
class Scene:
    """A turn while it is executed."""

    turn: Turn[World]
    dice: Dice
    executed: int = 0
    """Number of orders that were executed, at least in part."""
    pocket: tuple[Oid, Container[Place]] | None = None
    """Cache: a unit that has found no way, and the places that it can reach as long as nothing else happens.  It makes
    many orders without a way fast."""

    @property
    def world(self) -> World:
        return self.turn.world

    def tell(self, to: Iterable[Seat], subject: str, body: str, place: Place) -> None:
        """Report something at a place to some seats."""
        for seat in sorted(set(to)):
            self.turn.report(seat, subject, body, [Reference(RefKind.OBJECT, self.world.system(place))])

    def tell_all(self, subject: str, body: str, place: Place, owner: Seat) -> None:
        """Report to everybody, or only to the owner if the place is below ground and hidden from others."""
        if self.world.settings.underground == OWN and self.world.board.below(place):
            self.tell([owner], subject, body, place)
        else:
            self.turn.report(None, subject, body, [Reference(RefKind.OBJECT, self.world.system(place))])

    def failed(self, order: Order, illegal: Illegal) -> None:
        """Report to a player that an order was dropped."""
        self.invalid(order, f"{illegal.sentence} ({illegal.reason})")

    def invalid(self, order: Order, why: str) -> None:
        """Report to a player that an order, or a part of it, was dropped."""
        references = [ORDER_INVALID, *self._about(order.on)]
        self.turn.report(order.seat, "Order Invalid", f"{order.type}: Illegal: {why}.", references)

    def _about(self, oid: Oid) -> list[Reference]:
        known = oid in self.world.units or oid < self.world.homes_end()
        return [Reference(RefKind.OBJECT, oid)] if known else []
