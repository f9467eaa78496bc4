"""The functions of the commands.

Commands about accounts and games are declared in `arguments` and performed by `tpserver.admin.operations`; only the
names of their arguments stand here.  What a command needs of the server is imported when it runs: that takes a second,
which other commands need not wait.
"""

from __future__ import annotations

import argparse
import getpass
import pkgutil
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tprules.printable import printable
from tpserver.cli.options import Failed, config_of, ruleset_options
from tpserver.cli.output import say
from tpserver.reactors import load_reactor

if TYPE_CHECKING:
    from tpserver.config import Config

Command = Callable[[argparse.Namespace], int]

ARGUMENTS = (
    "name",
    "account",
    "ruleset",
    "seats",
    "seed",
    "clock",
    "join",
    "bots",
    "seconds",
    "absent_after",
    "absent",
    "seek",
    "reliability",
    "roll_call",
    "player",
    "new_name",
    "reason",
    "role",
    "most",
    "press",
    "anonymous",
    "watch_delay",
    "guests",
    "days",
    "number",
    "decision",
    "closed",
)
"""Options that are sent to an operation under their own names."""


def operation(options: argparse.Namespace) -> int:
    """Perform an operation of ``tpserver.admin``, by the running server or without one, and print its output."""
    say(*performed(options, options.does))
    return 0


def performed(options: argparse.Namespace, operation: str) -> list[str]:
    """Perform an operation with the arguments that the options say, and return its output.  Raises Failed."""
    from tpserver.admin.socket_client import ask_running
    from tpserver.admin.socket_protocol import Fault, Refused

    arguments = {name: getattr(options, name) for name in ARGUMENTS if getattr(options, name, None) is not None}
    if "password" in options:
        arguments["password"] = _password(options)
    if "option" in options:
        arguments["options"] = ruleset_options(options.option)
    config = config_of(options)
    try:
        lines = ask_running(config.server.data, operation, arguments)
        return _done_without_server(config, operation, arguments) if lines is None else lines
    except (Refused, Fault) as error:
        raise Failed(str(error)) from None


def _done_without_server(config: Config, operation: str, arguments: Mapping[str, Any]) -> list[str]:
    from tpserver.admin.offline import get_done
    from tpserver.cli.log import be_quiet
    from tpserver.rules.discovery import discover
    from tpserver.store import StoreError

    be_quiet()
    try:
        return get_done(config, discover(), operation, arguments)
    except StoreError as error:
        raise Failed(error.sentence) from None


def _password(options: argparse.Namespace) -> str:
    if options.password is not None:
        return str(options.password)
    if options.password_stdin and not sys.stdin.isatty():
        try:
            return sys.stdin.readline(65536).rstrip("\r\n")
        except UnicodeDecodeError:
            raise Failed("the password on standard input is not UTF-8 text") from None
    if not sys.stdin.isatty():
        raise Failed("say --password-stdin to read the password from standard input, or --password P")
    try:
        first = getpass.getpass(f"Password for {printable(options.name)}: ")
        again = getpass.getpass("Once more: ")
    except EOFError:
        raise Failed("no password was typed") from None
    if again != first:
        raise Failed("the two passwords differ")
    return first


def run(options: argparse.Namespace) -> int:
    if options.child_of is None and not options.no_parent:
        from tpserver.parent.loop import Parent

        config = config_of(options)
        memory, keep_connections = config.limits.memory_bytes, config.server.keep_connections
        data, processes = config.server.data, config.cluster.processes
        return Parent(options.arguments, data, memory, keep_connections, processes).run()
    if options.edge and options.child_of is not None:
        return _serving("keeping:keep")(options)
    return _serving("running:run")(options)


def _imported(place: str) -> Command:
    """Return a command that is imported only when it runs; ``place`` is its module in this package, and its name."""
    return lambda options: int(pkgutil.resolve_name(f"{__package__}.{place}")(options))


def _serving(place: str) -> Command:
    """Return a command that runs a server, likewise."""

    def command(options: argparse.Namespace) -> int:
        load_reactor(tls=config_of(options).may_encrypt)
        return _imported(place)(options)

    return command


COMMANDS: Mapping[str, Command] = {
    "run": run,
    "node list": _imported("cluster_nodes:list_all"),
    "ruleset list": _imported("rulesets:list_all"),
    "ruleset show": _imported("rulesets:show"),
    "ruleset manual": _imported("rulesets:manual"),
    "ruleset check": _imported("rulesets:check"),
    "init": _imported("setting_up:init"),
    "doctor": _imported("examining:doctor"),
    "backup": _imported("backups:backup"),
    "restore": _imported("backups:restore"),
    "account export": _imported("accounts:export"),
    "account remove": _imported("accounts:remove"),
    "game delete": _imported("archives:delete"),
    "export": _imported("archives:export"),
    "archive": _imported("archives:archive"),
    "import": _imported("archives:import_"),
    "replay": _imported("stored_games:replay"),
    "play": _serving("playing:play"),
    "metaserver": _imported("metaserver:metaserver"),
}
"""The commands that are no operations, or more than one."""
