"""The command line's syntax: commands, their options, and one sentence for each error."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from tprules.printable import LONGEST_WORD, printable, quoted
from tpserver import __version__
from tpserver.admin.descriptions import ARGUMENTS, CLOCKS, DOES
from tpserver.config import did_you_mean
from tpserver.games.clock import LONGEST
from tpserver.games.guests import GUESTS
from tpserver.games.press import MOST_DAYS, PRESS
from tpserver.games.seating import BOT, LONGEST_ROLL_CALL, MOST_MISSED, RULES
from tpserver.net import METASERVER_PORT, PLAIN_PORT, WEB_PORT

MOST_SEATS = 1000
"""Upper limit for arguments, above that of any ruleset; the ruleset checks what fits."""
ABSENT = "what plays an absent seat: the orders that the rules give for whoever has none, or the bot of the rules"
SEEK = "whether somebody else can take the seat of a player who is absent"
ROLL_CALL = "begin when all have said that they are here; who has not in so many seconds loses the seat; 0: at once"
RELIABILITY = "let nobody join who has kept fewer of the turns that were due, in percent; 0: let all"
ABSENT_AFTER = "do not wait for a player who has missed so many turns in a row; 0: wait for everybody"


class UsageError(Exception):
    """The command line is wrong; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError instead of printing the usage and exiting."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(allow_abbrev=False, **keywords)

    def error(self, message: str) -> NoReturn:
        choice = re.fullmatch(r"argument (.*?): invalid choice: '(.*)' \(choose from (.*)\)", message, re.DOTALL)
        if choice:
            what, word, choices = choice.groups()
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
    """Return the options; ``does`` names the command.  Raises UsageError; exits by itself after --help."""
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


@cache  # making it takes longer than most commands take in a process that runs many, such as that of the tests
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
    making = Parser(add_help=False)
    making.add_argument(
        "--option", action="append", default=[], metavar="K=V", help="an option of the ruleset; K=@FILE reads a file"
    )
    making.add_argument("--seed", default="", metavar="TEXT", help=ARGUMENTS["seed"])

    parser = Parser(prog="tpserver", description="A server for turn-based strategy games (Thousand Parsec protocols).")
    parser.add_argument("--version", action="version", version=f"tpserver {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(within: Any, name: str, does: str, parents: Sequence[Parser], text: str) -> Parser:
        made: Parser = within.add_parser(name, parents=[common, *parents], help=text, description=text)
        made.set_defaults(does=does, parser=made)
        return made

    def group(name: str, text: str) -> Any:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(parser=made)
        return made.add_subparsers(dest="action", metavar="ACTION", required=True)

    run = add(commands, "run", "run", [place], "run a server")
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

    _add_report_commands(group("report", "letters that players have reported"), add, place)
    _add_account_commands(group("account", "make and look after accounts"), add, place)

    audit = add(commands, "audit", "audit", [place], DOES["audit"])
    audit.add_argument("name", metavar="NAME", nargs="?", help="only with this account or game")
    audit.add_argument("--most", type=_count("entries", 1, 10_000), metavar="N", help="only the newest N (default 100)")

    games = group("game", "make and look after games")
    create = add(games, "create", "game create", [place, making], DOES["game create"])
    create.add_argument("name", metavar="NAME")
    create.add_argument("--ruleset", required=True, metavar="R", help=ARGUMENTS["ruleset"])
    create.add_argument("--seats", required=True, type=_count("seats", 1), metavar="N")
    create.add_argument("--clock", help=CLOCKS)
    create.add_argument("--bots", default=0, type=_count("bots", 0), metavar="K", help=ARGUMENTS["bots"])
    create.add_argument("--join", choices=("open", "invited"), help="who may take a seat")
    create.add_argument(
        "--absent-after", default=0, type=_count("turns", 0, MOST_MISSED), metavar="N", help=ABSENT_AFTER
    )
    create.add_argument("--absent", default=RULES, choices=(RULES, BOT), help=ABSENT)
    create.add_argument(
        "--roll-call", default=0, type=_count("seconds", 0, LONGEST_ROLL_CALL), metavar="SECONDS", help=ROLL_CALL
    )
    create.add_argument("--seek", default="no", choices=("yes", "no"), help=SEEK)
    create.add_argument("--reliability", default=0, type=_count("percent", 0, 100), metavar="PERCENT", help=RELIABILITY)
    create.add_argument("--press", choices=PRESS, help=ARGUMENTS["press"])
    create.add_argument("--anonymous", choices=("yes", "no"), help=ARGUMENTS["anonymous"])
    create.add_argument("--watch-delay", metavar="N", help=ARGUMENTS["watch_delay"])
    create.add_argument("--guests", choices=GUESTS, help=ARGUMENTS["guests"])
    add(games, "list", "game list", [place], DOES["game list"])
    for action in ("show", "start", "pause", "resume", "close-turn"):
        add(games, action, f"game {action}", [place], DOES[f"game {action}"]).add_argument("name", metavar="NAME")
    extend = add(games, "extend", "game extend", [place], DOES["game extend"])
    extend.add_argument("name", metavar="NAME")
    extend.add_argument("seconds", type=_seconds, metavar="SECONDS")
    other = add(games, "set-clock", "game set-clock", [place], DOES["game set-clock"])
    other.add_argument("name", metavar="NAME")
    other.add_argument("clock", metavar="CLOCK", help=CLOCKS)

    seats = add(games, "seats", "game seats", [place], DOES["game seats"])
    seats.add_argument("name", metavar="NAME")
    seats.add_argument("--absent-after", type=_count("turns", 0, MOST_MISSED), metavar="N", help=ABSENT_AFTER)

    seats.add_argument("--absent", choices=(RULES, BOT), help=ABSENT)
    seats.add_argument("--roll-call", type=_count("seconds", 0, LONGEST_ROLL_CALL), metavar="SECONDS", help=ROLL_CALL)
    seats.add_argument("--seek", choices=("yes", "no"), help=SEEK)
    seats.add_argument("--reliability", type=_count("percent", 0, 100), metavar="PERCENT", help=RELIABILITY)
    told = add(games, "players", "game players", [place], DOES["game players"])
    told.add_argument("name", metavar="NAME")
    told.add_argument("--reason", required=True, metavar="TEXT", help=ARGUMENTS["reason"])
    removed = add(games, "remove", "game remove", [place], DOES["game remove"])
    removed.add_argument("name", metavar="NAME")
    removed.add_argument("player", metavar="PLAYER", help=ARGUMENTS["player"])
    given = add(games, "give", "game give", [place], DOES["game give"])
    given.add_argument("name", metavar="NAME")
    given.add_argument("account", metavar="ACCOUNT")

    for action in ("close", "open"):
        add(games, action, f"game {action}", [place], DOES[f"game {action}"]).add_argument("name", metavar="NAME")
    other = add(games, "watch-delay", "game watch-delay", [place], DOES["game watch-delay"])
    other.add_argument("name", metavar="NAME")
    other.add_argument("watch_delay", metavar="N", help=ARGUMENTS["watch_delay"])
    other = add(games, "rename", "game rename", [place], DOES["game rename"])
    other.add_argument("name", metavar="NAME")
    other.add_argument("new_name", metavar="NEW")
    end = add(games, "abort", "game abort", [place], DOES["game abort"])
    end.add_argument("name", metavar="NAME")
    end.add_argument("--reason", required=True, metavar="TEXT")
    gone = add(games, "delete", "game delete", [place], f"{DOES['game delete']}, after an export")
    gone.add_argument("name", metavar="NAME")
    gone.add_argument("--without-export", action="store_true", help="write no file before")
    gone.add_argument("--to", type=_path, metavar="FILE", help="where to (default: NAME.tpgame in this directory)")

    invite = add(games, "invite", "game invite", [place], DOES["game invite"])
    invite.add_argument("name", metavar="NAME")
    invite.add_argument("account", metavar="ACCOUNT")

    cluster = group("node", "look after the servers that share a database")
    add(cluster, "drain", "node drain", [place], DOES["node drain"])
    add(cluster, "undrain", "node undrain", [place], DOES["node undrain"])
    add(cluster, "list", "node list", [place], "list the nodes of the cluster, and how many games each holds")

    rulesets = group("ruleset", "look at the installed rulesets")
    add(rulesets, "list", "ruleset list", [], "list all rulesets")
    show = add(rulesets, "show", "ruleset show", [], "show what a ruleset declares")
    show.add_argument("ruleset", metavar="R")
    manual = add(rulesets, "manual", "ruleset manual", [], "print the rules for players")
    manual.add_argument("ruleset", metavar="R")
    manual.add_argument("--skeleton", action="store_true", help="a text to begin with, for who writes a ruleset")
    check = add(rulesets, "check", "ruleset check", [place], "test whether a ruleset keeps its contract")
    check.add_argument("ruleset", metavar="R", nargs="?", help="with --games: a ruleset, or the name of a game")
    check.add_argument(
        "--games", action="store_true", help="try instead whether the stored games can go on; nothing is changed"
    )

    replay = add(commands, "replay", "replay", [place], "re-run a game's journal and compare digest after digest")
    replay.add_argument("name", metavar="NAME")

    init = add(commands, "init", "init", [], "write a configuration with comments, a data directory and a systemd unit")
    init.add_argument("directory", type=_path, metavar="DIR")
    init.add_argument("--name", default="tpserver", help="what lists of games call the server")
    init.add_argument("--address", default="127.0.0.1", help="where to listen (0.0.0.0: for everybody)")
    init.add_argument("--origin", metavar="URL", help="where browsers find it, such as https://games.example.org")
    init.add_argument("--certificate", type=_path, metavar="FILE", help="a PEM file, for TLS")
    init.add_argument("--key", type=_path, metavar="FILE", help="its key, if it is in a file of its own")
    init.add_argument("--user", help="whom systemd runs the server as (default: you)")

    add(commands, "reload", "reload", [place], DOES["reload"])
    add(commands, "restart", "restart", [place], DOES["restart"])

    add(commands, "doctor", "doctor", [place], "look at all that a server needs, and say what to mend; changes nothing")

    backup = add(commands, "backup", "backup", [place], "copy the database, also beside a running server, and prove it")
    backup.add_argument("--to", type=_path, metavar="DIR", help="where to (default: backups in the data directory)")
    backup.add_argument("--keep", type=_count("backups", 1, 10_000), metavar="N", help="remove all but the newest N")
    backup.add_argument("--sample", type=_count("games", 0, 10_000), metavar="N", help="how many games to run again")
    backup.add_argument("--list", action="store_true", help="list the backups that are there")
    backup.add_argument("--gently", action="store_true", help=argparse.SUPPRESS)

    restore = add(commands, "restore", "restore", [place], "make the database from a backup")
    restore.add_argument("file", type=_path, metavar="FILE")
    restore.add_argument(
        "--sample", type=_count("games", 0, 10_000), metavar="N", help="how many games to run again (default: all)"
    )

    export = add(commands, "export", "export", [place], "write a game to a file, also beside a running server")
    export.add_argument("name", metavar="NAME")
    export.add_argument("--to", type=_path, metavar="FILE", help="where to (default: NAME.tpgame in this directory)")

    import_ = add(commands, "import", "import", [place], DOES["game import"])
    import_.add_argument("file", type=_path, metavar="FILE")
    import_.add_argument("--name", metavar="NAME", help="what it is called here")
    import_.add_argument(
        "--account", action="append", default=[], metavar="OLD=NEW", help="who has another name here than in the file"
    )

    archive = add(commands, "archive", "archive", [place], DOES["game archive"])
    archive.add_argument("directory", type=_path, metavar="DIR")
    archive.add_argument("--over-for", required=True, type=_days, metavar="DAYS", help="for how long, such as 90d")
    archive.add_argument("--most", type=_count("games", 1, 999_999), metavar="N", help="the N oldest only")
    archive.add_argument("--delete", action="store_true", help="delete each game here once its file is proven")

    words = "run a metaserver, which lists servers and their games; it has no games itself"
    metaserver = add(commands, "metaserver", "metaserver", [], words)
    metaserver.add_argument("--address", default="127.0.0.1", help="where to listen (0.0.0.0: for everybody)")
    metaserver.add_argument(
        "--port", type=_port, default=METASERVER_PORT, help=f"TCP port (default {METASERVER_PORT}; 0: any free one)"
    )
    metaserver.add_argument("--file", type=_path, metavar="FILE", help="where the list is kept over a restart")
    metaserver.add_argument(
        "--proxy", action="append", default=[], metavar="ADDRESS", help="a proxy whose X-Forwarded-For is believed"
    )

    play = add(commands, "play", "play", [place, making], "play at once: a server with one game, gone afterwards")
    play.add_argument("ruleset", metavar="R", help="see tpserver ruleset list")
    play.add_argument("--seats", type=_count("seats", 1), metavar="N", help="default: the fewest that the rules allow")
    play.add_argument("--bots", type=_count("bots", 0), metavar="K", help="default: all seats but one")
    play.add_argument("--port", type=_port, metavar="PORT", help=f"TCP port (default {PLAIN_PORT}, or a free one)")
    _add_web(play)
    play.add_argument("--until-end", action="store_true", help="end when the game is over, and print how it went")
    return parser


def _add_account_commands(accounts: Any, add: Callable[..., Parser], place: Parser) -> None:
    for action in ("add", "reset-password"):
        made = add(accounts, action, f"account {action}", [place], DOES[f"account {action}"])
        made.add_argument("name", metavar="NAME")
        secret = made.add_mutually_exclusive_group()
        secret.add_argument(
            "--password-stdin", action="store_true", help="read it from standard input; at a terminal, ask for it"
        )
        secret.add_argument("--password", metavar="P", help="the password; everybody on this machine can see it there")
    add(accounts, "list", "account list", [place], DOES["account list"])
    rename = add(accounts, "rename", "account rename", [place], DOES["account rename"])
    rename.add_argument("name", metavar="NAME")
    rename.add_argument("new_name", metavar="NEW")
    export = add(accounts, "export", "account export", [place], DOES["account export"])
    export.add_argument("name", metavar="NAME")
    remove = add(accounts, "remove", "account remove", [place], DOES["account remove"])
    remove.add_argument("name", metavar="NAME")
    remove.add_argument("--without-export", action="store_true", help="write no file before")
    for parser in (export, remove):
        parser.add_argument("--to", type=_path, metavar="FILE", help="where to (default: NAME.json in this directory)")
    role = add(accounts, "role", "account role", [place], DOES["account role"])
    role.add_argument("name", metavar="NAME")
    role.add_argument("role", choices=("player", "moderator", "operator", "bot"), metavar="ROLE",
                      help="player, moderator, operator or bot")  # fmt: skip
    disable = add(accounts, "disable", "account disable", [place], DOES["account disable"])
    disable.add_argument("name", metavar="NAME")
    enable = add(accounts, "enable", "account enable", [place], DOES["account enable"])
    enable.add_argument("name", metavar="NAME")
    silence = add(accounts, "silence", "account silence", [place], DOES["account silence"])
    silence.add_argument("name", metavar="NAME")
    silence.add_argument("days", type=_count("days", 1, MOST_DAYS), metavar="DAYS")
    silence.add_argument("--reason", required=True, metavar="TEXT", help="which the account is told")
    add(accounts, "unsilence", "account unsilence", [place], DOES["account unsilence"]).add_argument(
        "name", metavar="NAME"
    )
    disable.add_argument("--reason", metavar="TEXT", help=f"{ARGUMENTS['reason']}, and for the account, which is told")
    for parser in (enable, remove, role):
        parser.add_argument("--reason", metavar="TEXT", help=ARGUMENTS["reason"])


def _add_report_commands(reports: Any, add: Callable[..., Parser], place: Parser) -> None:
    listed = add(
        reports, "list", "report list", [place], "show the letters that were reported; the audit has who looked"
    )
    listed.add_argument("--closed", action="store_const", const="yes", help="those about which something was decided")
    close = add(reports, "close", "report close", [place], DOES["report close"])
    close.add_argument("number", type=_count("reports", 1, 999_999), metavar="N")
    close.add_argument("decision", choices=("dismissed", "warned", "silenced"), metavar="DECISION",
                       help="dismissed, warned or silenced")  # fmt: skip
    close.add_argument("--reason", required=True, metavar="TEXT", help="which both are told")
    close.add_argument("--days", type=_count("days", 1, MOST_DAYS), metavar="N",
                       help="for how long the writer is silenced")  # fmt: skip


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


def _seconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:12]) <= LONGEST:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number of seconds from 1 to {LONGEST}")
    return int(text)


def _days(text: str) -> int:
    number = text.removesuffix("d")
    if not number.isascii() or not number.isdigit() or len(number) > 5:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number of days, such as 90d")
    return int(number)


def _count(what: str, low: int, high: int = MOST_SEATS) -> Any:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text[:6]) <= high:
            raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number of {what} from {low} to {high}")
        return int(text)

    return read


def _either(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
