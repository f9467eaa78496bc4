"""The orders of groups of ants and of queens: their parameters and execution (RULES.md, section 4)."""

from __future__ import annotations

from tprules.api import Number, ObjectRef, Order, Selection
from tprules.kit.compass import DIRECTIONS
from tprules.kit.single_choice import chosen, one_of
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import ants
from tprules.taller_ants.actions import (
    A_SQUARE,
    BLACK_EGGS,
    CHOICE,
    DIRECTION,
    DIRECTIONS_DUG,
    EGG,
    END,
    GROUP,
    NUMBER,
    ONE_DIRECTION,
    RED_EGGS,
    SQUARE,
    TARGET,
    UNIT_KINDS,
    WITH,
    Args,
    OfGroup,
    OfQueen,
    Scene,
    square,
)
from tprules.taller_ants.world import Group, Queen

# Groups of ants.


class Excavate(OfGroup):
    number = 30
    name = "Excavate"
    help = "Dig out dirt around, below: for a move point as many squares as the group has ants, twice that if black"
    params = {DIRECTIONS_DUG: Selection("Where to dig", most=8)}
    lists = {DIRECTIONS_DUG: DIRECTIONS}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.excavate(scene, group, [direction for direction, _ in args[DIRECTIONS_DUG]])


class CollectWeb(OfGroup):
    number = 31
    name = "Collect Web"
    help = "Take the web away on which the group stands, for a whole phase"

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.collect_web(scene, group)


class Bridge(OfGroup):
    number = 32
    name = "Bridge"
    help = "Be a bridge across water, as long as the group has ants, for all move points that are left"
    params = {DIRECTION: ONE_DIRECTION}
    lists = {DIRECTION: DIRECTIONS}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.bridge(scene, group, chosen(args, DIRECTION))


class Unbridge(OfGroup):
    number = 33
    name = "Unbridge"
    help = "Stop being a bridge, at the end where it began (near) or at the other (far)"
    params = {END: one_of("The end")}
    lists = {END: ("near", "far")}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.unbridge(scene, group, chosen(args, END))


class Harvest(OfGroup):
    number = 34
    name = "Harvest"
    help = "Harvest touching fungus, for a whole phase"
    params = {SQUARE: A_SQUARE}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.harvest(scene, group, square(scene.world, args))


class Ward(OfGroup):
    number = 35
    name = "Ward"
    help = "Turn 2 food into fungus that only wards spiders off, on touching land"
    params = {SQUARE: A_SQUARE}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.ward(scene, group, square(scene.world, args))


class GroupAttack(OfGroup):
    number = 36
    name = "Group Attack"
    help = "Attack a touching enemy, also through an open hole, for all move points that are left"
    params = {TARGET: ObjectRef("A spider, or a group or queen of another colony", UNIT_KINDS)}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.attack(scene, group, args[TARGET])


class RaiseQueen(OfGroup):
    number = 37
    name = "Raise Queen"
    help = "Turn an egg into a queen, if the colony has none, for a whole phase and 5 food"
    params = {EGG: ObjectRef("A touching egg, or the group itself for one that it carries", ("egg", "group"))}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.raise_queen(scene, group, args[EGG])


class Stance(OfGroup):
    number = 38
    name = "Stance"
    help = "Whether to avoid a spider's attack with a 6"
    params = {CHOICE: one_of("Avoid it, or fight")}
    lists = {CHOICE: ("avoid", "fight")}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        group.stance = chosen(args, CHOICE)
        return Verdict.DONE


class Regroup(OfGroup):
    """An order that is executed at the end of the phase, and ends the group's other actions in it (R41, R80)."""

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        group.ended = True
        return Verdict.STOPS

    def regroup(self, scene: Scene, group: Group, order: Order) -> None:
        raise NotImplementedError


class Merge(Regroup):
    number = 39
    name = "Merge"
    help = "Give ants to a group of the same colour in the same place, at the end of the phase"
    params = {GROUP: ObjectRef("The other group", ("group",)), NUMBER: Number("How many ants", 1, 6)}

    def regroup(self, scene: Scene, group: Group, order: Order) -> None:
        ants.merge(scene, group, order.args[GROUP], order.args[NUMBER])


class Split(Regroup):
    number = 40
    name = "Split"
    help = "Part with ants, who become a group of their own, at the end of the phase"
    params = {NUMBER: Number("How many ants", 1, 5)}

    def regroup(self, scene: Scene, group: Group, order: Order) -> None:
        ants.split(scene, group, order.args[NUMBER])


# Queens.


class Lay(OfQueen):
    number = 50
    name = "Lay"
    help = "Lay eggs: each for 1 move point and 1 hit point, or for 1 web point within reach"
    params = {
        RED_EGGS: Number("Eggs of red ants", 0, 20),
        BLACK_EGGS: Number("Eggs of black ants; they are laid first", 0, 20),
        WITH: one_of("What they are made of"),
    }
    lists = {WITH: ("body", "web point")}

    def by_queen(self, scene: Scene, queen: Queen, order: Order) -> Verdict:
        args = order.args
        verdict, short = ants.lay(scene, queen, args[RED_EGGS], args[BLACK_EGGS], chosen(args, WITH))
        if short:
            scene.invalid(order, short)
        return verdict


class FeedQueen(OfQueen):
    number = 51
    name = "Feed Queen"
    help = "Let her eat food within reach, one hit point for each"
    params = {NUMBER: Number("How much", 1, 10)}

    def by_queen(self, scene: Scene, queen: Queen, order: Order) -> Verdict:
        return ants.feed(scene, queen, order.args[NUMBER])
