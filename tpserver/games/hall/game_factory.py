"""Creation of a game: its settings, their checks, and its first rows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from twisted.logger import Logger

from tprules.api import OptionError, Ruleset, parse_options
from tprules.api.advance import Advanced, load_state, opening
from tprules.api.bots import has_bot
from tprules.api.types import canonical
from tprules.printable import quoted
from tpserver.concurrency import Executor, at_once
from tpserver.games.core.errors import GameError
from tpserver.games.terms.anonymity import NO_VACATIONS
from tpserver.games.terms.chat_rules import PRESS, PRIVATE
from tpserver.games.terms.clock import ClockError, parse_clock
from tpserver.games.terms.delay import BadDelay, check
from tpserver.games.terms.guests import GUESTS, NO
from tpserver.games.terms.seat_policy import WAITS_FOR_ALL, BadPolicy, SeatPolicy, stored
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG, Caller, why_it_failed
from tpserver.rules.descriptions import Indescribable, description_of
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.store import Store
from tpserver.store.errors import NameTaken
from tpserver.store.games import changes as stored_changes
from tpserver.store.games.ownership import Creator
from tpserver.store.games.rows import GameRow
from tpserver.store.games.snapshots import Snapshot

log = Logger()

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}")


@dataclass(frozen=True)
class NewGame:
    """The settings of a game to be created."""

    name: str
    ruleset: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: str = ""
    """Text from which all random numbers follow; empty for a random seed."""
    clock: str = "all-done"
    join: str = "open"
    bots: int = 0
    policy: SeatPolicy = WAITS_FOR_ALL
    press: str = PRIVATE
    """Messages that its players may write to each other (`tpserver.games.terms.chat_rules`)."""
    anonymous: bool = False
    """True to hide the players until the game is over (`tpserver.games.terms.anonymity`)."""
    watch_delay: int = 0
    """Number of turns by which spectators see it later (`tpserver.games.terms.delay`)."""
    guests: str = NO
    """Guest rule of the game (`tpserver.games.terms.guests`)."""
    creator: Creator | None = None
    """The account that creates it; None: the operator."""


def is_name(text: str) -> bool:
    """Return whether a game may have this name."""
    return _NAME.fullmatch(text) is not None


async def make(store: Store, rulesets: Rulesets, new: NewGame, now: float, compute: Executor = at_once) -> GameRow:
    """Store a game that waits for players, durably. Raises GameError or TooManyGames; then nothing is stored.

    ``compute`` runs the rules' part of it.
    """
    if not is_name(new.name):
        raise GameError(
            f"{quoted(new.name)} is not a name for a game: 1 to 63 letters, digits, spaces, dots, dashes or underscores"
        )
    try:
        rules = rulesets.named(new.ruleset)
        clock = parse_clock(new.clock)
    except (UnknownRuleset, ClockError) as error:
        raise GameError(str(error)) from None
    if problem := clock.unfit(rules.clock_groups) or clock.unfit_now(now):
        raise GameError(problem)
    if new.anonymous and clock.vacation:
        raise GameError(NO_VACATIONS)
    if new.seats not in rules.seats:
        allowed = f"{rules.seats[0]} to {rules.seats[-1]}" if len(rules.seats) > 1 else f"{rules.seats[0]}"
        raise GameError(f"{new.ruleset} is played by {allowed}, not {new.seats}")
    if not 0 <= new.bots <= new.seats:
        raise GameError(f"bots can take 0 to {new.seats} of {new.seats} seats, not {new.bots}")
    if new.join not in ("open", "invited"):
        raise GameError(f"join is open or invited, not {new.join!r}")
    try:
        new.policy.check(has_bot(rules))
    except BadPolicy as error:
        raise GameError(str(error)) from None
    try:
        check(new.watch_delay)
    except BadDelay as error:
        raise GameError(str(error)) from None
    if new.press not in PRESS:
        raise GameError(f"press is none, public or private, not {quoted(new.press)}")
    if new.guests not in GUESTS:
        raise GameError(f"guests is no, silent or yes, not {quoted(new.guests)}")
    seed = new.seed.encode() if new.seed else os.urandom(32).hex().encode()
    try:
        options, opened = await compute(
            lambda: WATCHDOG.call(LOAD_SECONDS, lambda: _opened(rules, new, seed), Caller(0, rules.name))
        )
    except Indescribable as error:
        raise GameError(f"ruleset {new.ruleset} cannot be used: {error}") from None
    except OptionError as error:
        raise GameError(str(error)) from None
    except Exception as error:
        log.failure("ruleset {rules} failed to set up a game", rules=new.ruleset)
        raise GameError(f"ruleset {new.ruleset} failed to set up a game: {why_it_failed(error)}") from None
    state = opened.state
    snapshot = Snapshot(0, state.turn, 0, now, state.phase, "", opened.digest, opened.data, events=[], outcome=None)
    try:
        return await store.write(
            stored_changes.create_game,
            new.name,
            snapshot,
            ruleset=rules.name,
            ruleset_version=rules.version,
            options=options,
            seed=seed,
            clock=str(clock),
            join=new.join,
            seats=new.seats,
            bots=new.bots,
            policy=stored(new.policy),
            press=new.press,
            anonymous=new.anonymous,
            watch_delay=new.watch_delay,
            guests=new.guests,
            creator=new.creator,
            now=now,
        )
    except NameTaken:
        raise GameError(f"there is already a game {new.name!r}") from None


def _opened(rules: Ruleset[Any], new: NewGame, seed: bytes) -> tuple[dict[str, Any], Advanced[Any]]:
    """Return the options and the opening of a game.

    Raises GameError if the rules cannot load their own opening.
    """
    options = parse_options(rules.options, new.options)
    description_of(rules)
    opened = opening(rules, options, new.seats, seed)
    load_state(rules, json.loads(canonical(opened.data)))
    return options, opened
