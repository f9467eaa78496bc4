"""The page at one node of a cluster, with its game at a killed node."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_objects import GamePage
from playwright.sync_api import Page, expect

from tests.support.cluster_node import Node


@pytest.mark.thorough
def test_a_player_sees_a_pause_when_the_other_node_is_killed(
    emptied_postgres: str, make_node: Callable[..., Node], new_page: Callable[[], Page]
) -> None:
    """The page is not loaded again, and its login is kept by the node that it talks to."""
    one, two = (
        make_node(name, emptied_postgres, 3, "--accounts", "open", web=True, alone=True) for name in ("one", "two")
    )
    one.start()
    two.start()
    one.create_game("first", "swarm", 2)
    page, other = new_page(), new_page()
    ann = GamePage(page, two)
    ann.join_empty("ann", "first")
    ben = GamePage(other, one)
    ben.join_empty("ben", "first")
    ann.wait_for_map()
    page.evaluate("window.isTheSamePage = true")
    one.kill()
    ben = GamePage(other, two)
    ben.enter("ben", "first")
    first, second = (ann, ben) if ann.is_awaited() else (ben, ann)
    before = first.turn.inner_text()
    first.finish()
    first.finish_all_the_same()
    expect(second.turn).not_to_have_text(before)
    assert page.evaluate("window.isTheSamePage")
    page.reload()
    ann.wait_for_map()
