"""What to say of a ruleset that raised something it should not have: the exception, and where in the rules it was."""

from __future__ import annotations

import sys
from types import TracebackType

_NOT_THE_RULES = ("tprules.api", "tprules.testing", "tpserver")


def why_it_failed(error: BaseException) -> str:
    """Return one sentence and the innermost place of a ruleset's failure: ``KeyError: 3 (isles.py line 57)``.

    The place is in the rules if any of their code was running; else it is where the error came from, if that says
    anything: a line of the standard library does not.
    """
    rules = last = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        file, module = trace.tb_frame.f_code.co_filename, str(trace.tb_frame.f_globals.get("__name__", ""))
        if file.startswith("<") or module.partition(".")[0] in sys.stdlib_module_names:
            last = ""
        else:
            last = f" ({file.rsplit('/', 1)[-1]} line {trace.tb_lineno})"
            if not any(module == name or module.startswith(f"{name}.") for name in _NOT_THE_RULES):
                rules = last
        trace = trace.tb_next
    said = " ".join(str(error).split())
    return f"{type(error).__name__}{f': {said}' if said else ''}{rules or last}"
