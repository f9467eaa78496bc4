"""The orders of spiders: their parameters and execution (RULES.md, section 4)."""

from __future__ import annotations

from tprules.api import Number, ObjectRef
from tprules.kit.compass import DIRECTIONS
from tprules.kit.single_choice import chosen, one_of
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import spiders
from tprules.taller_ants.actions import (
    A_SQUARE,
    CAPTIVES,
    CHOICE,
    COCOONED,
    DIRECTION,
    EGG,
    GROUP,
    LIMIT,
    NUMBER,
    ONE_DIRECTION,
    POINTS,
    SIZE,
    SQUARE,
    TARGET,
    WITH,
    Args,
    OfSpider,
    Scene,
    square,
)
from tprules.taller_ants.world import Spider


class Heal(OfSpider):
    number = 10
    name = "Heal"
    help = "Regain hit points, one for each move point"
    params = {POINTS: Number("Hit points", 1, 10)}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.heal(scene, spider, args[POINTS])


class Eat(OfSpider):
    number = 11
    name = "Eat"
    help = "Eat ants that it carries: a captive gives 2 hit points, a cocooned ant 4"
    params = {CAPTIVES: Number("Captives", 0, 50), COCOONED: Number("Cocooned ants", 0, 50)}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.eat(scene, spider, args[CAPTIVES], args[COCOONED])


class FeedEgg(OfSpider):
    number = 12
    name = "Feed Egg"
    help = "Feed eggs, one ant each; a spider hatches from each at the beginning of your next phase"
    params = {
        EGG: ObjectRef("A touching clutch, or the spider itself for eggs that it carries", ("clutch", "spider")),
        WITH: one_of("What to feed them"),
        NUMBER: Number("How many eggs", 1, 5),
    }
    lists = {WITH: ("captive", "cocooned ant")}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.feed_egg(scene, spider, args[EGG], chosen(args, WITH), args[NUMBER])


class BuildWeb(OfSpider):
    number = 13
    name = "Build Web"
    help = "Build a web on a touching square, for 1 move point and 1 hit point"
    params = {SQUARE: A_SQUARE}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.build_web(scene, spider, square(scene.world, args))


class SpanWeb(OfSpider):
    number = 14
    name = "Span Web"
    help = "Build webs across water, for 1 move point and 1 hit point a square"
    params = {DIRECTION: ONE_DIRECTION}
    lists = {DIRECTION: DIRECTIONS}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.span_web(scene, spider, chosen(args, DIRECTION))


class DestroyWeb(OfSpider):
    number = 15
    name = "Destroy Web"
    help = "Destroy a touching web"
    params = {SQUARE: A_SQUARE}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.destroy_web(scene, spider, square(scene.world, args))


class Cocoon(OfSpider):
    number = 16
    name = "Cocoon"
    help = (
        "Cocoon ants that stand on a touching web: one or two for 2 move points and 1 hit point, "
        "or a whole group of up to five for 5 move points and 3 hit points"
    )
    params = {
        GROUP: ObjectRef("The group of ants", ("group",)),
        SIZE: one_of("One or two ants, or the whole group"),
        NUMBER: Number("How many, if small", 1, 2),
    }
    lists = {SIZE: ("small", "large")}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.cocoon(scene, spider, args[GROUP], chosen(args, SIZE), args[NUMBER])


class Wrap(OfSpider):
    number = 17
    name = "Wrap"
    help = "Cocoon captives, for 1 move point each"
    params = {NUMBER: Number("How many", 1, 50)}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.wrap(scene, spider, args[NUMBER])


class Attack(OfSpider):
    number = 18
    name = "Attack"
    help = "Attack touching ants, once in a phase"
    params = {
        TARGET: ObjectRef("A group of ants or a queen", ("group", "queen")),
        CHOICE: one_of("What to do with ants that lose"),
        LIMIT: Number("How many to kill at most, 0 for all", 0, 6),
    }
    lists = {CHOICE: ("kill", "take one")}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.attack(scene, spider, args[TARGET], chosen(args, CHOICE), args[LIMIT])


class LayEggs(OfSpider):
    number = 19
    name = "Lay Eggs"
    help = "Lay ten eggs for 10 hit points and a whole phase; without a hit point left the spider dies"

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.lay_eggs(scene, spider)


class Reaction(OfSpider):
    number = 20
    name = "Reaction"
    help = "What to do with ants that attack the spider and lose"
    params = {CHOICE: one_of("Kill them, or take one")}
    lists = {CHOICE: ("kill", "take one")}
    counts_as_done = False

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        spider.reaction = chosen(args, CHOICE)
        return Verdict.DONE
