"""Icons of objects in graphical TP04 clients, computed from real frames.

The computation is that of the clients.
"""

from __future__ import annotations

import pytest

from tests.support.server_in_memory import Server

TOP_LEVEL_GROUPS = {"Positional", "Informational", "Media"}
UNIVERSE, GALAXY = 0, 1
"""Objects, and so types, of these roles come first in every game."""

ICONS = {"tae": 178, "swarm": 38, "taller_ants": 394, "colony_battle": 665, "antshouse": 66}
"""The squares of all boards, and a home for each of two players."""


@pytest.mark.parametrize("game", ICONS)
def test_everything_on_a_board_gets_an_icon(server: Server, game: str):
    """These are all objects that lie directly in a universe or a galaxy.

    A client draws an icon for each object that lies directly in a top-level object. The universe is top level. So is an
    object in it whose type has only groups of certain names.
    """
    server.create("drawn", game, 2, clock="all-done")
    ann, _ = server.players(2, "tp04")
    objects = {thing.id: thing for thing in ann.objects(*ann.ids())}
    descriptions = ann.ask("get_object_desc", ids=sorted({thing.otype for thing in objects.values()})).things
    groups = {desc.id: {group.name for group in desc.property_groups} for desc in descriptions}
    top = {
        oid
        for oid, thing in objects.items()
        if oid == UNIVERSE or (thing.parent == UNIVERSE and groups[thing.otype] <= TOP_LEVEL_GROUPS)
    }
    icons = {oid for oid, thing in objects.items() if thing.parent in top and oid not in top}
    boards = {oid for oid, thing in objects.items() if thing.otype in (UNIVERSE, GALAXY)}
    assert icons == {oid for oid, thing in objects.items() if thing.parent in boards and oid not in boards}
    assert len(icons) == ICONS[game]
