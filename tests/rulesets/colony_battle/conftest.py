"""Fixtures of the Colony Battle tests: the modules beside them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def _module(path: Path) -> ModuleType:
    """Load a module by its path: the tests are no package."""
    name = f"colony_battle_tests_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def position():
    """Set a position up that is written as on the rule page."""
    return _module(HERE / "positions.py").Position


@pytest.fixture(scope="session")
def colony_disguise():
    """Return a world with other secrets, which must look the same to a seat."""
    return _module(HERE / "disguise.py").disguise


@pytest.fixture(scope="session")
def wire() -> ModuleType:
    """The module ``server_in_memory.py`` of the tests of requests: servers and clients without sockets."""
    return _module(HERE.parent.parent / "requests" / "server_in_memory.py")
