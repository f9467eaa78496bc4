"""The command `tpclient play`: what it takes, and what is needed to run it."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

from ..errors import BadArgument, ClientError
from ..plain.arguments import shared_options
from ..plain.columns import shown
from ..plain.running import USAGE
from ..plain.visit import ADDRESS, DIALECTS, PASSWORD, USER
from ..transport import PORT


def add_play(commands: Any, seconds: Callable[[str], float]) -> None:
    """Add `play` to the commands of `tpclient`. What is parsed has `program`, which runs it."""
    parser = commands.add_parser(
        "play",
        parents=[shared_options(seconds)],
        help="play any game on the whole terminal",
        description="Play any game on the whole terminal. What is not said here is asked for on the screen.",
    )
    parser.set_defaults(program=play)


async def play(options: argparse.Namespace) -> int:
    """Run the terminal client and return its exit code: 2 if it cannot run here as it was called.

    Raises ClientError if Textual is not installed.
    """
    try:
        import textual  # noqa: F401 - only to see whether it is there
    except ImportError:
        raise ClientError(
            "tpclient play needs Textual, which is the extra \"terminal\": pip install 'tpserver[terminal]'."
        ) from None
    try:
        return await _play(options)
    except BadArgument as error:
        print(f"tpclient: {shown(str(error))}", file=sys.stderr)
        return USAGE


async def _play(options: argparse.Namespace) -> int:
    if options.json:
        raise BadArgument("tpclient play has no --json; the plain commands, as tpclient status, do.")
    password = _password(options)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadArgument("tpclient play needs a terminal; scripts use the plain commands, as tpclient status.")
    from .app import TerminalClient
    from .entrance import Answers

    address = options.address or os.environ.get(ADDRESS) or f"127.0.0.1:{PORT}"
    user = options.user or os.environ.get(USER, "")
    answers = Answers(address, user, password, options.register)
    client = TerminalClient(answers, DIALECTS.get(options.dialect), options.timeout, options.certificates)
    code = await client.run_async()
    return client.return_code or code or 0


def _password(options: argparse.Namespace) -> str:
    if options.password_stdin:
        raise BadArgument(
            "tpclient play reads the keyboard from standard input; give the password with "
            f"--password or {PASSWORD}, or type it into the form."
        )
    return options.password if options.password is not None else os.environ.get(PASSWORD, "")
