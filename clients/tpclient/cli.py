"""The command line: `tpclient play`, `bot`, `bots` and the plain commands, also as `python -m tpclient`.

Exit codes: 0 done, or the game is over; 1 something failed, and one line on stderr says what; 2 the command line is
wrong; 3 the server refused what a plain command asked; 130 interrupted.

What a command needs is imported when it runs: the network and the encodings take half a second, for which neither help
nor a wrong command line shall wait.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import __version__
from .address import PORT, TRUSTED, Address, parse_address, trusting
from .columns import shown
from .errors import BadArgument, ClientError
from .plain.arguments import add_commands, shared_options
from .plain.connection_options import PASSWORD, password_of
from .plain.running import run

if TYPE_CHECKING:
    from .bots.play import Ending
    from .bots.runner import Bot

DIALECTS = ("tp04", "pb")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code. `arguments` are those after the program's name."""
    options = _parser().parse_args(arguments)
    try:
        if "run" in options:
            return run(options)
        return _play(options) if options.command == "play" else _run_bots(options)
    except ClientError as error:
        print(f"tpclient: {shown(str(error))}", file=sys.stderr)
        return 2 if isinstance(error, BadArgument) else 1
    except KeyboardInterrupt:
        return 130


def _play(options: argparse.Namespace) -> int:
    from .terminal.start import play

    return play(options)


def _run_bots(options: argparse.Namespace) -> int:
    address = trusting(options.address, options.certificates)
    import asyncio

    from .bots.runner import Bot, run_bots
    from .transport import dialect_named

    users = [options.user] if isinstance(options.user, str) else options.user
    password = password_of(options, " and ".join(users))
    bots = [Bot(user, password, options.seed) for user in users]

    def tell(bot: Bot, end: Ending | ClientError) -> None:
        if isinstance(end, ClientError):
            print(f"tpclient: {shown(f'{bot.user}: {end}')}", file=sys.stderr)
        elif not options.quiet:
            print(
                f"{shown(bot.user)}: the game is over after turn {end.last_turn}; took part in {end.turns} turns, "
                f"{end.accepted} orders accepted, {end.refused} refused.",
                flush=True,
            )

    dialect = dialect_named(options.dialect)
    ends = asyncio.run(run_bots(address, bots, options.game, dialect, options.timeout, options.register, tell))
    return 1 if any(isinstance(end, ClientError) for end in ends) else 0


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
        help=f"where the server listens; tps://HOST:PORT for TLS (default 127.0.0.1:{PORT})",
    )
    shared.add_argument(
        "--certificates", metavar="FILE", help=f"trust these for TLS instead of the system's (PEM; or set {TRUSTED})"
    )
    shared.add_argument("--game", default="", metavar="NAME", help="which game, if the server has several")
    secret = shared.add_mutually_exclusive_group()
    secret.add_argument("--password", help=f"better: set {PASSWORD}, or be asked")
    secret.add_argument("--password-stdin", action="store_true", help="read the password from standard input")
    shared.add_argument("--register", action="store_true", help="make the account if the login is refused")
    shared.add_argument("--seed", default="", help="any text; the same seed plays the same game the same way")
    shared.add_argument("--dialect", choices=DIALECTS, help="how to talk (default tp04; pb on a WebSocket)")
    shared.add_argument(
        "--timeout", type=_seconds, default=30.0, metavar="SECONDS", help="longest wait for an answer (default 30)"
    )
    shared.add_argument("--quiet", action="store_true", help="print nothing but errors")
    one = commands.add_parser("bot", parents=[shared], help="a bot that plays any game at random until it is over")
    one.add_argument("--user", required=True, metavar="NAME", help="who to log in as")
    several = commands.add_parser("bots", parents=[shared], help="several such bots in one process")
    several.add_argument(
        "--user", required=True, action="append", metavar="NAME", help="who to log in as; once for each bot"
    )
    add_commands(commands, _seconds)
    commands.add_parser(
        "play",
        parents=[shared_options(_seconds)],
        help="play any game on the whole terminal",
        description="Play any game on the whole terminal. What is not said here is asked for on the screen.",
    )
    return parser


def _address(text: str) -> Address:
    try:
        return parse_address(text)
    except ClientError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 86400")
    return seconds
