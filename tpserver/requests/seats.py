"""Requests about the seats of a game: who plays them and who is away, and what the game does about that."""

from __future__ import annotations

from collections.abc import Sequence

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tprules.api.bots import has_bot
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.anonymity import MAKER, hides, names_told
from tpserver.games.game import Game, GameError, Player, player_of
from tpserver.games.seat_changes import check_open
from tpserver.games.seating import RULES, SeatPolicy, policy_from
from tpserver.requests.game_setup import row_of
from tpserver.requests.login import check_admitted, saved
from tpserver.requests.responses import Frames, okay
from tpserver.requests.session import Answer, Session
from tpserver.store import creations as stored_creations
from tpserver.store import games as stored_games
from tpserver.store import reliability as stored_reliability

SEATS, OPEN_SEATS = BY_NAME["seats"].number, BY_NAME["open_seats"].number

SEATS_AT_ONCE = 100
"""Maximum seats per OpenSeats frame."""


def policy_of(message: tp.SeatPolicy) -> SeatPolicy:
    """Return the policy that a client names; its bounds are not checked."""
    return SeatPolicy(
        message.absent_after, message.absent or RULES, message.seeks, message.reliability, message.roll_call
    )


def policy_message(policy: SeatPolicy) -> tp.SeatPolicy:
    return tp.SeatPolicy(
        absent_after=policy.absent_after,
        absent=policy.absent,
        seeks=policy.seeks,
        reliability=policy.reliability,
        roll_call=policy.roll_call,
    )


def get_seats(session: Session, message: tp.GetSeats) -> Frames:
    """Return who plays the seats of a game.  Raises Refused, GameError, and NotAdmitted of a game for others.

    What is told of it must be durable.
    """
    row, registry = row_of(session, message.game, "GetSeats"), session.host.registry
    game = registry.games.get(row.id)
    players: Sequence[Player]
    if game is None:  # it is over, held or paused
        policy, seats = policy_from(row.policy), registry.store.read(stored_games.seats, row.id)
        present = registry.store.read(stored_games.by_id, row.id) or row  # that of an old turn is as it was then
        hidden, account_id = hides(present), session.account_id or 0
        players = [player_of(present, one) for one in seats]
        names = names_told(present, seats, account_id)
        own = next((one.seat for one in seats if one.account == account_id), None)
    else:
        policy, players, hidden = game.policy, game.players, game.hides_players
        own = game.seat_of(session.account_id or 0)
        names = [game.name_for(player.seat, own) for player in players]
    told = tp.Seats(game=row.name, policy=policy_message(policy), words=policy.words())
    account = session.account
    told.owned = account is not None and registry.store.read(stored_creations.creator_of, row.id) == account.id
    if game is not None and game.roll_is_called():
        told.roll_ends = int(game.row.due or 0)
    rules = registry.rulesets.usable.get(row.ruleset)
    told.has_bot = rules is not None and has_bot(rules)
    # What is known of an account in all games would tell who it is.
    told_of = players if not hidden else [player for player in players if player.seat == own]
    accounts = [player.account for player in told_of if player.account is not None]
    of_all = registry.store.read(stored_reliability.of_accounts, accounts)
    awaited = [] if game is None or game.closing else game.awaited()
    hides_seats = hidden and row.started is None
    for player in players:
        due, kept = of_all.get(player.account or 0, (0, 0))
        told.seats.add(
            player=player.seat + 1,
            name=names[player.seat],
            bot=player.bot and not hides_seats,
            awaited=player.seat in awaited,
            absent=game is not None and game.is_absent(player.seat),
            missed=player.record.missed,
            due=player.record.due,
            kept=player.record.kept,
            due_of_all=due,
            kept_of_all=kept,
            autopilot=player.record.autopilot,
            bot_plays=not hides_seats and (player.bot if game is None else game.bot_plays(player.seat)),
            here=player.record.here and bool(told.roll_ends) and (not hides_seats or player.seat == own),
            seeks=game is not None and game.seeks_player(player.seat),
        )
    frames = iter([session.payload(SEATS, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved([] if game is None else [game]))


async def set_seat_policy(session: Session, message: tp.SetSeatPolicy) -> Answer:
    """Have a game do something else about absent players.  Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, "decides what becomes of absent players")
    await session.host.registry.seat_changes.set_policy(game, policy_of(message.policy), name, maker=True)
    game = session.host.registry.named(game.name)
    return [okay(session.dialect, f"In {game.name} now: {game.policy.words()}; all are told")]


def say_here(session: Session, message: tp.SayHere) -> Answer:
    """Note that an absent player is back.  Raises GameError, NotNow."""
    game, seat = session.playing("SayHere")
    if game.roll_is_called():
        registry = session.host.registry
        registry.seat_changes.back(game, seat)
        return [okay(session.dialect, "You are here; the game begins when all are")]
    if not game.is_absent(seat) and not game.players[seat].record.autopilot:
        return [okay(session.dialect, "The game waits for you as for all others")]
    check_open(game)
    session.host.registry.seat_changes.back(game, seat)
    return [okay(session.dialect, "You are back, and all are told")]


async def set_autopilot(session: Session, message: tp.SetAutopilot) -> Answer:
    """Leave the seat to the bot of the rules for some turns.  Raises GameError, NotNow."""
    game, seat = session.playing("SetAutopilot")
    await session.host.registry.seat_changes.set_autopilot(game, seat, message.turns)
    if not message.turns:
        return [okay(session.dialect, "You play yourself")]
    count = "this turn" if message.turns == 1 else f"{message.turns} turns, beginning with this one,"
    return [
        okay(session.dialect, f"The bot of the rules plays {count} for you, unless you give an order; all are told")
    ]


def get_open_seats(session: Session, message: tp.GetOpenSeats) -> Frames:
    """List the seats that seek somebody, of games that everybody can join.  What is told of them must be durable."""
    registry, told = session.host.registry, tp.OpenSeats()
    games = sorted(registry.games.values(), key=lambda game: -game.row.id)
    shown: list[Game] = []
    for game in games:
        if game.row.join != "open" or (message.start and game.row.id >= message.start):
            continue
        seeking = [player for player in game.players if game.seeks_player(player.seat)]
        if not seeking:
            continue
        if told.seats and len(told.seats) + len(seeking) > SEATS_AT_ONCE:
            told.following = shown[-1].row.id
            break
        shown.append(game)
        title = registry.rulesets.title_of(game.row.ruleset)
        for player in seeking[:SEATS_AT_ONCE]:
            told.seats.add(
                game=game.name,
                ruleset=game.row.ruleset,
                title=title,
                turn=game.row.turn,
                player=player.seat + 1,
                name=player.name,
                bot=player.bot,
                reliability=game.policy.reliability,
            )
    frames = iter([session.payload(OPEN_SEATS, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved(shown))


async def take_seat(session: Session, message: tp.TakeSeat) -> Answer:
    """Give a seat that seeks somebody to the account.  Raises NotAdmitted, GameError, NotNow."""
    registry, account = session.host.registry, session.account
    assert account is not None  # only who is logged in gets here
    game = registry.named(message.game)
    check_admitted(session, game, account, message.invitation)
    if not 1 <= message.player <= len(game.players):
        raise GameError(f"the game {game.name!r} has no player {message.player}")
    await registry.seat_changes.take_over(game, message.player - 1, account.id, account.name)
    return [okay(session.dialect, f"You are player {message.player} of {game.name} now; all are told")]


async def remove_player(session: Session, message: tp.RemovePlayer) -> Answer:
    """Take a seat from its player, or offer a bot's.  Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, "removes players from it")
    number = message.player
    if 1 <= number <= len(game.players) and game.seat_of(session.account_id or 0) == number - 1:
        raise GameError("you cannot remove yourself; leave your seat to the bot, or ask the operator")
    await session.host.registry.seat_changes.remove_player(game, number - 1, name, maker=True)
    words = "seeks a player now" if game.started else "is open again"
    return [okay(session.dialect, f"Seat {number} of {game.name} {words}; all are told")]


def made_by_account(session: Session, name: str, does: str) -> tuple[Game, str]:
    """Return a game that the account has made, and what the players are told of who that is.

    Raises NotAdmitted, GameError.  ``does`` is what only such an account does, for the refusal.
    """
    registry, account = session.host.registry, session.account
    assert account is not None  # only who is logged in gets here
    game = registry.named(name)
    if registry.store.read(stored_creations.creator_of, game.row.id) != account.id:
        raise NotAdmitted(f"only who has made the game {game.name!r} {does}")
    return game, MAKER if game.hides_players else account.name
