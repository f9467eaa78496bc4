"""Requests about seats: their players, absences and the seat policy."""

from __future__ import annotations

from collections.abc import Sequence

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tprules.api.bots import has_bot
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.core.player import Player, player_of
from tpserver.games.hall.summary import roll_is_called
from tpserver.games.seats.proposals import REMOVE, check_consent, needs_consent
from tpserver.games.seats.proposals import SEATS as SEATS_KIND
from tpserver.games.seats.seat_service import check_open
from tpserver.games.terms.anonymity import MAKER, hides, names_told
from tpserver.games.terms.clock import known_clock
from tpserver.games.terms.seat_policy import NEW_POLICY, RULES, SeatPolicy, policy_from
from tpserver.requests.entry.login import check_admitted, saved
from tpserver.requests.lobby.game_setup import row_of
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Session
from tpserver.store import reliability as stored_reliability
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow

SEATS, OPEN_SEATS = BY_NAME["seats"].number, BY_NAME["open_seats"].number

SEATS_AT_ONCE = 100
"""Maximum seats per OpenSeats frame."""


def policy_of(message: tp.SeatPolicy, before: SeatPolicy = NEW_POLICY) -> SeatPolicy:
    """Return the policy of a client's message; a missing ``silent_days`` is that of ``before``.

    Its bounds are not checked.
    """
    silent_days = 0 if message.waits_for_silent else message.silent_days or before.silent_days
    return SeatPolicy(
        message.absent_after,
        message.absent or RULES,
        message.seeks,
        message.reliability,
        message.roll_call,
        silent_days,
    )


def policy_message(policy: SeatPolicy) -> tp.SeatPolicy:
    return tp.SeatPolicy(
        absent_after=policy.absent_after,
        absent=policy.absent,
        seeks=policy.seeks,
        reliability=policy.reliability,
        roll_call=policy.roll_call,
        silent_days=policy.silent_days,
        waits_for_silent=not policy.silent_days,
    )


@handles("get_seats")
def get_seats(session: Session, message: tp.GetSeats) -> Frames:
    """Return the players of the seats of a game; the facts must be durable.

    Raises RequestError, GameError, and NotAdmitted for a game that is closed to the account.
    """
    row, registry = row_of(session, message.game), session.host.registry
    game = registry.games.get(row.id)
    players: Sequence[Player]
    known = registry.directory.resting(row.id)
    if game is None:
        policy, seats = policy_from(row.policy), registry.store.read(stored_games.seats, row.id)
        present = registry.store.read(stored_games.by_id, row.id) or row  # an old turn has its old row
        hidden, account_id = hides(present), session.account_id or 0
        players = [player_of(present, one) for one in seats]
        names = names_told(present, seats, account_id)
        own = next((one.seat for one in seats if one.account == account_id), None)
    else:
        policy, players, hidden = game.policy, game.players, game.hides_players
        own = game.seat_of(session.account_id or 0)
        names = [game.name_for(player.seat, own) for player in players]
    clock = known_clock(row.clock)
    is_endless = clock is not None and clock.is_endless()
    told = tp.Seats(game=row.name, policy=policy_message(policy), words=policy.words(is_endless))
    account = session.account
    told.owned = account is not None and registry.store.read(stored_ownership.creator_of, row.id) == account.id
    if told.owned and account is not None:
        told.needs_consent = consent_is_needed(session, row, account.id)
    if roll_is_called(row):
        told.roll_ends = int(row.due or 0)
    rules = registry.rulesets.usable.get(row.ruleset)
    told.has_bot = rules is not None and has_bot(rules)
    # Facts about an account in all games would identify it.
    told_of = players if not hidden else [player for player in players if player.seat == own]
    accounts = [player.account for player in told_of if player.account is not None]
    of_all = registry.store.read(stored_reliability.of_accounts, accounts)
    awaited = known.awaited if game is None else [] if game.closing else attendance.awaited_if_playable(game)
    bots = (
        known.bots if game is None else [player.seat for player in players if attendance.bot_plays(game, player.seat)]
    )
    hides_seats = hidden and row.started is None
    for player in players:
        due, kept = of_all.get(player.account or 0, (0, 0))
        told.seats.add(
            player=player.seat + 1,
            name=names[player.seat],
            bot=player.bot and not hides_seats,
            awaited=player.seat in awaited,
            absent=player.seat in known.absent if game is None else attendance.is_absent(game, player.seat),
            missed=player.record.missed,
            due=player.record.due,
            kept=player.record.kept,
            due_of_all=due,
            kept_of_all=kept,
            autopilot=player.record.autopilot,
            bot_plays=not hides_seats and (player.bot or player.seat in bots),
            here=player.record.here and bool(told.roll_ends) and (not hides_seats or player.seat == own),
            seeks=player.seat in known.seeks if game is None else attendance.seeks_player(game, player.seat),
        )
    frames = iter([session.payload(SEATS, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved([] if game is None else [game]))


@handles("set_seat_policy")
async def set_seat_policy(session: Session, message: tp.SetSeatPolicy) -> Answer:
    """Set the seat policy of a game. Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, "can change what happens to absent players", SEATS_KIND)
    policy = policy_of(message.policy, game.policy)
    await session.host.registry.seat_changes.set_policy(game, policy, name, maker=True)
    game = session.host.registry.named(game.name)
    text = f"In {game.name} now: {game.policy.words(game.clock.is_endless())}; all players are notified"
    return [okay(session.dialect, game.clock.with_notes(text, game.policy.absent_after))]


@handles("say_here")
def say_here(session: Session, message: tp.SayHere) -> Answer:
    """Record that an absent player is present again. Raises GameError, NotNow."""
    game, seat = session.playing()
    if game.roll_is_called():
        registry = session.host.registry
        registry.seat_changes.back(game, seat)
        return [okay(session.dialect, "You are marked as here; the game begins when all players are")]
    if not attendance.is_absent(game, seat) and not game.players[seat].record.autopilot:
        session.host.registry.seat_changes.came(game, seat)
        return [okay(session.dialect, "The game waits for you as for all others")]
    check_open(game)
    session.host.registry.seat_changes.back(game, seat)
    return [okay(session.dialect, "You are back, and all players are notified")]


@handles("set_autopilot")
async def set_autopilot(session: Session, message: tp.SetAutopilot) -> Answer:
    """Leave the seat to the bot of the rules for some turns. Raises GameError, NotNow, RequestError."""
    game, seat = session.playing()
    refusals.check_turn(message, game.state.turn)
    await session.host.registry.seat_changes.set_autopilot(game, seat, message.turns)
    if not message.turns:
        return [okay(session.dialect, "You play your seat yourself")]
    count = "this turn" if message.turns == 1 else f"{message.turns} turns, beginning with this one,"
    return [
        okay(
            session.dialect,
            f"The bot of the rules plays {count} for you, unless you give an order; all players are notified",
        )
    ]


@handles("get_open_seats")
def get_open_seats(session: Session, message: tp.GetOpenSeats) -> Frames:
    """List the seats of open games that seek a player; the facts must be durable."""
    registry, told = session.host.registry, tp.OpenSeats()
    shown: list[Game] = []
    last = 0
    for row in reversed(registry.directory.rows()):
        if row.state in ("waiting", "over") or row.join != "open" or (message.start and row.id >= message.start):
            continue
        seeking = _seeking(session, row)
        if not seeking:
            continue
        if told.seats and len(told.seats) + len(seeking) > SEATS_AT_ONCE:
            told.following = last
            break
        last = row.id
        if (game := registry.games.get(row.id)) is not None:
            shown.append(game)
        title = registry.rulesets.title_of(row.ruleset)
        for seat, name, is_bot in seeking[:SEATS_AT_ONCE]:
            told.seats.add(
                game=row.name,
                ruleset=row.ruleset,
                title=title,
                turn=row.turn,
                player=seat + 1,
                name=name,
                bot=is_bot,
                reliability=policy_from(row.policy).reliability,
            )
    frames = iter([session.payload(OPEN_SEATS, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved(shown))


def _seeking(session: Session, row: GameRow) -> list[tuple[int, str, bool]]:
    """Return the seats of a game that seek a player: number, name of the present player, and whether it is a bot."""
    registry = session.host.registry
    game = registry.games.get(row.id)
    if game is not None:
        return [(one.seat, one.name, one.bot) for one in game.players if attendance.seeks_player(game, one.seat)]
    seeks = registry.directory.resting(row.id).seeks
    seats = registry.store.read(stored_games.seats, row.id) if seeks else ()
    return [(one.seat, player_of(row, one).name, one.bot) for one in seats if one.seat in seeks]


@handles("take_seat")
async def take_seat(session: Session, message: tp.TakeSeat) -> Answer:
    """Give a seat that seeks a player to the account. Raises NotAdmitted, GameError, NotNow."""
    registry, account = session.host.registry, session.account
    assert account is not None  # the request requires a login
    game = registry.named(message.game)
    check_admitted(session, game, account, message.invitation)
    if not 1 <= message.player <= len(game.players):
        raise GameError(f"the game {game.name!r} has no player {message.player}")
    await registry.seat_changes.take_over(game, message.player - 1, account.id, account.name)
    return [okay(session.dialect, f"You are player {message.player} of {game.name} now; all players are notified")]


@handles("remove_player")
async def remove_player(session: Session, message: tp.RemovePlayer) -> Answer:
    """Remove the player of a seat, or offer a bot's seat. Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, "can remove players from it", REMOVE)
    number = message.player
    if 1 <= number <= len(game.players) and game.seat_of(session.account_id or 0) == number - 1:
        raise GameError("you cannot remove yourself; leave your seat to the bot, or ask the operator")
    await session.host.registry.seat_changes.remove_player(game, number - 1, name, maker=True)
    words = "seeks a player now" if game.started else "is open again"
    return [okay(session.dialect, f"Seat {number} of {game.name} {words}; all players are notified")]


def consent_is_needed(session: Session, row: GameRow, account: int) -> bool:
    """Return whether the owner of a game, in memory or not, needs the consent of other players."""
    game = session.host.registry.games.get(row.id)
    if game is not None:
        return needs_consent(game, account)
    if row.state == "over" or (hides(row) and row.started is None):
        return False
    people = [one.account for one in session.host.registry.store.read(stored_games.seats, row.id) if not one.bot]
    return account in people and any(one not in (None, account) for one in people)


def made_by_account(session: Session, name: str, does: str, kind: str) -> tuple[Game, str]:
    """Return a game that the account owns, and the owner's name for players.

    Raises NotAdmitted, GameError, and NeedsConsent if a proposal of ``kind`` is required. ``does`` is the owner's
    action, for the refusal.
    """
    registry, account = session.host.registry, session.account
    assert account is not None  # the request requires a login
    game = registry.named(name)
    if registry.store.read(stored_ownership.creator_of, game.row.id) != account.id:
        raise NotAdmitted(f"only the owner of the game {game.name!r} {does}")
    check_consent(game, account.id, kind)
    return game, MAKER if game.hides_players else account.name
