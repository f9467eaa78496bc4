"""What to say of a ruleset that raised something it should not have: the exception, and where in the rules it was."""

from __future__ import annotations

import sys
from types import TracebackType

_NOT_THE_RULES = ("tprules.api", "tprules.testing", "tpserver")


def why_it_failed(error: BaseException) -> str:
    """Return one sentence and the innermost place of a ruleset's failure: ``KeyError: 3 (isles.py line 57)``.

    The place is in the rules if any of their code was running; else it is wherever the error came from.
    """
    place = anywhere = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        anywhere = f" ({code.co_filename.rsplit('/', 1)[-1]} line {trace.tb_lineno})"
        if _of_the_rules(str(trace.tb_frame.f_globals.get("__name__", "")), code.co_filename):
            place = anywhere
        trace = trace.tb_next
    said = " ".join(str(error).split())
    return f"{type(error).__name__}{f': {said}' if said else ''}{place or anywhere}"


def _of_the_rules(module: str, file: str) -> bool:
    if file.startswith("<") or module.partition(".")[0] in sys.stdlib_module_names:
        return False
    return not any(module == name or module.startswith(f"{name}.") for name in _NOT_THE_RULES)
