"""The text for an unexpected exception of a ruleset.

It has the exception, and the line of the rules that raised it.
"""

from __future__ import annotations

import sys
from types import TracebackType

from tprules.printable import printable

LONGEST_REASON = 500
"""Maximum characters of the text about one failure, which appears in logs, the store and responses."""

_NOT_THE_RULES = ("tprules.api", "tprules.testing", "tpserver")


def why_it_failed(error: BaseException) -> str:
    """Return the exception and the innermost place of a ruleset's failure: ``KeyError: 3 (isles.py line 57)``.

    The place is in the code of the rules, if any of it was running. Otherwise it is the place of the exception, unless
    that is in the standard library. The text has at most LONGEST_REASON characters, all printable.
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
    place = printable(rules or last, LONGEST_REASON // 4)
    return what_it_says(error, LONGEST_REASON - len(place)) + place


def what_it_says(error: BaseException, longest: int = LONGEST_REASON) -> str:
    """Return the name of an exception and its text as one printable line of at most ``longest`` characters.

    It works for any exception, even one whose ``str()`` raises.
    """
    kind = printable(type(error).__name__, longest // 2)
    try:
        # Cut before splitting: the text may be a million words.
        said = " ".join(str(error)[: 2 * longest].split())
    except Exception:
        said = "(its text cannot be shown)"
    return printable(f"{kind}: {said}" if said else kind, longest)
