"""The orders: refusals, effects, and legal orders (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, ClassVar

from tprules import api
from tprules.kit.grid import Square, groups
from tprules.kit.once_per_plan import once_per_plan
from tprules.kit.refusals import Reasons
from tprules.kit.seats import cyclic
from tprules.tae import world as worlds
from tprules.tae.world import WORDS, Contest, Player, World

TARGET = "Star System"
SHIPS = "Ships"

_MOST_NAMED = 2
"""Maximum players that a sentence names. Larger numbers are only counted."""


class ShipsInHand(api.Selection):
    """Ships from the hand.

    ``parse`` checks only the form. Ships named twice are refused later, because the reasons have an order.
    """

    def parse(self, name: str, raw: Any) -> list[list[int]]:
        try:
            return super().parse(name, raw)
        except api.Refusal as refused:
            if refused.reason != "choice":
                raise
            return [[ship, number] for ship, number in raw]


class Action(api.OrderType[World]):
    """An order of a normal turn."""

    kinds = ("fleet",)
    params: ClassVar[Mapping[str, api.Param]] = {
        TARGET: api.ObjectRef("The star system associated with this order", ("system",))
    }

    def piece(self, player: Player, on: api.Oid) -> str:
        """Return why the piece cannot carry this order, or "" (R13, R15, R20)."""
        raise NotImplementedError

    def against(self, world: World, order: api.Order) -> str | None:
        """Return the first reason why the board does not allow the order, or None."""
        raise NotImplementedError

    def execute(self, world: World, order: api.Order, dice: api.Dice | None) -> list[tuple[api.Seat, int]]:
        """Execute the order, and return the leaders that it sent home. ``dice`` is None in a plan."""
        raise NotImplementedError

    def offered(self, world: World, seat: api.Seat, on: api.Oid, shown: api.Shown) -> bool:
        return not self.piece(world.players[seat], on)

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        """Refuse the order by R8 to R11. ``judge`` has already checked the earlier reasons in the list."""
        if plan.before:
            busy = {other for before in plan.before for other in pieces_of(before)}
            for piece in pieces_of(order):
                if piece in busy:
                    raise refusal("busy", id=piece)
        if len(plan.before) >= plan.world.settings.actions:
            raise refusal("actions", most=plan.world.settings.actions)
        target = order.args.get(TARGET)
        used = {before.args.get(TARGET) for before in plan.before} if plan.before else ()
        if target is not None and target in used and plan.world.home_seat(target) is None:
            raise refusal("target", TARGET, place=place_of(plan.world, order))
        world = planned(plan)
        reason = self.against(world, order)
        if reason:
            raise refusal(reason, next(iter(self.params)), place=place_of(world, order))

    def doubt(self, plan: api.Plan[World], order: api.Order) -> str:
        """Warn that orders of the seats from the first player to this one come first, on the same board (R12)."""
        earlier = earlier_seats(plan.world, order.seat)
        if not earlier:
            return ""
        if len(earlier) > _MOST_NAMED:
            return f"the orders of {len(earlier)} players come before yours in this turn, and may be in its way"
        names = " and ".join(api.player(seat) for seat in earlier)
        return f"the orders of {names} come before yours in this turn, and may be in its way"


class _Colonizing(Action):
    def against(self, world: World, order: api.Order) -> str | None:
        kind = world.players[order.seat].colonists[order.on]
        return against_colonizing(world, _square(world, order), kind)

    def execute(self, world: World, order: api.Order, dice: api.Dice | None) -> list[tuple[api.Seat, int]]:
        """Use up the ship and place a colony, which founds, joins or connects regions (R27 to R31)."""
        square = _square(world, order)
        kind = world.players[order.seat].colonists.pop(order.on)
        beside = world.regions_beside(square)
        world.colonies[square] = kind
        if len(beside) == 1:
            scorer = world.scorer(min(beside), kind)
            if scorer is not None:
                world.players[scorer].scores[kind] += 1
        elif _rivals_in(world, beside):
            world.contests.append(Contest(worlds.EXTERNAL, square, order.seat))
        world.settle(square)
        return []


class ColonizeMining(_Colonizing):
    number = 0
    name = "ColonizeMining"
    words = api.OrderWords("Colonize", "Colonize {Star System}", {TARGET: "system"})
    help = "Colonize an uninhabitable system with Mining Robots"

    def piece(self, player: Player, on: api.Oid) -> str:
        return "" if player.colonists.get(on) == worlds.ROBOTS else "only Mining Robots can do this"


class Colonize(_Colonizing):
    number = 1
    name = "Colonize"
    words = api.OrderWords("Colonize", "Colonize {Star System}", {TARGET: "system"})
    help = "Colonize an inhabitable system"

    def piece(self, player: Player, on: api.Oid) -> str:
        return (
            ""
            if player.colonists.get(on, worlds.ROBOTS) != worlds.ROBOTS
            else "only Merchants, Scientists or Settlers can do this"
        )


class Move(Action):
    number = 2
    name = "Move"
    words = api.OrderWords("Move", "Move to {Star System}", {TARGET: "system"})
    help = "Move a leader to an inhabitable system that borders a scientist colony, or to your home system"

    def piece(self, player: Player, on: api.Oid) -> str:
        return "" if on in player.leaders else "only leaders can do this"

    def against(self, world: World, order: api.Order) -> str | None:
        kind = world.players[order.seat].leaders.index(order.on)
        square = world.square(order.args[TARGET])
        if square is None:
            return against_withdrawing(world, order.seat, kind)
        return against_moving(world, order.seat, kind, square)

    def execute(self, world: World, order: api.Order, dice: api.Dice | None) -> list[tuple[api.Seat, int]]:
        """Move the leader. It becomes a rival of a leader of the same type in the region that it enters (R19, R32)."""
        kind, places = world.players[order.seat].leaders.index(order.on), world.players[order.seat].places
        square = world.square(order.args[TARGET])
        left, places[kind] = places[kind], worlds.AT_HOME if square is None else square
        if square is not None and left == worlds.AT_HOME:
            world.settle(square)
        else:
            world.renumber()
        if square is None:
            return []
        region = world.regions[square]
        rivals = (player.places[kind] for seat, player in enumerate(world.players) if seat != order.seat)
        if any(world.regions.get(place) == region for place in rivals):
            world.contests.append(Contest(worlds.INTERNAL, square, order.seat, kind))
        return []


class Attack(Action):
    number = 3
    name = "Attack"
    words = api.OrderWords("Attack", "Destroy {Star System}", {TARGET: "system"})
    help = "Destroy a system that has neither a leader nor an alien artifact; the bomber is used up"

    def piece(self, player: Player, on: api.Oid) -> str:
        return "" if on in player.bombers else "only bombers can do this"

    def against(self, world: World, order: api.Order) -> str | None:
        return against_attacking(world, _square(world, order))

    def execute(self, world: World, order: api.Order, dice: api.Dice | None) -> list[tuple[api.Seat, int]]:
        """Destroy the system with the bomber. Leaders may lose their support (R21, R25)."""
        square = _square(world, order)
        world.players[order.seat].bombers.remove(order.on)
        world.colonies.pop(square, None)
        world.destroyed.add(square)
        stranded = world.send_home_stranded()
        world.renumber()
        return stranded


class Exchange(Action):
    number = 5
    name = "Exchange"
    words = api.OrderWords("Exchange", "Exchange {Ships}", {SHIPS: "colonist ships"})
    help = "Give colonists back and draw as many new ones when the turn ends"
    kinds = ("planet",)
    params = {SHIPS: ShipsInHand("The colonists to give back")}

    def piece(self, player: Player, on: api.Oid) -> str:
        return "" if on == player.home + 1 else "only a home planet can do this"

    def against(self, world: World, order: api.Order) -> str | None:
        return against_exchanging(world, _ships(order))

    def execute(self, world: World, order: api.Order, dice: api.Dice | None) -> list[tuple[api.Seat, int]]:
        """Remove the ships from the game and draw as many. Without dice, as in a plan, draw none (R11, R22)."""
        for ship in _ships(order):
            del world.players[order.seat].colonists[ship]
        if dice is not None:
            world.draw(order.seat, len(_ships(order)), dice)
        return []

    def offered(self, world: World, seat: api.Seat, on: api.Oid, shown: api.Shown) -> bool:
        return world.settings.exchange

    def choices(self, plan: api.Plan[World], on: api.Oid, param: str) -> Sequence[api.Choice]:
        busy = {piece for before in plan.before for piece in pieces_of(before)}
        hand = plan.world.players[plan.seat].colonists
        return [api.Choice(ship, WORDS[kind].colonists) for ship, kind in hand.items() if ship not in busy]

    def doubt(self, plan: api.Plan[World], order: api.Order) -> str:
        """Warn that each earlier seat may draw as many colonists from the pool as a hand has (R12, R22)."""
        world = plan.world
        most = len(earlier_seats(world, order.seat)) * world.settings.hand_size
        if sum(world.pool) - most >= len(_ships(order)):
            return ""
        return "others exchange before you in this turn, and the pool may have too few colonists left by then"


class Reinforce(api.OrderType[World]):
    number = 4
    name = "Reinforce"
    words = api.OrderWords("Reinforce", "Reinforce the leader in the combat")
    help = "Send reinforcements to a conflict"
    kinds = ("fleet",)

    def offered(self, world: World, seat: api.Seat, on: api.Oid, shown: api.Shown) -> bool:
        combat = world.combat
        return (
            combat is not None
            and seat in combat.sides
            and world.players[seat].colonists.get(on) == combat.reinforcements
        )

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        if any(before.on == order.on for before in plan.before):
            raise refusal("busy", id=order.on)


ORDERS = (ColonizeMining, Colonize, Move, Attack, Reinforce, Exchange)
ACTIONS: dict[str, Action] = {kind.name: kind() for kind in (ColonizeMining, Colonize, Move, Attack, Exchange)}


def judge(plan: api.Plan[World], order: api.Order) -> None:
    """Raise a Refusal for the first reason from ``off`` to ``kind`` that applies to the order (RULES.md, section 4)."""
    world, seat = plan.world, order.seat
    player = world.players[seat]
    if order.type == Exchange.name and not world.settings.exchange:
        raise refusal("off")
    owner = world.owner(order.on)
    if owner is None and not world.exists(order.on):
        raise refusal("nosuch", id=order.on)
    if TARGET in order.args:
        _judge_target(world, order)
    ships = [ship for ship, _ in order.args.get(SHIPS, ())]
    for ship in ships:
        if not world.exists(ship):
            raise refusal("nosuch", SHIPS, id=ship)
    if ships and (len(set(ships)) != len(ships) or any(number != 1 for _, number in order.args[SHIPS])):
        raise refusal("choice", SHIPS)
    if owner != seat:
        raise refusal("owner", id=order.on)
    for ship in ships:
        if world.owner(ship) != seat:
            raise refusal("owner", id=ship)
    if order.type == Reinforce.name:
        _judge_reinforcement(world, order)
        return
    what = ACTIONS[order.type].piece(player, order.on)
    if not what and any(ship not in player.colonists for ship in ships):
        what = "only colonists can be exchanged"
    if what:
        raise refusal("kind", what=f"{order.type}: {what}")


def earlier_seats(world: World, seat: api.Seat) -> list[api.Seat]:
    """Return the seats whose orders come before those of ``seat``, in order (R12)."""
    return list(takewhile(lambda other: other != seat, cyclic(world.first, len(world.players))))


def pieces_of(order: api.Order) -> tuple[api.Oid, ...]:
    """Return the objects that an order uses. They can take no other order in the turn (R9)."""
    return (order.on, *_ships(order))


@once_per_plan
def planned(plan: api.Plan[World]) -> World:
    """Return the world after ``plan.before``, without orders of other seats and without draws (R11)."""
    if not plan.before:
        return plan.world
    world = api.copy_world(plan.world)
    for order in plan.before:
        action = ACTIONS[order.type]
        # A probe leaves out the orders of one object; orders that depend on those are skipped too.
        if action.against(world, order) is None:
            action.execute(world, order, None)
    return world


def _judge_target(world: World, order: api.Order) -> None:
    target = order.args[TARGET]
    if world.square(target) is not None:
        return
    if not world.exists(target):
        raise refusal("nosuch", TARGET, id=target)
    home = world.home_seat(target)
    if home is None:
        raise refusal("notsystem", TARGET, id=target)
    if home != order.seat or order.type != Move.name:
        raise refusal("offboard", TARGET)


def _judge_reinforcement(world: World, order: api.Order) -> None:
    combat = world.combat
    if combat is None or order.seat not in combat.sides:
        raise refusal("side")
    if world.players[order.seat].colonists.get(order.on) != combat.reinforcements:
        wanted = WORDS[combat.reinforcements].colonists
        raise refusal("kind", what=f"{order.type}: only {wanted} can reinforce in this combat")


def _square(world: World, order: api.Order) -> int:
    square = world.square(order.args[TARGET])
    assert square is not None, "judge() lets only systems of the board through"
    return square


def _ships(order: api.Order) -> tuple[api.Oid, ...]:
    return tuple(ship for ship, _ in order.args.get(SHIPS, ()))


def place_of(world: World, order: api.Order) -> str:
    """Return the name of the system that an order names, or ""."""
    target = order.args.get(TARGET)
    return "" if target is None else world.place_name(target)


# --- Reasons for refusals and for failures at execution (RULES.md, section 4)

_TOO_LATE, _NOT_NOW = api.Code.UNAVAILABLE_PERMANENTLY, api.Code.UNAVAILABLE_TEMPORARILY

ORDER_REASONS: dict[str, tuple[api.Code, str]] = {
    "off": (_TOO_LATE, "exchanging colonists is switched off in this game"),
    "nosuch": (api.Code.NO_SUCH_THING, "there is no object {id}"),
    "notsystem": (api.Code.FRAME, "object {id} is not a star system; name one of the board"),
    "offboard": (_TOO_LATE, "a home system is not on the board; only leaders go there, and only to their own"),
    "choice": (api.Code.FRAME, "name each ship once"),
    "owner": (api.Code.PERMISSION_DENIED, "object {id} is not yours to command"),
    "side": (api.Code.PERMISSION_DENIED, "you are not a side of this combat"),
    "kind": (_TOO_LATE, "{what}"),
    "busy": (_NOT_NOW, "object {id} has its order for this turn already; remove that first"),
    "actions": (_NOT_NOW, "you have used all actions of this turn; at most {most} orders are allowed"),
    "target": (_NOT_NOW, "you have an order for {place} already; only one a turn is allowed for a system"),
}

BOARD_REASONS: dict[str, tuple[api.Code, str]] = {
    "pool": (_NOT_NOW, "the pool has fewer colonists left than you want to exchange"),
    "home": (_NOT_NOW, "the leader is at home"),
    "destroyed": (_TOO_LATE, "{place} is destroyed"),
    "leader": (_NOT_NOW, "a leader is at {place}"),
    "artifact": (_TOO_LATE, "the alien artifact at {place} must not be destroyed"),
    "colony": (_NOT_NOW, "a colony is at {place}"),
    "ground": (
        _TOO_LATE,
        "{place} has the wrong ground; mining robots need an uninhabitable system, all others an inhabitable one",
    ),
    "science": (_NOT_NOW, "{place} borders no scientist colony, and a leader needs one"),
    "joins": (_NOT_NOW, "a leader at {place} would join two or more regions; only a colony may"),
    "contested": (
        _NOT_NOW,
        "leaders are contesting the area of {place}; nothing can change there until combat is over",
    ),
}

_ALL = Reasons(ORDER_REASONS | BOARD_REASONS)
sentence, refusal = _ALL.sentence, _ALL.refusal

# --- Legal orders for bots and tests


def legal_orders(plan: api.Plan[World]) -> Iterator[api.Order]:
    """Yield legal orders for ``plan.seat`` after ``plan.before``."""
    combat = plan.world.combat
    if combat is not None:
        return _reinforcements(plan) if plan.seat in combat.sides else iter(())
    if plan.world.ended or len(plan.before) >= plan.world.settings.actions:
        return iter(())
    return _actions(plan)


def _reinforcements(plan: api.Plan[World]) -> Iterator[api.Order]:
    combat = plan.world.combat
    assert combat is not None
    busy = {before.on for before in plan.before}
    for ship, kind in plan.world.players[plan.seat].colonists.items():
        if kind == combat.reinforcements and ship not in busy:
            yield api.Order(plan.seat, ship, Reinforce.name)
            return


def _actions(plan: api.Plan[World]) -> Iterator[api.Order]:
    seat = plan.seat
    world = planned(plan)
    player = world.players[seat]
    busy = {piece for before in plan.before for piece in pieces_of(before)}
    board = world.board
    used = {world.square(before.args[TARGET]) for before in plan.before if TARGET in before.args}
    hand = {ship: kind for ship, kind in player.colonists.items() if ship not in busy}
    first_of = {kind: ship for ship, kind in reversed(hand.items())}
    leaders = world.leaders()
    contested = {square for contest in world.contests for square in world.area(contest)}
    closed = used | world.destroyed | leaders.keys() | world.colonies.keys()
    closed.update(beside for square in contested for beside in board.neighbours[square])
    inhabitable = {square: world.system(square) for square in board.habitat if square not in closed}
    for kind, ship in sorted(first_of.items()):
        if kind == worlds.ROBOTS:
            name, targets = (
                ColonizeMining.name,
                [world.system(square) for square in board.rocks if square not in closed],
            )
        else:
            name, targets = Colonize.name, list(inhabitable.values())
        for target in targets:
            yield api.Order(seat, ship, name, {TARGET: target})
    landings = _beside_science(world, inhabitable)
    reached: dict[Square, list[Square]] = {}
    for kind, fleet in enumerate(player.leaders):
        if fleet in busy:
            continue
        left = player.places[kind]
        if left not in reached:
            reached[left] = [] if left in contested else _without_joining(world, landings, left)
        for square in reached[left]:
            yield api.Order(seat, fleet, Move.name, {TARGET: inhabitable[square]})
        if against_withdrawing(world, seat, kind) is None:
            yield api.Order(seat, fleet, Move.name, {TARGET: player.home})
    for bomber in [bomber for bomber in player.bombers if bomber not in busy][:1]:
        spared = used | world.destroyed | leaders.keys() | world.artifacts | contested
        for square in range(len(board.ground)):
            if square not in spared:
                yield api.Order(seat, bomber, Attack.name, {TARGET: world.system(square)})
    yield from _exchanges(plan, world, hand, busy)


def _beside_science(world: World, squares: Container[Square]) -> list[Square]:
    neighbours = world.board.neighbours
    science = [square for square, kind in world.colonies.items() if kind == worlds.SCIENTISTS]
    return sorted({beside for square in science for beside in neighbours[square] if beside in squares})


def _exchanges(plan: api.Plan[World], world: World, hand: dict[int, int], busy: set[int]) -> Iterator[api.Order]:
    planet = world.players[plan.seat].home + 1
    if not world.settings.exchange or planet in busy or not hand:
        return
    offers = {(ship,) for ship in hand} | {tuple(hand)}
    offers |= {tuple(ship for ship, kind in hand.items() if kind == wanted) for wanted in set(hand.values())}
    for ships in sorted(offers):
        if against_exchanging(world, ships) is None:
            yield api.Order(plan.seat, planet, Exchange.name, {SHIPS: [[ship, 1] for ship in ships]})


# --- The first reason of the board against an action, a key of BOARD_REASONS (R13 to R35)


def against_colonizing(world: World, square: Square, kind: int) -> str | None:
    """Return why a colony of this type cannot be placed on a system, or None (R13, R14, R33)."""
    taken = _taken(world, square)
    if taken:
        return taken
    if world.board.inhabitable(square) == (kind == worlds.ROBOTS):
        return "ground"
    return "contested" if _beside_contest(world, square) else None


def against_moving(world: World, seat: api.Seat, kind: int, square: Square) -> str | None:
    """Return why the leader of this type cannot move to a system, or None (R14 to R18, R33, R35)."""
    taken = _taken(world, square)
    if taken:
        return taken
    if not world.board.inhabitable(square):
        return "ground"
    if not world.science_beside(square):
        return "science"
    left = world.players[seat].places[kind]
    if _would_join(world, square, left):
        return "joins"
    return "contested" if _beside_contest(world, square) or _in_contest(world, left) else None


def against_withdrawing(world: World, seat: api.Seat, kind: int) -> str | None:
    """Return why the leader of this type cannot be withdrawn, or None (R19, R33)."""
    place = world.players[seat].places[kind]
    if place == worlds.AT_HOME:
        return "home"
    return "contested" if _in_contest(world, place) else None


def against_attacking(world: World, square: Square) -> str | None:
    """Return why a system cannot be attacked, or None (R20, R33)."""
    if square in world.destroyed:
        return "destroyed"
    if world.has_leader(square):
        return "leader"
    if square in world.artifacts:
        return "artifact"
    return "contested" if _in_contest(world, square) else None


def against_exchanging(world: World, ships: Sequence[api.Oid]) -> str | None:
    """Return why these ships cannot be exchanged, or None (R22)."""
    return "pool" if sum(world.pool) < len(ships) else None


def _taken(world: World, square: Square) -> str | None:
    if square in world.destroyed:
        return "destroyed"
    if world.has_leader(square):
        return "leader"
    return "colony" if square in world.colonies else None


def _rivals_in(world: World, regions: set[int]) -> bool:
    """Return whether two or more of these regions have a leader of the same type (R30)."""
    for kind in worlds.TYPES:
        held = {world.regions.get(player.places[kind]) for player in world.players}
        if len(held & regions) > 1:
            return True
    return False


def _would_join(world: World, square: Square, left: Square) -> bool:
    """Return whether a leader on ``square`` would join regions after leaving ``left`` (R16)."""
    return not _without_joining(world, [square], left)


def _without_joining(world: World, squares: Sequence[Square], left: Square) -> list[Square]:
    """Return those of ``squares`` on which a leader would not join regions after leaving ``left`` (R16)."""
    regions, neighbours = world.regions, world.board.neighbours
    parts: list[list[Square]] | None = None
    found = []
    for square in squares:
        beside = [near for near in neighbours[square] if near in regions and near != left]
        if len(beside) > 1:
            numbers = {regions[near] for near in beside}
            if len(numbers) > 1:
                continue
            if left != worlds.AT_HOME and regions[left] in numbers:
                # All neighbors belong to the region that the leader leaves, which may fall apart without it.
                if parts is None:
                    rest = [near for near, number in regions.items() if number == regions[left] and near != left]
                    parts = groups(rest, neighbours)
                if not any(set(beside).issubset(part) for part in parts):
                    continue
        found.append(square)
    return found


def _beside_contest(world: World, square: Square) -> bool:
    beside = world.board.neighbours[square]
    return any(not world.area(contest).isdisjoint(beside) for contest in world.contests)


def _in_contest(world: World, square: Square) -> bool:
    return any(square in world.area(contest) for contest in world.contests)
