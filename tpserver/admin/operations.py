"""Operations on accounts and games, and their output.

Every operation is a coroutine ``(context, its arguments) -> lines``.  It runs in a server on the thread of the reactor,
or in the command line on the store itself, without knowing which.  It raises ``Refused`` if it is not possible.
"""

from __future__ import annotations

import difflib
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from twisted.logger import Logger

from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.accounts.accounts import Accounts, NotAdmitted
from tpserver.admin import archives
from tpserver.admin.account_listing import account_list, audit_list, report_list
from tpserver.admin.game_listing import count_events, game_list, game_page, players_page, seats_page, when
from tpserver.admin.other_processes import OtherProcesses
from tpserver.admin.socket_protocol import Fault, Refused
from tpserver.games import moderation, ownership
from tpserver.games.clock import ClockError, duration, parse_clock
from tpserver.games.creation import NewGame, is_name
from tpserver.games.delay import BadDelay, delay_from, words
from tpserver.games.game import Game, GameElsewhere, GameError, NotNow, NotSaved, durable
from tpserver.games.guests import NO as NO_GUESTS
from tpserver.games.lifecycle import BY_OPERATOR
from tpserver.games.press import PRIVATE
from tpserver.games.registry import GameRegistry
from tpserver.games.seating import RULES, SeatPolicy
from tpserver.store import StoreError, account_rows
from tpserver.store import accounts as stored_accounts
from tpserver.store import audit as stored_audit
from tpserver.store import games as stored_games
from tpserver.store import reliability as stored_reliability
from tpserver.store import reported_letters as stored_reports
from tpserver.store import snapshots as stored_snapshots
from tpserver.store.audit import AuditEntry

log = Logger()

OPERATOR = "the operator"
"""Who has done what came from the command line, in the audit."""

LONGEST_REASON = 300
"""Maximum characters of a reason, which the account may be told."""

LONGEST_DETAIL = 200
"""Maximum characters of an argument in the audit."""

NOT_DETAILS = ("name", "reason", "password", "seed")
"""Arguments that are no details in the audit: it has fields of their own for them, or moderators, who may play, read it
and are not to know them.  By its seed a game can be foretold."""

MOST_REPORTS = 100
"""Maximum reports that are shown at once, the oldest."""

MOST_ENTRIES = 10_000
"""Maximum entries of the audit that are shown at once."""

YES, NO = "yes", "no"


async def _no_server() -> list[str]:
    raise Refused("no server runs on this data, so there is none to read a configuration")


async def _no_server_to_restart() -> list[str]:
    raise Refused("no server runs on this data; tpserver run starts one")


async def _no_node(draining: bool) -> list[str]:
    raise Refused("no server runs on this data that is a node of a cluster; tpserver run starts one")


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
    restart: Callable[[], Awaitable[list[str]]] = _no_server_to_restart
    """Has a running server replaced by another process."""
    drain: Callable[[bool], Awaitable[list[str]]] = _no_node
    """Has a node of a cluster hand its games over, or take games again."""
    takes_guests: Callable[[], bool] = lambda: True
    """Returns whether the server lets guests come in."""
    others: OtherProcesses | None = None
    """The other processes of a running server, if it has several."""


Operation = Callable[..., Awaitable[list[str]]]


async def perform(
    context: AdminContext, name: str, arguments: Mapping[str, Any], actor: str = OPERATOR, *, passed_on: bool = False
) -> list[str]:
    """Perform the operation of this name and return its output lines.  Raises Refused.

    What was done is in the audit, with ``actor`` as who has done it, unless it only looks.  If another process of this
    server has the game, that one performs it, unless this was ``passed_on`` already; Fault is raised if it fails there.
    """
    operation = OPERATIONS.get(name)
    if operation is None:
        near = difflib.get_close_matches(name, OPERATIONS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise Refused(f"there is no operation {name!r}{hint} (operations: {', '.join(OPERATIONS)})")
    checked = _checked(operation, arguments)
    others = None if passed_on else context.others
    try:
        if others is not None and name in MADE_ANYWHERE and context.registry.node is not None:
            less_loaded = others.at(context.registry.node.place_of_new_game())
            if less_loaded is not None:
                return await others.ask(less_loaded, name, checked, actor)
        lines = await operation(context, **checked)
        only_looked = name in READING or (name in READING_WITHOUT_MORE and set(checked) == {"name"})
        if not only_looked and name not in IN_AUDIT_ALREADY:
            await _note(context, name, checked, actor)
        if others is not None and name in EVERYWHERE:
            lines = [*lines, *await _by_others(others, name, checked, actor, lines)]
        return lines
    except GameElsewhere as error:
        holder = None if others is None else others.at(error.address)
        if others is None or holder is None:
            there = "; give the command to that server, on its machine" if error.address else ""
            raise Refused(f"{error}{there}") from None
        return await others.ask(holder, name, checked, actor)
    except (GameError, NotNow, NotAdmitted) as error:
        raise Refused(str(error)) from None
    except NotSaved as error:
        became = "nobody knows whether it has happened" if error.is_unknown else "so it has not happened"
        raise Refused(f"it could not be saved, and {became}: {error}") from None
    except StoreError as error:
        raise Refused(error.sentence) from None


async def _by_others(
    others: OtherProcesses, name: str, arguments: Mapping[str, Any], actor: str, known: list[str]
) -> list[str]:
    """Have the other processes of the server perform an operation, too; return what they say that is not ``known``."""
    found = []
    for number in others:
        try:
            lines = await others.ask(number, name, arguments, actor)
        except (Refused, Fault) as error:
            lines = [f"this was not done: {error}"]
        found += [f"process {number}: {line}" for line in lines if line not in known]
    return found


async def _note(context: AdminContext, name: str, arguments: Mapping[str, Any], actor: str) -> None:
    """Add what was done to the audit; if that fails it is in the log."""
    details = {key: value for key, value in arguments.items() if key not in NOT_DETAILS and value not in ("", {})}
    told = {key: value for key, value in details.items() if len(json.dumps(value)) <= LONGEST_DETAIL}
    subject, reason = str(arguments.get("name", "")), str(arguments.get("reason") or "")
    entry = AuditEntry(context.registry.now(), actor, name, subject, told, reason)
    try:
        await context.registry.store.write(stored_audit.add, entry)
    except StoreError as error:
        log.error("{what} by {who} is not in the audit: {why}", what=name, who=actor, why=error.sentence)


async def audit(context: AdminContext, name: str = "", most: int = 100) -> list[str]:
    """Show what was done, at most so many entries, with one account or game or with all."""
    if not 1 <= most <= MOST_ENTRIES:
        raise Refused(f"1 to {MOST_ENTRIES} entries are shown, not {most}")
    entries = context.registry.store.read(stored_audit.newest, most, name)
    if not entries:
        return [f"There is nothing in the audit {f'about {quoted(name)}' if name else 'yet'}."]
    return audit_list(entries)


# --- accounts ---------------------------------------------------------------------------------------------------------


async def account_add(context: AdminContext, name: str, password: str) -> list[str]:
    account = await context.accounts.add(name, password)
    return [f"Account {account.name} added."]


async def account_list_(context: AdminContext) -> list[str]:
    accounts = context.registry.store.read(stored_accounts.all)
    if not accounts:
        return ["There are no accounts yet; make one with: tpserver account add NAME"]
    return account_list(accounts, context.registry.store.read(stored_accounts.seat_counts))


async def account_reset_password(context: AdminContext, name: str, password: str) -> list[str]:
    account = context.accounts.named(name)
    await context.accounts.set_password(account, password)
    return [f"Account {account.name} has another password; whoever was logged in with the old one is not any more."]


async def account_rename(context: AdminContext, name: str, new_name: str) -> list[str]:
    account = context.accounts.named(name)
    renamed = await context.accounts.rename(account, new_name)
    context.registry.renamed(account.id, renamed)
    return [f"Account {account.name} is called {renamed} now, also in its games."]


async def account_disable(context: AdminContext, name: str, reason: str = "") -> list[str]:
    account = context.accounts.named(name)
    await context.accounts.disable(account, _reason(reason))
    return [f"Account {account.name} is disabled: nobody logs in to it, and its connections have ended."]


async def account_enable(context: AdminContext, name: str, reason: str = "") -> list[str]:
    account = context.accounts.named(name)
    _reason(reason)
    await context.accounts.enable(account)
    return [f"Account {account.name} can log in again."]


async def account_role(context: AdminContext, name: str, role: str, reason: str = "") -> list[str]:
    account = context.accounts.named(name)
    _reason(reason)
    await context.accounts.set_role(account, role)
    context.registry.label_bot(account.id, role == "bot")
    return [f"Account {account.name} is {_a(role)} now."]


async def account_silence(context: AdminContext, name: str, days: int, reason: str = "") -> list[str]:
    account = context.accounts.named(name)
    made = await moderation.silence(context.registry, account, days, _reason(reason))
    return [f"Account {account.name} writes to nobody until {moderation.until_words(made.until)}; it is told why."]


async def account_unsilence(context: AdminContext, name: str) -> list[str]:
    account = context.accounts.named(name)
    await moderation.end_silence(context.registry, account)
    return [f"Account {account.name} may write again."]


async def report_list_(context: AdminContext, closed: str = "") -> list[str]:
    """Return the letters that were reported, those that are open or those that are closed; the look is in the audit."""
    store = context.registry.store
    found = store.read(stored_reports.listed, None, bool(closed), 0, MOST_REPORTS)
    if not found:
        return ["No letter is reported that nothing was decided about." if not closed else "No report is closed yet."]
    accounts = {one for report in found for one in (report.account, report.writer) if one is not None}
    games = {row.id: row.name for row in store.read(stored_games.all)}
    return report_list(found, store.read(stored_reports.names_of, accounts), games)


async def report_close(context: AdminContext, number: int, decision: str, reason: str, days: int = 0) -> list[str]:
    registry = context.registry
    report = registry.store.read(stored_reports.one, number, None)
    if report is None:
        raise Refused(f"there is no report {number}")
    await moderation.close_report(registry, report, decision, reason, days, OPERATOR, noted=False)
    return [f"Report {number} is closed; whom it concerns is told."]


async def account_export(context: AdminContext, name: str) -> list[str]:
    """Return all that is stored of an account, as the lines of a JSON document."""
    account = context.accounts.named(name)
    found = await context.registry.store.read_later(account_rows.all_of, account)
    return json.dumps(found, indent=1, ensure_ascii=True, allow_nan=False).split("\n")


async def account_remove(context: AdminContext, name: str, reason: str = "") -> list[str]:
    account = context.accounts.named(name)
    _reason(reason)
    called = await context.accounts.remove(account)
    context.registry.renamed(account.id, called)
    context.registry.label_bot(account.id, is_bot=False)
    context.registry.label_guest(account.id, is_guest=False)
    return [f"Account {account.name} is removed; its seats are those of {called!r} now."]


def _reason(reason: str) -> str:
    """Return a reason that may be told.  Raises Refused."""
    if len(reason) > LONGEST_REASON or reason != printable(reason, LONGEST_REASON, KEPT_FOR_PLAYERS):
        raise Refused(f"a reason has at most {LONGEST_REASON} printable characters")
    return reason.rstrip(".")


def _a(role: str) -> str:
    return f"an {role}" if role[:1] in "aeiou" else f"a {role}"


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
    absent_after: int = 0,
    absent: str = RULES,
    seek: str = NO,
    reliability: int = 0,
    roll_call: int = 0,
    press: str = PRIVATE,
    anonymous: str = NO,
    watch_delay: str = "0",
    guests: str = NO_GUESTS,
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
            policy=SeatPolicy(absent_after, absent, seek == YES, reliability, roll_call),
            press=press,
            anonymous=anonymous == YES,
            watch_delay=_delay(watch_delay),
            guests=guests,
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
    if guests != NO_GUESTS and not context.takes_guests():
        lines.append("This server takes no guests yet: [accounts] guests = true in the configuration, then reload.")
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


async def game_players(context: AdminContext, name: str, reason: str) -> list[str]:
    """Tell which accounts have the seats of a game; for an anonymous one there has to be a reason."""
    moderation.reason_of(reason)  # there has to be one
    game = context.registry.named(name)
    await durable(game)
    return players_page(game)


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
    which = "has a seat in" if game.hides_players else f"is player {seat + 1} of"
    return [f"{found.name} {which} {game.name}; {rest}."]


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
    left = "" if game.row.left is None else f" with {duration(max(0, round(game.row.left)))} of the turn left"
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


async def game_seats(
    context: AdminContext,
    name: str,
    absent_after: int | None = None,
    absent: str | None = None,
    seek: str | None = None,
    reliability: int | None = None,
    roll_call: int | None = None,
) -> list[str]:
    """Tell who plays the seats and who is away, after a change of the policy if one is given."""
    game = context.registry.named(name)
    await durable(game)
    policy = game.policy
    if absent_after is not None:
        policy = replace(policy, absent_after=absent_after)
    if absent is not None:
        policy = replace(policy, absent=absent)
    if seek is not None:
        policy = replace(policy, seeks=seek == YES)
    if reliability is not None:
        policy = replace(policy, reliability=reliability)
    if roll_call is not None:
        policy = replace(policy, roll_call=roll_call)
    if policy != game.policy:
        await context.registry.seat_changes.set_policy(game, policy, BY_OPERATOR)
        game = context.registry.named(game.name)
    accounts = [player.account for player in game.players if player.account is not None]
    return seats_page(game, context.registry.store.read(stored_reliability.of_accounts, accounts))


async def game_remove(context: AdminContext, name: str, player: str) -> list[str]:
    """Take a seat from its player, who is told by name or number, or offer a bot's."""
    game = context.registry.named(name)
    seats = [
        one.seat
        for one in game.players
        if one.name and player.casefold() in (one.name.casefold(), one.account_name.casefold(), str(one.seat + 1))
    ]
    if not seats:
        raise Refused(
            f"there is no player {quoted(player)} in the game {game.name}; see tpserver game seats {game.name}"
        )
    await context.registry.seat_changes.remove_player(game, seats[0], BY_OPERATOR)
    words = "seeks a player" if game.started else "is open"
    return [f"Seat {seats[0] + 1} of {game.name} {words} now; the players are told."]


async def game_give(context: AdminContext, name: str, account: str) -> list[str]:
    """Have an account be the maker of a game, as if it had made it."""
    game = context.registry.named(name)
    found = context.registry.store.read(stored_accounts.by_name, account)
    if found is None:
        raise Refused(f"there is no account {account!r}")
    await context.registry.seat_changes.hand_over(game, found.id, found.name)
    return [f"{found.name} decides about the game {game.name} from now on; the players are told."]


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


async def game_rename(context: AdminContext, name: str, new_name: str) -> list[str]:
    game = context.registry.named(name)
    before = game.name
    await ownership.rename(context.registry, game, new_name, BY_OPERATOR)
    return [f"Game {before} is called {new_name} now; its players are told."]


async def game_close(context: AdminContext, name: str) -> list[str]:
    game = context.registry.named(name)
    await ownership.set_join(context.registry, game, ownership.INVITED, BY_OPERATOR)
    return [f"Game {game.name} is closed to newcomers: invited players only, also to watch."]


async def game_open(context: AdminContext, name: str) -> list[str]:
    game = context.registry.named(name)
    await ownership.set_join(context.registry, game, ownership.OPEN, BY_OPERATOR)
    return [f"Game {game.name} is open to everybody."]


async def game_watch_delay(context: AdminContext, name: str, watch_delay: str) -> list[str]:
    game = context.registry.named(name)
    delay = _delay(watch_delay)
    await ownership.set_watch_delay(context.registry, game, delay, BY_OPERATOR)
    return [f"In {game.name} now: {words(delay)}; its players are told."]


def _delay(text: str) -> int:
    """Return the delay that was typed.  Raises Refused."""
    try:
        return delay_from(text)
    except BadDelay as error:
        raise Refused(str(error)) from None


async def game_abort(context: AdminContext, name: str, reason: str) -> list[str]:
    game = context.registry.named(name)
    await ownership.abort(context.registry, game, reason, BY_OPERATOR)
    return [f"Game {game.name} is over without a result; its players are told why."]


async def game_delete(context: AdminContext, name: str) -> list[str]:
    game = context.registry.named(name)
    await ownership.delete(context.registry, game)
    return [f"Game {game.name} is deleted, with all that was stored of it."]


async def game_import(
    context: AdminContext, name: str, path: str, digest: str, accounts: dict[str, Any] | None = None
) -> list[str]:
    """Add the game of an archive that the command line has proven, which is the one with this digest."""
    if not is_name(name):
        raise Refused(f"{quoted(name)} is not a name for a game; --name gives it another one")
    renamed = {str(old): str(new) for old, new in (accounts or {}).items()}
    registry = context.registry
    archive = await _proven(registry, path, digest)
    row = await registry.store.write(archives.put, archive, name, renamed, registry.now())
    game = registry.named(row.name)
    lines = [f"Game {game.name} is here, in turn {row.turn}, {game.row.state}."]
    lines += [f"  player {player.seat + 1} is {player.name}" for player in game.players if player.name]
    if row.state == "paused":
        lines.append(f"Let it go on with: tpserver game resume {game.name}")
    return lines


async def game_archive(context: AdminContext, name: str, path: str, digest: str) -> list[str]:
    """Delete a game that is over and that an archive holds, which the command line has proven: it is the file with this
    digest.  Nobody may be in the game, and if anything of it has changed it stays.  The audit has it at the same
    moment."""
    registry = context.registry
    archive = await _proven(registry, path, digest)
    game = registry.named(name)
    await durable(game)
    if not game.over:
        raise Refused(f"game {game.name} is not over")
    if registry.is_looked_at(game):
        raise Refused(f"somebody is in the game {game.name} now")
    entry = AuditEntry(registry.now(), OPERATOR, "game archive", game.name, {"digest": digest})
    await ownership.delete(
        registry, game, lambda connection, number: archives.delete_archived(connection, number, archive, entry)
    )
    return [f"Game {game.name} is deleted here; {path} holds all of it."]


async def _proven(registry: GameRegistry, path: str, digest: str) -> archives.Archive:
    """Return what is in a file that was proven.  Raises Refused."""
    try:
        return await registry.lifecycle.compute(lambda: archives.read_proven(path, digest))
    except archives.BadArchive as error:
        raise Refused(str(error)) from None


async def reload(context: AdminContext) -> list[str]:
    return await context.reload()


async def restart(context: AdminContext) -> list[str]:
    return await context.restart()


async def node_drain(context: AdminContext) -> list[str]:
    return await context.drain(True)


async def node_undrain(context: AdminContext) -> list[str]:
    return await context.drain(False)


OPERATIONS: Mapping[str, Operation] = {
    "account add": account_add,
    "account list": account_list_,
    "account reset-password": account_reset_password,
    "account rename": account_rename,
    "account disable": account_disable,
    "account enable": account_enable,
    "account role": account_role,
    "account silence": account_silence,
    "account unsilence": account_unsilence,
    "report list": report_list_,
    "report close": report_close,
    "account export": account_export,
    "account remove": account_remove,
    "audit": audit,
    "game create": game_create,
    "game list": game_list_,
    "game show": game_show,
    "game players": game_players,
    "game invite": game_invite,
    "game start": game_start,
    "game pause": game_pause,
    "game resume": game_resume,
    "game close-turn": game_close_turn,
    "game import": game_import,
    "game archive": game_archive,
    "game rename": game_rename,
    "game close": game_close,
    "game open": game_open,
    "game watch-delay": game_watch_delay,
    "game abort": game_abort,
    "game delete": game_delete,
    "reload": reload,
    "restart": restart,
    "node drain": node_drain,
    "node undrain": node_undrain,
    "game extend": game_extend,
    "game set-clock": game_set_clock,
    "game seats": game_seats,
    "game remove": game_remove,
    "game give": game_give,
}

READING = frozenset({"account list", "audit", "game list", "game show"})
"""Operations that only look at what everybody or the operator may see, and so are not in the audit."""

READING_WITHOUT_MORE = frozenset({"game seats"})
"""Operations that only look if nothing but a name is said."""

EVERYWHERE = frozenset({"reload", "node drain", "node undrain"})
"""Operations that all processes of a server perform, one after the other."""

MADE_ANYWHERE = frozenset({"game create"})
"""Operations that the least loaded process of a server performs."""

IN_AUDIT_ALREADY = frozenset({"game archive"})
"""Operations that put themselves into the audit, together with what they do."""

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
