"""Fuzzing targets by name, with the module of each.

A module is imported only when it is needed, as fuzzing changes what it imports.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from tests.fuzzing.target import Target

MODULES: Mapping[str, str] = {
    "bodies": "frames",
    "streams": "frames",
    "messages": "frames",
    "http": "browsers",
    "tunnel": "browsers",
    "websocket": "browsers",
    "configuration": "texts",
    "clocks": "texts",
    "options": "texts",
    "link": "links",
    "link-bytes": "links",
    "carried": "links",
    "session": "sessions",
    "orders": "sessions",
    "control": "operators",
    "operations": "operators",
    "console": "operators",
    "proxied": "operators",
    "forwarded": "operators",
}

_TESTS = Path(__file__).parents[1]


def find(name: str) -> Target:
    """Return the target of this name. Raises KeyError."""
    for folder in ("plugins", "web"):  # as conftest.py does for the tests, whose servers are used here
        if str(_TESTS / folder) not in sys.path:
            sys.path.insert(0, str(_TESTS / folder))
    module = import_module(f"tests.fuzzing.{MODULES[name]}")
    return next(target for target in module.TARGETS if target.name == name)
