"""What all tests share: the rulesets that only they play are found like installed ones."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PLUGINS = str(Path(__file__).parent / "plugins")

# importlib.metadata finds the entry points of the .dist-info folder there; child processes inherit the path.
sys.path.insert(0, PLUGINS)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PLUGINS, os.environ.get("PYTHONPATH", "")]))
