"""Fixtures of the tests of Taller-Ants: positions in the notation of the page, played turn by turn."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tprules.taller_ants import RULESET


def _beside(file: str):
    path = Path(__file__).parent / file
    name = f"taller_ants_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def position(monkeypatch):
    """Return the reader of positions; what it returns is played with dice that the test names."""
    return _beside("position.py").reader(monkeypatch)


@pytest.fixture(scope="session")
def keen_bot():
    """A bot that seeks webs, captives, food and fights."""
    return _beside("keen.py").keen_bot


@pytest.fixture(scope="session")
def statements():
    """The module that states rules a second time."""
    return _beside("statements.py")


@pytest.fixture(scope="session")
def disguise():
    """Return a world with other secrets, which must look the same to a seat."""
    return _beside("disguise.py").disguise


@pytest.fixture(scope="session")
def wire():
    """The module ``server_in_memory.py`` of the tests of requests: servers and clients without sockets."""
    return _beside("../../requests/server_in_memory.py")


@pytest.fixture
def server(wire):
    """A server that hosts Taller-Ants."""
    with wire.making_servers() as make:
        yield make(found=wire.Rulesets({RULESET.name: RULESET}))
