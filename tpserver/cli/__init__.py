"""The command line: ``tpserver``.

Exit codes: 0 success, 1 failure with one sentence on standard error, 2 an error in the command line or the
configuration, 130 interrupted.
"""

from __future__ import annotations

import io
import os
import pkgutil
import sys
from collections.abc import Sequence

from tpserver.cli.arguments import UsageError, parse
from tpserver.cli.commands import begin_new
from tpserver.cli.options import Failed
from tpserver.cli.output import say
from tpserver.log_lines import form_in_use
from tpserver.log_lines import say as log_line

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code. ``arguments`` are those after the program's name."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        _say_what_cannot_be_printed()
        options = parse(given)
        if getattr(options, "new", False):
            begin_new(options)
        code = int(pkgutil.resolve_name(f"{__package__}.{options.run}")(options))
        sys.stdout.flush()
        return code
    except UsageError as error:
        return _complain(str(error), USAGE)
    except Failed as error:
        return _complain(str(error), FAILED, error.further)
    except BrokenPipeError:
        # The reader of the output has closed it, as in ``tpserver game list | head``. This avoids Python's error at the
        # flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if "--debug" in given and form_in_use() == "text":
            raise
        from tprules.api.faults import what_it_says

        what = what_it_says(error)
        return _complain(f"unexpected {what} - this is a fault of tpserver; --debug shows where it is", FAILED)


def _say_what_cannot_be_printed() -> None:
    """Print characters that a terminal cannot show as escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(sentence: str, code: int, further: Sequence[str] = ()) -> int:
    if form_in_use() == "json":
        for text in (sentence, *further):
            log_line("error", text, "tpserver.cli")
        return code
    say(f"tpserver: {sentence}", *further, out=sys.stderr)
    return code
