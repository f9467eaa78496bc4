"""The page at one node of a cluster, with the game at another, which is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_objects import GamePage
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, free_port

Start = Callable[[str], ServerProcess]


@pytest.fixture
def start(emptied_postgres: str, tmp_path: Path) -> Iterator[Start]:
    """start(name): a node of the cluster."""
    started: list[ServerProcess] = []

    def start(name: str) -> ServerProcess:
        config = tmp_path / f"{name}.toml"
        section = f'[cluster]\naddress = "127.0.0.1:{free_port()}"\nlease_seconds = 3\n'
        config.write_text(f'[server]\nstore = "{emptied_postgres}"\n{section}')
        server = ServerProcess(tmp_path / name, "--accounts", "open", "--config", str(config))
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        if server.is_running:
            server.kill()


@pytest.mark.thorough
def test_a_player_sees_a_pause_when_the_other_node_is_killed(start: Start, new_page: Callable[[], Page]) -> None:
    """The page is not loaded again, and its login is kept by the node that it talks to."""
    one, two = start("one"), start("two")
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
