"""A server process as its supervisor starts it."""

from __future__ import annotations

import mmap
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tpserver.rules.page import BEGUN, GAME, SIZE, UNTIL, Page
from tpserver.supervisor.child import charge_of_end, receive, send

PARENT = """
import os, signal, sys
from tpserver.supervisor.child import Child

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
    """A server that restarts just as it begins to serve sends both messages at once to a busy supervisor."""
    here, there = socket.socketpair()
    with here, there, Path(os.devnull).open() as file:
        send(there, {"successor": True}, [])
        send(there, {"places": ["tcp"]}, [file.fileno()])
        said, files = receive(here)
        assert said == {"places": ["tcp"], "successor": True} and len(files) == 1
        os.close(files[0])


CRASH = """
import ctypes, faulthandler, mmap, sys, threading, time
from tpserver.rules.page import Page
from tpserver.rules.call_limits import Caller, Watchdog

watchdog = Watchdog()
page = open(sys.argv[1], "r+b")
watchdog.use(Page(mmap.mmap(page.fileno(), 0)))
faulthandler.enable(file=open(sys.argv[2], "wb"))
waits = threading.Event()

def crash():
    waits.wait()
    ctypes.string_at(0)

def innocent():
    waits.set()
    time.sleep(1000)

for game, work in ((9, crash), (7, innocent)):
    threading.Thread(target=watchdog.call, args=(60.0, work, Caller(game, "any")), daemon=True).start()
    time.sleep(0.1)
time.sleep(1000)
"""


def test_of_two_calls_that_which_has_crashed_the_server_is_blamed(tmp_path: Path) -> None:
    """The first one here; the page shows both, and the trace of the crash has the thread."""
    page, trace = tmp_path / "page", tmp_path / "trace"
    page.write_bytes(bytes(SIZE))
    command = [sys.executable, "-c", CRASH, str(page), str(trace)]
    done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False, timeout=240)
    with page.open("r+b") as file:
        charge = charge_of_end(done.returncode, Page(mmap.mmap(file.fileno(), SIZE)), trace.read_text(errors="replace"))
    assert charge is not None and charge.call is not None
    assert (charge.call.game, charge.why) == (9, "its rules ended the server (signal 11)")


def test_of_two_calls_the_newer_one_is_blamed_for_an_end_without_a_trace() -> None:
    """As for ``os._exit``: the server has lived beside the older one."""
    page = Page()
    for game, begun in ((7, 10.0), (9, 20.0)):
        row = page.row(game, game)
        row[GAME], row[UNTIL], row[BEGUN] = game, begun + 60.0, begun
    charge = charge_of_end(3, page, "")
    assert charge is not None and charge.call is not None and charge.call.game == 9
    page.row(8, 8)[BEGUN] = 30.0
    charge = charge_of_end(3, page, "")
    assert charge is not None and charge.call is not None and charge.call.task == 8
