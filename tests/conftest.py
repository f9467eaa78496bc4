"""What all tests share: the rulesets that only they play are found like installed ones."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from hypothesis import settings

PLUGINS = str(Path(__file__).parent / "plugins")

# importlib.metadata finds the entry points of the .dist-info folder there; child processes inherit the path.
sys.path.insert(0, PLUGINS)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PLUGINS, os.environ.get("PYTHONPATH", "")]))

# A shell without job control starts background commands with SIGINT ignored, and so would all programs that the tests
# start; those that are interrupted on purpose would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples everywhere, so that whether a change is good does not depend on luck.
# HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("same", database=None, derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
