"""Fixtures of Antshouse's tests: a notation reader and a player."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.rulesets.antshouse import table as reader
from tests.support import server_in_memory
from tprules.antshouse import RULESET


@pytest.fixture(scope="session")
def tables() -> ModuleType:
    """The module ``table.py`` beside the tests."""
    return reader


@pytest.fixture
def table():
    """Return a game at a position in the page's notation."""
    return reader.Table


@pytest.fixture(scope="session")
def wire() -> ModuleType:
    """Servers and clients without sockets."""
    return server_in_memory


@pytest.fixture
def server(wire):
    """A server that hosts Antshouse."""
    with wire.making_servers() as make:
        yield make(found=wire.Rulesets({RULESET.name: RULESET}))
