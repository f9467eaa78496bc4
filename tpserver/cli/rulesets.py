"""``tpserver ruleset``: list, describe and check the installed rulesets."""

from __future__ import annotations

import argparse
import importlib
import signal
import textwrap
from functools import partial
from typing import Any

from tprules.api import (
    Coordinates,
    Number,
    ObjectRef,
    Option,
    OrderType,
    Param,
    Phase,
    PlayerRef,
    ResourceList,
    Ruleset,
    Selection,
    String,
    Turns,
)
from tprules.api.ruleset import kinds_with_orders
from tprules.manuals import manual_of, skeleton_of
from tpserver.admin.listing import Listing, Row
from tpserver.cli.arguments import UsageError
from tpserver.cli.options import Failed
from tpserver.cli.output import say, say_list
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG, Caller, why_it_failed
from tpserver.rules.discovery import UnknownRuleset, discover

WIDTH = 100
NO_LIMIT = 2**31 - 1
"""The upper limit declared by parameters without one."""


def list_all(options: argparse.Namespace) -> int:
    """Print a row for each ruleset, and one sentence for each unusable one."""
    found = discover()
    rows = [_row(name, rules) for name, rules in sorted(found.usable.items())]
    for name, problem in sorted(found.problems.items()):
        data: dict[str, Any] = {"name": name, "version": None, "seats": [], "title": None, "problem": problem}
        rows.append(Row(data, below=[f"{name} cannot be used: {problem}"]))
    head = ("NAME", "VERSION", "SEATS", "TITLE")
    return say_list(Listing(("name", "title"), rows, head, "No ruleset is installed."), options)


def _row(name: str, rules: Ruleset[Any]) -> Row:
    title = rules.title
    data = {"name": name, "version": rules.version, "seats": list(rules.seats), "title": title, "problem": None}
    return Row(data, (name, rules.version, _seats(rules), title))


def show(options: argparse.Namespace) -> int:
    """Print the declarations of a ruleset."""
    say(*page(_named(options.ruleset)))
    return 0


def manual(options: argparse.Namespace) -> int:
    """Print the rules for players, or a template for them. Raises Failed."""
    rules = _named(options.ruleset)
    try:
        read = partial(skeleton_of if options.skeleton else manual_of, rules)
        text = WATCHDOG.call(LOAD_SECONDS, read, Caller(0, rules.name))
    except Exception as error:
        raise Failed(f"the rules for players of {rules.name} cannot be read: {why_it_failed(error)}") from None
    if not text:
        raise Failed(f"{rules.name} has no rules for players; --skeleton prints a text to begin with")
    say(*text.rstrip("\n").split("\n"))
    return 0


def check(options: argparse.Namespace) -> int:
    """Test a ruleset's conformance, or with --games the stored games; raise Failed after an error."""
    if options.games:
        from tpserver.cli.stored_games import check_games

        return check_games(options)
    if options.ruleset is None:
        raise UsageError(f"R is missing; --games tries all stored games (see {options.parser.prog} --help)")
    if options.data is not None or options.config is not None:
        raise UsageError(f"--data and --config go with --games (see {options.parser.prog} --help)")
    rules = _named(options.ruleset)
    # Imported by name, as the server depends only on the rules' api.
    testing = importlib.import_module("tprules.testing")
    say(f"Checking {rules.name} in random games; this takes a while.")
    # Inside a C function Python cannot handle the signal of Ctrl-C, so the system ends the process.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        summary = testing.check(rules)
    except testing.Nonconforming as error:
        what = " ".join(error.what.split()).removeprefix(f"{rules.name}: ")
        advice = [f"  Advice: {' '.join(error.advice.split())}"] if error.advice else []
        raise Failed(f"{rules.name} does not conform: {what}", *advice) from None
    finally:
        signal.signal(signal.SIGINT, before)
    say(*summary.text().splitlines())
    return 0


def page(rules: Ruleset[Any]) -> list[str]:
    """Return all declarations of a ruleset as lines."""
    lines = [f"{rules.name}: {rules.title}"]
    lines += textwrap.wrap(rules.help, WIDTH, initial_indent="  ", subsequent_indent="  ")
    lines += ["", f"  version  {rules.version}", f"  seats    {_seats(rules)}"]
    lines += ["", "Options (--option K=V, or K=@FILE to read a file)"]
    for name, option in rules.options.items():
        lines += _option(name, option)
    if not rules.options:
        lines.append("  none")
    lines += ["", "Phases"]
    lines += [_phase(phase) for phase in rules.phases]
    if rules.clock_groups:
        lines += ["", "Turns that may have a clock of their own (--clock 'CLOCK phase:NAME=FORM')"]
        for name, words in rules.clock_groups.items():
            lines += textwrap.wrap(f"{name}: {words}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    lines += ["", "Orders"]
    for kind in rules.orders:
        lines += _order(kind)
    lines += ["", "Objects"]
    carriers = set(kinds_with_orders(rules))
    for name, declared in rules.kinds.items():
        role = declared.role.name.replace("_", " ").lower()
        takes = ", takes orders" if name in carriers else ""
        lines.append(f"  {declared.title} ({name}): drawn as {role}{takes}{_explained(declared.help)}")
    if rules.resources:
        lines += ["", "Resources"]
        lines += [f"  {resource.id:>4}  {resource.name}{_explained(resource.help)}" for resource in rules.resources]
    if rules.catalogue.designs:
        lines += ["", rules.catalogue.category]
        lines += [f"  {design.id:>4}  {design.name}{_explained(design.help)}" for design in rules.catalogue.designs]
    return lines


def _named(name: str) -> Ruleset[Any]:
    try:
        return discover().named(name)
    except UnknownRuleset as error:
        raise Failed(str(error)) from None


def _seats(rules: Ruleset[Any]) -> str:
    return str(rules.seats[0]) if len(rules.seats) == 1 else f"{rules.seats[0]} to {rules.seats[-1]}"


def _option(name: str, option: Option) -> list[str]:
    default = option.default
    if isinstance(default, bool):
        shown = "on" if default else "off"
    elif isinstance(default, list | tuple):
        shown = ",".join(map(str, default))
    else:
        shown = str(default)
    lines = [f"  {name}{_explained(option.help)}", f"      allowed  {option.limits.strip(' ,')}"]
    drawn = [line for line in shown.splitlines() if line] if "\n" in shown else shown.split("/") if "/" in shown else []
    if drawn:
        return [*lines, "      default", *(f"          {line}" for line in drawn)]
    return [*lines, f"      default  {shown or 'empty'}"]


def _phase(phase: Phase[Any]) -> str:
    orders = ", ".join(kind.name for kind in phase.takes()) or "no orders"
    closes = "after each order" if phase.ends_after == "each" else "when all who are awaited are done"
    return f"  {phase.name}: {orders}; closes {closes}"


def _order(kind: type[OrderType[Any]]) -> list[str]:
    on = f" (on {', '.join(kind.kinds)})" if kind.kinds else ""
    lines = [f"  {kind.number:>4}  {kind.name}{on}{_explained(kind.help)}"]
    for name, param in kind.params.items():
        lines.append(f"          {name}, {_asked(param)}{_explained(param.help)}")
    return lines


def _asked(param: Param) -> str:
    """Return the description of a parameter, in words."""
    match param:
        case Number(low=low, high=high) | Turns(low=low, high=high):
            unit = "a number of turns" if isinstance(param, Turns) else "a whole number"
            return f"{unit} from {low}" if high >= NO_LIMIT else f"{unit} from {low} to {high}"
        case ObjectRef(kinds=kinds):
            return f"an object ({', '.join(kinds)})" if kinds else "an object"
        case Selection(least=least, most=most):
            return f"at least {least} of a list" if most >= NO_LIMIT else f"{least} to {most} of a list"
        case String(longest=longest):
            return f"text of at most {longest} characters"
        case Coordinates():
            return "a point in space"
        case PlayerRef():
            return "a player"
        case ResourceList():
            return "amounts of resources"
    return type(param).__name__


def _explained(text: str) -> str:
    return f": {text}" if text else ""
