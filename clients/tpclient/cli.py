"""The command line: `tpclient play`, `bot`, `bots` and the plain commands.

`python -m tpclient` is the same.

Exit codes:

    0    done, or the game is over
    1    something failed; one line on stderr has the reason
    2    the command line is wrong
    3    the server refused the request of a plain command
    130  interrupted

A command imports its modules when it runs. The network and the encodings take half a second, too long for the help
and for a wrong command line.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tpclient import __version__
from tpclient.address import PORT, TRUSTED, Address, parse_address, trusting
from tpclient.columns import as_named, shown
from tpclient.errors import BadArgument, ClientError, RequestFailed, UnknownName
from tpclient.plain.arguments import (
    ADDRESS,
    CLOCK,
    METASERVER,
    MINE,
    NEEDS_NO_USER,
    OF_ACCOUNT,
    OF_SEAT,
    OPEN_SEATS,
    PASSWORD,
    PROPOSALS,
    RULES,
    SCORES,
    SEATS,
    SETUP,
    SUMMARY,
    TAKE,
    USER,
    VACATION,
    add_commands,
    add_login_options,
    add_servers,
    address_of,
    check_text,
    compose,
    credentials,
    password_of,
    shared_options,
)

if TYPE_CHECKING:
    from tpclient.bots.play import Ending
    from tpclient.finding import FoundGame
    from tpclient.plain.context import CommandContext

DIALECTS = ("tp04", "pb")

FAILED, USAGE, REFUSED, INTERRUPTED = 1, 2, 3, 130

LOGS_IN_BY_ITSELF = "past.history"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code. `arguments` are those after the program's name."""
    options = _parser().parse_args(arguments)
    try:
        if "run" in options:
            return _run_plain(options)
        if options.command == "servers":
            return _find_servers(options)
        return _play(options) if options.command == "play" else _run_bots(options)
    except ClientError as error:
        print(f"tpclient: {shown(str(error))}", file=sys.stderr)
        return USAGE if isinstance(error, BadArgument | UnknownName) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _run_plain(options: argparse.Namespace) -> int:
    """Run a plain command. The network is imported after all other checks."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a character gets its number instead
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    try:
        check_text(options)
        compose(options)
        if options.run not in NEEDS_NO_USER:
            options.user, options.password = credentials(options)
        address = address_of(options)
        import asyncio

        return asyncio.run(_in_context(address, options))
    except RequestFailed as refusal:
        text = shown(refusal.text or "no reason was given").rstrip(".")
        print(f"tpclient: refused: {text}.", file=sys.stderr)
        return REFUSED
    except BrokenPipeError:  # the reader of the pipe has closed it
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - it stays open until the program ends
        return FAILED


def _find_servers(options: argparse.Namespace) -> int:
    options.metaserver = options.metaserver or list(filter(None, [os.environ.get(METASERVER)]))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    from tpclient.plain.servers import servers

    return servers(options)


async def _in_context(address: Address, options: argparse.Namespace) -> int:
    from tpclient.plain.context import CommandContext

    module, _, name = options.run.partition(".")
    command: Callable[[CommandContext], Awaitable[int]] = getattr(import_module(f".plain.{module}", __package__), name)
    is_of_account = options.run in (MINE, TAKE, VACATION) or options.run.startswith(OF_ACCOUNT)
    if options.run in (RULES, SETUP, CLOCK, SEATS, OPEN_SEATS, *OF_SEAT) or is_of_account:
        options.dialect = "pb"  # other dialects lack these requests and the login without a game
    elif options.dialect is None and (options.run in (SUMMARY, SCORES, PROPOSALS) or getattr(options, "undo", False)):
        options.dialect = "pb"  # other dialects lack these requests
    logs_in = options.run not in (*NEEDS_NO_USER, LOGS_IN_BY_ITSELF) and not is_of_account
    context = await CommandContext.open(address, options, is_player=logs_in)
    async with context.connection:
        return await command(context)


def _play(options: argparse.Namespace) -> int:
    """Run the terminal client. Raises BadArgument for unusable options, and ClientError without Textual."""
    if find_spec("textual") is None:
        raise ClientError(
            "tpclient play needs Textual, which is the extra \"terminal\": pip install 'tpserver[terminal]'."
        )
    if options.json:
        raise BadArgument("tpclient play has no --json; the plain commands, as tpclient status, do.")
    if options.password_stdin:
        raise BadArgument(
            "tpclient play reads the keyboard from standard input; give the password with "
            f"--password or {PASSWORD}, or type it into the form."
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadArgument("tpclient play needs a terminal; scripts use the plain commands, as tpclient status.")
    import asyncio

    from tpclient.terminal.app import TerminalClient
    from tpclient.terminal.login_screen import Answers
    from tpclient.transport import dialect_named

    address = options.address or os.environ.get(ADDRESS) or f"127.0.0.1:{PORT}"
    user = options.user or os.environ.get(USER, "")
    password = options.password if options.password is not None else os.environ.get(PASSWORD, "")
    answers = Answers(address, user, password, options.register)
    dialect, asks = dialect_named(options.dialect), not options.finish_at_once

    def find() -> tuple[list[FoundGame], list[str]]:
        from tpclient.finding import everywhere

        return everywhere(filter(None, [os.environ.get(METASERVER)]))

    client = TerminalClient(answers, dialect, options.timeout, options.certificates, asks=asks, find=find)
    code = asyncio.run(client.run_async())
    return client.return_code or code or 0


def _run_bots(options: argparse.Namespace) -> int:
    address = trusting(options.address, options.certificates)
    import asyncio

    from tpclient.bots.random import run_bots
    from tpclient.transport import dialect_named

    users = [as_named(user) for user in ([options.user] if isinstance(options.user, str) else options.user)]
    password = password_of(options, " and ".join(users))

    def tell(user: str, end: Ending | ClientError) -> None:
        if isinstance(end, ClientError):
            print(f"tpclient: {shown(f'{user}: {end}')}", file=sys.stderr)
        elif not options.quiet:
            print(
                f"{shown(user)}: the game is over after turn {end.last_turn}; took part in {end.turns} turns, "
                f"{end.accepted} orders accepted, {end.refused} refused.",
                flush=True,
            )

    dialect, seed, game = dialect_named(options.dialect), options.seed, as_named(options.game)
    ends = asyncio.run(run_bots(address, users, password, seed, game, dialect, options.timeout, options.register, tell))
    return FAILED if any(isinstance(end, ClientError) for end in ends) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tpclient", description="Clients for Thousand Parsec games.")
    parser.add_argument("--version", action="version", version=f"tpclient {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--address",
        type=_address,
        default=Address("127.0.0.1", PORT),
        metavar="HOST:PORT",
        help=f"address of the server; tps://HOST:PORT for TLS (default 127.0.0.1:{PORT})",
    )
    shared.add_argument(
        "--certificates", metavar="FILE", help=f"trust these for TLS instead of the system's (PEM; or set {TRUSTED})"
    )
    shared.add_argument("--game", default="", metavar="NAME", help="name of the game, if the server has several")
    secret = shared.add_mutually_exclusive_group()
    secret.add_argument("--password", help=f"better: set {PASSWORD}, or be asked")
    secret.add_argument("--password-stdin", action="store_true", help="read the password from standard input")
    shared.add_argument("--seed", default="", help="any text; the same seed plays the same game the same way")
    add_login_options(shared, DIALECTS)
    shared.add_argument("--quiet", action="store_true", help="print nothing but errors")
    one = commands.add_parser("bot", parents=[shared], help="a bot that plays any game at random until it is over")
    one.add_argument("--user", required=True, metavar="NAME", help="user name")
    several = commands.add_parser("bots", parents=[shared], help="several such bots in one process")
    several.add_argument("--user", required=True, action="append", metavar="NAME", help="user name; once for each bot")
    add_commands(commands)
    add_servers(commands)
    play = commands.add_parser(
        "play",
        parents=[shared_options("pb; tp04 where the server does not speak that")],
        help="play any game on the whole terminal",
        description="Play any game on the whole terminal. The screen asks for missing options.",
    )
    play.add_argument("--finish-at-once", action="store_true", help="do not ask before a turn without orders ends")
    return parser


def _address(text: str) -> Address:
    try:
        return parse_address(text)
    except ClientError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
