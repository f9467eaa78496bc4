"""The orders of spiders, except moves and goods.

R5, R6, R12, R13, R16 to R23, R25 to R27, R31 to R34, R71, and R72.
"""

from __future__ import annotations

from collections.abc import Iterator

from tprules.api import Number, ObjectRef, Oid, Order, OrderWords, player
from tprules.kit.compass import DIRECTIONS, OFF
from tprules.kit.single_choice import choosing, chosen, one_of
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import orders
from tprules.taller_ants.board import Place
from tprules.taller_ants.goods import CAPTIVES, COCOONED, hurt, kill_ants, lay_clutch, lose_ants, sink_all
from tprules.taller_ants.orders import Args, Illegal, Scene, SpiderAction, illegal_if, touching_square
from tprules.taller_ants.world import AVOID, KILL, TAKE, TICKS, TICKS_OF_SPIDER, Clutch, Group, Queen, Spider, World

POINTS, CAPTIVES_EATEN, COCOONED_EATEN, SIZE, LIMIT = "Points", "Captives", "Cocooned", "Size", "Limit"

SMALL, LARGE = 1, 2
"""Ways to cocoon."""

CLUTCH = 10
"""Number of eggs in a clutch, and also their cost in move points and in hit points (R27)."""

_CAPTIVE_HP, _COCOONED_HP = 2, 4
COCOON_COSTS = {SMALL: (1, 2 * TICKS), LARGE: (3, 5 * TICKS)}
"""Way to cocoon -> its cost in hit points and in ticks."""
LARGE_MOST = 5
_LONGEST_SPAN = 10

AVOIDED = 6
"""The roll with which an ant player avoids a spider (R34)."""


class Heal(SpiderAction):  # R5
    number = 10
    name = "Heal"
    words = OrderWords("Heal", "Heal {Points|hit point|hit points}", {POINTS: "hit points"})
    help = "Regain hit points, one for each move point"
    params = {POINTS: Number("Hit points", 1, 10)}
    ticks = TICKS

    def do(self, scene: Scene, spider: Spider, order: Order) -> Verdict:
        wanted = max(0, min(order.args[POINTS], scene.world.settings.spider_hp - spider.hp))
        healed = min(wanted, spider.ticks // TICKS)
        if wanted and not healed:
            return Verdict.STOPS
        spider.hp += healed
        spider.ticks -= TICKS * healed
        return Verdict.DONE

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        missing = world.settings.spider_hp - spider.hp
        if missing > 0:
            yield {POINTS: min(10, missing)}


class Eat(SpiderAction):  # R6
    number = 11
    name = "Eat"
    words = OrderWords(
        "Eat",
        "Eat {Captives|captive|captives} and {Cocooned|cocooned ant|cocooned ants}",
        {CAPTIVES_EATEN: "captives", COCOONED_EATEN: "cocooned ants"},
    )
    help = "Eat ants that it carries: a captive gives 2 hit points, a cocooned ant 4"
    params = {CAPTIVES_EATEN: Number("Captives", 0, 50), COCOONED_EATEN: Number("Cocooned ants", 0, 50)}

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        illegal_if(args[CAPTIVES_EATEN] > len(spider.captives) or args[COCOONED_EATEN] > spider.cocooned, "not carried")

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        captives, cocooned = args[CAPTIVES_EATEN], args[COCOONED_EATEN]
        _use_captives(scene, spider, captives)
        spider.cocooned -= cocooned
        most = scene.world.settings.spider_hp
        spider.hp = max(spider.hp, min(most, spider.hp + _CAPTIVE_HP * captives + _COCOONED_HP * cocooned))

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        if spider.hp < world.settings.spider_hp:
            yield {CAPTIVES_EATEN: 1, COCOONED_EATEN: 0}
            yield {CAPTIVES_EATEN: 0, COCOONED_EATEN: 1}


class FeedEgg(SpiderAction):  # R16, R17, R23
    number = 12
    name = "Feed Egg"
    words = OrderWords(
        "Feed eggs",
        "Feed {Number|egg|eggs} of {Egg}, one {With} each",
        {orders.EGG: "clutch or spider", orders.WITH: "food", orders.NUMBER: "eggs"},
    )
    help = "Feed eggs, one ant each; a spider hatches from each at the beginning of your next phase"
    params = {
        orders.EGG: ObjectRef("A touching clutch, or the spider itself for eggs that it carries", ("clutch", "spider")),
        orders.WITH: one_of("What to feed them"),
        orders.NUMBER: Number("How many eggs", 1, 5),
    }
    lists = {orders.WITH: ("captive", "cocooned ant")}

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        clutch, number = _clutch(world, spider, args[orders.EGG]), args[orders.NUMBER]
        illegal_if(clutch is not spider and not world.touches(spider, clutch.place), "not touching")
        illegal_if(clutch.eggs < number, "no egg")
        illegal_if(
            (len(spider.captives) if chosen(args, orders.WITH) == CAPTIVES else spider.cocooned) < number, "no ant"
        )
        illegal_if(len(world.spiders()) + world.fed_eggs() + number > world.settings.max_spiders, "cap")

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        clutch, number = _clutch(scene.world, spider, args[orders.EGG]), args[orders.NUMBER]
        if chosen(args, orders.WITH) == CAPTIVES:
            _use_captives(scene, spider, number)
        else:
            spider.cocooned -= number
        clutch.eggs -= number
        clutch.fed += number

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        for egg in (spider.id, *(clutch.id for clutch in world.clutches())):
            for kind in (CAPTIVES, COCOONED):
                yield {orders.EGG: egg, orders.WITH: choosing(kind), orders.NUMBER: 1}


def _clutch(world: World, spider: Spider, egg: Oid) -> Clutch | Spider:
    """Return the owner of the eggs in an order: a clutch, or the spider itself."""
    thing = spider if egg == spider.id else world.goods.get(egg)
    if not isinstance(thing, Clutch | Spider):
        raise Illegal("not touching")
    return thing


class BuildWeb(SpiderAction):  # R18, R19
    number = 13
    name = "Build Web"
    words = OrderWords("Build web", "Build a web on {Square}", {orders.SQUARE: "square"})
    help = "Build a web on a touching square, for 1 move point and 1 hit point"
    params = {orders.SQUARE: orders.A_SQUARE}
    ticks = TICKS

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        place = touching_square(world, spider, args)
        check_web(world, place)
        illegal_if(spider.hp < 2, "hp")

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        place = scene.world.place_of(args[orders.SQUARE])
        spider.hp -= 1
        scene.world.webs.add(place)
        scene.tell_hole(place, "covered")


def check_web(world: World, place: Place) -> None:
    """Raise Illegal if no web can be built on a place (R18)."""
    illegal_if(place in world.webs, "web there")
    illegal_if(not world.settings.web_under_ants and world.ants_at(place), "ants there")
    illegal_if(place in world.wards or world.fungus_at(place) is not None, "fungus")
    illegal_if(world.board.wide[place], "wide water")


class SpanWeb(SpiderAction):
    """Build webs over all water in a direction, or none (R20)."""

    number = 14
    name = "Span Web"
    words = OrderWords("Span web", "Span webs over the water, {Direction}", {orders.DIRECTION: "direction"})
    help = "Build webs across water, for 1 move point and 1 hit point a square"
    params = {orders.DIRECTION: orders.ONE_DIRECTION}
    lists = {orders.DIRECTION: DIRECTIONS}

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        illegal_if(spider.hp - len(self._squares(world, spider, args)) < 1, "hp")

    def cost(self, world: World, spider: Spider, args: Args) -> int:
        return TICKS * len(self._squares(world, spider, args))

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        squares = self._squares(scene.world, spider, args)
        spider.hp -= len(squares)
        scene.world.webs.update(squares)

    def _squares(self, world: World, spider: Spider, args: Args) -> list[Place]:
        """Return the water to be webbed, or raise Illegal."""
        squares, bank = world.board.water_from(spider.place, chosen(args, orders.DIRECTION), world.webs)
        illegal_if(any(map(world.is_bridged, squares)), "occupied")
        illegal_if(not squares or bank == OFF or len(squares) > _LONGEST_SPAN, "no far bank")
        return squares


class DestroyWeb(SpiderAction):  # R21
    number = 15
    name = "Destroy Web"
    words = OrderWords("Destroy web", "Destroy the web on {Square}", {orders.SQUARE: "square"})
    help = "Destroy a touching web"
    params = {orders.SQUARE: orders.A_SQUARE}

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        place = touching_square(world, spider, args)
        illegal_if(place not in world.webs, "no web")
        illegal_if(world.board.water[place] and any(world.units_at(place)), "occupied water")

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        place = scene.world.place_of(args[orders.SQUARE])
        scene.world.webs.discard(place)
        sink_all(scene.world, place)
        scene.tell_hole(place, "uncovered")


class Cocoon(SpiderAction):  # R22
    number = 16
    name = "Cocoon"
    words = OrderWords(
        "Cocoon",
        "Cocoon {Group}: {Size}, {Number|ant|ants} if small",
        {orders.GROUP: "group", SIZE: "how much", orders.NUMBER: "ants, if small"},
    )
    help = (
        "Cocoon ants that stand on a touching web: one or two for 2 move points and 1 hit point, "
        "or a whole group of up to five for 5 move points and 3 hit points"
    )
    params = {
        orders.GROUP: ObjectRef("The group of ants", ("group",)),
        SIZE: one_of("One or two ants, or the whole group"),
        orders.NUMBER: Number("How many, if small", 1, 2),
    }
    lists = {SIZE: ("small", "large")}

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        group = world.units.get(args[orders.GROUP])
        if not isinstance(group, Group) or not world.meets(spider, group):
            raise Illegal("not touching")
        illegal_if(not all(place in world.webs for place in group.places), "not on web")
        small = chosen(args, SIZE) == SMALL
        illegal_if(args[orders.NUMBER] > group.ants if small else group.ants > LARGE_MOST, "too many")
        illegal_if(spider.hp - COCOON_COSTS[chosen(args, SIZE)][0] < 1, "hp")

    def cost(self, world: World, spider: Spider, args: Args) -> int:
        return COCOON_COSTS[chosen(args, SIZE)][1]

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        world = scene.world
        group = world.units[args[orders.GROUP]]
        assert isinstance(group, Group), "the position has been checked"
        small = chosen(args, SIZE) == SMALL
        number = args[orders.NUMBER] if small else group.ants
        spider.hp -= COCOON_COSTS[chosen(args, SIZE)][0]
        spider.cocooned += number
        world.colony(group.seat).cocooned += number
        ants, were = ("ant", "was") if number == 1 else ("ants", "were")
        body = f"{number} {ants} of {player(group.seat)} {were} cocooned at {world.board.name_of(group.place)}."
        scene.tell([spider.seat, group.seat], "Cocooned", body, group.place)
        lose_ants(scene, group, number)

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        for unit in world.units.values():
            if isinstance(unit, Group):
                for size in (SMALL, LARGE):
                    yield {orders.GROUP: unit.id, SIZE: choosing(size), orders.NUMBER: min(2, unit.ants)}


class Wrap(SpiderAction):  # R25
    number = 17
    name = "Wrap"
    words = OrderWords("Wrap", "Wrap {Number|captive|captives}", {orders.NUMBER: "captives"})
    help = "Cocoon captives, for 1 move point each"
    params = {orders.NUMBER: Number("How many", 1, 50)}
    ticks = TICKS

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        illegal_if(not spider.captives, "no captive")

    def do(self, scene: Scene, spider: Spider, order: Order) -> Verdict:
        self.check_position(scene.world, spider, order.args)
        wrapped = min(order.args[orders.NUMBER], len(spider.captives), spider.ticks // TICKS)
        if not wrapped:
            return Verdict.STOPS
        for seat, _ in spider.captives[:wrapped]:
            scene.world.colony(seat).cocooned += 1
        del spider.captives[:wrapped]
        spider.cocooned += wrapped
        spider.ticks -= TICKS * wrapped
        return Verdict.DONE

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        yield {orders.NUMBER: len(spider.captives)}


class Attack(SpiderAction):  # R12, R31 to R34, R72
    number = 18
    name = "Attack"
    words = OrderWords(
        "Attack",
        "Attack {Target}: {Choice}, at most {Limit|ant|ants} (0: all)",
        {orders.TARGET: "group or queen", orders.CHOICE: "losers", LIMIT: "most ants, 0 for all"},
    )
    help = "Attack touching ants, once in a phase"
    params = {
        orders.TARGET: ObjectRef("A group of ants or a queen", ("group", "queen")),
        orders.CHOICE: one_of("What to do with ants that lose"),
        LIMIT: Number("How many to kill at most, 0 for all", 0, 6),
    }
    lists = {orders.CHOICE: ("kill", "take one")}

    def check_position(self, world: World, spider: Spider, args: Args) -> None:
        victim = world.units.get(args[orders.TARGET])
        if victim is None or isinstance(victim, Spider):
            raise Illegal("not touching")
        illegal_if(world.board.below(victim.place), "below")
        illegal_if(not world.meets(spider, victim), "not touching")
        illegal_if(spider.attacked, "already attacked")

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        victim = scene.world.units[args[orders.TARGET]]
        spider.attacked = True
        if isinstance(victim, Queen):
            _spider_against_queen(scene, spider, victim)
        elif isinstance(victim, Group):
            die = scene.dice.roll()  # the ant player rolls first
            if die == AVOIDED and victim.stance == AVOID:
                what = f"{victim.described} rolled {die} and avoided {spider.described}"
                scene.tell_fight(spider, victim, what)
            else:
                clash(scene, spider, victim, die, chosen(args, orders.CHOICE), args[LIMIT])

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        for oid in world.units:
            for choice in (KILL, TAKE):
                yield {orders.TARGET: oid, orders.CHOICE: choosing(choice), LIMIT: 0}


def clash(scene: Scene, spider: Spider, group: Group, die: int, choice: int, limit: int) -> None:
    """Settle a fight of a spider and a group whose ants have rolled ``die`` (R31 to R33)."""
    ants = die + group.strength
    product, spiders_dice = _product(scene)
    what = f"{spider.described} {spiders_dice} against {group.described} {die} + {group.strength} = {ants}"
    if product < ants:
        scene.tell_fight(spider, group, f"{what}: the spider loses {group.strength} hit points")
        hurt(scene, spider, group.strength)
    elif product == ants:
        scene.tell_fight(spider, group, f"{what}: nothing happens")
    elif choice == TAKE:
        scene.tell_fight(spider, group, f"{what}: the spider takes one")
        spider.captives.append([group.seat, group.colour])
        lose_ants(scene, group, 1)
    else:
        killed = min(group.ants, limit or group.ants, group.ants_for(product - ants))
        scene.tell_fight(spider, group, f"{what}: {killed} killed")
        kill_ants(scene, group, killed)


def _spider_against_queen(scene: Scene, spider: Spider, queen: Queen) -> None:  # R72
    defence = queen.defence(scene.dice)
    product, spiders_dice = _product(scene)
    what = f"{spider.described} {spiders_dice} against {queen.described} {defence}"
    if product > defence:
        scene.tell_fight(spider, queen, f"{what}: she loses {product - defence} hit points")
        hurt(scene, queen, product - defence)
    elif product < defence:
        scene.tell_fight(spider, queen, f"{what}: the spider loses 1 hit point")
        hurt(scene, spider, 1)
    else:
        scene.tell_fight(spider, queen, f"{what}: nothing happens")


def _product(scene: Scene) -> tuple[int, str]:
    """Roll for a spider, and return the product of its dice with a text about them."""
    one, two = scene.dice.roll(), scene.dice.roll()
    return one * two, f"{one} x {two} = {one * two}"


class LayEggs(SpiderAction):
    """Lay eggs in a whole phase without other actions (R27)."""

    number = 19
    name = "Lay Eggs"
    words = OrderWords("Lay eggs", "Lay ten eggs")
    help = "Lay ten eggs for 10 hit points and a whole phase; without a hit point left the spider dies"
    ticks = TICKS_OF_SPIDER

    def do(self, scene: Scene, spider: Spider, order: Order) -> Verdict:
        return Verdict.STOPS if spider.acted else super().do(scene, spider, order)

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        spider.hp -= CLUTCH
        spider.ended = True
        lay_clutch(scene.world, spider.place, CLUTCH)

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        if not spider.acted and spider.hp > CLUTCH:
            yield {}


class Reaction(SpiderAction):  # R71
    number = 20
    name = "Reaction"
    words = OrderWords("React", "Ants that attack and lose: {Choice}", {orders.CHOICE: "losers"})
    help = "What to do with ants that attack the spider and lose"
    params = {orders.CHOICE: one_of("Kill them, or take one")}
    lists = {orders.CHOICE: ("kill", "take one")}
    counts_as_done = False

    def execute(self, scene: Scene, spider: Spider, args: Args) -> None:
        spider.reaction = chosen(args, orders.CHOICE)

    def offers(self, world: World, spider: Spider) -> Iterator[Args]:
        return ({orders.CHOICE: choosing(reaction)} for reaction in (KILL, TAKE) if reaction != spider.reaction)


def _use_captives(scene: Scene, spider: Spider, number: int) -> None:
    for seat, _ in spider.captives[:number]:
        scene.world.colony(seat).killed += 1
    del spider.captives[:number]
