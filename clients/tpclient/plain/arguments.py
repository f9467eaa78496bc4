"""Arguments of plain commands, and the connection from the environment.

Imports no network code, so a wrong argument fails at once.
"""

import argparse
import getpass
import os
import sys
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tpclient.address import PORT, TRUSTED, Address, parse_address, trusting
from tpclient.columns import as_named, as_typed, shown
from tpclient.errors import BadArgument

ADDRESS, USER, PASSWORD = "TPCLIENT_ADDRESS", "TPCLIENT_USER", "TPCLIENT_PASSWORD"
"""Environment variables for the connection options."""

METASERVER = "TPCLIENT_METASERVER"
"""The environment variable with the address of a metaserver."""

DIALECTS = ("tp03", "tp04", "pb")
"""The values of --dialect (`transport.dialect_named`)."""

USUAL_DIALECT = "pb; tp04 where the server does not speak that"
"""The default dialect, in words."""

RULES = "reading.rules"
"""The command to read rules. It always uses Protocol Buffers."""

SUMMARY = "news.summary"
"""The command for turn reports. It uses Protocol Buffers unless --dialect names another dialect."""

SCORES = "ending.scores"
"""The command for scores. It uses Protocol Buffers unless --dialect names another dialect."""

SETUP = "ending.setup"
"""The command for the setup of a game. It always uses Protocol Buffers."""

MINE = "inspect.own_games"
"""The command to list the player's own games. It logs in without a game, and always uses Protocol Buffers."""

CLOCK = "clock.clock"
"""The command to show or change a turn clock. It always uses Protocol Buffers, and logs in only for a change."""

PROPOSALS = "agreements.proposals"
"""The command to list proposals, to propose and to vote.

It uses Protocol Buffers unless --dialect names another dialect.
"""

VACATION = "vacations.vacation"
"""The command for vacations. It logs in without a game, and always uses Protocol Buffers."""

NOTICES = "notices."
"""Prefix of the commands for notifications."""

NOTICE_COMMAND = f"{NOTICES}command"

SEATS, OPEN_SEATS, TAKE = "seats.seats", "seats.open_seats", "seats.take"
"""The commands for seats of any game. They always use Protocol Buffers.

The first logs in only for a change, the second never, the third without a game.
"""

OF_SEAT = ("seats.here", "seats.autopilot")
"""The commands for the player's own seat. They always use Protocol Buffers."""

ACCOUNT = "account."
"""Prefix of the commands for the account."""

ACCOUNT_COMMAND = f"{ACCOUNT}command"

TOKEN_COMMAND = f"{ACCOUNT}token"

ADMIN_COMMAND = f"{ACCOUNT}admin"

TALK = "talk."
"""Prefix of the commands for blocks and messages."""

TALK_COMMAND = f"{TALK}command"

OWNING = "owning."
"""Prefix of the commands for the owner of a game."""

OWNER_COMMAND = f"{OWNING}command"

OF_ACCOUNT = (NOTICES, ACCOUNT, TALK, OWNING)
"""Prefixes of the commands that log in without a game. They always use Protocol Buffers."""

FORGOTTEN, RESET = f"{ACCOUNT}forgotten", f"{ACCOUNT}reset"
"""The commands for a forgotten password."""

GUEST, BECOME = f"{ACCOUNT}guest", f"{ACCOUNT}become"
"""The commands for users without an account."""

NEEDS_NO_USER = ("inspect.games", RULES, SETUP, CLOCK, SEATS, OPEN_SEATS, FORGOTTEN, RESET, GUEST)
"""The commands that need no login."""

LONGEST_PAUSE = 86400
"""Maximum of --timeout in seconds."""
LONGEST_WAIT = 10 * 365 * 86400
"""Maximum of --at-most in seconds."""

_ORDER_VALUES = """\
Values: objects and players by id or exact name ("Star System=5, 3"), numbers as they are, coordinates as X,Y,Z. List
choices by id or name with commas between them, NAME=2 for two of one. A value alone goes to the next parameter without
one. `tpclient object ID` lists the orders of an object, `order probe` the possible choices, and `rules --about TYPE`
the rules of an order type."""


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the plain commands to those of `tpclient`.

    The parsed `run` names the command: a module of this package and a function in it.
    """
    shared = shared_options()

    def command(name: str, run: str, words: str, where: Any = commands, **more: Any) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = where.add_parser(
            name, parents=[shared], help=words, description=f"{words[0].upper()}{words[1:]}.", **more
        )
        parser.set_defaults(run=run)
        return parser

    listed = command("games", "inspect.games", "list the games of a server; needs no user")
    listed.add_argument(
        "--mine",
        dest="run",
        action="store_const",
        const=MINE,
        help="only games in which I have a seat, with the awaited players",
    )
    command("status", "inspect.status", "show my name, the turn, the awaited players, and my objects")
    tree = command("objects", "inspect.objects", "list everything I see as a tree")
    tree.add_argument("--kind", metavar="KIND", help="only objects of this kind, as Fleet")
    tree.add_argument("--mine", action="store_true", help="only my own objects")
    tree.add_argument("--under", metavar="OBJECT", help="only this object and what is in it")
    one = command("object", "inspect.one_object", "show an object and the orders that it takes")
    one.add_argument("object", metavar="OBJECT", help="id or exact name")
    rules = command("rules", RULES, "read the rules of a game; needs no user")
    rules.add_argument(
        "game",
        nargs="?",
        metavar="GAME|RULESET",
        help="default: the game in --user NAME@GAME, or the only game",
    )
    part = rules.add_mutually_exclusive_group()
    part.add_argument("--section", metavar="NAME", help="only this section, as Scoring")
    part.add_argument("--about", metavar="NAME", help="only the part about a piece or an order, as Move")
    drawn = command("map", "inspect.draw_map", "draw each galaxy as text")
    _add_map_options(drawn)
    past = command("history", "past.history", "list the turns of the game, or show one as it was")
    past.add_argument("turn", nargs="?", type=_whole, metavar="N", help="show this turn, with its map")
    _add_map_options(past)
    told = command("summary", SUMMARY, "show the reports of this turn, or of others")
    turns = told.add_mutually_exclusive_group()
    turns.add_argument("turn", nargs="?", type=_whole, metavar="TURN", help="the reports of this turn")
    turns.add_argument("--since", type=_whole, metavar="TURN", help="the reports of turn TURN and all later ones")
    command("scores", SCORES, "show the scores, or the places of a game that is over")
    made = command("setup", SETUP, "show the setup of a game; needs no user")
    made.add_argument("game", nargs="?", metavar="GAME", help="default: the game in --user NAME@GAME")
    told = command("clock", CLOCK, "show the turn clock of a game; only a change needs a user")
    told.add_argument("game", nargs="?", metavar="GAME", help="default: the game in --user NAME@GAME")
    change = told.add_mutually_exclusive_group()
    change.add_argument(
        "--extend", type=_whole, metavar="SECONDS", help="give the turn more time, in a game that I own"
    )
    change.add_argument("--take-back", action="store_true", help="take back the last time that I gave")
    change.add_argument("--set", metavar="CLOCK", help="change the clock of a game that I own, as interval:86400")
    _add_seat_commands(command)
    agreed = command("proposals", PROPOSALS, "list proposals of the players, propose, and vote")
    act = agreed.add_mutually_exclusive_group()
    act.add_argument("--propose", metavar="KIND", help="propose something, as pause; the list shows the kinds")
    act.add_argument("--agree", type=_whole, metavar="ID", help="agree to a proposal")
    act.add_argument("--refuse", type=_whole, metavar="ID", help="refuse a proposal")
    act.add_argument("--withdraw", type=_whole, metavar="ID", help="withdraw a proposal of mine")
    agreed.add_argument("--seconds", type=_whole, metavar="SECONDS", help="the proposed additional time")
    agreed.add_argument("--clock", metavar="CLOCK", help="the proposed clock")
    agreed.add_argument("--player", type=_whole, metavar="PLAYER", help="the number of the player to remove")
    agreed.add_argument("--reason", metavar="TEXT", help="the reason to end the game")
    _add_policy_options(agreed)
    away = command("vacation", VACATION, "list, add or end my vacations, for which some clocks wait")
    away.add_argument(
        "days", nargs="*", metavar="DAY", help="the first and the last day, as 2026-12-24; one alone: from now on"
    )
    away.add_argument("--end", type=_whole, metavar="ID", help="end or cancel a vacation")
    queued = command("orders", "orders.orders", "show queued orders")
    queued.add_argument(
        "object", nargs="?", metavar="OBJECT", help="only for this object, with the orders that it takes"
    )
    _add_order_commands(commands, command)
    board = command("messages", "news.messages", "read the messages of this turn, or remove some")
    which = board.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="all messages on the board")
    which.add_argument("--since", type=_whole, metavar="TURN", help="only of turn TURN and later")
    which.add_argument(
        "--remove", type=_whole, nargs="+", metavar="SLOT", help="remove these messages for good, counted from 0"
    )
    letter = command("post", "news.post", "write a message to a player, or to everybody")
    letter.add_argument("player", nargs="?", metavar="PLAYER", help="name or id; everybody")
    letter.add_argument(
        "--player", dest="named", metavar="NAME", help="instead of PLAYER: a name that may look like an id"
    )
    letter.add_argument("subject", metavar="SUBJECT")
    letter.add_argument("body", nargs="?", metavar="BODY", help="the text; default: standard input")
    done = command("finish", "news.finish", "finish this turn")
    done.add_argument("--undo", action="store_true", help="reopen the turn, until it is computed")
    done.add_argument("--wait", action="store_true", help="wait for the next turn and show its reports")
    done.add_argument(
        "--at-most", type=seconds(LONGEST_WAIT), metavar="SECONDS", help="wait no longer than this (exit code 1)"
    )
    _add_notice_commands(commands, command)
    _add_account_commands(commands, command)
    _add_talk_commands(commands, command)
    _add_owner_commands(commands, command)
    command("watch", "news.watch", "show each new turn and message until the game is over")


def _add_seat_commands(command: Callable[..., argparse.ArgumentParser]) -> None:
    told = command("seats", SEATS, "show players, awaited players and missed turns; only a change needs a user")
    told.add_argument("game", nargs="?", metavar="GAME", help="default: the game in --user NAME@GAME")
    _add_policy_options(told)
    told.add_argument(
        "--remove", type=_whole, metavar="PLAYER", help="remove the player from the seat with this number"
    )
    command("open-seats", OPEN_SEATS, "list open seats; needs no user")
    taken = command("take-seat", TAKE, "take an open seat, with its orders")
    taken.add_argument("game", metavar="GAME")
    taken.add_argument("player", type=_whole, metavar="PLAYER", help="the number of the seat, as in open-seats")
    taken.add_argument("--invitation", metavar="WORD", help="the code, for a game for invited players")
    command("here", OF_SEAT[0], "report that I am here, so that the game waits for me again")
    flown = command("autopilot", OF_SEAT[1], "let the bot play some turns for me; any order ends it")
    flown.add_argument("turns", type=_whole, metavar="TURNS", help="1 to 100, including this one; 0 ends it")


def _add_policy_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the policy for absent players. Missing options change nothing (`seats.changed_policy`)."""
    change = parser.add_argument_group("absent players", "for the owner of a game; for proposals of the kind seats")
    change.add_argument(
        "--absent-after", type=_whole, metavar="N", help="do not wait for a player who missed N turns in a row"
    )
    words = "let a turn without a deadline wait N days for a player who does nothing; 0: for ever"
    change.add_argument("--silent-days", type=_whole, metavar="N", help=words)
    change.add_argument("--absent", choices=("rules", "bot"), help="the rules or the bot play an absent seat")
    change.add_argument("--seek", choices=("yes", "no"), help="let others take an absent seat")
    change.add_argument("--reliability", type=_whole, metavar="PERCENT", help="minimum of kept turns for new players")
    words = "begin when all players are here; the others lose their seats after so many seconds"
    change.add_argument("--roll-call", type=_whole, metavar="SECONDS", help=words)


def _add_map_options(drawn: argparse.ArgumentParser) -> None:
    drawn.add_argument("--resources", action="store_true", help="show resources in place of owners")
    drawn.add_argument("--width", type=_whole, metavar="COLUMNS", help="cut lines to this width; 0: never")
    drawn.add_argument("--skip", type=_whole, default=0, metavar="N", help="leave out N columns of systems in the west")


def _add_order_commands(commands: Any, command: Callable[..., argparse.ArgumentParser]) -> None:
    order = commands.add_parser("order", help="give, test and remove orders")
    kinds = order.add_subparsers(dest="order_command", required=True, metavar="add|probe|remove")
    for name, run, words in (
        ("add", "orders.add", "give an order"),
        ("probe", "orders.probe", "test an order without giving it"),
    ):
        given = command(name, run, words, kinds, epilog=_ORDER_VALUES)
        given.add_argument("object", metavar="OBJECT", help="the object with the order: id or exact name")
        given.add_argument("type", metavar="TYPE", help="the order type's name")
        given.add_argument("values", nargs="*", metavar="PARAM=VALUE", help="its parameters")
        if name == "add":
            given.add_argument(
                "--slot", type=_whole, default=-1, metavar="N", help="before order N of the queue, not at its end"
            )
    gone = command("remove", "orders.remove", "remove orders from a queue", kinds)
    gone.add_argument("object", metavar="OBJECT", help="the object with the queue: id or exact name")
    gone.add_argument("slots", nargs="*", type=_whole, metavar="SLOT", help="slots, counted from 0")
    gone.add_argument("--all", action="store_true", help="the whole queue")


def _add_notice_commands(commands: Any, command: Callable[..., argparse.ArgumentParser]) -> None:
    notices = commands.add_parser("notices", help="notices about my games while I am logged out")
    kinds = notices.add_subparsers(
        dest="notices_command", required=True, metavar="list|add|verify|resets|remove|tell|times|calendar"
    )
    _add_notice_kinds(lambda name, words: command(name, NOTICE_COMMAND, words, kinds))


def _add_notice_kinds(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    command("list", "list my addresses, events and times")
    added = command("add", "add an address; the server sends a code to it")
    added.add_argument("kind", metavar="KIND", help="mail, json, discord, slack or matrix, as the server has it")
    added.add_argument("target", metavar="ADDRESS", help="a mail address, or the URL of a webhook")
    added.add_argument("--token", default="", help="for Matrix: the access token of the account that writes there")
    added.add_argument("--resets", action="store_true", help="for mail: allow it to reset a forgotten password")
    marked = command("resets", "allow or forbid a mail address to reset the password")
    marked.add_argument("number", type=_whole, metavar="N", help="number of the address in notices list")
    marked.add_argument("allowed", choices=("yes", "no"), help="yes: the address has to be verified")
    shown_code = command("verify", "verify an address by the code that was sent to it")
    shown_code.add_argument("number", type=_whole, metavar="N", help="number of the address in notices list")
    shown_code.add_argument("code", nargs="?", default="", metavar="CODE", help="without it, another code is sent")
    gone = command("remove", "remove an address")
    gone.add_argument("number", type=_whole, metavar="N", help="number of the address in notices list")
    told = command("tell", "choose the events for notices")
    told.add_argument("mode", choices=("off", "turn", "digest", "usual"), help="usual: as in all other games")
    told.add_argument("--hours", type=_whole, default=0, metavar="N", help="also N hours before a turn ends")
    told.add_argument("--game", default="", metavar="NAME", help="only in this game")
    times = command("times", "set my time zone, quiet hours, and when the digest comes")
    times.add_argument("zone", metavar="ZONE", help="a time zone, such as Europe/Zurich")
    times.add_argument("--quiet", type=_span, default=(0, 0), metavar="22:00-07:00", help="when nothing is sent")
    calendar = command("calendar", "a link to my deadlines for calendar programs")
    calendar.add_argument(
        "link", nargs="?", choices=("show", "make", "revoke"), default="show",
        help="make a new link, revoke it, or show if there is one (default)",
    )  # fmt: skip
    times.add_argument("--digest", type=_minutes, default=480, metavar="08:00", help="when the digest comes")


def _add_account_commands(commands: Any, command: Callable[..., argparse.ArgumentParser]) -> None:
    account = commands.add_parser("account", help="manage my account")
    kinds = account.add_subparsers(dest="account_command", required=True, metavar="COMMAND")
    _add_account_kinds(lambda name, words: command(name, ACCOUNT_COMMAND, words, kinds))
    forgotten = command("forgotten", FORGOTTEN, "get a code by mail to reset the password", kinds)
    forgotten.add_argument("account", metavar="NAME", help="the name of the account, or its mail address")
    reset = command("reset", RESET, "set a new password with the code from the mail", kinds)
    reset.add_argument("code", metavar="CODE")
    reset.add_argument("--new-password", metavar="NEW", help="default: ask at the terminal")
    command("guest", GUEST, "play as a guest, and show its secret for later logins; needs no user", kinds)
    become = command("become", BECOME, "turn my guest into an account, with all seats and games", kinds)
    become.add_argument("name", metavar="NAME", help="name of the account")
    become.add_argument("--new-password", metavar="NEW", help="default: ask at the terminal")
    become.add_argument("--email", default="", metavar="ADDRESS", help="for a forgotten password")
    token = commands.add_parser("token", help="tokens, with which bots and scripts log in without my password")
    kinds = token.add_subparsers(dest="token_command", required=True, metavar="list|add|revoke")
    _add_token_kinds(lambda name, words: command(name, TOKEN_COMMAND, words, kinds))
    admin = command("admin", ADMIN_COMMAND, "run commands of the operator that my role allows; default: list them")
    admin.add_argument(
        "words", nargs="*", metavar="WORD", help="as account disable NAME reason=TEXT, or accounts [PART]"
    )


def _add_account_kinds(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    words = "change my password; all other logins end. With --password-stdin the second line is the new one"
    changed = command("password", words)
    changed.add_argument("--new-password", metavar="NEW", help="default: ask at the terminal")
    changed.add_argument(
        "--drop",
        action="append",
        default=[],
        choices=("addresses", "providers", "links"),
        help="also end all of these: addresses for notices, sign-in through other servers, the link to the calendar",
    )


def _add_token_kinds(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    command("list", "list my tokens")
    made = command("add", "make a token; it is shown only once")
    made.add_argument("label", metavar="LABEL", help="its purpose")
    made.add_argument("--game", default="", metavar="NAME", help="only for this game")
    made.add_argument("--read-only", action="store_true", help="allow reading only")
    made.add_argument("--days", type=_whole, default=90, metavar="N", help="days until it expires (default 90)")
    gone = command("revoke", "revoke a token")
    gone.add_argument("number", type=_whole, metavar="N", help="number in token list")


def token_options(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command about tokens, as they follow `tpclient token`. Raises BadArgument."""
    parser = _Typed(prog="token", add_help=False)
    kinds = parser.add_subparsers(dest="token_command", required=True, parser_class=_Typed, metavar="COMMAND")
    _add_token_kinds(lambda name, words: kinds.add_parser(name, add_help=False))
    return parser.parse_args(list(words))


def new_password_of(options: argparse.Namespace) -> str:
    """Return the new password from the command line, from standard input, or from two prompts at the terminal.

    Raises BadArgument.
    """
    if options.new_password is not None:
        return str(options.new_password)
    if sys.stdin is not None and options.password_stdin:
        return line_of_input()
    if sys.stdin is None or not sys.stdin.isatty():
        raise BadArgument("Give the new password: --password-stdin with two lines, or --new-password.")
    try:
        first, again = getpass.getpass("New password: "), getpass.getpass("Once more: ")
    except EOFError:
        raise BadArgument("No new password was typed.") from None
    if first != again:
        raise BadArgument("The two new passwords differ.")
    return first


def _add_talk_commands(commands: Any, command: Callable[..., argparse.ArgumentParser]) -> None:
    talk = commands.add_parser("talk", help="block players, mute messages; for moderators: silence accounts")
    kinds = talk.add_subparsers(dest="talk_command", required=True, metavar="COMMAND")
    _add_talk_kinds(lambda name, words: command(name, TALK_COMMAND, words, kinds))


def _add_talk_kinds(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    for name, words in (
        ("show", "show the chat rules of a game, blocked players, and whether I may write"),
        ("mute", "mute messages to everybody in a game"),
        ("unmute", "end the mute of a game"),
    ):
        told = command(name, words)
        told.add_argument("game", nargs="?", default="", metavar="GAME", help="default: the game in --user NAME@GAME")
    for name, words in (
        ("block", "block messages from an account in all games, or from a player of one anonymous game"),
        ("unblock", "end the block of an account, or of a player"),
    ):
        told = command(name, words)
        told.add_argument("name", nargs="?", metavar="ACCOUNT")
        told.add_argument("--player", type=_whole, default=0, metavar="N", help="the number of a player instead")
        told.add_argument("--game", default="", metavar="GAME", help="default: the game in --user NAME@GAME")
    command("unsilence", "for moderators: let an account write again").add_argument("name", metavar="ACCOUNT")
    silenced = command("silence", "for moderators: let an account write to nobody for some days")
    silenced.add_argument("name", metavar="ACCOUNT")
    silenced.add_argument("days", type=_whole, metavar="DAYS")
    silenced.add_argument("reason", metavar="REASON", help="shown to the account")
    _add_report_kinds(command)


def _add_report_kinds(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    reported = command("report", "report a message on my board to the moderators")
    reported.add_argument("slot", type=_whole, metavar="SLOT", help="number in messages")
    reported.add_argument("reason", metavar="REASON")
    reported.add_argument(
        "--spectators", action="store_true", help="a message in talk spectators, when the game is over"
    )
    command("spectators", "show messages among spectators; players read them when the game is over")
    said = command("say", "write to the other spectators of the game that I watch (--user NAME@GAME/watch)")
    said.add_argument("text", metavar="TEXT")
    said.add_argument("--subject", default="", metavar="TEXT")
    command("reports", "for moderators: list reported messages").add_argument(
        "--closed", action="store_true", help="only closed reports"
    )
    closed = command("close", "for moderators: decide about a report; both sides see the reason")
    closed.add_argument("number", type=_whole, metavar="N", help="number in reports")
    closed.add_argument("decision", choices=("dismissed", "warned", "silenced"))
    closed.add_argument("answer", metavar="REASON", help="shown to both sides")
    closed.add_argument("--days", type=_whole, default=0, metavar="N", help="days of silence for the author")


def talk_options(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command about talk, as they follow `tpclient talk`. Raises BadArgument."""
    parser = _Typed(prog="talk", add_help=False)
    kinds = parser.add_subparsers(dest="talk_command", required=True, parser_class=_Typed, metavar="COMMAND")
    _add_talk_kinds(lambda name, words: kinds.add_parser(name, add_help=False))
    return parser.parse_args(list(words))


def _add_owner_commands(commands: Any, command: Callable[..., argparse.ArgumentParser]) -> None:
    owned = commands.add_parser("game", help="change a game that I own; its players are notified")
    kinds = owned.add_subparsers(dest="owner_command", required=True, metavar="COMMAND")
    _add_owner_kinds(lambda name, words: command(name, OWNER_COMMAND, words, kinds))


def _add_owner_kinds(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    for name, words, more, meta in (
        ("rename", "rename a game", "name", "NEW"),
        ("close", "close a game to newcomers: invited players only, also to watch", "", ""),
        ("open", "open a game to everybody", "", ""),
        ("hand-over", "make another player the owner of a game", "account", "ACCOUNT"),
        ("abort", "end a game without a result, for good", "reason", "REASON"),
    ):
        made = command(name, words)
        made.add_argument("game", metavar="GAME")
        if name == "hand-over":
            made.add_argument(more, nargs="?", default="", metavar=meta)
            made.add_argument("--player", type=_whole, default=0, metavar="N", help="the number of a player instead")
        elif more:
            made.add_argument(more, metavar=meta)
    late = command("watch-delay", "delay a game for spectators; after its beginning, only increase the delay")
    late.add_argument("game", metavar="GAME")
    late.add_argument("turns", type=_delay, metavar="TURNS", help="0 to 50 turns, or closed: hidden until its end")


MOST_DELAY = 50
"""Maximum delay for spectators in turns."""


def _delay(text: str) -> str:
    if text != "closed" and not (text.isascii() and text.isdecimal() and int(text[:4]) <= MOST_DELAY):
        raise argparse.ArgumentTypeError(f"a number of turns from 0 to {MOST_DELAY}, or closed, not {text!r}")
    return text


def owner_options(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command about an own game, as they follow `tpclient game`. Raises BadArgument."""
    parser = _Typed(prog="game", add_help=False)
    kinds = parser.add_subparsers(dest="owner_command", required=True, parser_class=_Typed, metavar="COMMAND")
    _add_owner_kinds(lambda name, words: kinds.add_parser(name, add_help=False))
    return parser.parse_args(list(words))


class _Typed(argparse.ArgumentParser):
    """A parser for commands typed within a program. An error raises BadArgument instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise BadArgument(f"{message[:1].upper()}{message[1:]}.")


def notice_options(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command about notices, as they follow `tpclient notices`. Raises BadArgument."""
    parser = _Typed(prog="notices", add_help=False)
    kinds = parser.add_subparsers(dest="notices_command", required=True, parser_class=_Typed, metavar="COMMAND")
    _add_notice_kinds(lambda name, words: kinds.add_parser(name, add_help=False))
    return parser.parse_args(list(words))


def _minutes(text: str) -> int:
    hours, colon, minutes = text.partition(":")
    if colon and all(part.isascii() and part.isdigit() and len(part) <= 2 for part in (hours, minutes)):
        found = int(hours) * 60 + int(minutes)
        if int(minutes) < 60 and found < 24 * 60:
            return found
    raise argparse.ArgumentTypeError(f"{text!r} is no time of the day such as 08:00")


def _span(text: str) -> tuple[int, int]:
    begin, _, end = text.partition("-")
    return _minutes(begin), _minutes(end)


def shared_options(spoken: str = USUAL_DIALECT) -> argparse.ArgumentParser:
    """Return the options of every command with a login, as a parent parser. `spoken` names the default dialect."""
    shared = argparse.ArgumentParser(add_help=False)
    where = shared.add_argument_group("connection")
    where.add_argument(
        "--address", metavar="HOST:PORT", help=f"where the server listens; tps://HOST:PORT for TLS (or set {ADDRESS})"
    )
    where.add_argument(
        "--certificates", metavar="FILE", help=f"trust these for TLS instead of the system's (PEM; or set {TRUSTED})"
    )
    where.add_argument("--user", metavar="NAME[@GAME]", help=f"who to log in as (or set {USER})")
    secret = where.add_mutually_exclusive_group()
    secret.add_argument("--password", help=f"(or set {PASSWORD})")
    secret.add_argument("--password-stdin", action="store_true", help="read it from the first line of standard input")
    add_login_options(where, DIALECTS, spoken)
    shared.add_argument("--json", action="store_true", help="print data for programs, a document a line")
    return shared


def add_servers(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command that finds servers. It connects to none and needs no user."""
    words = "find servers and their games: on the local network, and at a metaserver"
    parser = commands.add_parser("servers", help=words, description=f"{words[0].upper()}{words[1:]}.")
    parser.add_argument(
        "--metaserver", action="append", metavar="URL", help=f"ask this one, as http://HOST:PORT/ (or set {METASERVER})"
    )
    parser.add_argument("--lan", action="store_true", help="the local network, too; it alone if no metaserver is named")
    parser.add_argument(
        "--seconds", type=seconds(60), default=3.0, metavar="S", help="how long to listen to the network (default 3)"
    )
    parser.add_argument(
        "--interface", default="", metavar="ADDRESS", help="listen on the interface with this address only"
    )
    words = "longest wait for a metaserver (default 30)"
    parser.add_argument("--timeout", type=seconds(), default=30.0, metavar="SECONDS", help=words)
    parser.add_argument("--json", action="store_true", help="print data for programs, a document a line")


def add_login_options(
    where: "argparse._ActionsContainer", dialects: Sequence[str], spoken: str = USUAL_DIALECT
) -> None:
    """Add the options of every login, also of bots. `dialects` are the choices, `spoken` names the default."""
    where.add_argument("--register", action="store_true", help="make the account if the login is refused")
    where.add_argument("--dialect", choices=dialects, help=f"how to talk (default {spoken})")
    words = "longest wait for an answer (default 30)"
    where.add_argument("--timeout", type=seconds(), default=30.0, metavar="SECONDS", help=words)


def _whole(text: str) -> int:
    text = as_typed(text)
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else -1
    if not 0 <= number < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {2**31 - 1}")
    return number


def seconds(most: int = LONGEST_PAUSE) -> Callable[[str], float]:
    """Return a parser of a number of seconds up to `most`, for argparse."""

    def read(text: str) -> float:
        try:
            number = float(as_typed(text).replace(",", "."))
        except ValueError:
            number = 0.0
        if not 0 < number <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {most}")
        return number

    return read


# --- the connection


def line_of_input() -> str:
    """Return the next line of standard input without line end and byte order mark. Raises BadArgument."""
    try:
        line = sys.stdin.readline() if sys.stdin is not None else ""
        line.encode()
    except UnicodeError:
        line = "\ufffd"
    if "\ufffd" in line:  # the replacement for invalid bytes
        raise BadArgument("The password on standard input is not UTF-8 text.")
    return line.removeprefix("\ufeff").rstrip("\r\n")


def credentials(options: argparse.Namespace) -> tuple[str, str]:
    """Return user and password from the command line, the environment, or a prompt at the terminal."""
    user = as_named(options.user or os.environ.get(USER, ""))
    if not user:
        raise BadArgument(f"Say who you are: --user NAME, or NAME@GAME where there are several games, or set {USER}.")
    return user, password_of(options, user)


def password_of(options: argparse.Namespace, whose: str) -> str:
    """Return the password from the command line, the environment, or a prompt. Raises BadArgument."""
    if options.password_stdin:
        return line_of_input()
    password: str | None = options.password
    if password is None:
        password = os.environ.get(PASSWORD)
    if password is None and sys.stdin is not None and sys.stdin.isatty():
        try:
            password = getpass.getpass(f"Password of {shown(whose)}: ")
        except EOFError:
            password = None
    if password is None:
        raise BadArgument(f"Give the password: --password-stdin, --password, or set {PASSWORD}.")
    return password


def address_of(options: argparse.Namespace) -> Address:
    """Return the server's address from the options, the environment, or the default. Raises BadArgument."""
    text = options.address or os.environ.get(ADDRESS) or f"127.0.0.1:{PORT}"
    address = parse_address(text)
    return trusting(address, options.certificates)


NAMES = frozenset({"account", "address", "code", "game", "invitation", "name", "named", "player", "target", "user"})
"""The options with a name, a code or an address (`columns.as_named`)."""


def compose(options: argparse.Namespace) -> None:
    """Normalize typed text to NFC, as servers do, and clean names and codes of characters that copying adds.

    Passwords stay unchanged.
    """
    for name, value in vars(options).items():
        if isinstance(value, str) and name in NAMES:
            setattr(options, name, as_named(value))
        elif isinstance(value, str) and "password" not in name:
            setattr(options, name, unicodedata.normalize("NFC", value))
        elif isinstance(value, list):
            setattr(
                options, name, [unicodedata.normalize("NFC", one) if isinstance(one, str) else one for one in value]
            )


def check_text(options: argparse.Namespace) -> None:
    """Raise BadArgument for words that are not valid Unicode text. No frame could carry them."""
    typed = [word for value in vars(options).values() for word in (value if isinstance(value, list) else [value])]
    for text in map(str, (*typed, *(os.environ.get(name, "") for name in (ADDRESS, USER, PASSWORD)))):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadArgument(f"{text!r} is no text in the encoding of this terminal.") from None
