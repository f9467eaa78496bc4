"""Fuzzing targets for texts that operators and players write.

They cover the configuration, clocks, and the options of rulesets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from tests.fuzzing import worlds
from tests.fuzzing.target import Bytes, Target, always, expect
from tests.support.server_in_memory import result_of
from tprules.api import OptionError, Text
from tprules.api.types import canonical
from tprules.taller_ants.board import MEADOW
from tpserver.config import KEYS, ConfigError, load
from tpserver.games.core.errors import GameError
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.terms.clock import ClockError, parse_clock

NOW = 1_700_000_000.0


def _expect_words(text: str) -> None:
    """Raise Finding unless this is what follows the name of a program, or ends up in a sentence: one line of words."""
    expect(8 < len(text) <= 2000 and "\n" not in text and "\r" not in text, f"This is no line of words: {text[:300]!r}")
    text.encode()


# --- configuration ----------------------------------------------------------------------------------------------------


def make_configuration(stack: ExitStack) -> Callable[[bytes], None]:
    path = worlds.folder(stack) / "tpserver.toml"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        try:
            config = load(path)
        except ConfigError as error:
            _expect_words(str(error))
            return
        hash(config)

    return take


def configurations() -> Iterator[bytes]:
    page = (Path(__file__).parents[2] / "tpserver" / "docs" / "configuration.md").read_text()
    block = page.partition("```toml\n")[2].partition("```")[0]
    for section in block.split("\n[")[1:]:
        yield f"[{section}".encode()
    yield b"[server]\nname = 'x'\n[web]\norigins = ['https://games.example.org']\n"
    yield b"[games]\nclock = 'interval:86400 grace:60'\n"
    yield b"[[oidc.providers]]\nid = 'x'\nname = 'X'\nissuer = 'https://x.example'\nclient = 'c'\nsecret = 's'\n"
    yield b"[limits]\nframe_bytes = 1_000_000\nframe_seconds = inf\nidle_seconds = nan\n"
    yield b"a = 1979-05-27T07:32:00Z\nb = {c = [1, 2.0e3, true]}\n"


CONFIG_WORDS = tuple(
    [f"[{section}]\n".encode() for section in KEYS]
    + [f"{key} = ".encode() for keys in KEYS.values() for key in keys]
    + [
        b" = ",
        b'""',
        b"true",
        b"false",
        b"[[",
        b"]]",
        b"{",
        b"}",
        b"nan",
        b"inf",
        b"1979-05-27",
        b'"""',
        b"'''",
        b"\\u0000",
        b"0x",
    ]
)


# --- clocks -----------------------------------------------------------------------------------------------------------


def take_clock(data: bytes) -> None:
    """A clock as text; what is accepted is said in the same words again, and has deadlines."""
    text = data.decode(errors="surrogateescape" if data[:1] == b"\xff" else "replace")
    try:
        clock = parse_clock(text)
    except ClockError as error:
        _expect_words(str(error).encode("utf-8", "backslashreplace").decode())
        return
    finally:
        parse_clock.cache_clear()
    again = parse_clock(str(clock))
    expect(again == clock and str(again) == str(clock), f"A clock is another one when it is read again: {clock}")
    expect(len(str(clock)) <= 1000, "A clock becomes longer.")
    clock.unfit_now(NOW)
    clock.unfit({"combat": "combats"})
    for began in (NOW, NOW + 8_600_000.5, 0.0):
        for form in (clock, *(one for _, one in clock.phases)):
            if form.calendar is None:
                continue
            due = form.calendar.after(began)
            expect(began < due < began + 9 * 86400 * 2, f"{form} is due at {due} after {began}.")
            ends = form.calendar.end_of_turn(began)
            expect(due <= ends < due + 9 * 86400 * 2, f"A turn of {form} ends at {ends}, and begins at {began}.")


def clocks() -> Iterator[bytes]:
    for text in (
        "manual",
        "all-done",
        "interval:86400",
        "threshold:50:3600",
        "calendar:daily:0800+2000:UTC",
        "calendar:mon-fri+sun:2000:Europe/Berlin wait",
        "calendar:daily:2000:UTC grace:3600 phase:combat=interval:3600",
        "all-done bank:3600:60",
        "interval:60 bank:100 vacation:5",
        "interval:60 first:2023-11-20T20:00:Europe/Berlin",
        "calendar:sun-mon:0230:America/New_York",
        "manual phase:a=all-done phase:b=manual",
    ):
        yield text.encode()


CLOCK_WORDS = (
    b"manual|all-done|interval:|threshold:|calendar:|daily:|wait|first:|grace:|bank:|vacation:|phase:|=|+|-|:|mon|sun|"
    b"2026-12-01T20:00:|UTC|Europe/Berlin|America/St_Johns|Australia/Lord_Howe|0230|\xd9\xa3"
).split(b"|")


# --- options ----------------------------------------------------------------------------------------------------------

SHIPPED = [
    point.load() for point in sorted(entry_points(group="tpserver.rulesets")) if point.value.startswith("tprules.")
]
OPTIONS = [(rules, name) for rules in SHIPPED for name in rules.options]
_TEXTS = {"map_text": MEADOW}
"""Texts for options whose default is none."""

BIGGEST = 1200
"""Characters of a map above which no game is begun on it here, which takes long."""


def make_options(stack: ExitStack) -> Callable[[bytes], None]:
    server = worlds.server(stack)
    numbers = iter(range(10**9))

    def take(data: bytes) -> None:
        """One byte: the option; one: what else; what follows is its text."""
        given = Bytes(data)
        rules, name = OPTIONS[given.number() % len(OPTIONS)]
        begins, text = given.number(1), given.rest().decode(errors="replace")
        option = rules.options[name]
        try:
            value = option.parse(name, text)
        except OptionError as error:
            _expect_words(str(error).encode("unicode_escape").decode())
            return
        expect(canonical(value) == canonical(option.parse(name, text)), "The same text is read in two ways.")
        if isinstance(option, Text):
            expect(canonical(option.parse(name, f"{text}\n")) == canonical(value), "The end of a line changes a text.")
        if not begins or len(text) > BIGGEST:
            return
        game = f"game {next(numbers)}"
        try:
            row = result_of(
                server.registry.lobby.create(NewGame(game, rules.name, rules.seats[0], {name: text}, seed="s"))
            ).row
        except GameError as error:
            expect("failed to set up" not in str(error), f"The rules fail: {error}")
            _expect_words(str(error))
            return
        expect(row.name == game, "A game has another name.")

    return take


def options() -> Iterator[bytes]:
    for place, (rules, name) in enumerate(OPTIONS):
        option = rules.options[name]
        default: Any = option.default or _TEXTS.get(name, "")
        text = ",".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
        for begins in (0, 1):
            yield bytes((place, begins)) + text.encode()
            yield bytes((place, begins)) + text.strip().replace("\n", "/").encode()[:200]


TARGETS = (
    Target("configuration", "the configuration file", make_configuration, configurations, CONFIG_WORDS),
    Target("clocks", "the text of a clock", always(take_clock), clocks, CLOCK_WORDS, longest=600),
    Target(
        "options",
        "the options of rulesets, and games with them",
        make_options,
        options,
        (b"\n", b"/", b".", b"A", b"M", b"#", b"on", b","),
        seconds=0.5,
    ),
)
