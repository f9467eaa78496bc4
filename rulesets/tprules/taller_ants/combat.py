"""Attacks: spiders, groups and queens against each other (R12, R13, R31 to R34, R57 to R60, R71, R72)."""

from __future__ import annotations

from collections.abc import Iterator

from tprules.api import Number, ObjectRef, player
from tprules.kit.single_choice import choosing, chosen, one_of
from tprules.taller_ants import world as worlds
from tprules.taller_ants.goods import kill_ants, lose_ants, queen_dies, spider_dies
from tprules.taller_ants.orders import CHOICE, UNIT_KINDS, Args, GroupAction, Illegal, Scene, SpiderAction, illegal_if
from tprules.taller_ants.views import sees
from tprules.taller_ants.world import TICKS, Group, Queen, Spider, Unit, World

TARGET, LIMIT = "Target", "Limit"

AVOIDED = 6
"""The roll with which an ant player avoids a spider (R34)."""

_QUEEN_BONUS = 6


class Attack(SpiderAction):  # R12, R31 to R34, R72
    number = 18
    name = "Attack"
    help = "Attack touching ants, once in a phase"
    params = {
        TARGET: ObjectRef("A group of ants or a queen", ("group", "queen")),
        CHOICE: one_of("What to do with ants that lose"),
        LIMIT: Number("How many to kill at most, 0 for all", 0, 6),
    }
    lists = {CHOICE: ("kill", "take one")}

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        victim = world.units.get(args[TARGET])
        if victim is None or isinstance(victim, Spider):
            raise Illegal("not touching")
        illegal_if(world.board.below(victim.place), "below")
        illegal_if(not any(world.touches(spider, place) for place in victim.places), "not touching")
        illegal_if(spider.attacked, "already attacked")

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        victim = scene.world.units[args[TARGET]]
        spider.attacked = True
        if isinstance(victim, Queen):
            _spider_against_queen(scene, spider, victim)
        elif isinstance(victim, Group):
            die = scene.dice.roll()  # the ant player rolls first
            if die == AVOIDED and victim.stance == worlds.AVOID:
                what = f"{_described(victim)} rolled {die} and avoided {_described(spider)}"
                _tell(scene, spider, victim, what)
            else:
                _clash(scene, spider, victim, die, chosen(args, CHOICE), args[LIMIT])

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        for oid in world.units:
            for choice in (worlds.KILL, worlds.TAKE):
                yield {TARGET: oid, CHOICE: choosing(choice), LIMIT: 0}


class GroupAttack(GroupAction):  # R57 to R60, R71
    number = 36
    name = "Group Attack"
    help = "Attack a touching enemy, also through an open hole, for all move points that are left"
    params = {TARGET: ObjectRef("A spider, or a group or queen of another colony", UNIT_KINDS)}
    against_others = True

    def check_position(self, world: World, group: Group, args: Args) -> None:
        victim = world.units.get(args[TARGET])
        if victim is None:
            raise Illegal("not touching")
        if any(world.touches(group, place) for place in victim.places):
            return
        holes = [place for place in group.places if world.is_hole(place)]
        through = [place for place in holes if world.board.other_side(place) in victim.places]
        illegal_if(not through, "not touching")
        illegal_if(not any(world.is_open_hole(place) for place in through), "covered hole")

    def cost(self, world: World, group: Group, args: Args) -> int:
        return max(TICKS, group.ticks)

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        victim = scene.world.units[args[TARGET]]
        if isinstance(victim, Spider):
            _clash(scene, victim, group, scene.dice.roll(), victim.reaction, 0)
        elif isinstance(victim, Queen):
            _group_against_queen(scene, group, victim)
        else:
            _group_against_group(scene, group, victim)

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        for unit in world.units.values():
            if unit.seat != group.seat and sees(world, group.seat, unit.id):
                yield {TARGET: unit.id}


def _clash(scene: Scene, spider: Spider, group: Group, die: int, choice: int, limit: int) -> None:
    """Settle a fight of a spider and a group for which the ants have rolled ``die`` (R31 to R33)."""
    ants = die + group.strength
    product, spiders_dice = _product(scene)
    what = f"{_described(spider)} {spiders_dice} against {_described(group)} {die} + {group.strength} = {ants}"
    if product < ants:
        _tell(scene, spider, group, f"{what}: the spider loses {group.strength} hit points")
        _hurt(scene, spider, group.strength)
    elif product == ants:
        _tell(scene, spider, group, f"{what}: nothing happens")
    elif choice == worlds.TAKE:
        _tell(scene, spider, group, f"{what}: the spider takes one")
        spider.captives.append([group.seat, group.colour])
        lose_ants(scene, group, 1)
    else:
        killed = min(group.ants, limit or group.ants, _halved_for_reds(group, product - ants))
        _tell(scene, spider, group, f"{what}: {killed} killed")
        kill_ants(scene, group, killed)


def _spider_against_queen(scene: Scene, spider: Spider, queen: Queen) -> None:  # R72
    defence = _queen_rolls(scene)
    product, spiders_dice = _product(scene)
    what = f"{_described(spider)} {spiders_dice} against {_described(queen)} {defence}"
    if product > defence:
        _tell(scene, spider, queen, f"{what}: she loses {product - defence} hit points")
        _hurt(scene, queen, product - defence)
    elif product < defence:
        _tell(scene, spider, queen, f"{what}: the spider loses 1 hit point")
        _hurt(scene, spider, 1)
    else:
        _tell(scene, spider, queen, f"{what}: nothing happens")


def _group_against_group(scene: Scene, attacker: Group, defender: Group) -> None:  # R58
    first, second = scene.dice.roll(), scene.dice.roll()
    totals = first + attacker.strength, second + defender.strength
    what = (
        f"{_described(attacker)} {first} + {attacker.strength} = {totals[0]} against "
        f"{_described(defender)} {second} + {defender.strength} = {totals[1]}"
    )
    if totals[0] == totals[1]:
        _tell(scene, attacker, defender, f"{what}: nothing happens")
        return
    winner, loser = (attacker, defender) if totals[0] > totals[1] else (defender, attacker)
    left = min(winner.ants, _halved_for_reds(winner, abs(totals[0] - totals[1])))
    _tell(scene, attacker, defender, f"{what}: {_described(loser)} die, {left} of {_described(winner)} are left")
    kill_ants(scene, loser, loser.ants)
    if left < winner.ants:
        kill_ants(scene, winner, winner.ants - left)


def _group_against_queen(scene: Scene, attacker: Group, queen: Queen) -> None:  # R59
    die = scene.dice.roll()
    total = die + attacker.strength
    defence = _queen_rolls(scene)
    what = f"{_described(attacker)} {die} + {attacker.strength} = {total} against {_described(queen)} {defence}"
    if defence >= total:
        _tell(scene, attacker, queen, f"{what}: all attackers die")
        kill_ants(scene, attacker, attacker.ants)
    else:
        _tell(scene, attacker, queen, f"{what}: she loses {total - defence} hit points")
        _hurt(scene, queen, total - defence)


def _product(scene: Scene) -> tuple[int, str]:
    """Roll for a spider and return the product of its dice, and how it came about."""
    one, two = scene.dice.roll(), scene.dice.roll()
    return one * two, f"{one} x {two} = {one * two}"


def _queen_rolls(scene: Scene) -> int:
    return scene.dice.roll() + scene.dice.roll() + _QUEEN_BONUS


def _halved_for_reds(group: Group, difference: int) -> int:
    """Return a difference as a number of ants: red ants count as two, rounded up (R33, R58)."""
    return -(-difference // 2) if group.colour == worlds.RED else difference


def _hurt(scene: Scene, unit: Spider | Queen, points: int) -> None:
    unit.hp -= points
    if unit.hp < 1:
        if isinstance(unit, Spider):
            spider_dies(scene, unit)
        else:
            queen_dies(scene, unit)


def _tell(scene: Scene, one: Unit, other: Unit, what: str) -> None:
    """Report to both sides, to each with the place of its own unit, as the other may be hidden below a hole."""
    what = f"{what[0].upper()}{what[1:]}"
    for unit in (one, other):
        scene.tell([unit.seat], "Combat", f"{what}, at {scene.world.board.name_of(unit.place)}.", unit.place)


def _described(unit: Unit) -> str:
    if isinstance(unit, Spider):
        return "a spider"
    if isinstance(unit, Queen):
        return f"the queen of {player(unit.seat)}"
    ants = "ant" if unit.ants == 1 else "ants"
    return f"{unit.ants} {worlds.COLOUR_WORDS[unit.colour]} {ants} of {player(unit.seat)}"
