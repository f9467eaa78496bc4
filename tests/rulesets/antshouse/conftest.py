"""Fixtures of Antshouse's tests: the reader of the page's notation, and a player."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tprules.antshouse import RULESET

HERE = Path(__file__).parent


def _module(path: Path) -> ModuleType:
    """Load a module by its path: the tests are no package."""
    name = f"antshouse_tests_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def tables() -> ModuleType:
    """The module ``table.py`` beside the tests."""
    return _module(HERE / "table.py")


@pytest.fixture
def table(tables):
    """Return a game at a position in the page's notation."""
    return tables.Table


@pytest.fixture(scope="session")
def wire() -> ModuleType:
    """The module ``server_in_memory.py`` of the tests of requests: servers and clients without sockets."""
    return _module(HERE.parent.parent / "requests" / "server_in_memory.py")


@pytest.fixture
def server(wire):
    """A server that hosts Antshouse."""
    with wire.making_servers() as make:
        yield make(found=wire.Rulesets({RULESET.name: RULESET}))
