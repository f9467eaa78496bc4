"""Fixtures of the ruleset tests: the modules beside the tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _beside(relative: str) -> ModuleType:
    """Load a module by its path: the tests are no package."""
    path = Path(__file__).parent / relative
    name = f"ruleset_tests_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def disguise():
    """Return a TaE world with other secrets, which must look the same to a seat."""
    return _beside("tae/disguise.py").disguise


@pytest.fixture(scope="session")
def bad_rulesets():
    """Rulesets with one fault each."""
    return _beside("bad_rulesets.py")


@pytest.fixture(scope="session")
def goldens():
    """The writer of golden playthroughs."""
    return _beside("goldens.py")
