"""Fixtures of the Colony Battle tests: the modules beside them."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.rulesets.colony_battle.disguise import disguise
from tests.rulesets.colony_battle.positions import Position
from tests.support import server_in_memory


@pytest.fixture(scope="session")
def position():
    """Set a position up that is written as on the rule page."""
    return Position


@pytest.fixture(scope="session")
def colony_disguise():
    """Return a world with other secrets, which must look the same to a seat."""
    return disguise


@pytest.fixture(scope="session")
def wire() -> ModuleType:
    """Servers and clients without sockets."""
    return server_in_memory
