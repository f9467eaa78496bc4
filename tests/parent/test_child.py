"""A server process as its parent starts it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tpserver.parent.child import receive, send

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


def test_what_is_said_twice_before_it_is_heard_is_heard_whole() -> None:
    """A server that is told to restart as it begins to serve says both at once to a busy parent."""
    here, there = socket.socketpair()
    with here, there, Path(os.devnull).open() as file:
        send(there, {"successor": True}, [])
        send(there, {"places": ["tcp"]}, [file.fileno()])
        said, files = receive(here)
        assert said == {"places": ["tcp"], "successor": True} and len(files) == 1
        os.close(files[0])
