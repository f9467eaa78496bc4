"""How a plain command is run: from the parsed command line to an exit code, every error as one sentence.

Exit codes: 0 done; 1 something failed, as a server that is away; 2 what was typed does not fit; 3 the server refused.

What needs the network is imported when the rest is known to be right: that takes half a second.
"""

import argparse
import io
import os
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ..address import Address
from ..columns import shown
from ..errors import BadArgument, ClientError, RequestFailed, UnknownName
from .connection_options import address_of, check_text, credentials

if TYPE_CHECKING:
    pass

FAILED, USAGE, REFUSED = 1, 2, 3

NEEDS_NO_USER = "inspect.games"


def run(options: argparse.Namespace) -> int:
    """Run the command that was parsed and return the exit code."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a letter gets its number instead
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    try:
        check_text(options)
        if options.run != NEEDS_NO_USER:
            options.user, options.password = credentials(options)
        return _run(address_of(options), options)
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


def _run(address: Address, options: argparse.Namespace) -> int:
    import asyncio

    from .context import CommandContext

    module, _, name = options.run.partition(".")
    command: Callable[[CommandContext], Awaitable[int]] = getattr(import_module(f".{module}", __package__), name)

    async def in_context() -> int:
        context = await CommandContext.open(address, options, is_player=options.run != NEEDS_NO_USER)
        try:
            return await command(context)
        finally:
            context.close()

    return asyncio.run(in_context())
