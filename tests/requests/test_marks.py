"""Marks in a player's view from its own orders: Swarm's start tiles.

A cube that must leave its start tile has such a mark.
"""

from __future__ import annotations

from tests.support.server_in_memory import Client, Server, target
from tprules.swarm.board import NAMES
from tprules.swarm.resources import LEAVES

MOVE = 2
SEED = "swarm7"
"""With it the first player begins and moves three steps."""


def marked(client: Client) -> dict[int, int]:
    """The objects that show the resource, with their times."""
    times = client.ids()
    found = {}
    for thing in client.objects(*times):
        for parameter in thing.parameters:
            if any(row.id == LEAVES for row in parameter.resource_list.resources):
                found[thing.id] = times[thing.id]
    return found


def test_a_cube_on_its_start_tile_must_leave(server: Server):
    """A cube is marked for its owner while it is back on its start tile.

    The order that moves it back sets the mark, and the order that moves it away removes it. Its time rises with both,
    and is the same after a restart.
    """
    game = server.create(SEED, "swarm", 2, clock="all-done")
    ann, ben = server.players(2, "tp04")
    world = game.state.world
    assert (world.movers[0], world.movement) == (0, 3)
    cube, swarm = world.cubes[NAMES.index("c1")].id, world.swarm(0)

    def step(to: str) -> None:
        answer = ann.insert(swarm, MOVE, target(cube), target(world.system(NAMES.index(to))))
        assert answer.name == "order", answer

    times = [ann.ids()[cube]]
    step("c2")
    assert marked(ann) == {}
    step("c1")
    times += marked(ann).values()
    assert list(marked(ann)) == [cube]
    assert marked(ben) == {}
    step("d2")
    assert marked(ann) == {}
    times.append(ann.ids()[cube])
    assert ann.ask("remove_order", id=swarm, slots=[2]).name == "okay"
    assert list(marked(ann)) == [cube]
    times += marked(ann).values()
    assert times == sorted(set(times))
    again = server.restarted().player("ann")
    assert marked(again) == {cube: times[-1]}
    assert again.ask("finished_turn").name == "okay"
