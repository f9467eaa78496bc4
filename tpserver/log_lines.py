"""Log lines of processes without Twisted.

They are those of the supervisor, and the last message of a process that ends.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Literal, TextIO

from tprules.printable import printable

Form = Literal["text", "json"]

VARIABLE = "_TPSERVER_LOG"
"""The environment variable with the supervisor's form of lines, for its children until they read the configuration."""

_form: Form = "json" if os.environ.pop(VARIABLE, "") == "json" else "text"


def use(form: Form) -> None:
    """Write lines in this form from now on, and Python's warnings as such lines, too."""
    global _form
    _form = form
    warnings.showwarning = _show_warning


def form_in_use() -> Form:
    """Return the form of this process."""
    return _form


def say(level: str, text: str, source: str = "tpserver.supervisor") -> None:
    """Write a line of the log to standard error."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{moment} {level:<8} {printable(text)}"
    if _form == "json":
        said = {"time": moment, "level": level, "text": printable(text), "from": source, "facts": {}}
        line = json.dumps(said, ensure_ascii=False)
    print(line, file=sys.stderr, flush=True)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    say("warn", f"{filename}:{lineno}: {category.__name__}: {message}", "warnings")
