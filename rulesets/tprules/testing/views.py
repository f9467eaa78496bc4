"""The view of a seat, and checks that a client can draw it."""

from __future__ import annotations

from typing import Any, TypeVar

from tprules.api import Oid, OrderType, Role, Ruleset, Seat, Shown, canonical, digest
from tprules.api.appearance import fit_actions, fit_figures, fit_regions
from tprules.api.faults import why_it_failed
from tprules.api.order_checks import State
from tprules.api.params import ResourceList, Selection
from tprules.api.ruleset import find_order_type, find_phase
from tprules.testing.differences import first_difference
from tprules.testing.failures import fail

W = TypeVar("W")


def view(rules: Ruleset[W], world: W, seat: Seat | None) -> dict[Oid, Shown]:
    """Return every object that the seat sees, with its look."""
    return {oid: rules.show(world, oid, level) for oid, level in rules.sight(world, seat).items()}


def knowledge(rules: Ruleset[W], state: State[W], seat: Seat | None) -> str:
    """Return a digest of all that a host sends a seat about the present state.

    Two states with the same digest must not differ in anything that the seat can find out.
    """
    phase = find_phase(rules, state.phase)
    return digest(
        [
            sorted(view(rules, state.world, seat).items()),
            [state.turn, state.phase, state.over, phase.title(state.world)],
            [sorted(phase.active(state.world)), sorted(phase.planners(state.world))],
            [] if seat is None else [[order.dump()[:4], order.draft] for order in state.of_seat(seat)],
        ]
    )


def standing(rules: Ruleset[W], state: State[W], seats: int, seat: Seat | None) -> list[Any]:
    """Return the scores, actions and regions that a seat gets.

    Raises Nonconforming if they cannot be shown.
    """
    try:
        figures = fit_figures(rules.scores(state.world, seat), seats)
        regions = fit_regions(rules.regions(state.world, seat), seats)
        actions = None if seat is None else fit_actions(rules.actions(state.plan(seat)))
    except ValueError as error:
        fail(f"{rules.name}: {error}", "tprules.api.appearance has the bounds")
    seen = rules.sight(state.world, seat)
    for region in regions:
        for place in region.places:
            if place not in seen:
                who = "a spectator" if seat is None else f"seat {seat}"
                fail(
                    f"{rules.name}: regions() names object {place}, which {who} does not see",
                    "name only places that the seat sees",
                )
    return [sorted((one, list(row.items())) for one, row in figures.items()), actions, [list(one) for one in regions]]


def check_view(rules: Ruleset[W], state: State[W], seats: int, seat: Seat | None) -> int:
    """Raise Nonconforming unless a client can draw all that this seat sees. Return the number of objects."""
    who = "a spectator" if seat is None else f"seat {seat}"
    sight = rules.sight(state.world, seat)
    seen = {}
    for oid, level in sight.items():
        try:
            shown = rules.show(state.world, oid, level)
        except Exception as error:
            fail(
                f"{rules.name}: show({oid}, {level!r}) , which {who} has in sight, raised {why_it_failed(error)}",
                "fix show(), or let sight() name only objects that are there, at levels that show() knows",
            )
        seen[oid] = shown
        _check_shown(rules, seats, oid, shown)
        if (again := rules.show(state.world, oid, level)) != shown:
            where = first_difference(shown, again, "Shown")
            fail(
                f"{rules.name}: object {oid} ({shown.name!r}) looks different when shown again: {where}",
                "show() must depend on the world only",
            )
    _check_tree(rules, seen, who)
    standing(rules, state, seats, seat)
    if seat is not None:
        _check_offers(rules, state, seat, seen)
    return len(seen)


def _check_shown(rules: Ruleset[Any], seats: int, oid: Oid, shown: Shown) -> None:
    what = f"{rules.name}: object {oid} ({shown.name!r})"
    kind = rules.kinds.get(shown.kind)
    if kind is None:
        fail(f"{what} is of the kind {shown.kind!r}, which is not declared", "declare every kind in Ruleset.kinds")
    if not shown.name or not isinstance(shown.name, str):
        fail(f"{what} has no name", "give every object a name; clients list them by it")
    numbers = sum(len(group.fields) for group in kind.groups)
    if len(shown.numbers) != numbers:
        fail(
            f"{what} shows {len(shown.numbers)} numbers, but its kind declares {numbers}",
            "Shown.numbers needs one number for each field of Kind.groups, in their order",
        )
    resources = {resource.id for resource in rules.resources}
    for amount in shown.resources:
        if amount.resource not in resources:
            fail(f"{what} has the resource {amount.resource}, which is not declared", "declare it in Ruleset.resources")
    designs = {design.id for design in rules.catalogue.designs}
    for ships in shown.ships:
        if ships.design not in designs or ships.number < 1:
            fail(
                f"{what} shows {ships.number} ships of design {ships.design}",
                "declare the design in Ruleset.catalogue; show at least one ship",
            )
    if shown.owner is not None and shown.owner not in range(seats):
        fail(f"{what} belongs to seat {shown.owner}, which does not exist", "owners are seats of the game, or None")
    if len(shown.at) != 3:
        fail(f"{what} has the position at={shown.at!r}", "a position has three whole numbers: x, y and z")
    fields = [(f"at[{axis}]", number) for axis, number in enumerate(shown.at)]
    fields += [("size", shown.size), ("damage", shown.damage)]
    names = [f"{group.name}.{title}" for group in kind.groups for title, _ in group.fields]
    fields += [(f"numbers: {name}", number) for name, number in zip(names, shown.numbers, strict=True)]
    fields += [(f"resource {row.resource}", number) for row in shown.resources for number in row]
    for name, number in fields:
        if type(number) is not int or abs(number) >= 2**63:
            fail(f"{what} shows {name} = {number!r}", "positions, sizes and amounts are whole 64-bit numbers")


def _check_tree(rules: Ruleset[Any], seen: dict[Oid, Shown], who: str) -> None:
    if 0 not in seen or rules.kinds[seen[0].kind].role is not Role.UNIVERSE:
        fail(f"{rules.name}: {who} does not see object 0 as a universe", "object 0 is the root, in everybody's sight")
    for oid in seen:
        passed = {oid}
        while oid != 0:
            parent = seen[oid].parent
            if parent not in seen:
                fail(
                    f"{rules.name}: {who} sees object {oid} but not its parent {parent}",
                    "show it inside something that the seat sees as well",
                )
            if parent in passed:
                fail(f"{rules.name}: object {oid} is inside itself", "parents must lead to object 0")
            passed.add(parent)
            oid = parent


def _check_offers(rules: Ruleset[W], state: State[W], seat: Seat, seen: dict[Oid, Shown]) -> None:
    """Check that clients can show the orders of each own object.

    Also the choices in their lists. Raises Nonconforming if not.
    """
    for kind in find_phase(rules, state.phase).takes():
        order_type = find_order_type(rules, kind.name)
        for oid, shown in seen.items():
            if order_type is None or shown.owner != seat or shown.kind not in kind.kinds:
                continue
            if order_type.offered(state.world, seat, oid, shown) not in (True, False):
                fail(f"{rules.name}: {kind.name}.offered() is neither true nor false", "return a bool")
            _check_choices(rules, order_type, state, seat, oid)


def check_marks(rules: Ruleset[W], state: State[W], seat: Seat) -> None:
    """Raise Nonconforming unless the marks of the seat's orders are declared resources of visible objects."""
    seen = rules.sight(state.world, seat)
    declared = {resource.id for resource in rules.resources}
    for oid, amounts in rules.marks(state.plan(seat)).items():
        if oid not in seen or any(amount.resource not in declared for amount in amounts):
            fail(
                f"{rules.name}: marks() gives seat {seat} {list(amounts)} for object {oid}",
                "name objects that the seat sees, and resources that are declared in Ruleset.resources",
            )


def _check_choices(rules: Ruleset[W], kind: OrderType[W], state: State[W], seat: Seat, oid: Oid) -> None:
    for name, param in kind.params.items():
        if not isinstance(param, Selection | ResourceList):
            continue
        offers = kind.choices(state.plan(seat), oid, name)
        ids = [offer.id for offer in offers]
        if len(set(ids)) != len(ids) or any(offer.most < 1 or not offer.name for offer in offers):
            fail(
                f"{rules.name}: {kind.name} offers {offers} for {name}",
                "each choice needs an id of its own, a name, and a number of at least 1",
            )
        canonical([list(offer) for offer in offers])
