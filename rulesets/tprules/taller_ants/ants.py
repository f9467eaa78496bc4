"""The orders of groups of ants and of queens, except moves and goods.

R37, R39, R41 to R51, R53 to R60, and R71.
"""

from __future__ import annotations

from collections.abc import Iterator

from tprules.api import Number, ObjectRef, Oid, Order, OrderWords, Selection, player
from tprules.kit.compass import DIRECTIONS, OFF
from tprules.kit.single_choice import choosing, chosen, one_of
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import orders
from tprules.taller_ants import world as worlds
from tprules.taller_ants.board import Place
from tprules.taller_ants.goods import hurt, kill_ants, lay_ant_egg, lose_ants, use, within
from tprules.taller_ants.orders import Args, GroupAction, Illegal, QueenAction, Scene, illegal_if, touching_square
from tprules.taller_ants.spiders import clash
from tprules.taller_ants.views import sees
from tprules.taller_ants.world import TICKS, AntEgg, Fungus, Group, Queen, Spider, World

RED_EGGS, BLACK_EGGS, DIRECTIONS_DUG, END = "Red", "Black", "Directions", "End"

NEAR, FAR = 1, 2
"""Ends of a bridge."""
BODY, WEB_POINT = 1, 2
"""Sources of eggs: hit points of the queen's body, or web points."""

WARD_FOOD = 2
QUEEN_FOOD = 5
_MOST_LAID = 20
_MOST_EATEN = 10


class Excavate(GroupAction):  # R43
    number = 30
    name = "Excavate"
    words = OrderWords("Dig", "Dig {Directions}", {DIRECTIONS_DUG: "directions"})
    help = "Dig out dirt around, below: for a move point as many squares as the group has ants, twice that if black"
    params = {DIRECTIONS_DUG: Selection("Where to dig", most=8)}
    lists = {DIRECTIONS_DUG: DIRECTIONS}

    def check_position(self, world: World, group: Group, args: Args) -> None:
        illegal_if(not world.board.below(group.place), "above ground")
        places = self._places(world, group, args)
        illegal_if(OFF in places, "edge")
        illegal_if(any(place in world.dug for place in places), "already open")

    def cost(self, world: World, group: Group, args: Args) -> int:
        return TICKS * -(-len(args[DIRECTIONS_DUG]) // self._for_one_point(group))

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        scene.world.dug.update(dict.fromkeys(self._places(scene.world, group, args), group.seat))

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        dirt = dirt_around(world, group.place)[: group.ticks // TICKS * self._for_one_point(group)]
        if dirt:
            yield {DIRECTIONS_DUG: [[direction, 1] for direction in dirt]}

    def _places(self, world: World, group: Group, args: Args) -> list[Place]:
        return [world.board.ways[group.place][direction] for direction, _ in args[DIRECTIONS_DUG]]

    def _for_one_point(self, group: Group) -> int:
        return 2 * group.ants if group.colour == worlds.BLACK else group.ants


def dirt_around(world: World, place: Place) -> list[int]:
    """Return the directions with dirt around a place below ground."""
    ways = enumerate(world.board.ways[place])
    return [direction for direction, way in ways if way != OFF and way not in world.dug]


class CollectWeb(GroupAction):  # R44
    number = 31
    name = "Collect Web"
    words = OrderWords("Collect web", "Collect the web under the group")
    help = "Take the web away on which the group stands, for a whole phase"
    ticks = worlds.TICKS_OF_ANTS

    def check_position(self, world: World, group: Group, args: Args) -> None:
        illegal_if(world.board.below(group.place), "below")
        illegal_if(group.place not in world.webs, "no web")
        illegal_if(world.board.water[group.place], "water")

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        scene.world.webs.discard(group.place)
        group.web_points += group.ants
        scene.tell_hole(group.place, "uncovered")


class Bridge(GroupAction):  # R45
    number = 32
    name = "Bridge"
    words = OrderWords("Bridge", "Bridge the water, {Direction}", {orders.DIRECTION: "direction"})
    help = "Be a bridge across water, as long as the group has ants, for all move points that are left"
    params = {orders.DIRECTION: orders.ONE_DIRECTION}
    lists = {orders.DIRECTION: DIRECTIONS}

    def check_position(self, world: World, group: Group, args: Args) -> None:
        illegal_if(group.bridge, "bridging")
        squares, bank = self._span(world, group, args)
        illegal_if(not squares or bank == OFF or world.board.water[group.place], "no far bank")
        illegal_if(group.ants < len(squares), "too few ants")
        illegal_if(any(True for square in squares for _ in world.units_at(square)), "occupied")

    def cost(self, world: World, group: Group, args: Args) -> int:
        return max(TICKS, group.ticks)

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        squares, bank = self._span(scene.world, group, args)
        group.near, group.far = group.place, bank
        group.bridge = squares
        group.place = squares[0]

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        near, water = world.board.near[group.place], world.board.water
        can_begin = not group.bridge and not water[group.place] and any(water[place] for place in near)
        return super().offers(world, group) if can_begin else iter(())

    def _span(self, world: World, group: Group, args: Args) -> tuple[list[Place], Place]:
        """Return the squares of water in the direction, and the land behind them."""
        return world.board.water_from(group.place, chosen(args, orders.DIRECTION))


class Unbridge(GroupAction):  # R46
    number = 33
    name = "Unbridge"
    words = OrderWords("Unbridge", "Stop being a bridge, at the end that is {End}", {END: "end"})
    help = "Stop being a bridge, at the end where it began (near) or at the other (far)"
    params = {END: one_of("The end")}
    lists = {END: ("near", "far")}

    def check_position(self, world: World, group: Group, args: Args) -> None:
        illegal_if(not group.bridge, "not bridging")
        others = [unit for unit in world.own(group.seat) if unit is not group]
        illegal_if(
            any(unit.place in group.bridge for unit in others) or world.enemy_at(self._end(group, args), group.seat),
            "occupied",
        )

    def cost(self, world: World, group: Group, args: Args) -> int:
        return group.ticks

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        group.bridge = []
        group.place = self._end(group, args)

    def _end(self, group: Group, args: Args) -> Place:
        return group.near if chosen(args, END) == NEAR else group.far


class Harvest(GroupAction):  # R48 to R50
    number = 34
    name = "Harvest"
    words = OrderWords("Harvest", "Harvest the fungus on {Square}", {orders.SQUARE: "square"})
    help = "Harvest touching fungus, for a whole phase"
    params = {orders.SQUARE: orders.A_SQUARE}
    ticks = worlds.TICKS_OF_ANTS

    def check_position(self, world: World, group: Group, args: Args) -> None:
        place = touching_square(world, group, args)
        illegal_if(place in world.wards, "ward")
        illegal_if(self._fungus(world, place).exhausted, "exhausted")
        illegal_if(group.room <= 0, "no capacity")

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        world, board = scene.world, scene.world.board
        place = world.place_of(args[orders.SQUARE])
        fungus = self._fungus(world, place)
        rolled = [scene.dice.roll() for _ in range(group.ants)]
        taken = min(sum(rolled), group.room)
        group.food += taken
        nearest = sorted(
            fungus.squares, key=lambda square: (min(board.distance(square, own) for own in group.places), square)
        )
        removed = min(taken // worlds.LOAD, len(fungus.squares) - 1)
        fungus.squares = sorted(nearest[removed:])
        fungus.exhausted = len(fungus.squares) == 1
        dice = " + ".join(map(str, rolled))
        what = f"{taken} food at {world.board.name_of(place)} ({dice}); {removed} squares of fungus are gone"
        scene.tell([group.seat], "Harvest", f"A group harvested {what}.", place)

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        if group.room > 0:
            fungi = {square for fungus in world.fungi.values() for square in fungus.squares}
            yield from ({orders.SQUARE: world.system(place)} for place in world.around(group) if place in fungi)

    def _fungus(self, world: World, place: Place) -> Fungus:
        oid = world.fungus_at(place)
        if oid is None:
            raise Illegal("not touching")
        return world.fungi[oid]


class Ward(GroupAction):  # R51
    number = 35
    name = "Ward"
    words = OrderWords("Ward", "Make a ward on {Square}", {orders.SQUARE: "square"})
    help = "Turn 2 food into fungus that only wards spiders off, on touching land"
    params = {orders.SQUARE: orders.A_SQUARE}

    def check_position(self, world: World, group: Group, args: Args) -> None:
        place = touching_square(world, group, args)
        illegal_if(
            world.board.below(place)
            or world.board.water[place]
            or place in world.webs
            or place in world.wards
            or world.is_hole(place)
            or world.fungus_at(place) is not None
            or world.enemy_at(place, group.seat),
            "not free",
        )
        illegal_if(group.food < WARD_FOOD, "no food")
        illegal_if(group.wards >= group.ants, "limit")

    def cost(self, world: World, group: Group, args: Args) -> int:
        return TICKS * world.settings.ward_cost_mp

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        group.food -= WARD_FOOD
        group.wards += 1
        scene.world.wards.add(scene.world.place_of(args[orders.SQUARE]))

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        can_pay = group.food >= WARD_FOOD and group.wards < group.ants
        return super().offers(world, group) if can_pay else iter(())


class GroupAttack(GroupAction):  # R57 to R60, R71
    number = 36
    name = "Group Attack"
    words = OrderWords("Attack", "Attack {Target}", {orders.TARGET: "enemy"})
    help = "Attack a touching enemy, also through an open hole, for all move points that are left"
    params = {orders.TARGET: ObjectRef("A spider, or a group or queen of another colony", orders.UNIT_KINDS)}
    against_others = True

    def check_position(self, world: World, group: Group, args: Args) -> None:
        victim = world.units.get(args[orders.TARGET])
        if victim is None:
            raise Illegal("not touching")
        if world.meets(group, victim):
            return
        holes = [place for place in group.places if world.is_hole(place)]
        through = [place for place in holes if world.board.other_side(place) in victim.places]
        illegal_if(not through, "not touching")
        illegal_if(not any(world.is_open_hole(place) for place in through), "covered hole")

    def cost(self, world: World, group: Group, args: Args) -> int:
        return max(TICKS, group.ticks)

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        victim = scene.world.units[args[orders.TARGET]]
        if isinstance(victim, Spider):
            clash(scene, victim, group, scene.dice.roll(), victim.reaction, 0)
        elif isinstance(victim, Queen):
            _group_against_queen(scene, group, victim)
        else:
            _group_against_group(scene, group, victim)

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        for unit in world.units.values():
            if unit.seat != group.seat and sees(world, group.seat, unit.id):
                yield {orders.TARGET: unit.id}


def _group_against_group(scene: Scene, attacker: Group, defender: Group) -> None:  # R58
    first, second = scene.dice.roll(), scene.dice.roll()
    totals = first + attacker.strength, second + defender.strength
    what = (
        f"{attacker.described} {first} + {attacker.strength} = {totals[0]} against "
        f"{defender.described} {second} + {defender.strength} = {totals[1]}"
    )
    if totals[0] == totals[1]:
        scene.tell_fight(attacker, defender, f"{what}: nothing happens")
        return
    winner, loser = (attacker, defender) if totals[0] > totals[1] else (defender, attacker)
    left = min(winner.ants, winner.ants_for(abs(totals[0] - totals[1])))
    scene.tell_fight(attacker, defender, f"{what}: {loser.described} die, {left} of {winner.described} are left")
    kill_ants(scene, loser, loser.ants)
    if left < winner.ants:
        kill_ants(scene, winner, winner.ants - left)


def _group_against_queen(scene: Scene, attacker: Group, queen: Queen) -> None:  # R59
    die = scene.dice.roll()
    total = die + attacker.strength
    defence = queen.defence(scene.dice)
    what = f"{attacker.described} {die} + {attacker.strength} = {total} against {queen.described} {defence}"
    if defence >= total:
        scene.tell_fight(attacker, queen, f"{what}: all attackers die")
        kill_ants(scene, attacker, attacker.ants)
    else:
        scene.tell_fight(attacker, queen, f"{what}: she loses {total - defence} hit points")
        hurt(scene, queen, total - defence)


class RaiseQueen(GroupAction):  # R53
    number = 37
    name = "Raise Queen"
    words = OrderWords("Raise queen", "Raise a queen from {Egg}", {orders.EGG: "egg or group"})
    help = "Turn an egg into a queen, if the colony has none, for a whole phase and 5 food"
    params = {orders.EGG: ObjectRef("A touching egg, or the group itself for one that it carries", ("egg", "group"))}
    ticks = worlds.TICKS_OF_ANTS

    def check_position(self, world: World, group: Group, args: Args) -> None:
        illegal_if(world.queen(group.seat) is not None, "queen lives")
        egg = args[orders.EGG]
        thing = world.goods.get(egg)
        if egg == group.id:
            illegal_if(not group.eggs, "no egg")
        elif not isinstance(thing, AntEgg) or thing.seat != group.seat or not world.touches(group, thing.place):
            raise Illegal("no egg")
        illegal_if(within(world, world.around(group), group.seat, "food") < QUEEN_FOOD, "no food")

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        world, egg = scene.world, args[orders.EGG]
        own = min(group.food, QUEEN_FOOD)
        group.food -= own
        use(world, world.around(group), group.seat, "food", QUEEN_FOOD - own)
        place = group.place
        if egg == group.id:
            del group.eggs[0]
        else:
            place = world.goods.pop(egg).place
        world.add(Queen(world.new_id(), group.seat, place, world.settings.queen_hp, 0))
        body = f"{player(group.seat)} has a new queen at {world.board.name_of(place)}."
        scene.tell_all("Queen raised", body, place, group.seat)

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        if world.queen(group.seat) is None:
            yield from ({orders.EGG: egg} for egg in (group.id, *(egg.id for egg in world.eggs(group.seat))))


class Stance(GroupAction):  # R34
    number = 38
    name = "Stance"
    words = OrderWords("Take stance", "When a spider attacks: {Choice}", {orders.CHOICE: "stance"})
    help = "Whether to avoid a spider's attack with a 6"
    params = {orders.CHOICE: one_of("Avoid it, or fight")}
    lists = {orders.CHOICE: ("avoid", "fight")}

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        group.stance = chosen(args, orders.CHOICE)

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        return ({orders.CHOICE: choosing(stance)} for stance in (worlds.AVOID, worlds.FIGHT) if stance != group.stance)


class Regroup(GroupAction):
    """An order that is executed at the end of the phase, and ends the group's other actions in it (R41, R80)."""

    def do(self, scene: Scene, group: Group, order: Order) -> Verdict:
        group.ended = True
        return Verdict.STOPS


class Merge(Regroup):  # R37, R39, R41
    number = 39
    name = "Merge"
    words = OrderWords("Merge", "Give {Number|ant|ants} to {Group}", {orders.GROUP: "group", orders.NUMBER: "ants"})
    help = "Give ants to a group of the same colour in the same place, at the end of the phase"
    params = {
        orders.GROUP: ObjectRef("The other group", ("group",)),
        orders.NUMBER: Number("How many ants", 1, worlds.MOST_ANTS),
    }

    def check_position(self, world: World, group: Group, args: Args) -> None:
        other = self._other(world, group, args[orders.GROUP])
        illegal_if(other.colour != group.colour, "colour")
        illegal_if(args[orders.NUMBER] > group.ants or other.ants + args[orders.NUMBER] > worlds.MOST_ANTS, "too big")

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        _give(scene, group, self._other(scene.world, group, args[orders.GROUP]), args[orders.NUMBER])

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        places = set(group.places)
        for other in world.groups(group.seat):
            number = min(group.ants, worlds.MOST_ANTS - other.ants)
            if number and other is not group and not places.isdisjoint(other.places):
                yield {orders.GROUP: other.id, orders.NUMBER: number}

    def _other(self, world: World, group: Group, oid: Oid) -> Group:
        other = world.units.get(oid)
        if (
            not isinstance(other, Group)
            or other is group
            or other.seat != group.seat
            or not any(place in other.places for place in group.places)
        ):
            raise Illegal("not together")
        return other


class Split(Regroup):  # R41
    number = 40
    name = "Split"
    words = OrderWords("Split", "Split off {Number|ant|ants}", {orders.NUMBER: "ants"})
    help = "Part with ants, who become a group of their own, at the end of the phase"
    params = {orders.NUMBER: Number("How many ants", 1, worlds.MOST_ANTS - 1)}

    def check_position(self, world: World, group: Group, args: Args) -> None:
        illegal_if(args[orders.NUMBER] >= group.ants, "too many")
        illegal_if(group.bridge, "bridging")

    def execute(self, scene: Scene, group: Group, args: Args) -> None:
        world = scene.world
        new = Group(world.new_id(), group.seat, group.colour, 0, group.place, group.ticks, stance=group.stance)
        world.add(new)
        _give(scene, group, new, args[orders.NUMBER])

    def offers(self, world: World, group: Group) -> Iterator[Args]:
        if group.ants > 1:
            yield {orders.NUMBER: group.ants // 2}


def _give(scene: Scene, group: Group, other: Group, number: int) -> None:
    """Move ants with their share of the goods, rounded down.

    Food is shared so that both groups can carry theirs, if possible.
    """
    eggs = len(group.eggs) * number // group.ants
    points = group.web_points * number // group.ants
    food = group.food * number // group.ants
    room_there = worlds.LOAD * (other.ants + number - len(other.eggs) - eggs) - other.food
    room_here = worlds.LOAD * (group.ants - number - len(group.eggs) + eggs)
    food = min(max(food, group.food - room_here), room_there)
    other.ants += number
    other.eggs += group.eggs[:eggs]
    other.web_points += points
    other.food += food
    other.ticks = min(other.ticks, group.ticks)
    del group.eggs[:eggs]
    group.web_points -= points
    group.food -= food
    lose_ants(scene, group, number)


# Queens.


class Lay(QueenAction):
    """Lay as many of the wanted eggs as possible, black ones first (R55)."""

    number = 50
    name = "Lay"
    words = OrderWords(
        "Lay eggs",
        "Lay {Black|black egg|black eggs} and {Red|red egg|red eggs}, made of {With}",
        {RED_EGGS: "red eggs", BLACK_EGGS: "black eggs", orders.WITH: "made of"},
    )
    help = "Lay eggs: each for 1 move point and 1 hit point, or for 1 web point within reach"
    params = {
        RED_EGGS: Number("Eggs of red ants", 0, _MOST_LAID),
        BLACK_EGGS: Number("Eggs of black ants; they are laid first", 0, _MOST_LAID),
        orders.WITH: one_of("What they are made of"),
    }
    lists = {orders.WITH: ("body", "web point")}

    def check_position(self, world: World, queen: Queen, args: Args) -> None:
        source = chosen(args, orders.WITH)
        if args[RED_EGGS] + args[BLACK_EGGS] and not self._possible(world, queen, source):
            raise Illegal("hp") if source == BODY else Illegal("no web point")

    def cost(self, world: World, queen: Queen, args: Args) -> int:
        return TICKS if chosen(args, orders.WITH) == BODY and args[RED_EGGS] + args[BLACK_EGGS] else 0

    def do(self, scene: Scene, queen: Queen, order: Order) -> Verdict:
        world, args = scene.world, order.args
        self.check_position(world, queen, args)
        if queen.ticks < self.cost(world, queen, args):
            return Verdict.STOPS
        source, wanted = chosen(args, orders.WITH), args[RED_EGGS] + args[BLACK_EGGS]
        possible = laid = min(wanted, self._possible(world, queen, source))
        if source == BODY:
            laid = min(possible, queen.ticks // TICKS)
            queen.hp -= laid
            queen.ticks -= TICKS * laid
        else:
            use(world, world.around(queen), queen.seat, "web_points", laid)
        for number in range(laid):
            colour = worlds.BLACK if number < args[BLACK_EGGS] else worlds.RED
            lay_ant_egg(world, queen.seat, queen.place, colour, world.settings.ant_hatch_delay)
        if laid == possible < wanted:
            why = "hp" if source == BODY else "no web point"
            scene.invalid(order, f"{laid} of {wanted} eggs were laid ({why})")
        return Verdict.DONE

    def offers(self, world: World, queen: Queen) -> Iterator[Args]:
        for source, limit in ((BODY, queen.ticks // TICKS), (WEB_POINT, _MOST_LAID)):
            most = min(limit, self._possible(world, queen, source))
            if most > 0:
                yield {RED_EGGS: 0, BLACK_EGGS: most, orders.WITH: choosing(source)}
                yield {RED_EGGS: most, BLACK_EGGS: 0, orders.WITH: choosing(source)}

    def _possible(self, world: World, queen: Queen, source: int) -> int:
        """Return the number of eggs that the source allows: web points, or hit points, of which she keeps one."""
        return queen.hp - 1 if source == BODY else within(world, world.around(queen), queen.seat, "web_points")


class FeedQueen(QueenAction):
    """Feed the queen as much food as is wanted, available and needed (R56)."""

    number = 51
    name = "Feed Queen"
    words = OrderWords("Feed queen", "Eat {Number} food", {orders.NUMBER: "food"})
    help = "Let her eat food within reach, one hit point for each"
    params = {orders.NUMBER: Number("How much", 1, _MOST_EATEN)}

    def check_position(self, world: World, queen: Queen, args: Args) -> None:
        illegal_if(not within(world, world.around(queen), queen.seat, "food"), "no food")
        illegal_if(queen.hp >= world.settings.queen_hp, "full")

    def execute(self, scene: Scene, queen: Queen, args: Args) -> None:
        world = scene.world
        around = world.around(queen)
        available = within(world, around, queen.seat, "food")
        eaten = min(args[orders.NUMBER], available, world.settings.queen_hp - queen.hp)
        use(world, around, queen.seat, "food", eaten)
        queen.hp += eaten

    def offers(self, world: World, queen: Queen) -> Iterator[Args]:
        missing = world.settings.queen_hp - queen.hp
        if missing > 0:
            yield {orders.NUMBER: min(_MOST_EATEN, missing)}
