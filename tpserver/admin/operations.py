"""Operations on accounts and games, and their output.

Every operation is a coroutine ``(context, arguments) -> lines``.  It runs in a server on the reactor's thread, or in
the command line on the store itself, without knowing which.  It raises ``Refused`` if it is not possible.
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from tpserver.accounts.accounts import Accounts, NotAdmitted
from tpserver.admin.errors import Refused
from tpserver.admin.game_listing import count_events, game_list, game_page, when
from tpserver.games.creation import NewGame
from tpserver.games.game import Game, GameError, NotSaved, durable
from tpserver.games.registry import GameRegistry
from tpserver.store import StoreError
from tpserver.store import accounts as stored_accounts
from tpserver.store import games as stored_games
from tpserver.store import snapshots as stored_snapshots

T = TypeVar("T")
Arguments = Mapping[str, Any]


def nobody_comes(game: Game) -> None:
    """Does nothing: bots are started only by a running server."""


@dataclass(frozen=True)
class AdminContext:
    """What operations work on."""

    registry: GameRegistry
    accounts: Accounts
    clock: str = "all-done"
    """The clock of a new game if none is given."""
    join: Literal["open", "invited"] = "open"
    bring_bots: Callable[[Game], None] = nobody_comes
    """Called with a game that is new or resumed; a server starts its bots."""


Operation = Callable[[AdminContext, Arguments], Awaitable[list[str]]]


async def perform(context: AdminContext, name: str, arguments: Arguments) -> list[str]:
    """Perform the operation of this name and return its output lines.  Raises Refused."""
    operation = OPERATIONS.get(name)
    if operation is None:
        near = difflib.get_close_matches(name, OPERATIONS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise Refused(f"there is no operation {name!r}{hint} (operations: {', '.join(OPERATIONS)})")
    try:
        return await operation(context, arguments)
    except (GameError, NotAdmitted) as error:
        raise Refused(str(error)) from None
    except NotSaved as error:
        raise Refused(f"it could not be saved, and so has not happened: {error}") from None
    except StoreError as error:
        raise Refused(error.sentence) from None


# --- accounts ---------------------------------------------------------------------------------------------------------


async def account_add(context: AdminContext, arguments: Arguments) -> list[str]:
    name, password = _text(arguments, "name"), _text(arguments, "password")
    account = await context.accounts.add(name, password)
    return [f"Account {account.name} added."]


# --- games ------------------------------------------------------------------------------------------------------------


async def game_create(context: AdminContext, arguments: Arguments) -> list[str]:
    options = _given(arguments, "options", dict, {})
    game = await context.registry.create(
        NewGame(
            name=_text(arguments, "name"),
            ruleset=_text(arguments, "ruleset"),
            seats=_given(arguments, "seats", int),
            options=options,
            seed=_given(arguments, "seed", str, ""),
            clock=_given(arguments, "clock", str, context.clock),
            join=_given(arguments, "join", str, context.join),
            bots=_given(arguments, "bots", int, 0),
        )
    )
    context.bring_bots(game)
    seats, bots = len(game.players), game.row.bots
    people = seats - bots
    rest = f"; {bots} seats are for bots" if bots > 1 else "; 1 seat is for a bot" if bots else ""
    lines = [f"Game {game.name} made: {game.row.ruleset}, {seats} seats, clock {game.row.clock}{rest}."]
    if people:
        lines.append(f"It starts when {people} {'player has' if people == 1 else 'players have'} joined.")
        if game.row.join == "invited":
            lines.append(f"Nobody joins uninvited; invite them with: tpserver game invite {game.name} ACCOUNT")
    else:
        lines.append("It starts when the server has brought the bots.")
    return lines


async def game_list_(context: AdminContext, arguments: Arguments) -> list[str]:
    if (gone := context.registry.store.gone) is not None:
        raise gone  # the list comes from memory, and would hide that the database is gone
    rows = context.registry.rows()
    if not rows:
        return ["There are no games yet; make one with: tpserver game create NAME --ruleset R --seats N"]

    seats = context.registry.store.read(stored_games.seats_by_game)
    return game_list(((row, seats[row.id]) for row in rows), context.registry.rulesets.usable)


async def game_show(context: AdminContext, arguments: Arguments) -> list[str]:
    game = context.registry.named(_text(arguments, "name"))
    await durable(game)
    events = context.registry.store.read(stored_snapshots.events, game.row.id)
    return game_page(game, count_events(events), context.registry.now())


async def game_invite(context: AdminContext, arguments: Arguments) -> list[str]:
    game = context.registry.named(_text(arguments, "name"))
    name = _text(arguments, "account")
    account = context.registry.store.read(stored_accounts.by_name, name)
    if account is None:
        raise Refused(f"there is no account {name!r}; make it with: tpserver account add {name}")
    seat = await context.registry.take_seat(game, account.id, account.name)
    free = len(game.open_seats())
    if free:
        rest = f"{free} more {'player is' if free == 1 else 'players are'} awaited"
    elif game.started:
        rest = "the game has started"
    else:
        rest = f"the game could not be started, and is held: {game.row.held_reason}"
    return [f"{account.name} is player {seat + 1} of {game.name}; {rest}."]


async def game_start(context: AdminContext, arguments: Arguments) -> list[str]:
    game = context.registry.named(_text(arguments, "name"))
    context.registry.start(game)
    await durable(game)
    if not game.started:
        raise Refused(f"game {game.name} could not be started, and is held: {game.row.held_reason}")
    return [f"Game {game.name} has started: {game.title()}."]


async def game_pause(context: AdminContext, arguments: Arguments) -> list[str]:
    game = context.registry.named(_text(arguments, "name"))
    await context.registry.lifecycle.pause(game)
    left = "" if game.row.left is None else f" with {round(game.row.left)} seconds of the turn left"
    return [f"Game {game.name} is paused{left}; orders are still taken."]


async def game_resume(context: AdminContext, arguments: Arguments) -> list[str]:
    context.registry.forgive(_text(arguments, "name"))
    game = context.registry.named(_text(arguments, "name"))
    await context.registry.lifecycle.resume(game)
    game = context.registry.named(game.name)
    if game.row.state == "held":
        raise Refused(
            f"game {game.name} is held again: {game.row.held_reason}; after mending the ruleset, restart the server"
        )
    if game.over:
        return [f"Game {game.name} went on and is over: {game.title()}."]
    context.bring_bots(game)
    ends = "" if game.row.deadline is None else f"; the turn ends {when(game.row.deadline)}"
    return [f"Game {game.name} goes on{ends}."]


async def game_close_turn(context: AdminContext, arguments: Arguments) -> list[str]:
    game = context.registry.named(_text(arguments, "name"))
    before = game.state.turn
    await context.registry.lifecycle.close_turn(game)
    game = context.registry.named(game.name)
    if game.row.state == "held":
        raise Refused(
            f"turn {before} of {game.name} could not be computed, and the game is held: {game.row.held_reason}"
        )
    return [f"Turn {before} of {game.name} is closed; now turn {game.state.turn}: {game.title()}."]


OPERATIONS: Mapping[str, Operation] = {
    "account add": account_add,
    "game create": game_create,
    "game list": game_list_,
    "game show": game_show,
    "game invite": game_invite,
    "game start": game_start,
    "game pause": game_pause,
    "game resume": game_resume,
    "game close-turn": game_close_turn,
}

MAKING = frozenset({"account add", "game create"})
"""Operations that may create the data; all others need existing data."""


# --- arguments --------------------------------------------------------------------------------------------------------

_NEEDED = object()
_WORDS = {str: "text", int: "a whole number", dict: "an object"}


def _text(arguments: Arguments, name: str) -> str:
    return _given(arguments, name, str)


def _given(arguments: Arguments, name: str, form: type[T], default: Any = _NEEDED) -> T:
    """Return an argument, checking its type: arguments come over a socket and may be anything."""
    value = arguments.get(name)
    if value is None and default is not _NEEDED:
        value = default
    if not isinstance(value, form) or isinstance(value, bool):
        raise Refused(f"the argument {name!r} must be {_WORDS[form]}")
    return value
