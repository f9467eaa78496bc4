"""How a plain command is run: from the parsed command line to an exit code, every error as one sentence.

Exit codes: 0 done; 1 something failed, as a server that is away; 2 what was typed does not fit; 3 the server refused.
"""

import argparse
import io
import os
import sys

from ..errors import BadArgument, ClientError, RequestFailed, UnknownName
from . import looking
from .columns import shown
from .visit import ADDRESS, PASSWORD, USER, Visit, credentials

FAILED, USAGE, REFUSED = 1, 2, 3


async def run(options: argparse.Namespace) -> int:
    """Run the command that was parsed and return the exit code."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a letter gets its number instead
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    try:
        _check_text(options)
        return await _visit(options)
    except RequestFailed as refusal:
        text = shown(refusal.text or "no reason was given").rstrip(".")
        print(f"tpclient: refused: {text}.", file=sys.stderr)
        return REFUSED
    except ClientError as error:
        print(f"tpclient: {shown(str(error))}", file=sys.stderr)
        return USAGE if isinstance(error, BadArgument | UnknownName) else FAILED
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - it stays open until the program ends
        return FAILED


async def _visit(options: argparse.Namespace) -> int:
    if options.run is not looking.games:
        options.user, options.password = credentials(options)
    visit = await Visit.open(options)
    try:
        return int(await options.run(visit))
    finally:
        visit.close()


def _check_text(options: argparse.Namespace) -> None:
    """Raise BadArgument for words that are no Unicode text, which no frame could carry."""
    typed = [value for value in vars(options).values() if isinstance(value, str)]
    typed += [word for value in vars(options).values() if isinstance(value, list) for word in value if word is not None]
    typed += [os.environ.get(name, "") for name in (ADDRESS, USER, PASSWORD)]
    for text in typed:
        try:
            str(text).encode()
        except UnicodeEncodeError:
            raise BadArgument(f"{text!r} is no text in the encoding of this terminal.") from None
