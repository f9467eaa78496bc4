"""Fixtures of Swarm's tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def greedy_swarm():
    """The greedy player of Swarm's page, section 11."""
    spec = importlib.util.spec_from_file_location("greedy_swarm", Path(__file__).parent / "greedy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.greedy_policy
