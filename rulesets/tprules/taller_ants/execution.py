"""The end of a turn in a player's phase: the stages act, regroup, cull, judge and go_on (RULES.md, section 5)."""

from __future__ import annotations

from tprules.api import Oid, Order, Turn
from tprules.kit.unit_queues import Verdict, run_queues
from tprules.taller_ants.deeds import Deed
from tprules.taller_ants.finish import judge_phase
from tprules.taller_ants.goods import spider_dies
from tprules.taller_ants.orders import DEEDS, REGROUPING
from tprules.taller_ants.paths import fungus_distances
from tprules.taller_ants.refusals import Illegal
from tprules.taller_ants.rounds import next_phase, note_opened
from tprules.taller_ants.scene import Scene
from tprules.taller_ants.units import SPIDER_SEAT, Group, Queen, Spider
from tprules.taller_ants.world import World

_TOUCHING = 1


def act(turn: Turn[World]) -> None:
    """Execute the queues of the active player's units, by id; then decide whether the phase has another turn."""
    world = turn.world
    scene = Scene(turn, turn.dice("act"))

    def execute(oid: Oid, order: Order) -> Verdict:
        return _carry_out(scene, oid, order)

    acting = [unit.id for unit in world.own(world.active) if unit.id < world.newest]
    run_queues(acting, turn.queues, execute, world.units.__contains__)
    world.again = (
        world.step + 1 < world.settings.phase_steps
        and scene.executed > 0
        and any(unit.ticks > 0 for unit in world.own(world.active))
    )


def regroup(turn: Turn[World]) -> None:
    """Execute Merge and Split orders at the head of queues (R41)."""
    world = turn.world
    if world.again or world.active == SPIDER_SEAT:
        return
    scene = Scene(turn, turn.dice("regroup"))
    for unit in world.own(world.active):
        queue = turn.queues.get(unit.id, [])
        while queue and queue[0].type in REGROUPING and unit.id in world.units:
            order = queue.pop(0)
            assert isinstance(unit, Group), "only groups take these orders"
            try:
                REGROUPING[order.type].regroup(scene, unit, order)
            except Illegal as illegal:
                scene.failed(order, illegal)


def cull(turn: Turn[World]) -> None:
    """Remove spiders that touch fungus, or that have no hit points left after laying eggs (R15, R27)."""
    world = turn.world
    if world.again or world.active != SPIDER_SEAT:
        return
    scene = Scene(turn, turn.dice("cull"))
    distances = fungus_distances(world)
    for spider in world.spiders():
        if spider.hp < 1 or distances.get(spider.place, _TOUCHING + 1) <= _TOUCHING:
            spider_dies(scene, spider)


def judge(turn: Turn[World]) -> None:
    """Check for eliminations and victories (R73, R74)."""
    if not turn.world.again:
        note_opened(turn.world)
        judge_phase(Scene(turn, turn.dice("judge")))


def go_on(turn: Turn[World]) -> None:
    """Begin the next turn of this phase, or the next phase; remove orders of units that are gone."""
    world = turn.world
    if world.again:
        world.again = False
        world.step += 1
    elif not world.ended:
        next_phase(Scene(turn, turn.dice("next")))
    for oid in [oid for oid in turn.queues if oid not in world.units]:
        del turn.queues[oid]


def _carry_out(scene: Scene, oid: Oid, order: Order) -> Verdict:
    unit = scene.world.units[oid]
    if not isinstance(unit, Queen) and unit.ended:
        return Verdict.STOPS
    deed: Deed = DEEDS[order.type]
    try:
        verdict = deed.do(scene, unit, order)
    except Illegal as illegal:
        scene.failed(order, illegal)
        return Verdict.DONE
    scene.pocket = None
    if verdict is not Verdict.STOPS:
        scene.executed += 1
        if isinstance(unit, Spider) and deed.is_action:
            unit.acted = True
    return verdict
