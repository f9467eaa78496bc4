"""The rules for players: a Markdown text that a ruleset has for clients.

By default it is the file PLAY.md beside the module of the ruleset's class. It uses a small part of Markdown: headings
with one to three ``#``, paragraphs, lists with ``-`` or ``1.``, **bold**, *italic* and `code`. It begins with the
title. The first paragraph is the goal in one sentence.

In the sections "Pieces" and "Orders", each design and each order type has a heading of the third level. Its text is the
name of the design or order type, or the words that people use for it. Several may share a heading, with commas between
them. Clients link to these headings, and ignore case and spaces in them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tprules.api.appearance import Look, OrderWords
from tprules.api.objects import Design
from tprules.api.orders import OrderType
from tprules.api.ruleset import Ruleset
from tprules.printable import CUT, KEPT_FOR_PLAYERS, printable

FILE = "PLAY.md"

LONGEST = 65_536
"""Maximum characters of the text. The rest is not shown to players."""

LONGEST_GOAL = 200

SECTIONS = ("Set-up", "A turn", "Pieces", "Orders", "How it ends", "Scoring", "Options", "An example")
"""The sections of a text in order. Other sections may come between them."""


def manual_of(rules: Ruleset[Any]) -> str:
    """Return the rules for players as Markdown; empty if the ruleset has none.

    Unprintable characters except ends of lines are escaped as in Python. A text that is too long is cut. Raises OSError
    or UnicodeDecodeError if the file cannot be read, and the errors of a ruleset's own ``manual``.
    """
    text = rules.manual or _beside(type(rules))
    if not isinstance(text, str):
        raise TypeError(f"the manual of {rules.name} is {type(text).__name__}, not text")
    lines = text.removeprefix("\ufeff")[:LONGEST].split("\n")
    return "\n".join(printable(line.rstrip("\r"), LONGEST, KEPT_FOR_PLAYERS) for line in lines)[:LONGEST]


def _beside(kind: type[Any]) -> str:
    """Return the text of the file beside the module of a class; empty if there is none."""
    module = sys.modules.get(kind.__module__)
    place = getattr(module, "__file__", None)
    # A module without a package has the modules of others beside it.
    if module is None or place is None or not module.__package__:
        return ""
    file = Path(place).with_name(FILE)
    return file.read_text("utf-8-sig") if file.is_file() else ""


def goal_of(text: str) -> str:
    """Return the goal in one sentence: the paragraph after the title, cut to LONGEST_GOAL; empty without one."""
    match = re.match(r"\s*# [^\n]*\n\s*((?:[^\n#\-\s][^\n]*(?:\n|\Z))+)", text)
    return printable(" ".join(match[1].split()), LONGEST_GOAL, KEPT_FOR_PLAYERS) if match else ""


def headings_of(text: str, section: str) -> set[str]:
    """Return the names in the headings of the third level within a section.

    A shared heading counts whole and in parts.
    """
    names: set[str] = set()
    inside = False
    for line in text.split("\n"):
        if line.startswith("## "):
            inside = line[3:].strip() == section
        elif inside and line.startswith("### "):
            heading = line[4:].strip()
            names |= {heading, *(name.strip() for name in heading.split(","))}
    return names


def unfit_manual(rules: Ruleset[Any]) -> str:
    """Return one sentence about the first missing part of the rules for players, or ""."""
    text = manual_of(rules)
    if not text:
        return f"there are no rules for players: neither {FILE} beside its module nor `manual`"
    if len(text) >= LONGEST:
        return f"the rules for players are longer than {LONGEST} characters"
    title = text.split("\n", 1)[0].removeprefix("# ").strip()
    if title != rules.title:
        return f"the rules for players begin with {title[:100]!r}, not with # {rules.title}"
    goal = goal_of(text)
    if not goal or goal.endswith(CUT) or not re.fullmatch(r"(?:[^.!?]|[.!?](?! ))*[.!?]", goal):
        what = repr(goal) if goal else "missing"
        return f"the goal, the first paragraph, is {what}; it is one sentence of at most {LONGEST_GOAL} characters"
    found = [line[3:].strip() for line in text.split("\n") if line.startswith("## ")]
    for missing in _not_in_order(SECTIONS, found):
        return f"the section ## {missing} is missing, or not in its place ({', '.join(SECTIONS)})"
    for section, named in (
        ("Pieces", [_design_names(design) for design in rules.catalogue.designs]),
        ("Orders", [_order_names(kind) for kind in rules.orders]),
    ):
        headings = {_plain(heading) for heading in headings_of(text, section)}
        for names in named:
            if headings.isdisjoint(map(_plain, names)):
                return f"in the section {section} there is no heading ### {names[0]}"
    options = text.split("\n## Options\n", 1)[-1].split("\n## ", 1)[0]
    for name in rules.options:
        if not re.search(rf"^- \*\*{re.escape(name)}\*\*", options, re.MULTILINE):
            return f"in the section Options there is no item - **{name}**"
    return ""


def skeleton_of(rules: Ruleset[Any]) -> str:
    """Return a first text in the right form, with the declarations of the ruleset. `unfit_manual` accepts it."""
    first = re.split(r"(?<=[.!?]) ", " ".join(rules.help.split()))[0]
    goal = f"{first.rstrip('.!?') or 'Say in one sentence how somebody wins'}."
    parts = [f"# {rules.title}", goal if len(goal) <= LONGEST_GOAL else "Win."]
    for section in SECTIONS:
        parts.append(f"## {section}")
        if section == "Pieces":
            parts += [f"### {_design_names(one)[0]}\n\n{one.help}".rstrip() for one in rules.catalogue.designs]
        elif section == "Orders":
            parts += [f"### {_order_names(kind)[0]}\n\n{kind.help}".rstrip() for kind in rules.orders]
        elif section == "Options":
            parts += [f"- **{name}** (default {one.default}): {one.help}" for name, one in rules.options.items()]
    return "\n\n".join(parts) + "\n"


def _design_names(design: Design) -> list[str]:
    """Return the names of a design, the name for people first."""
    words = design.look.words if isinstance(design.look, Look) and isinstance(design.look.words, str) else ""
    return [f"{words[0].upper()}{words[1:]}", design.name] if words else [design.name]


def _order_names(kind: type[OrderType[Any]]) -> list[str]:
    """Return the names of an order type, the name for people first."""
    words = kind.words.name if isinstance(kind.words, OrderWords) and isinstance(kind.words.name, str) else ""
    return [words, kind.name] if words else [kind.name]


def _plain(name: str) -> str:
    """Return a name as clients compare it with others."""
    return re.sub(r"[\s_-]+", "", name.lower())


def _not_in_order(wanted: Iterable[str], found: Iterable[str]) -> Iterable[str]:
    """Yield the first item of ``wanted`` that is not in ``found`` after the item before."""
    rest = iter(found)
    for name in wanted:
        if not any(name == other for other in rest):
            yield name
            return
