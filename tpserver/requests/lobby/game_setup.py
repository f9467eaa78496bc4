"""Request for the setup of a game: rules, turn clock, seats and options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tprules.api import Ruleset
from tprules.api.options import Option, Text
from tprules.api.types import canonical
from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.core.errors import GameError
from tpserver.games.terms.chat_rules import press_of
from tpserver.games.terms.delay import UNWATCHED, delay_of
from tpserver.games.terms.guests import guests_of
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session
from tpserver.rules.call_limits import CHECK_SECONDS, WATCHDOG, Caller
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow

GAME_SETUP = BY_NAME["game_setup"].number

LONGEST_HELP = 300
"""Maximum characters of a ruleset's text about an option."""
LONGEST_VALUE = 1000
"""Maximum characters of an option's value in a response."""
MOST_OPTIONS = 100
"""Maximum options of a game in a response."""


@handles("get_game_setup")
def get_game_setup(session: Session, message: tp.GetGameSetup) -> Answer:
    """Return the setup of a game. Raises RequestError, GameError, and NotAdmitted for a game closed to the account."""
    row = row_of(session, message.game)
    registry = session.host.registry
    rules = registry.rulesets.usable.get(row.ruleset)
    told = tp.GameSetup(
        game=row.name,
        ruleset=row.ruleset,
        title=registry.rulesets.title_of(row.ruleset),
        version=str(row.ruleset_version),
        seats=len(registry.store.read(stored_games.seats, row.id)),
        bots=row.bots,
        clock=row.clock,
        invited=row.join != "open",
        press=press_of(row),
        anonymous=bool(row.anonymous),
        watch_delay=max(0, delay_of(row)),
        unwatched=delay_of(row) == UNWATCHED,
        guests=guests_of(row),
    )
    if rules is not None:
        try:
            told.options.extend(
                WATCHDOG.call(CHECK_SECONDS, lambda: _options(rules, row.options), Caller(row.id, row.ruleset))
            )
        except Exception:
            del told.options[:]  # all other values are known
    return [session.payload(GAME_SETUP, told)]


def typed(value: Any) -> str:
    """Return the value of an option in its typed form."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return ",".join(map(str, value))


def row_of(session: Session, name: str) -> GameRow:
    """Return the row of a game by name, or of the current game for an empty name.

    Raises RequestError, GameError, and NotAdmitted for a game that is closed to the account.
    """
    registry, account = session.host.registry, session.account
    if not name:
        return session.seeing().row
    row = registry.directory.row_named(name)
    if row is None:
        raise GameError(f"there is no game {quoted(name)}")
    is_in = session.game is not None and session.game.row.id == row.id
    if row.join == "open" or is_in:
        return row
    if account is not None and row.id in registry.store.read(stored_games.with_seat_of, account.id):
        return row
    if account is not None and session.owns(row.id, account):
        return row
    raise NotAdmitted(f"the game {row.name!r} is for invited players only; its setup is not shown to others")


def _options(rules: Ruleset[Any], chosen: dict[str, Any]) -> list[tp.SetupOption]:
    return [
        _setup_option(name, option, chosen[name])
        for name, option in list(rules.options.items())[:MOST_OPTIONS]
        if name in chosen  # a newer version may have more
    ]


def _setup_option(name: str, option: Option, value: Any) -> tp.SetupOption:
    """Return the description of an option. An option value with a text form cannot be typed again."""
    default = option.parse(name, option.default)
    is_changed = canonical(value) != canonical(default)
    is_read = isinstance(option, Text) and option.reader is not None
    words = typed(option.default) if not is_changed else "" if is_read else typed(value)
    return tp.SetupOption(
        name=name,
        help=printable(str(option.help), LONGEST_HELP, KEPT_FOR_PLAYERS),
        value=words if len(words) <= LONGEST_VALUE else "",
        changed=is_changed,
    )
