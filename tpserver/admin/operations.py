"""Operations on accounts and games, and their output.

Every operation is a coroutine ``(context, its arguments) -> lines``.  It runs in a server on the thread of the reactor,
or in the command line on the store itself, without knowing which.  It raises ``Refused`` if it is not possible.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tprules.printable import quoted
from tpserver.accounts.accounts import Accounts, NotAdmitted
from tpserver.admin import archives
from tpserver.admin.game_listing import count_events, game_list, game_page, when
from tpserver.admin.socket_protocol import Refused
from tpserver.games.clock import ClockError, duration, parse_clock
from tpserver.games.creation import NewGame, is_name
from tpserver.games.game import Game, GameError, NotNow, NotSaved, durable
from tpserver.games.lifecycle import BY_OPERATOR
from tpserver.games.registry import GameRegistry
from tpserver.store import StoreError
from tpserver.store import accounts as stored_accounts
from tpserver.store import games as stored_games
from tpserver.store import snapshots as stored_snapshots


async def _no_server() -> list[str]:
    raise Refused("no server runs on this data, so there is none to read a configuration")


@dataclass
class AdminContext:
    """What operations work on."""

    registry: GameRegistry
    accounts: Accounts
    clock: str = "all-done"
    """The clock of a new game if none is given."""
    join: Literal["open", "invited"] = "open"
    bring_bots: Callable[[Game], object] = lambda game: None
    """Called with a game that is new or resumed; a running server starts its bots."""
    reload: Callable[[], Awaitable[list[str]]] = _no_server
    """Has a running server read its configuration and certificates again."""


Operation = Callable[..., Awaitable[list[str]]]


async def perform(context: AdminContext, name: str, arguments: Mapping[str, Any]) -> list[str]:
    """Perform the operation of this name and return its output lines.  Raises Refused."""
    operation = OPERATIONS.get(name)
    if operation is None:
        near = difflib.get_close_matches(name, OPERATIONS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise Refused(f"there is no operation {name!r}{hint} (operations: {', '.join(OPERATIONS)})")
    try:
        return await operation(context, **_checked(operation, arguments))
    except (GameError, NotNow, NotAdmitted) as error:
        raise Refused(str(error)) from None
    except NotSaved as error:
        raise Refused(f"it could not be saved, and so has not happened: {error}") from None
    except StoreError as error:
        raise Refused(error.sentence) from None


# --- accounts ---------------------------------------------------------------------------------------------------------


async def account_add(context: AdminContext, name: str, password: str) -> list[str]:
    account = await context.accounts.add(name, password)
    return [f"Account {account.name} added."]


# --- games ------------------------------------------------------------------------------------------------------------


async def game_create(
    context: AdminContext,
    name: str,
    ruleset: str,
    seats: int,
    options: dict[str, Any] | None = None,
    seed: str = "",
    clock: str | None = None,
    join: str | None = None,
    bots: int = 0,
) -> list[str]:
    game = await context.registry.create(
        NewGame(
            name=name,
            ruleset=ruleset,
            seats=seats,
            options=options or {},
            seed=seed,
            clock=context.clock if clock is None else clock,
            join=context.join if join is None else join,
            bots=bots,
        )
    )
    context.bring_bots(game)
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


async def game_list_(context: AdminContext) -> list[str]:
    if (gone := context.registry.store.gone) is not None:
        raise gone  # the list comes from memory, and would hide that the database is gone
    rows = context.registry.rows()
    if not rows:
        return ["There are no games yet; make one with: tpserver game create NAME --ruleset R --seats N"]

    seats = context.registry.store.read(stored_games.seats_by_game)
    return game_list(((row, seats[row.id]) for row in rows), context.registry.rulesets.usable)


async def game_show(context: AdminContext, name: str) -> list[str]:
    game = context.registry.named(name)
    await durable(game)
    events = context.registry.store.read(stored_snapshots.events, game.row.id)
    return game_page(game, count_events(events), context.registry.now())


async def game_invite(context: AdminContext, name: str, account: str) -> list[str]:
    game = context.registry.named(name)
    found = context.registry.store.read(stored_accounts.by_name, account)
    if found is None:
        raise Refused(f"there is no account {account!r}; make it with: tpserver account add {account}")
    seat = await context.registry.take_seat(game, found.id, found.name)
    free = len(game.open_seats())
    if free:
        rest = f"{free} more {'player is' if free == 1 else 'players are'} awaited"
    elif game.started:
        rest = "the game has started"
    else:
        rest = f"the game could not be started, and is held: {game.row.held_reason}"
    return [f"{found.name} is player {seat + 1} of {game.name}; {rest}."]


async def game_start(context: AdminContext, name: str) -> list[str]:
    game = context.registry.named(name)
    context.registry.start(game)
    await durable(game)
    if not game.started:
        raise Refused(f"game {game.name} could not be started, and is held: {game.row.held_reason}")
    return [f"Game {game.name} has started: {game.title()}."]


async def game_pause(context: AdminContext, name: str) -> list[str]:
    game = context.registry.named(name)
    await context.registry.lifecycle.pause(game)
    left = "" if game.row.left is None else f" with {max(0, round(game.row.left))} seconds of the turn left"
    return [f"Game {game.name} is paused{left}; orders are still taken."]


async def game_resume(context: AdminContext, name: str) -> list[str]:
    context.registry.forgive(name)
    game = context.registry.named(name)
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


async def game_extend(context: AdminContext, name: str, seconds: int) -> list[str]:
    game = context.registry.named(name)
    await context.registry.lifecycle.give_time(game, seconds, BY_OPERATOR)
    due = game.row.due
    if due is None or game.row.state != "running":
        return [f"The turn of {game.name} has {duration(seconds)} more when the game goes on; the players are told."]
    return [f"The turn of {game.name} has {duration(seconds)} more, until {when(due)}; the players are told."]


async def game_set_clock(context: AdminContext, name: str, clock: str) -> list[str]:
    game = context.registry.named(name)
    try:
        wanted = parse_clock(clock)
    except ClockError as error:
        raise Refused(str(error)) from None
    await context.registry.lifecycle.set_clock(game, wanted, BY_OPERATOR)
    game = context.registry.named(game.name)
    ends = "" if game.row.due is None or game.row.state != "running" else f" This turn is due {when(game.row.due)}."
    told = " The players are told." if any(player.name for player in game.players) else ""
    return [f"Game {game.name} has the clock {game.row.clock}: {game.clock.words()}.{ends}{told}"]


async def game_close_turn(context: AdminContext, name: str) -> list[str]:
    game = context.registry.named(name)
    before = game.state.turn
    await context.registry.lifecycle.close_turn(game)
    game = context.registry.named(game.name)
    if game.row.state == "held":
        raise Refused(
            f"turn {before} of {game.name} could not be computed, and the game is held: {game.row.held_reason}"
        )
    return [f"Turn {before} of {game.name} is closed; now turn {game.state.turn}: {game.title()}."]


async def game_import(
    context: AdminContext, name: str, path: str, digest: str, accounts: dict[str, Any] | None = None
) -> list[str]:
    """Add the game of an archive that the command line has proven, which is the one with this digest."""
    if not is_name(name):
        raise Refused(f"{quoted(name)} is not a name for a game; --name gives it another one")
    renamed = {str(old): str(new) for old, new in (accounts or {}).items()}

    def read() -> archives.Archive:
        file = Path(path)
        try:
            if archives.digest_of_file(file) != digest:
                raise Refused(f"{path} was changed while it was imported")
        except OSError as error:
            raise Refused(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
        return archives.read(file)

    registry = context.registry
    try:
        archive = await registry.lifecycle.compute(read)
    except archives.BadArchive as error:
        raise Refused(str(error)) from None
    row = await registry.store.write(archives.put, archive, name, renamed, registry.now())
    game = registry.named(row.name)
    lines = [f"Game {game.name} is here, in turn {row.turn}, {game.row.state}."]
    lines += [f"  player {player.seat + 1} is {player.name}" for player in game.players if player.name]
    if row.state == "paused":
        lines.append(f"Let it go on with: tpserver game resume {game.name}")
    return lines


async def reload(context: AdminContext) -> list[str]:
    return await context.reload()


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
    "game import": game_import,
    "reload": reload,
    "game extend": game_extend,
    "game set-clock": game_set_clock,
}

MAKING = frozenset({"account add", "game create"})
"""Operations that may create the data; all others need existing data."""


_FORMS = {"str": (str, "text"), "int": (int, "a whole number"), "dict[str, Any]": (dict, "an object")}
"""By the annotation of an operation's argument: its type, and what the operator is told to give."""


def _checked(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that an operation declares.  Raises Refused: they come over a socket and may be anything."""
    checked = {}
    for name, declared in inspect.signature(operation).parameters.items():
        value = arguments.get(name)
        if name == "context" or (value is None and declared.default is not declared.empty):
            continue
        form, words = _FORMS[declared.annotation.removesuffix(" | None")]
        if not isinstance(value, form) or isinstance(value, bool):
            raise Refused(f"the argument {name!r} must be {words}")
        checked[name] = value
    return checked
