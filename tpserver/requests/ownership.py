"""Requests of whoever has made a game: another name, who may join, another owner, its end without a result."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tprules.printable import quoted
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games import ownership
from tpserver.games.anonymity import MAKER
from tpserver.games.delay import words
from tpserver.games.game import Game, NotNow
from tpserver.requests.making import MOST_NEW, MOST_OF_ALL, NEW_SECONDS, asked_delay
from tpserver.requests.refusals import Refused
from tpserver.requests.responses import okay
from tpserver.requests.session import Answer, Session
from tpserver.store import accounts as stored_accounts
from tpserver.store import creations as stored_creations
from tpserver.store.accounts import Account
from tpserver.store.creations import Creator, TooManyGames

MOST_CHANGES, SECONDS = 20, 3600.0
"""How often an account changes its games in so many seconds: each time is a message to all players."""
MOST_REMEMBERED = 1000


async def rename_game(session: Session, message: tp.RenameGame) -> Answer:
    """Give a game another name.  Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    before = game.name
    await ownership.rename(session.host.registry, game, message.name, _who(game, owner), owner.name)
    return [okay(session.dialect, f"The game {before} is called {message.name} now, and all are told")]


async def set_join(session: Session, message: tp.SetJoin) -> Answer:
    """Close a game to newcomers, or open it to all.  Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    join = ownership.INVITED if message.invited else ownership.OPEN
    await ownership.set_join(session.host.registry, game, join, _who(game, owner), owner.name)
    words = "for invited players only" if message.invited else "open to everybody"
    return [okay(session.dialect, f"The game {game.name} is {words} now, and all are told")]


async def set_watch_delay(session: Session, message: tp.SetWatchDelay) -> Answer:
    """Have spectators see a game later.  Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    delay = asked_delay(message)
    await ownership.set_watch_delay(session.host.registry, game, delay, _who(game, owner), owner.name)
    return [okay(session.dialect, f"In {game.name} now: {words(delay)}; all are told")]


async def abort_game(session: Session, message: tp.AbortGame) -> Answer:
    """End a game without a result.  Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    await ownership.abort(session.host.registry, game, message.reason, _who(game, owner), owner.name)
    return [okay(session.dialect, f"The game {game.name} is over without a result, and all are told")]


async def hand_over_game(session: Session, message: tp.HandOverGame) -> Answer:
    """Let another account, which has a seat in it, own a game.  Raises Refused, NotAdmitted, GameError, NotNow."""
    registry = session.host.registry
    game, owner = _made(session, message.game)
    other = _heir(session, game, message)
    called = game.name_of(game.seat_of(other.id) or 0)
    if not game.over:
        # Else two accounts would make as many as they like, or fill those of a third.
        limits = Creator(other.id, session.host.making.most_open_of(other), MOST_OF_ALL, MOST_NEW, NEW_SECONDS)
        try:
            registry.store.read(stored_creations.check_own, limits, registry.now())
        except TooManyGames:
            raise NotNow(f"{called} has as many games as an account may have; another player can own it") from None
    await ownership.hand_over(registry, game, other, owner.name)
    return [okay(session.dialect, f"The game {game.name} is that of {called} now, and all are told")]


def _heir(session: Session, game: Game, message: tp.HandOverGame) -> Account:
    """Return the account to which a game is handed over.  Raises Refused.

    Whether an account has a seat is told of no anonymous game: there the seat says who is meant.
    """
    store = session.host.registry.store
    if not message.account:
        player = game.player(message.player) if not game.hides_seats else None
        found = None if player is None or player.account is None else store.read(stored_accounts.by_id, player.account)
        if found is None or not found.may_log_in:
            text = f"the game {game.name!r} has no player {message.player} to whom it could be handed over"
            raise Refused(FailCode.NO_SUCH_THING, text)
        return found
    if game.hides_players:
        text = f"the game {game.name!r} is anonymous; say the number of the player to whom it is handed over"
        raise Refused(FailCode.PERMISSION_DENIED, text)
    found = store.read(stored_accounts.by_name, message.account)
    if found is None or not found.may_log_in or game.seat_of(found.id) is None:
        # Who is not in it has not asked for it.
        text = f"no player of the game {game.name!r} is called {quoted(message.account)}; it can be handed over to one"
        raise Refused(FailCode.NO_SUCH_THING, text)
    return found


def _who(game: Game, owner: Account) -> str:
    """Return what the players are told of who has made a game."""
    return MAKER if game.hides_players else owner.name


def _made(session: Session, name: str) -> tuple[Game, Account]:
    """Return a game that the account has made, and the account.  Raises NotAdmitted, GameError, NotNow."""
    registry, account = session.host.registry, session.account
    assert account is not None  # only who is logged in gets here
    game = registry.named(name)
    if registry.store.read(stored_creations.creator_of, game.row.id) != account.id:
        raise NotAdmitted(f"only who has made the game {game.name!r} does this")
    now, changes = registry.steady(), session.host.owner_changes
    if len(changes) >= MOST_REMEMBERED:
        for number in [number for number, times in changes.items() if times[-1] <= now - SECONDS]:
            del changes[number]
    recent = [time for time in changes.get(account.id, []) if time > now - SECONDS]
    if len(recent) >= MOST_CHANGES:
        raise NotNow(
            f"you have changed your games {MOST_CHANGES} times within an hour, which is enough; try again later"
        )
    changes[account.id] = [*recent, now]
    return game, account
