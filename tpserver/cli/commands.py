"""Functions of commands that need no module of the server, or import them late.

Importing the modules of the server takes a second. That would delay the other commands.
"""

from __future__ import annotations

import argparse
import getpass
import pkgutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tprules.printable import printable
from tpserver import log_lines
from tpserver.admin.commands import COMMANDS
from tpserver.cli.options import Failed, config_of, ruleset_options
from tpserver.cli.output import say
from tpserver.reactors import load_reactor

if TYPE_CHECKING:
    from tpserver.config import Config


def operation(options: argparse.Namespace) -> int:
    """Perform an operation of ``tpserver.admin``, by the running server or without one, and print its output."""
    say(*performed(options, options.does), is_json=getattr(options, "json", None))
    return 0


def performed(options: argparse.Namespace, operation: str) -> list[str]:
    """Perform an operation with arguments from the options, and return its output. Raises Failed."""
    from tpserver.admin.socket_client import ask_running
    from tpserver.admin.socket_protocol import Fault, OperationError

    arguments = {}
    for name in COMMANDS[operation].arguments:
        value = getattr(options, name)
        if name == "password":
            value = _password(options)
        elif name == "options":
            value = ruleset_options(value)
        if value is not None:
            arguments[name] = value
    config = config_of(options)
    try:
        lines = ask_running(config.server.data, operation, arguments)
        return _done_without_server(config, operation, arguments) if lines is None else lines
    except (OperationError, Fault) as error:
        raise Failed(str(error)) from None


def say_new(file: Path) -> None:
    """Print that a command has created a database, as the user may have meant another one."""
    say(f"tpserver: {file} is a new database; there was nothing of one before.", out=sys.stderr)


def _done_without_server(config: Config, operation: str, arguments: Mapping[str, Any]) -> list[str]:
    from tpserver.admin.offline import get_done
    from tpserver.cli.log import be_quiet
    from tpserver.rules.discovery import discover
    from tpserver.store import StoreError

    be_quiet()
    try:
        return get_done(config, discover(), operation, arguments, say_new)
    except StoreError as error:
        raise Failed(error.sentence) from None


def _password(options: argparse.Namespace) -> str:
    if options.password is not None:
        return str(options.password)
    if options.password_stdin and not sys.stdin.isatty():
        try:
            line = sys.stdin.readline(65536)
            line.encode()  # in some locales, bytes that are no text are parts of characters
            return line.removeprefix("\ufeff").rstrip("\r\n")
        except UnicodeError:
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


def begin_new(options: argparse.Namespace) -> None:
    """Create an empty database for --new. Raises Failed."""
    from tpserver.admin import offline
    from tpserver.store import StoreError

    try:
        offline.begin_new(config_of(options))
    except StoreError as error:
        if error.code != "in-use":  # then it exists
            raise Failed(error.sentence) from None


def run(options: argparse.Namespace) -> int:
    if options.child_of is None and not options.no_parent:
        from tpserver.supervisor.supervisor import Parent

        config = config_of(options)
        log_lines.use(config.log.format)
        memory, keep_connections = config.limits.memory_bytes, config.server.keep_connections
        data, processes = config.server.data, config.cluster.processes
        arguments = [word for word in options.arguments if word != "--new"]  # a later process must not create it again
        return Parent(arguments, data, memory, keep_connections, processes).run()
    from_portal = options.edge and options.child_of is not None
    return _serving("keeping:keep" if from_portal else "running:run", options)


def play(options: argparse.Namespace) -> int:
    return _serving("playing:play", options)


def _serving(place: str, options: argparse.Namespace) -> int:
    """Run a server; ``place`` is its module in this package and its function, which need the reactor."""
    load_reactor(tls=config_of(options).may_encrypt)
    return int(pkgutil.resolve_name(f"{__package__}.{place}")(options))
