"""Parser for the stacks of all threads that ``faulthandler`` prints."""

from __future__ import annotations

import re
import sysconfig

from tprules.printable import printable

_THREAD = re.compile(r"^(?:Current thread|Thread) 0x([0-9a-f]+)")
_CURRENT = re.compile(r"^Current thread 0x([0-9a-f]+)", re.MULTILINE)
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in')
LONGEST_PLACE = 100
"""Maximum characters of a file name with a line number."""

_OURS = ("/tpserver/", "/tprules/api/")


def of_thread(trace: str, thread: int) -> list[str]:
    """Return the lines of one thread (``threading.get_ident``), or none if the trace lacks it."""
    inside, found = False, []
    for line in trace.splitlines():
        head = _THREAD.match(line)
        inside = int(head[1], 16) == thread if head else inside
        if inside and line:
            found.append(line)
    return found


def current_thread(trace: str) -> int:
    """Return the thread (``threading.get_ident``) in which a process crashed; 0 if the trace lacks it."""
    found = _CURRENT.findall(trace)
    return int(found[-1], 16) if found else 0


def place(trace: str, thread: int) -> str:
    """Return where in the rules a thread was, such as ``isles.py line 57``; "" if unknown.

    That is its innermost frame outside the standard library and the server itself.
    """
    library = sysconfig.get_path("stdlib")
    innermost = ""
    for line in of_thread(trace, thread):
        frame = _FRAME.match(line)
        if frame is None:
            continue
        file, number = frame.groups()
        here = printable(f"{file.rpartition('/')[2]} line {number}", LONGEST_PLACE)
        innermost = innermost or here
        is_library = file.startswith("<") or (file.startswith(library) and "site-packages" not in file)
        if not is_library and not any(part in file for part in _OURS):
            return here
    return innermost
