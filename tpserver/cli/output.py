"""Output of the command line: each line is made printable and limited, whatever names and rules have put into it."""

from __future__ import annotations

import sys
from typing import TextIO

from tprules.printable import printable


def say(*lines: str, out: TextIO | None = None) -> None:
    """Print lines, on standard output by default, and flush it."""
    out = sys.stdout if out is None else out
    for line in lines:
        print(printable(line), file=out)
    out.flush()
