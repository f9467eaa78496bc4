"""The command `tpclient play`: what is needed to run it."""

import argparse
import asyncio
import os
import sys
from importlib.util import find_spec

from ..address import PORT
from ..columns import shown
from ..errors import BadArgument, ClientError
from ..plain.connection_options import ADDRESS, PASSWORD, USER
from ..plain.running import USAGE


def play(options: argparse.Namespace) -> int:
    """Run the terminal client and return its exit code: 2 if it cannot run here as it was called.

    Raises ClientError if Textual is not installed.
    """
    if find_spec("textual") is None:
        raise ClientError(
            "tpclient play needs Textual, which is the extra \"terminal\": pip install 'tpserver[terminal]'."
        )
    try:
        return _play(options)
    except BadArgument as error:
        print(f"tpclient: {shown(str(error))}", file=sys.stderr)
        return USAGE


def _play(options: argparse.Namespace) -> int:
    if options.json:
        raise BadArgument("tpclient play has no --json; the plain commands, as tpclient status, do.")
    password = _password(options)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadArgument("tpclient play needs a terminal; scripts use the plain commands, as tpclient status.")
    from ..transport import dialect_named
    from .app import TerminalClient
    from .login_screen import Answers

    address = options.address or os.environ.get(ADDRESS) or f"127.0.0.1:{PORT}"
    user = options.user or os.environ.get(USER, "")
    answers = Answers(address, user, password, options.register)
    client = TerminalClient(answers, dialect_named(options.dialect), options.timeout, options.certificates)
    code = asyncio.run(client.run_async())
    return client.return_code or code or 0


def _password(options: argparse.Namespace) -> str:
    if options.password_stdin:
        raise BadArgument(
            "tpclient play reads the keyboard from standard input; give the password with "
            f"--password or {PASSWORD}, or type it into the form."
        )
    return options.password if options.password is not None else os.environ.get(PASSWORD, "")
