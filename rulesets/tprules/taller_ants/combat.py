"""Attacks: spiders, groups and queens against each other (R12, R13, R31 to R34, R57 to R59, R71, R72)."""

from __future__ import annotations

from tprules.taller_ants.actions import Scene
from tprules.taller_ants.goods import described, hurt_queen, hurt_spider, kill_ants, lose_ants
from tprules.taller_ants.world import AVOID, RED, TAKE, Group, Queen, Spider, Unit

AVOIDED = 6
"""The roll with which an ant player avoids a spider (R34)."""

_QUEEN_BONUS = 6


def attack_group(scene: Scene, spider: Spider, group: Group, choice: int, limit: int) -> None:
    """Let a spider attack a group; the ant player rolls first (R31, R34)."""
    die = scene.dice.roll()
    if die == AVOIDED and group.stance == AVOID:
        _tell(scene, spider, group, f"{described(group)} rolled {die} and avoided {described(spider)}")
        return
    _clash(scene, spider, group, die, choice, limit)


def attack_spider(scene: Scene, group: Group, spider: Spider) -> None:
    """Let a group attack a spider, whose reaction replaces its player's choice (R71)."""
    _clash(scene, spider, group, scene.dice.roll(), spider.reaction, 0)


def attack_queen_above(scene: Scene, spider: Spider, queen: Queen) -> None:
    """Let a spider attack a queen above ground (R72)."""
    defence = _queen_rolls(scene)
    one, two = scene.dice.roll(), scene.dice.roll()
    product = one * two
    what = f"{described(spider)} {one} x {two} = {product} against {described(queen)} {defence}"
    if product > defence:
        _tell(scene, spider, queen, f"{what}: she loses {product - defence} hit points")
        hurt_queen(scene, queen, product - defence)
    elif product < defence:
        _tell(scene, spider, queen, f"{what}: the spider loses 1 hit point")
        hurt_spider(scene, spider, 1)
    else:
        _tell(scene, spider, queen, f"{what}: nothing happens")


def attack_ants(scene: Scene, attacker: Group, defender: Group) -> None:
    """Let a group attack another group (R58)."""
    first, second = scene.dice.roll(), scene.dice.roll()
    totals = first + attacker.strength, second + defender.strength
    what = (
        f"{described(attacker)} {first} + {attacker.strength} = {totals[0]} against "
        f"{described(defender)} {second} + {defender.strength} = {totals[1]}"
    )
    if totals[0] == totals[1]:
        _tell(scene, attacker, defender, f"{what}: nothing happens")
        return
    winner, loser = (attacker, defender) if totals[0] > totals[1] else (defender, attacker)
    left = min(winner.ants, _halved_for_reds(winner, abs(totals[0] - totals[1])))
    _tell(scene, attacker, defender, f"{what}: {described(loser)} die, {left} of {described(winner)} are left")
    kill_ants(scene, loser, loser.ants)
    if left < winner.ants:
        kill_ants(scene, winner, winner.ants - left)


def attack_queen(scene: Scene, attacker: Group, queen: Queen) -> None:
    """Let a group attack a queen (R59)."""
    die = scene.dice.roll()
    total = die + attacker.strength
    defence = _queen_rolls(scene)
    what = f"{described(attacker)} {die} + {attacker.strength} = {total} against {described(queen)} {defence}"
    if defence >= total:
        _tell(scene, attacker, queen, f"{what}: all attackers die")
        kill_ants(scene, attacker, attacker.ants)
    else:
        _tell(scene, attacker, queen, f"{what}: she loses {total - defence} hit points")
        hurt_queen(scene, queen, total - defence)


def _clash(scene: Scene, spider: Spider, group: Group, die: int, choice: int, limit: int) -> None:
    """Settle a fight of a spider and a group for which the ants have rolled ``die`` (R31 to R33)."""
    ants = die + group.strength
    one, two = scene.dice.roll(), scene.dice.roll()
    product = one * two
    what = f"{described(spider)} {one} x {two} = {product} against {described(group)} {die} + {group.strength} = {ants}"
    if product < ants:
        _tell(scene, spider, group, f"{what}: the spider loses {group.strength} hit points")
        hurt_spider(scene, spider, group.strength)
    elif product == ants:
        _tell(scene, spider, group, f"{what}: nothing happens")
    elif choice == TAKE:
        _tell(scene, spider, group, f"{what}: the spider takes one")
        spider.captives.append([group.seat, group.colour])
        lose_ants(scene, group, 1)
    else:
        killed = min(group.ants, limit or group.ants, _halved_for_reds(group, product - ants))
        _tell(scene, spider, group, f"{what}: {killed} killed")
        kill_ants(scene, group, killed)


def _halved_for_reds(group: Group, difference: int) -> int:
    """Return a difference as a number of ants: red ants count as two, rounded up (R33, R58)."""
    return -(-difference // 2) if group.colour == RED else difference


def _queen_rolls(scene: Scene) -> int:
    return scene.dice.roll() + scene.dice.roll() + _QUEEN_BONUS


def _tell(scene: Scene, one: Unit, other: Unit, what: str) -> None:
    """Report to both sides, to each with the place of its own unit, as the other may be hidden below a hole."""
    what = f"{what[0].upper()}{what[1:]}"
    for unit in (one, other):
        scene.tell([unit.seat], "Combat", f"{what}, at {scene.world.name_of(unit.place)}.", unit.place)
