"""Second statement of the rules of TaE, from RULES.md alone.

It is slow and plain, and shares nothing with the game but the page. Places are pairs (x, y). Types are the letters of
the page's vectors (`m` merchants, `s` scientists, `p` settlers, `r` mining robots). It finds everything by walking over
the whole board.

The inputs are object numbers as the protocol has them (RULES.md, section 1), and a function that returns dice by name
(section 5). `refusal` judges a new order, `close` ends a turn and returns the reports, and `shown` returns the views of
the objects. `Position.seen` counts the situations that came up. It decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

TYPES = "mspr"
"""Merchants, scientists, settlers, mining robots: the order of the page's first table in section 2."""

COMBAT_ORDER = "psmr"
"""R38: which type of leader fights first in an external contest."""

WORDS = {"m": "Merchant", "s": "Scientist", "p": "Settler", "r": "Mining"}
HOME = "home"

Place = tuple[int, int]


class Dice(Protocol):
    """A stream of draws."""

    def below(self, limit: int, /) -> int:
        """Return a whole number from 0 to ``limit`` - 1."""


class Given(NamedTuple):
    """An order as a player gives it: ``to`` is the number of the object chosen, ``ships`` those of an Exchange."""

    seat: int
    type: str
    on: int
    to: int = 0
    ships: tuple[tuple[int, int], ...] = ()


@dataclass
class Contest:
    """R30, R32: leaders who will fight. ``type`` is that of an internal contest, empty in an external one."""

    kind: str
    place: Place
    by: int
    type: str = ""


@dataclass
class Combat:
    """R37: the next turn's combat."""

    kind: str
    place: Place
    type: str
    attacker: int
    defender: int
    strength: dict[int, int]


@dataclass
class Position:
    """Everything that there is in a game."""

    width: int
    height: int
    ground: dict[Place, str]
    """The letters of the map; what counts later is `M`, uninhabitable."""
    settings: dict[str, Any]
    seats: int
    pool: dict[str, int]
    next_number: int
    homes: dict[int, int] = field(default_factory=dict)
    """By seat: the number of the home system. The home planet has the next number."""
    leader_numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    leaders: dict[tuple[int, str], Any] = field(default_factory=dict)
    """By seat and type: the place, or HOME."""
    hands: dict[int, dict[int, str]] = field(default_factory=dict)
    """By seat: the colonists in hand, by number."""
    bombers: dict[int, list[int]] = field(default_factory=dict)
    points: dict[int, dict[str, int]] = field(default_factory=dict)
    artifact_points: dict[int, int] = field(default_factory=dict)
    colonies: dict[Place, str] = field(default_factory=dict)
    artifacts: list[Place] = field(default_factory=list)
    destroyed: list[Place] = field(default_factory=list)
    regions: dict[Place, int] = field(default_factory=dict)
    last_region: int = 0
    first: int = 0
    turns: int = 0
    """Normal turns that were played to their end, combats and finish included."""
    idle: int = 0
    """R60: normal turns in a row in which nobody gave an order."""
    contests: list[Contest] = field(default_factory=list)
    combat: Combat | None = None
    over: str = ""
    """Why the game is over: "artifacts", "pool", "turns" or "idle"."""
    final: dict[int, dict[str, int]] = field(default_factory=dict)
    """R57: the points with the jokers, once the game is over."""
    winning_order: dict[int, int] = field(default_factory=dict)
    """R58: the place of each seat, 1 for the winners."""
    seen: Counter[str] = field(default_factory=Counter)

    def copy(self) -> Position:
        """Return another one that changes alone, and has seen nothing."""
        return Position(
            width=self.width,
            height=self.height,
            ground=self.ground,
            settings=self.settings,
            seats=self.seats,
            pool=dict(self.pool),
            next_number=self.next_number,
            homes=self.homes,
            leader_numbers=self.leader_numbers,
            leaders=dict(self.leaders),
            hands={seat: dict(hand) for seat, hand in self.hands.items()},
            bombers={seat: list(bombers) for seat, bombers in self.bombers.items()},
            points={seat: dict(points) for seat, points in self.points.items()},
            artifact_points=dict(self.artifact_points),
            colonies=dict(self.colonies),
            artifacts=list(self.artifacts),
            destroyed=list(self.destroyed),
            regions=dict(self.regions),
            last_region=self.last_region,
            first=self.first,
            turns=self.turns,
            idle=self.idle,
            contests=list(self.contests),
            combat=self.combat,
            over=self.over,
            final=self.final,
            winning_order=self.winning_order,
        )

    # Section 1: the board and its numbers.

    def places(self) -> list[Place]:
        """Return all systems, the lowest first: lowest y, then lowest x."""
        return [(x, y) for y in range(self.height) for x in range(self.width)]

    def system(self, place: Place) -> int:
        """Return the number of a system; its planet has the next one."""
        return 2 + 2 * (place[1] * self.width + place[0])

    def place_of(self, number: int) -> Place | None:
        """Return the place of a system of the board, or None if the number is of something else."""
        index, beyond = divmod(number - 2, 2)
        place = (index % self.width, index // self.width)
        return place if not beyond and place in self.ground else None

    def around(self, place: Place) -> list[Place]:
        """R4: the systems directly west, east, south and north of a place."""
        x, y = place
        return [near for near in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] if near in self.ground]

    # Who is where.

    def leader_at(self, place: Place) -> tuple[int, str] | None:
        for leader, at in self.leaders.items():
            if at == place:
                return leader
        return None

    def neutral(self) -> list[Place]:
        """R31: the connecting colonies of open contests."""
        return [contest.place for contest in self.contests if contest.kind == "external"]

    def occupied(self) -> list[Place]:
        """R23, R31: where a colony or leader counts for a region."""
        neutral = self.neutral()
        standing = [at for at in self.leaders.values() if at != HOME]
        return [
            place for place in self.places() if (place in self.colonies or place in standing) and place not in neutral
        ]

    def by_scientists(self, place: Place) -> int:
        """Return how many scientist colonies border a place (R15, R25, R40)."""
        return sum(self.colonies.get(near) == "s" for near in self.around(place))

    def regions_beside(self, place: Place) -> list[int]:
        """Return the numbers of the regions that a place borders, rising."""
        return sorted({self.regions[near] for near in self.around(place) if near in self.regions})

    def leaders_in(self, region: int, kind: str) -> list[int]:
        """Return the seats whose leader of this type is in the region."""
        found = []
        for seat in range(self.seats):
            at = self.leaders[seat, kind]
            if at != HOME and self.regions.get(at) == region:
                found.append(seat)
        return found


def parts(position: Position, occupied: Sequence[Place]) -> list[list[Place]]:
    """R23: the maximal connected sets of these systems, that with the lowest system first."""
    left = set(occupied)
    found = []
    for start in position.places():
        if start not in left:
            continue
        part = [start]
        left.remove(start)
        for place in part:  # grows while it is walked
            for near in position.around(place):
                if near in left:
                    left.remove(near)
                    part.append(near)
        found.append(sorted(part, key=lambda place: (place[1], place[0])))
    return found


def renumber(position: Position) -> None:
    """R24: redo the regions and their numbers."""
    old = position.regions
    occupied = position.occupied()
    new = parts(position, occupied)
    heir_to: dict[int, list[int]] = {index: [] for index in range(len(new))}
    for number in sorted(set(old.values())):
        surviving = [place for place in occupied if old.get(place) == number]
        if not surviving:
            continue
        for index, part in enumerate(new):
            if surviving[0] in part:
                heir_to[index].append(number)
        if len({index for index, part in enumerate(new) for place in surviving if place in part}) > 1:
            position.seen["a region falls apart"] += 1
    position.regions = {}
    for index, part in enumerate(new):
        if heir_to[index]:
            number = min(heir_to[index])
        else:
            position.last_region += 1
            number = position.last_region
        for place in part:
            position.regions[place] = number


# The opening.


def opened(rows: Sequence[str], settings: Mapping[str, Any], seats: int, dice: Dice) -> Position:
    """R3, R5, R6: a game on a map, first line north, with these options and number of players."""
    height, width = len(rows), len(rows[0])
    ground, artifacts = {}, []
    for y in range(height):
        for x in range(width):
            letter = rows[height - 1 - y][x]
            ground[x, y] = letter
            if letter == "A":
                artifacts.append((x, y))
    position = Position(
        width=width,
        height=height,
        ground=ground,
        settings=dict(settings),
        seats=seats,
        pool=dict(zip(TYPES, settings["pool"], strict=True)),
        next_number=2 + 2 * width * height,
        colonies=dict.fromkeys(artifacts, "s"),
        artifacts=artifacts,
    )
    renumber(position)
    for seat in range(seats):
        seated(position, seat, [draw(position, dice) for _ in range(settings["hand_size"])])
    return position


def seated(position: Position, seat: int, hand: Sequence[str]) -> None:
    """R5: give a player home, leaders, bombers and a hand, with numbers in the order of section 1."""
    number = position.next_number
    position.homes[seat] = number
    number += 2
    for kind in TYPES:
        position.leader_numbers[seat, kind] = number
        position.leaders[seat, kind] = HOME
        number += 1
    position.bombers[seat] = list(range(number, number + position.settings["bombers"]))
    number += position.settings["bombers"]
    position.hands[seat] = {}
    position.next_number = number
    for kind in hand:
        into_hand(position, seat, kind)
    position.points[seat] = dict.fromkeys(TYPES, 0)
    position.artifact_points[seat] = 0


def into_hand(position: Position, seat: int, kind: str) -> None:
    """Give a drawn ship the next number and put it into a hand."""
    position.hands[seat][position.next_number] = kind
    position.next_number += 1


def draw(position: Position, dice: Dice) -> str:
    """R6: draw one ship, each ship left in the pool equally likely."""
    ship = dice.below(sum(position.pool.values()))
    for kind in TYPES:
        if ship < position.pool[kind]:
            position.pool[kind] -= 1
            return kind
        ship -= position.pool[kind]
    raise AssertionError("the pool is empty")


def turn_order(position: Position, start: int) -> list[int]:
    """Return all seats cyclically from one on."""
    return [(start + more) % position.seats for more in range(position.seats)]


# Section 4: what is refused when it is given.


def owner(position: Position, number: int) -> int | None:
    """Return the seat that owns an object, or None: nobody owns a system, not even a home system."""
    for seat in range(position.seats):
        own = [position.homes[seat] + 1, *position.hands[seat], *position.bombers[seat]]
        own += [position.leader_numbers[seat, kind] for kind in TYPES]
        if number in own:
            return seat
    return None


def exists(position: Position, number: int) -> bool:
    """Return whether there is an object with this number: universe, galaxy, board, or somebody's."""
    if number in position.homes.values() or owner(position, number) is not None:
        return True
    return 0 <= number < 2 + 2 * position.width * position.height


def type_of_leader(position: Position, number: int) -> tuple[int, str] | None:
    for leader, its in position.leader_numbers.items():
        if its == number:
            return leader
    return None


def fits(position: Position, order: Given) -> bool:
    """Return whether the piece takes the order (R13, R15, R20, R22, R43): reason `kind`."""
    ship = position.hands[order.seat].get(order.on)
    if order.type == "Colonize":
        return ship in ("m", "s", "p")
    if order.type == "ColonizeMining":
        return ship == "r"
    if order.type == "Move":
        return type_of_leader(position, order.on) is not None
    if order.type == "Attack":
        return order.on in position.bombers[order.seat]
    if order.type == "Exchange":
        is_planet = order.on == position.homes[order.seat] + 1
        return is_planet and all(named in position.hands[order.seat] for named, _ in order.ships)
    combat = position.combat
    assert order.type == "Reinforce"
    assert combat is not None
    return ship == ("s" if combat.kind == "internal" else combat.type)


def refusal(position: Position, before: Sequence[Given], order: Given, plan: Position | None = None) -> str:
    """Return the first reason of section 4 to refuse an order after those that its seat has given before, or "".

    ``plan`` is what ``planned`` returns, for callers that have it at hand.
    """
    if position.over:
        return "over"
    if (order.type == "Reinforce") != (position.combat is not None):  # R37
        return "phase"
    if order.type == "Exchange" and not position.settings["exchange"]:  # R22
        return "off"
    has_target = order.type not in ("Exchange", "Reinforce")
    named = [order.on, *([order.to] if has_target else []), *(ship for ship, _ in order.ships)]
    if not all(exists(position, number) for number in named):
        return "nosuch"
    place = position.place_of(order.to) if has_target else None
    is_home = has_target and order.to in position.homes.values()
    withdraws = is_home and order.type == "Move" and order.to == position.homes[order.seat]  # R19
    if has_target:
        if place is None and not is_home:
            return "notsystem"
        if is_home and not withdraws:  # R4
            return "offboard"
    if order.type == "Exchange":
        ships = [ship for ship, _ in order.ships]
        if not ships or len(set(ships)) < len(ships) or any(number != 1 for _, number in order.ships):
            return "choice"
    if any(owner(position, number) != order.seat for number in [order.on, *(ship for ship, _ in order.ships)]):
        return "owner"
    combat = position.combat
    if combat is not None and order.seat not in (combat.attacker, combat.defender):
        return "side"
    if not fits(position, order):
        return "kind"
    busy = [number for other in before for number in (other.on, *(ship for ship, _ in other.ships))]
    if any(number in busy for number in [order.on, *(ship for ship, _ in order.ships)]):  # R9
        return "busy"
    if order.type == "Reinforce":
        return ""
    if len(before) >= position.settings["actions"]:  # R8
        return "actions"
    if place is not None and order.to in [other.to for other in before]:  # R10
        return "target"
    return hindrance(plan or planned(position, before), order)


def planned(position: Position, before: Sequence[Given]) -> Position:
    """R11: the board as a seat's own earlier orders of the turn would leave it, nothing drawn."""
    if not before or position.combat is not None:
        return position
    plan = position.copy()
    for order in before:
        if order.type != "Exchange":
            execute(plan, order)
    return plan


def hindrance(position: Position, order: Given) -> str:
    """Return the first of the board's reasons against an order, or "" (section 4; R12)."""
    if order.type == "Exchange":
        return "pool" if sum(position.pool.values()) < len(order.ships) else ""  # R22
    frozen = contested(position)
    if order.type == "Move":
        leader = type_of_leader(position, order.on)
        assert leader is not None
        old = position.leaders[leader]
        if order.to == position.homes[order.seat]:  # R19
            if old == HOME:
                return "home"
            return "contested" if old in frozen else ""  # R33
    place = position.place_of(order.to)
    assert place is not None
    if place in position.destroyed:  # R14, R20
        return "destroyed"
    if position.leader_at(place) is not None:
        return "leader"
    if order.type == "Attack":
        if place in position.artifacts:  # R20
            return "artifact"
        return "contested" if place in frozen else ""  # R33
    if place in position.colonies:  # R14
        return "colony"
    if (order.type == "ColonizeMining") != (position.ground[place] == "M"):  # R13, R15
        return "ground"
    if order.type == "Move":
        if position.by_scientists(place) == 0:  # R15
            return "science"
        away = position.copy()  # R16: the old place counts as left
        away.leaders[leader] = HOME
        beside = [part for part in parts(away, away.occupied()) if any(near in part for near in position.around(place))]
        if len(beside) > 1:
            return "joins"
        if old != HOME and old in frozen:  # R33
            return "contested"
    if any(near in frozen for near in position.around(place)):  # R33
        return "contested"
    return ""


def contested(position: Position) -> list[Place]:
    """R33: the systems of the areas of all open contests."""
    return [place for contest in position.contests for place in area(position, contest)]


def area(position: Position, contest: Contest) -> list[Place]:
    if contest.kind == "internal":
        numbers = [position.regions[contest.place]]
        return [place for place, number in position.regions.items() if number in numbers]
    numbers = position.regions_beside(contest.place)
    return [contest.place, *(place for place, number in position.regions.items() if number in numbers)]


# A normal turn: R26 and what the orders do.


def execute(position: Position, order: Given) -> None:
    """Carry an order out that nothing hinders, but for an Exchange, which needs dice."""
    seat = order.seat
    if order.type == "Move":
        move(position, order)
    else:
        place = position.place_of(order.to)
        assert place is not None
        if order.type == "Attack":  # R21
            position.bombers[seat].remove(order.on)
            if position.colonies.pop(place, None) is None:
                position.seen["an empty system is bombed"] += 1
            position.destroyed.append(place)
            strand(position, "a bomb strands a leader")
        else:
            colonize(position, seat, position.hands[seat].pop(order.on), place)
    renumber(position)


def move(position: Position, order: Given) -> None:
    """R15 to R19, R32."""
    leader = type_of_leader(position, order.on)
    assert leader is not None
    seat, kind = leader
    was_alone = len(parts(position, position.occupied()))
    place = position.place_of(order.to)
    old = position.leaders[leader]
    if place is None:
        position.leaders[leader] = HOME
        position.seen["a leader is withdrawn"] += 1
        return
    position.leaders[leader] = HOME
    occupied = position.occupied()
    joined = next(part for part in parts(position, occupied) if any(near in part for near in position.around(place)))
    if len(parts(position, occupied)) > was_alone:
        position.seen["a leader that leaves splits its region"] += 1
    rivals = [other for other, at in position.leaders.items() if at in joined and other[1] == kind]
    position.leaders[leader] = place
    if old != HOME and position.regions[old] in [position.regions[near] for near in joined]:
        position.seen["a leader moves inside its region"] += 1
    if rivals:  # R32
        position.contests.append(Contest("internal", place, seat, kind))


def strand(position: Position, situation: str) -> list[tuple[int, str]]:
    """R25: leaders without a bordering scientist colony go home, all together; return which."""
    stranded = [leader for leader, at in position.leaders.items() if at != HOME and position.by_scientists(at) == 0]
    for leader in stranded:
        position.leaders[leader] = HOME
    if stranded:
        position.seen[situation] += 1
    if len(stranded) > 1:
        position.seen["several leaders are stranded at once"] += 1
    return sorted(stranded)


def colonize(position: Position, seat: int, kind: str, place: Place) -> None:
    """R13, R27 to R31."""
    beside = position.regions_beside(place)
    position.colonies[place] = kind
    if place in position.artifacts:
        position.seen["a colony on an emptied system with an artifact"] += 1
    if len(beside) == 1:  # R28
        owners = position.leaders_in(beside[0], kind)
        if owners:
            position.seen["a colony scores"] += 1
        elif position.leaders_in(beside[0], "p"):
            owners = position.leaders_in(beside[0], "p")
            position.seen["a colony scores for the settler leader"] += 1
        for winner in owners:
            position.points[winner][kind] += 1
            if winner != seat:
                position.seen["a colony scores for another player"] += 1
    elif len(beside) > 1:
        rivals = [len([region for region in beside if position.leaders_in(region, each)]) for each in TYPES]
        if max(rivals) > 1:  # R30
            position.contests.append(Contest("external", place, seat))
            position.seen[f"a connection of {len(beside)} regions is contested"] += 1
            if sum(number > 1 for number in rivals) > 1:
                position.seen["leaders of several types meet at a connection"] += 1
        else:
            position.seen[f"{len(beside)} regions merge"] += 1  # R29


def exchange(position: Position, order: Given, dice: Dice) -> None:
    """R22: the ships leave the game, and as many are drawn."""
    for ship, _ in order.ships:
        del position.hands[order.seat][ship]
    for _ in order.ships:
        into_hand(position, order.seat, draw(position, dice))
    position.seen["an exchange"] += 1


def close(position: Position, orders: Sequence[Given], dice: Callable[[str], Dice]) -> list[tuple[Any, ...]]:
    """End the turn with these orders, in the order in which they were accepted; return the reports, in sequence.

    Reports are ("failed", seat, piece, reason), ("combat", kind, place, type, sides and their strengths), ("won", kind,
    place, type, winner, loser, their final strengths, points by type, removed places, stranded leaders), ("scores",
    seat, points by type, artifact points), ("order", seats) and ("over", why).
    """
    assert not position.over
    told: list[tuple[Any, ...]] = []
    if position.combat is None:
        position.idle = 0 if orders else position.idle + 1  # R60
        exchanges = dice("exchange")
        for seat in turn_order(position, position.first):  # R26
            for order in [order for order in orders if order.seat == seat]:
                reason = hindrance(position, order)
                if reason:  # R12
                    told.append(("failed", seat, order.on, reason))
                    position.seen[f"{order.type} fails: {reason}"] += 1
                elif order.type == "Exchange":
                    exchange(position, order, exchanges)
                else:
                    execute(position, order)
        if len(position.contests) > 1:
            position.seen["several contests in a turn"] += 1
    else:
        told.append(fight(position, orders))
    next_combat(position)
    if position.combat is not None:
        combat = position.combat
        sides = [(seat, combat.strength[seat]) for seat in (combat.attacker, combat.defender)]
        told.append(("combat", combat.kind, combat.place, combat.type, *sides))
    else:
        told += finish(position, dice)
    return told


# Combat: R36 to R48.


def sides_of(position: Position, contest: Contest, kind: str) -> list[int]:
    """R32, R39: the seats whose leaders of a type are joined in a contest now."""
    if contest.kind == "internal":
        region = position.regions.get(contest.place)
        return [] if region is None else position.leaders_in(region, kind)
    return [seat for region in position.regions_beside(contest.place) for seat in position.leaders_in(region, kind)]


def next_combat(position: Position) -> None:
    """R34, R38, R39, R42: find the next fight. Contests without fighters are over (R31, R24)."""
    position.combat = None
    while position.contests:
        contest = position.contests[0]
        for kind in COMBAT_ORDER if contest.kind == "external" else contest.type:
            sides = sides_of(position, contest, kind)
            if len(sides) < 2:
                continue
            in_turn = [seat for seat in turn_order(position, contest.by) if seat in sides]  # R42
            attacker, defender = in_turn[0], in_turn[1]
            strength = {seat: strength_of(position, contest, kind, seat) for seat in (attacker, defender)}
            position.combat = Combat(contest.kind, contest.place, kind, attacker, defender, strength)
            if attacker != contest.by:
                position.seen["the attacker is not who connected"] += 1
            if len(sides) > 2:
                position.seen[f"{len(sides)} leaders of a type are joined"] += 1
            return
        position.contests.pop(0)
        renumber(position)


def strength_of(position: Position, contest: Contest, kind: str, seat: int) -> int:
    at = position.leaders[seat, kind]
    if contest.kind == "internal":  # R40
        return position.by_scientists(at)
    own = position.regions[at]  # R41
    return sum(position.colonies.get(place) == kind for place, region in position.regions.items() if region == own)


def fight(position: Position, orders: Sequence[Given]) -> tuple[Any, ...]:
    """R43 to R47: the end of a combat turn."""
    combat = position.combat
    assert combat is not None
    sides = (combat.attacker, combat.defender)
    final = dict(combat.strength)
    waiting = {kind: waiting_strengths(position, position.contests[0], kind) for kind in TYPES if kind != combat.type}
    waiting = {kind: strengths for kind, strengths in waiting.items() if len(strengths) > 1}
    for order in orders:  # R43, R44
        del position.hands[order.seat][order.on]
        final[order.seat] += 1
    winner, loser = sides if final[sides[0]] > final[sides[1]] else sides[::-1]  # R45
    lost_at = position.leaders[loser, combat.type]
    region = position.regions[lost_at]
    position.leaders[loser, combat.type] = HOME  # R46
    removed: list[Place] = []
    if combat.kind == "internal":
        points = {"s": 1}
    else:
        for place in position.places():
            if position.regions.get(place) == region and position.colonies.get(place) == combat.type:
                if position.settings["protect_artifacts"] and combat.type == "s" and place in position.artifacts:
                    position.seen["a colony on an artifact is protected"] += 1
                    continue
                removed.append(place)
        for place in removed:
            del position.colonies[place]
            if place in position.artifacts:
                position.seen["a combat empties a system with an artifact"] += 1
        points = {combat.type: 1 + len(removed)}
    for kind, number in points.items():
        position.points[winner][kind] += number
    stranded = strand(position, "a combat strands a leader")
    fallen = position.seen["a region falls apart"]
    renumber(position)
    _count_fight(position, combat, final, winner, orders, len(removed))
    if position.seen["a region falls apart"] > fallen:
        position.seen["a combat splits a region"] += 1
    for kind, strengths in waiting.items():
        now = waiting_strengths(position, position.contests[0], kind)
        if len(now) < 2:
            position.seen["a second type is struck off"] += 1
        elif now != strengths:
            position.seen["a combat changes the strengths of the next"] += 1
    fought = (final[winner], final[loser])
    return ("won", combat.kind, combat.place, combat.type, winner, loser, *fought, points, removed, stranded)


def waiting_strengths(position: Position, contest: Contest, kind: str) -> dict[int, int]:
    """Return the strength of each side of an external contest of this type."""
    if contest.kind == "internal":
        return {}
    return {seat: strength_of(position, contest, kind, seat) for seat in sides_of(position, contest, kind)}


def _count_fight(
    position: Position, combat: Combat, final: Mapping[int, int], winner: int, orders: Sequence[Given], removed: int
) -> None:
    how = "a tie" if final[combat.attacker] == final[combat.defender] else "won"
    who = "" if how == "a tie" else " by the attacker" if winner == combat.attacker else " by the defender"
    position.seen[f"{combat.kind} combat, {how}{who}"] += 1
    if how == "a tie" and not final[winner]:
        position.seen[f"{combat.kind} combat, nothing to nothing"] += 1
    reinforced = {order.seat for order in orders}
    if reinforced:
        position.seen[f"{combat.kind} combat, {('one side', 'both sides')[len(reinforced) - 1]} reinforced"] += 1
    if any(seat != winner for seat in reinforced):
        position.seen["the loser's reinforcements are used up"] += 1
    if reinforced and (combat.strength[combat.attacker] > combat.strength[combat.defender]) != (
        winner == combat.attacker
    ):
        position.seen["reinforcements turn a combat"] += 1
    if removed > 1:
        position.seen["several colonies are removed"] += 1
    if combat.kind == "external" and position.colonies[combat.place] == combat.type:
        position.seen["the connecting colony is of the type that fights"] += 1


# The finish: R49 to R58.


def finish(position: Position, dice: Callable[[str], Dice]) -> list[tuple[Any, ...]]:
    """R53: artifacts, end test, refill, first player."""
    take_artifacts(position)
    position.turns += 1
    missing = sum(position.settings["hand_size"] - len(hand) for hand in position.hands.values())
    if len(position.artifacts) < position.settings["min_artifacts"]:  # R54
        position.over = "artifacts"
    elif sum(position.pool.values()) < missing:  # R55
        position.over = "pool"
    elif position.turns >= position.settings["max_turns"]:  # R56
        position.over = "turns"
    elif 0 < position.settings["idle_turns"] <= position.idle:  # R60
        position.over = "idle"
    if position.over:
        score(position)
        return [("over", position.over)]
    if not sum(position.pool.values()):
        position.seen["the pool is empty and the game goes on"] += 1
    refills = dice("refill")
    order = turn_order(position, position.first)
    for seat in order:  # R52
        while len(position.hands[seat]) < position.settings["hand_size"]:
            into_hand(position, seat, draw(position, refills))
    if not sum(position.pool.values()) and missing:
        position.seen["the pool is drawn empty"] += 1
    position.first = order[1]  # R26
    told: list[tuple[Any, ...]] = [
        ("scores", seat, dict(position.points[seat]), position.artifact_points[seat]) for seat in range(position.seats)
    ]
    return [*told, ("order", turn_order(position, position.first))]


def take_artifacts(position: Position) -> None:
    """R50, R51."""
    for region in sorted(set(position.regions.values())):
        lying = [
            place
            for place in position.places()
            if place in position.artifacts and position.regions.get(place) == region
        ]
        owners = position.leaders_in(region, "m")
        if len(lying) < 2:
            continue
        if not owners:
            position.seen["artifacts stay without a merchant leader"] += 1
            continue
        for place in lying[1:]:
            position.artifacts.remove(place)
            position.artifact_points[owners[0]] += 1
        position.seen["artifacts are taken"] += 1
        if len(lying) > 2:
            position.seen["several artifacts are taken at once"] += 1
    if any(place not in position.regions for place in position.artifacts):
        position.seen["an artifact lies in no region"] += 1


def with_jokers(position: Position, seat: int) -> dict[str, int]:
    """R57: the points of a seat with its artifact points added, one by one."""
    points = dict(position.points[seat])
    for _ in range(position.artifact_points[seat]):
        lowest = min(points.values())
        kind = next(kind for kind in TYPES if points[kind] == lowest)
        points[kind] += 1
    return points


def score(position: Position) -> None:
    """R57, R58."""
    for seat in range(position.seats):
        position.final[seat] = with_jokers(position, seat)
    worth = {seat: sorted(points.values()) for seat, points in position.final.items()}
    position.winning_order = {seat: 1 + sum(worth[other] > worth[seat] for other in worth) for seat in worth}
    winners = [seat for seat, place in position.winning_order.items() if place == 1]
    position.seen[f"over: {position.over}"] += 1
    position.seen["shared victory" if len(winners) > 1 else "one winner"] += 1
    if len({worth[seat][0] for seat in worth}) < len({tuple(worth[seat]) for seat in worth}):
        position.seen["a tie is broken by a further type"] += 1
    plain = {seat: sorted(points.values()) for seat, points in position.points.items()}
    if [seat for seat in plain if plain[seat] == max(plain.values())] != winners:
        position.seen["jokers change who wins"] += 1


def awaited(position: Position) -> list[int]:
    """R37, section 5: the seats that the turn waits for."""
    if position.over:
        return []
    if position.combat is not None:
        return sorted((position.combat.attacker, position.combat.defender))
    return list(range(position.seats))


# Sections 1, 2 and 5: what a seat sees.


def shown(position: Position, seat: int | None) -> dict[int, tuple[Any, ...]]:
    """Return how all objects look to a seat, None: a spectator.

    Object -> (kind, name, parent, position, owner, numbers, resources, designs).
    """
    objects: dict[int, tuple[Any, ...]] = {
        0: ("universe", "The Universe", 0, (0, 0, 0), None, (), [], []),
        1: ("galaxy", "The Fertile Galaxy", 0, (0, -6000, 0), None, (sum(position.pool.values()),), [], []),
    }
    for place in position.places():
        x, y = place
        at = (1 + 80000 * x, 1 + 80000 * (y + 1), 0)
        resources = []
        if place in position.destroyed:
            resources.append(2)
        elif position.ground[place] == "M":
            resources.append(1)
        if place in position.artifacts:
            resources.append(3)
        if place in position.colonies:
            resources.append(4 + TYPES.index(position.colonies[place]))
        status = (int(position.ground[place] != "M"), int(place in position.destroyed), position.regions.get(place, 0))
        number = position.system(place)
        objects[number] = ("system", f"{x}, {y}", 1, at, None, status, [], [])
        objects[number + 1] = ("planet", f"Planet {x}, {y}", number, at, None, (), resources, [])
    for player in range(position.seats):
        home, at = position.homes[player], (1 + 80000 * (player + 1), 1, 0)
        name = f"{{player {player}}}'s"
        objects[home] = ("system", f"{name} System", 1, at, None, (1, 0, 0), [], [])
        objects[home + 1] = ("planet", f"{name} Home Planet", home, at, player, (), [8], [])
        for index, kind in enumerate(TYPES):
            number, place = position.leader_numbers[player, kind], position.leaders[player, kind]
            parent = home + 1 if place == HOME else position.system(place)
            on = at if place == HOME else (1 + 80000 * place[0], 1 + 80000 * (place[1] + 1), 0)
            objects[number] = ("fleet", f"{WORDS[kind]} Leader", parent, on, player, (), [], [5 + index])
        for number in position.bombers[player]:
            objects[number] = ("fleet", "Bomber", home + 1, at, player, (), [], [9])
        for number, kind in position.hands[player].items():
            design = 1 + TYPES.index(kind) if seat == player else 10
            objects[number] = ("fleet", "Colonist Fleet", home + 1, at, player, (), [], [design])
    return objects


def figures(position: Position, seat: int | None) -> dict[int, dict[str, int]]:
    """R7: how all stand, as a seat may know it: its own points, and of the others what is public."""
    table = {}
    for other in range(position.seats):
        row = {}
        if position.over or other == seat:
            points = position.points[other]
            row = {
                "Score": min(with_jokers(position, other).values()),
                "Alien Artifacts": position.artifact_points[other],
            }
            row |= {
                "Money": points["m"],
                "Technology": points["s"],
                "People": points["p"],
                "Raw Materials": points["r"],
            }
        row["Leaders on the board"] = sum(position.leaders[other, kind] != HOME for kind in TYPES)
        row["Bombers"] = len(position.bombers[other])
        table[other] = row
    return table
