"""Operator's commands about games."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from tprules.printable import quoted
from tpserver.admin.columns import when
from tpserver.admin.commands.declaration import command, option, word
from tpserver.admin.context import OPERATOR, AdminContext
from tpserver.admin.listing import Listing
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.terms import seat_policy
from tpserver.games.terms.chat_rules import PRESS, PRIVATE
from tpserver.games.terms.clock import FORMS, LONGEST, SETTINGS, duration, parse_clock
from tpserver.games.terms.delay import delay_from, words
from tpserver.games.terms.guests import GUESTS
from tpserver.games.terms.guests import NO as NO_GUESTS
from tpserver.games.terms.initiator import BY_OPERATOR

if TYPE_CHECKING:
    from tpserver.games.core.game import Game

MOST_SEATS = 1000
"""Upper limit for arguments, above that of any ruleset. The ruleset checks its own limit."""

YES, NO = "yes", "no"

Name = Annotated[str, word("NAME", "its name")]
AccountName = Annotated[str, word("ACCOUNT", "the name of an account", is_player=True)]

CLOCK = f"{FORMS}; after it, with spaces between (quote it): {SETTINGS}"
DELAY = "how many turns later spectators see it: 0 to 50, or closed: not before its end"

ABSENT_AFTER = option(
    "do not wait for a player who has missed so many turns in a row; 0: wait for everybody",
    "N",
    bounds=("turns", 0, seat_policy.MOST_MISSED),
)
ABSENT = option(
    "what plays an absent seat: the default orders of the rules, or the bot of the rules",
    choices=(seat_policy.RULES, seat_policy.BOT),
)
SEEK = option("whether somebody else can take the seat of a player who is absent", choices=(YES, NO))
RELIABILITY = option(
    "the minimum of due turns that a player must have kept to join, in percent; 0: no minimum",
    "PERCENT",
    bounds=("percent", 0, 100),
)
ROLL_CALL = option(
    "begin when all players confirm; who does not within so many seconds loses the seat; 0: at once",
    "SECONDS",
    bounds=("seconds", 0, seat_policy.LONGEST_ROLL_CALL),
)
SILENT = option(
    "do not wait in a turn without a deadline for a player who has done nothing for so many days; 0: wait",
    "N",
    bounds=("days", 0, seat_policy.MOST_SILENT_DAYS),
)


@command("game create", "make a game", console=1, process="least loaded", creates_data=True)
async def game_create(
    context: AdminContext,
    name: Name,
    ruleset: Annotated[str, option("see tpserver ruleset list", "R")],
    seats: Annotated[int, option("how many players there are", "N", bounds=("seats", 1, MOST_SEATS))],
    options: Annotated[dict[str, Any] | None, option("options of the ruleset: K=V", "K=V", console=True)] = None,
    seed: Annotated[
        str, option("decides all chance; without it the seed is random", "TEXT", console=True, is_secret=True)
    ] = "",
    clock: Annotated[str | None, option(CLOCK, console=True)] = None,
    join: Annotated[
        str | None, option("who may take a seat: open or invited", choices=("open", "invited"), console=True)
    ] = None,
    bots: Annotated[int, option("how many seats bots take", "K", bounds=("bots", 0, MOST_SEATS), console=True)] = 0,
    absent_after: Annotated[int, ABSENT_AFTER] = 0,
    absent: Annotated[str, ABSENT] = seat_policy.RULES,
    seek: Annotated[str, SEEK] = NO,
    reliability: Annotated[int, RELIABILITY] = 0,
    roll_call: Annotated[int, ROLL_CALL] = 0,
    silent_days: Annotated[int, SILENT] = seat_policy.SILENT_DAYS,
    press: Annotated[
        str | None,
        option(
            "what players may write to each other: none, public (to everybody only) or private (also to each other)",
            choices=PRESS,
        ),
    ] = None,
    anonymous: Annotated[
        str | None, option("yes: the players stay hidden until the game is over", choices=(YES, NO))
    ] = None,
    watch_delay: Annotated[str | None, option(DELAY, "N")] = None,
    guests: Annotated[
        str | None, option("whether guests may join: no, yes, or silent (they write to nobody)", choices=GUESTS)
    ] = None,
) -> list[str]:
    from tpserver.games.hall.game_factory import NewGame

    game = await context.registry.lobby.create(
        NewGame(
            name=name,
            ruleset=ruleset,
            seats=seats,
            options=options or {},
            seed=seed,
            clock=context.clock if clock is None else clock,
            join=context.join if join is None else join,
            bots=bots,
            policy=seat_policy.SeatPolicy(absent_after, absent, seek == YES, reliability, roll_call, silent_days),
            press=PRIVATE if press is None else press,
            anonymous=anonymous == YES,
            watch_delay=delay_from("0" if watch_delay is None else watch_delay),
            guests=NO_GUESTS if guests is None else guests,
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
    if guests not in (None, NO_GUESTS) and not context.takes_guests():
        lines.append("This server takes no guests yet: [accounts] guests = true in the configuration, then reload.")
    return [*lines, *_notes(game)]


@command("game list", "list all games", console=2, role="moderator", audit="never")
async def game_list_(context: AdminContext) -> Listing:
    from tpserver.admin.game_listing import game_list
    from tpserver.store.games import rows as stored_games

    if (gone := context.registry.store.gone) is not None:
        raise gone  # the list comes from memory, and would hide the loss of the database
    rows = context.registry.directory.rows()
    seats = context.registry.store.read(stored_games.seats_by_game)
    node = context.registry.node
    places = None if node is None else await node.places()
    return game_list(((row, seats[row.id]) for row in rows), context.registry.rulesets.usable, places)


@command("game show", "show a game", console=3, role="moderator", audit="never")
async def game_show(context: AdminContext, name: Name) -> list[str]:
    from tpserver.admin.game_listing import count_events, game_page
    from tpserver.games.core.game import durable
    from tpserver.store.games import snapshots as stored_snapshots

    game = context.registry.named(name)
    await durable(game)
    events = context.registry.store.read(stored_snapshots.events, game.row.id)
    return game_page(game, count_events(events), context.registry.now())


@command(
    "game players",
    "show the accounts of the players, also in an anonymous game; noted in the audit with the reason",
    console=29,
    role="moderator",
)
async def game_players(
    context: AdminContext, name: Name, reason: Annotated[str, option("why, for the audit", "TEXT")]
) -> list[str]:
    """Show the accounts in the seats of a game; an anonymous game requires a reason."""
    from tpserver.admin.game_listing import players_page
    from tpserver.games.core.game import durable
    from tpserver.games.service import moderation

    moderation.reason_of(reason)  # a reason is required
    game = context.registry.named(name)
    await durable(game)
    return players_page(game)


@command("game start", "start a game whose seats are taken", console=5, role="operator")
async def game_start(context: AdminContext, name: Name) -> list[str]:
    from tpserver.games.core import phases
    from tpserver.games.core.game import durable

    game = context.registry.named(name)
    context.registry.lobby.start(game)
    await durable(game)
    if not game.started:
        raise OperationError(f"game {game.name} could not be started, and is held: {game.row.held_reason}")
    return [f"Game {game.name} has started: {phases.title(game)}."]


@command("game pause", "stop a game's clock", console=6, role="moderator")
async def game_pause(context: AdminContext, name: Name) -> list[str]:
    game = context.registry.named(name)
    await context.registry.control.pause(game)
    left = "" if game.row.left is None else f" with {duration(max(0, round(game.row.left)))} of the turn left"
    return [f"Game {game.name} is paused{left}; orders are still taken."]


@command("game resume", "let a paused or held game go on", console=7, role="moderator")
async def game_resume(context: AdminContext, name: Name) -> list[str]:
    from tpserver.games.core import phases

    row = context.registry.directory.row_named(name)
    if row is not None:
        context.registry.load_failures.forgive(row)
    game = context.registry.named(name)
    await context.registry.control.resume(game)
    game = context.registry.named(game.name)
    if game.row.state == "held":
        raise OperationError(
            f"game {game.name} is held again: {game.row.held_reason}. Fix the ruleset, then restart the server"
        )
    if game.over:
        return [f"Game {game.name} went on and is over: {phases.title(game)}."]
    context.bring_bots(game)
    ends = "" if game.row.deadline is None else f"; the turn ends {when(game.row.deadline)}"
    return [f"Game {game.name} goes on{ends}."]


@command("game close-turn", "close the turn now", console=8, role="operator")
async def game_close_turn(context: AdminContext, name: Name) -> list[str]:
    from tpserver.games.core import phases

    game = context.registry.named(name)
    before = game.state.turn
    await context.registry.turns.close_turn(game)
    game = context.registry.named(game.name)
    if game.row.state == "held":
        raise OperationError(
            f"turn {before} of {game.name} could not be computed, and the game is held: {game.row.held_reason}"
        )
    return [f"Turn {before} of {game.name} is closed; now turn {game.state.turn}: {phases.title(game)}."]


@command("game extend", "give the turn more time, and notify the players", console=9, role="operator")
async def game_extend(
    context: AdminContext,
    name: Name,
    seconds: Annotated[int, word("SECONDS", "how many seconds more", bounds=("seconds", 1, LONGEST))],
) -> list[str]:
    game = context.registry.named(name)
    await context.registry.clock_changes.give_time(game, seconds, BY_OPERATOR)
    due = game.row.due
    if due is None or game.row.state != "running":
        return [
            f"The turn of {game.name} has {duration(seconds)} more when the game goes on; the players are notified."
        ]
    return [f"The turn of {game.name} has {duration(seconds)} more, until {when(due)}; the players are notified."]


@command(
    "game set-clock",
    "give a game another clock, and notify the players; no turn ends earlier by that",
    console=10,
    role="operator",
)
async def game_set_clock(context: AdminContext, name: Name, clock: Annotated[str, word("CLOCK", CLOCK)]) -> list[str]:
    game = context.registry.named(name)
    await context.registry.clock_changes.set_clock(game, parse_clock(clock), BY_OPERATOR)
    game = context.registry.named(game.name)
    ends = "" if game.row.due is None or game.row.state != "running" else f" This turn is due {when(game.row.due)}."
    told = " The players are notified." if any(player.name for player in game.players) else ""
    return [f"Game {game.name} has the clock {game.row.clock}: {game.clock.words()}.{ends}{told}", *_notes(game)]


def _notes(game: Game) -> list[str]:
    """Return a line for each setting of a game without effect under its clock."""
    return [f"Note: {note}." for note in game.clock.notes(game.policy.absent_after)]


@command(
    "game seats",
    "show the players, their missed turns and who is awaited; with options, change the seat policy",
    console=12,
    audit="changes",
)
async def game_seats(
    context: AdminContext,
    name: Name,
    absent_after: Annotated[int | None, ABSENT_AFTER] = None,
    absent: Annotated[str | None, ABSENT] = None,
    seek: Annotated[str | None, SEEK] = None,
    reliability: Annotated[int | None, RELIABILITY] = None,
    roll_call: Annotated[int | None, ROLL_CALL] = None,
    silent_days: Annotated[int | None, SILENT] = None,
) -> list[str]:
    """Show the players of the seats and absences, after a change of the seat policy if given."""
    from tpserver.admin.game_listing import seats_page
    from tpserver.games.core.game import durable
    from tpserver.store import reliability as stored_reliability

    game = context.registry.named(name)
    await durable(game)
    given = {
        "absent_after": absent_after,
        "absent": absent,
        "seeks": None if seek is None else seek == YES,
        "reliability": reliability,
        "roll_call": roll_call,
        "silent_days": silent_days,
    }
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    policy, notes = replace(game.policy, **changes), list[str]()
    if policy != game.policy:
        await context.registry.seat_changes.set_policy(game, policy, BY_OPERATOR)
        game = context.registry.named(game.name)
        notes = _notes(game)
    accounts = [player.account for player in game.players if player.account is not None]
    return [*seats_page(game, context.registry.store.read(stored_reliability.of_accounts, accounts)), *notes]


@command("game invite", "give an account a seat in a game, also an invited one", console=4, role="operator")
async def game_invite(context: AdminContext, name: Name, account: AccountName) -> list[str]:
    from tpserver.store.people import accounts as stored_accounts

    game = context.registry.named(name)
    account = _player_in(game, account)
    found = context.registry.store.read(stored_accounts.by_name, account)
    if found is None:
        raise OperationError(f"there is no account {account!r}; make it with: tpserver account add {account}")
    seat = await context.registry.lobby.take_seat(game, found.id, found.name)
    free = len(game.open_seats())
    if free:
        rest = f"{free} more {'player is' if free == 1 else 'players are'} awaited"
    elif game.started:
        rest = "the game has started"
    else:
        rest = f"the game could not be started, and is held: {game.row.held_reason}"
    which = "has a seat in" if game.hides_players else f"is player {seat + 1} of"
    return [f"{found.name} {which} {game.name}; {rest}."]


@command(
    "game remove",
    "remove a player from a seat, or offer a bot's seat to people; the seat then seeks a player",
    console=13,
)
async def game_remove(
    context: AdminContext,
    name: Name,
    player: Annotated[str, word("PLAYER", "the name of a player, or the number of the seat", is_player=True)],
) -> list[str]:
    """Remove the player of a seat, or offer a bot's seat to players.

    ``player`` is a name or a number; #N is always a number. Raises OperationError for an ambiguous player, as an older
    account may have a number as its name.
    """
    game = context.registry.named(name)
    player = _player_in(game, player)
    called, number = player.casefold(), player.removeprefix("#")
    seats = [
        one.seat
        for one in game.players
        if one.name and (called in (one.name.casefold(), one.account_name.casefold()) or number == str(one.seat + 1))
    ]
    if len(seats) > 1:
        raise OperationError(f"{quoted(player)} could mean several players of {game.name}; use #N for player number N")
    if not seats:
        raise OperationError(
            f"there is no player {quoted(player)} in the game {game.name}; see tpserver game seats {game.name}"
        )
    await context.registry.seat_changes.remove_player(game, seats[0], BY_OPERATOR)
    words = "seeks a player" if game.started else "is open"
    return [f"Seat {seats[0] + 1} of {game.name} {words} now; the players are notified."]


@command("game give", "make an account the owner of a game", console=14)
async def game_give(context: AdminContext, name: Name, account: AccountName) -> list[str]:
    from tpserver.store.people import accounts as stored_accounts

    game = context.registry.named(name)
    account = _player_in(game, account)
    found = context.registry.store.read(stored_accounts.by_name, account)
    if found is None:
        raise OperationError(f"there is no account {account!r}")
    await context.registry.seat_changes.hand_over(game, found.id, found.name)
    return [f"{found.name} is now the owner of the game {game.name}; the players are notified."]


def _player_in(game: Game, text: str) -> str:
    """Return the name of a player of a game, also from NAME@GAME as at login. Raises OperationError."""
    name, _, wanted = text.partition("@")
    other = wanted.partition("/")[0]
    if other and other.casefold() != game.name.casefold():
        raise OperationError(f"{quoted(text)} is in another game than {game.name}. Name that game, or leave out @GAME")
    return name


@command("game rename", "give a game another name, and notify the players", console=25, role="operator")
async def game_rename(
    context: AdminContext, name: Name, new_name: Annotated[str, word("NEW", "its new name")]
) -> list[str]:
    from tpserver.games.service import ownership

    game = context.registry.named(name)
    before = game.name
    await ownership.rename(context.registry, game, new_name, BY_OPERATOR)
    return [f"Game {before} is called {new_name} now; its players are notified."]


@command("game close", "close a game to newcomers: invited players only, also to watch", console=26, role="operator")
async def game_close(context: AdminContext, name: Name) -> list[str]:
    from tpserver.games.service import ownership

    game = context.registry.named(name)
    await ownership.set_join(context.registry, game, ownership.INVITED, BY_OPERATOR)
    return [f"Game {game.name} is closed to newcomers: invited players only, also to watch."]


@command("game open", "open a game to everybody", console=27, role="operator")
async def game_open(context: AdminContext, name: Name) -> list[str]:
    from tpserver.games.service import ownership

    game = context.registry.named(name)
    await ownership.set_join(context.registry, game, ownership.OPEN, BY_OPERATOR)
    return [f"Game {game.name} is open to everybody."]


@command(
    "game watch-delay",
    "delay a game for spectators, and notify the players; a running game only longer than before",
    console=30,
    role="operator",
)
async def game_watch_delay(
    context: AdminContext, name: Name, watch_delay: Annotated[str, word("N", DELAY)]
) -> list[str]:
    from tpserver.games.service import ownership

    game = context.registry.named(name)
    delay = delay_from(watch_delay)
    await ownership.set_watch_delay(context.registry, game, delay, BY_OPERATOR)
    return [f"In {game.name} now: {words(delay)}; its players are notified."]


@command("game abort", "end a game without a result, and notify the players of the reason", console=28, role="operator")
async def game_abort(
    context: AdminContext, name: Name, reason: Annotated[str, option("why; the players are notified of it", "TEXT")]
) -> list[str]:
    from tpserver.games.service import ownership

    game = context.registry.named(name)
    await ownership.abort(context.registry, game, reason, BY_OPERATOR)
    return [f"Game {game.name} is over without a result; its players are notified of the reason."]


@command("game delete", "delete a game that is over, or has not begun, and all that is stored of it, after an export")
async def game_delete(context: AdminContext, name: Name) -> list[str]:
    from tpserver.games.service import ownership

    game = context.registry.named(name)
    await ownership.delete(context.registry, game)
    return [f"Game {game.name} is deleted, with all that was stored of it."]


@command("game import", "add the game of such a file, after it was run again", is_typed=False)
async def game_import(
    context: AdminContext, name: Name, path: str, digest: str, accounts: dict[str, Any] | None = None
) -> list[str]:
    """Add the game of an archive that the command line has verified. The archive must have this digest."""
    from tpserver.admin import archives
    from tpserver.games.hall.game_factory import is_name

    if not is_name(name):
        raise OperationError(f"{quoted(name)} is not a name for a game; --name gives it another one")
    renamed = {str(old): str(new) for old, new in (accounts or {}).items()}
    registry = context.registry
    archive = await registry.turns.compute(lambda: archives.read_proven(path, digest))
    row = await registry.store.write(archives.put, archive, name, renamed, registry.now())
    game = registry.named(row.name)
    lines = [f"Game {game.name} is here, in turn {row.turn}, {game.row.state}."]
    lines += [f"  player {player.seat + 1} is {player.name}" for player in game.players if player.name]
    if row.state == "paused":
        lines.append(f"Let it go on with: tpserver game resume {game.name}")
    return lines


@command(
    "game archive",
    "write games that are over to a file each, and prove these; with --delete, delete the games then",
    audit="itself",
    is_typed=False,
)
async def game_archive(context: AdminContext, name: Name, path: str, digest: str) -> list[str]:
    """Delete a game that is over and that a verified archive contains.

    The archive has this digest. No connection may be in the game. If it has changed, it stays. The deletion and its
    audit entry are in one transaction.
    """
    from tpserver.admin import archives
    from tpserver.games.core.game import durable
    from tpserver.games.service import ownership
    from tpserver.store.audit import AuditEntry

    registry = context.registry
    archive = await registry.turns.compute(lambda: archives.read_proven(path, digest))
    game = registry.named(name)
    await durable(game)
    if not game.over:
        raise OperationError(f"game {game.name} is not over")
    if registry.presence.is_looked_at(game):
        raise OperationError(f"somebody is in the game {game.name} now")
    entry = AuditEntry(registry.now(), OPERATOR, "game archive", game.name, {"digest": digest})
    await ownership.delete(
        registry, game, lambda connection, number: archives.delete_archived(connection, number, archive, entry)
    )
    return [f"Game {game.name} is deleted here; {path} holds all of it."]
