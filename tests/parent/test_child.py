"""A server process as its parent starts it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

PARENT = """
import os, signal, sys
from tpserver.parent.child import Child

sys.executable = sys.argv[1]
print(Child(["run"]).number, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems kill no process with its parent")
def test_a_server_that_is_still_loading_dies_with_its_parent(tmp_path: Path) -> None:
    """It may have been given the ports already, which the next server needs."""
    program = tmp_path / "loads-for-ever"
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o700)
    # Its output is the child's, too: this waits until both have gone.
    done = subprocess.run([sys.executable, "-c", PARENT, str(program)], stdout=subprocess.PIPE, timeout=240)
    assert done.returncode == -signal.SIGKILL
