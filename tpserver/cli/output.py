"""Output of the command line: printable lines of limited length.

Names and rules may contain any characters.
"""

from __future__ import annotations

import argparse
import sys
from typing import TextIO

from tprules.printable import printable
from tpserver.admin.listing import Listing


def say_list(listing: Listing, options: argparse.Namespace) -> int:
    """Print a list in the form of its options, and return the exit code."""
    say(*listing.lines(options.match, options.json), is_json=options.json)
    return 0


def say(*lines: str, out: TextIO | None = None, is_json: bool | None = None) -> None:
    """Print lines, on standard output by default, and flush it. JSON is printable already, and must not be cut."""
    out = sys.stdout if out is None else out
    for line in lines:
        print(line if is_json else printable(line), file=out)
    out.flush()
