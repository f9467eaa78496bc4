"""Fixtures of Taller-Ants: positions in the page's notation, to play on."""

from __future__ import annotations

import pytest

from tests.rulesets.taller_ants import disguise as with_other_secrets
from tests.rulesets.taller_ants import keen
from tests.rulesets.taller_ants import statements as second_statements
from tests.rulesets.taller_ants.position import reader
from tests.support import server_in_memory
from tprules.taller_ants import RULESET


@pytest.fixture
def position(monkeypatch):
    """Return the reader of positions; what it returns is played with dice that the test names."""
    return reader(monkeypatch)


@pytest.fixture(scope="session")
def keen_bot():
    """A bot that seeks webs, captives, food and fights."""
    return keen.keen_bot


@pytest.fixture(scope="session")
def statements():
    """The module that states rules a second time."""
    return second_statements


@pytest.fixture(scope="session")
def disguise():
    """Return a world with other secrets, which must look the same to a seat."""
    return with_other_secrets.disguise


@pytest.fixture(scope="session")
def wire():
    """Servers and clients without sockets."""
    return server_in_memory


@pytest.fixture
def server(wire):
    """A server that hosts Taller-Ants."""
    with wire.making_servers() as make:
        yield make(found=wire.Rulesets({RULESET.name: RULESET}))
