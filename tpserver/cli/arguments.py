"""Syntax of the command line: commands, their options, and its errors."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from tprules.printable import LONGEST_WORD, printable, quoted
from tpserver import __version__
from tpserver.admin.commands import COMMANDS
from tpserver.admin.commands.declaration import LIST_ARGUMENTS, CommandArgument
from tpserver.admin.commands.games import MOST_SEATS
from tpserver.config_keys import did_you_mean
from tpserver.wire.net import METASERVER_PORT, PLAIN_PORT, WEB_PORT

GROUPS = {
    "report": "letters that players have reported",
    "account": "make and look after accounts",
    "game": "make and look after games",
    "node": "look after the servers that share a database",
    "ruleset": "look at the installed rulesets",
}

EXPORTS = {
    "account export": ("accounts:export", "json"),
    "account remove": ("accounts:remove", "json"),
    "game delete": ("archives:delete", "tpgame"),
}
"""Operator's commands that first write a file: their functions in this package, and the suffix of the file."""


class UsageError(Exception):
    """The command line is wrong. The message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError instead of printing the usage and exiting."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(allow_abbrev=False, **keywords)

    def error(self, message: str) -> NoReturn:
        refused, chosen, choices = message.rpartition("' (choose from ")
        what, _, word = refused.removeprefix("argument ").partition(": invalid choice: '")
        if chosen:
            words = re.findall(r"[\w-]+", choices)
            message = f"{what} is {quoted(word)}, but must be {_either(words)}{did_you_mean(word, words)}"
        elif message.startswith("argument "):
            message = message.removeprefix("argument ")
        missing = re.fullmatch(r"the following arguments are required: (.*)", message)
        if missing:
            message = f"{missing[1]} {'are' if ', ' in missing[1] else 'is'} missing"
        raise UsageError(f"{message} (see {self.prog} --help)")

    def options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options; ``does`` names the command. Raises UsageError, and exits by itself after --help."""
    for word in arguments:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{quoted(word)} is not UTF-8 text") from None
    options, unknown = _parser().parse_known_args(arguments)
    options.arguments = list(arguments)
    if unknown:
        parser: Parser = options.parser
        word = unknown[0].partition("=")[0]
        if word.startswith("-"):
            hint = did_you_mean(word, parser.options())
            raise UsageError(f"there is no option {printable(word, LONGEST_WORD)}{hint} (see {parser.prog} --help)")
        raise UsageError(f"{quoted(unknown[0])} is one word too many (see {parser.prog} --help)")
    return options


@cache  # creation takes longer than most commands, in a process that runs many, such as the tests
def _parser() -> Parser:
    common = Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show tracebacks of unexpected errors")
    place = Parser(add_help=False)
    place.add_argument(
        "--data",
        type=_path,
        metavar="DIR",
        help="the directory with accounts and games (default: ~/.local/share/tpserver)",
    )
    place.add_argument("--config", type=_path, metavar="FILE", help="a configuration file (TOML)")
    place.add_argument("--new", action="store_true", help="begin with an empty database although one is lost")

    parser = Parser(prog="tpserver", description="A server for turn-based strategy games (Thousand Parsec protocols).")
    parser.add_argument("--version", action="version", version=f"tpserver {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    groups: dict[str, Any] = {}

    def add(words: str, run: str, text: str, parents: Sequence[Parser] = (place,)) -> Parser:
        """Add a command that runs the function ``run`` of this package."""
        group, _, action = words.rpartition(" ")
        if group and group not in groups:
            made = commands.add_parser(group, help=GROUPS[group], description=GROUPS[group])
            made.set_defaults(parser=made)
            groups[group] = made.add_subparsers(dest="action", metavar="ACTION", required=True)
        within = groups.get(group, commands)
        added: Parser = within.add_parser(action, parents=[common, *parents], help=text, description=text)
        added.set_defaults(does=words, run=run, parser=added)
        return added

    def add_list_arguments(parser: Parser) -> None:
        for argument in LIST_ARGUMENTS.values():
            _add_argument(parser, argument)

    def operator(first: str) -> None:
        """Add the operator's commands that begin with this word."""
        for command in COMMANDS.values():
            if command.is_typed and command.name.split()[0] == first:
                run, suffix = EXPORTS.get(command.name, ("commands:operation", ""))
                made = add(command.name, run, command.help)
                for argument in command.arguments.values():
                    _add_argument(made, argument)
                if suffix and run != "accounts:export":
                    made.add_argument("--without-export", action="store_true", help="write no file before")
                if suffix:
                    text = f"where to (default: NAME.{suffix} in this directory)"
                    made.add_argument("--to", type=_path, metavar="FILE", help=text)

    run = add("run", "commands:run", "run a server")
    run.add_argument("--port", type=_port, metavar="PORT", help=f"TCP port (default {PLAIN_PORT}; 0: any free one)")
    run.add_argument(
        "--listen", action="append", metavar="ENDPOINT", help="where else to listen: tcp:6923:interface=0.0.0.0"
    )
    _add_web(run)
    run.add_argument(
        "--no-parent", action="store_true", help="one process, which ends if the rules of a game freeze it"
    )
    run.add_argument("--child-of", type=int, help=argparse.SUPPRESS)
    run.add_argument("--edge", action="store_true", help=argparse.SUPPRESS)
    run.add_argument("--accounts", choices=("open", "register", "closed", "lockdown"), help="how accounts come about")

    for first in ("report", "account", "audit", "game", "node"):
        operator(first)
    text = "list the nodes of the cluster, and how many games each holds"
    add_list_arguments(add("node list", "cluster_nodes:list_all", text))

    add_list_arguments(add("ruleset list", "rulesets:list_all", "list all rulesets", []))
    show = add("ruleset show", "rulesets:show", "show what a ruleset declares", [])
    show.add_argument("ruleset", metavar="R")
    manual = add("ruleset manual", "rulesets:manual", "print the rules for players", [])
    manual.add_argument("ruleset", metavar="R")
    manual.add_argument(
        "--skeleton", action="store_true", help="print a template of the manual, for authors of rulesets"
    )
    check = add("ruleset check", "rulesets:check", "test whether a ruleset keeps its contract")
    check.add_argument("ruleset", metavar="R", nargs="?", help="with --games: a ruleset, or the name of a game")
    check.add_argument(
        "--games", action="store_true", help="try instead whether the stored games can go on; nothing is changed"
    )

    replay = add("replay", "stored_games:replay", "re-run a game's journal and compare digest after digest")
    replay.add_argument("name", metavar="NAME")

    init = add(
        "init", "setting_up:init", "write a configuration with comments, a data directory and a systemd unit", []
    )
    init.add_argument("directory", type=_path, metavar="DIR")
    init.add_argument("--name", default="tpserver", help="what lists of games call the server")
    init.add_argument("--address", default="127.0.0.1", help="where to listen (0.0.0.0: for everybody)")
    init.add_argument("--origin", metavar="URL", help="where browsers find it, such as https://games.example.org")
    init.add_argument("--certificate", type=_path, metavar="FILE", help="a PEM file, for TLS")
    init.add_argument("--key", type=_path, metavar="FILE", help="its key, if it is in a file of its own")
    init.add_argument("--user", help="whom systemd runs the server as (default: you; tpserver if you are root)")

    operator("reload")
    operator("restart")

    doctor = add("doctor", "examining:doctor", "look at all that a server needs, and say what to fix")
    doctor.add_argument("--send-test", action="store_true", help="send a test notice to each address of the operator")

    backup = add("backup", "backups:backup", "copy the database, also beside a running server, and prove it")
    backup.add_argument("--to", type=_path, metavar="DIR", help="where to (default: backups in the data directory)")
    backup.add_argument("--keep", type=_count("backups", 1, 10_000), metavar="N", help="remove all but the newest N")
    backup.add_argument("--sample", type=_count("games", 0, 10_000), metavar="N", help="how many games to run again")
    backup.add_argument("--list", action="store_true", help="list the backups that are there")
    add_list_arguments(backup)
    backup.add_argument("--gently", action="store_true", help=argparse.SUPPRESS)

    restore = add("restore", "backups:restore", "make the database from a backup")
    restore.add_argument("file", type=_path, metavar="FILE")
    restore.add_argument(
        "--sample", type=_count("games", 0, 10_000), metavar="N", help="how many games to run again (default: all)"
    )

    export = add("export", "archives:export", "write a game to a file, also beside a running server")
    export.add_argument("name", metavar="NAME")
    export.add_argument("--to", type=_path, metavar="FILE", help="where to (default: NAME.tpgame in this directory)")

    import_ = add("import", "archives:import_", COMMANDS["game import"].help)
    import_.add_argument("file", type=_path, metavar="FILE")
    import_.add_argument("--name", metavar="NAME", help="what it is called here")
    import_.add_argument(
        "--account", action="append", default=[], metavar="OLD=NEW", help="who has another name here than in the file"
    )

    archive = add("archive", "archives:archive", COMMANDS["game archive"].help)
    archive.add_argument("directory", type=_path, metavar="DIR")
    archive.add_argument("--over-for", required=True, type=_days, metavar="DAYS", help="for how long, such as 90d")
    archive.add_argument("--most", type=_count("games", 1, 999_999), metavar="N", help="the N oldest only")
    archive.add_argument("--delete", action="store_true", help="delete each game here once its file is proven")

    words = "run a metaserver, which lists servers and their games; it has no games itself"
    metaserver = add("metaserver", "metaserver:metaserver", words, [])
    metaserver.add_argument("--address", default="127.0.0.1", help="where to listen (0.0.0.0: for everybody)")
    metaserver.add_argument(
        "--port", type=_port, default=METASERVER_PORT, help=f"TCP port (default {METASERVER_PORT}; 0: any free one)"
    )
    metaserver.add_argument("--file", type=_path, metavar="FILE", help="where the list is kept over a restart")
    metaserver.add_argument(
        "--proxy", action="append", default=[], metavar="ADDRESS", help="a proxy whose X-Forwarded-For is believed"
    )

    play = add("play", "commands:play", "play at once: a server with one game, gone afterwards")
    play.add_argument("ruleset", metavar="R", help="see tpserver ruleset list")
    for name in ("options", "seed"):
        _add_argument(play, COMMANDS["game create"].arguments[name])
    play.add_argument("--seats", type=_count("seats", 1), metavar="N", help="default: the fewest that the rules allow")
    play.add_argument("--bots", type=_count("bots", 0), metavar="K", help="default: all seats but one")
    play.add_argument("--port", type=_port, metavar="PORT", help=f"TCP port (default {PLAIN_PORT}, or a free one)")
    _add_web(play)
    play.add_argument("--no-browser", action="store_true", help="open no browser, also where there is a desktop")
    play.add_argument("--until-end", action="store_true", help="end when the game is over, and print how it went")
    return parser


def _add_argument(parser: Parser, argument: CommandArgument) -> None:
    """Add an argument of an operator's command."""
    default = None if argument.is_required else argument.default
    usual = f" (default {default})" if default and isinstance(default, int) else ""
    made: dict[str, Any] = {"help": f"{argument.help}{usual}", "default": default}
    name = f"--{argument.name.replace('_', '-')}" if argument.is_option else argument.name
    if argument.name == "password":
        made["help"] += "; everybody on this machine can see it there"
        parser = parser.add_mutually_exclusive_group()  # type: ignore[assignment] # it has add_argument, too
        words = "read it from standard input; at a terminal, ask for it"
        parser.add_argument("--password-stdin", action="store_true", help=words)
    elif argument.is_option:
        made["required"] = argument.is_required
    elif not argument.is_required:
        made["nargs"] = "?"
    if argument.type is dict:
        name = "--option"
        made |= {
            "dest": argument.name,
            "action": "append",
            "default": [],
            "help": f"{argument.help}; K=@FILE reads a file",
        }
    if argument.value is not None:
        made |= {"action": "store_const", "const": argument.value}
    else:
        made |= {"metavar": argument.metavar, "choices": argument.choices}
        made["type"] = _count(*argument.bounds) if argument.bounds else None
    parser.add_argument(name, **made)


def _add_web(parser: Parser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--web", metavar="ENDPOINT", help=f"where browsers connect, as tcp:{WEB_PORT}:interface=0.0.0.0; off: nowhere"
    )
    where.add_argument(
        "--web-port", type=_port, metavar="PORT", help=f"TCP port for browsers (default {WEB_PORT}; 0: any free one)"
    )


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError("a path cannot be empty")
    return Path(text)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:6]) > 65535:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a port; ports go from 0 (any free one) to 65535")
    return int(text)


def _days(text: str) -> int:
    number = text.removesuffix("d")
    if not number.isascii() or not number.isdigit() or len(number) > 5:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number of days, such as 90d")
    return int(number)


def _count(what: str, low: int, high: int = MOST_SEATS) -> Any:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 12 or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number of {what} from {low} to {high}")
        return int(text)

    return read


def _either(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
