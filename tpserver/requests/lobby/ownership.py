"""Requests of the owner of a game: name, joining, new owner, abort."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tprules.printable import quoted
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.core.errors import NotNow
from tpserver.games.core.game import Game
from tpserver.games.seats.proposals import ABORT, check_consent
from tpserver.games.service import ownership
from tpserver.games.terms.anonymity import MAKER
from tpserver.games.terms.delay import words
from tpserver.requests.lobby.create_game import MOST_NEW, MOST_OF_ALL, NEW_SECONDS, asked_delay
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, okay
from tpserver.requests.session.session import Session
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games.ownership import Creator, TooManyGames
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account

MOST_CHANGES, SECONDS = 20, 3600.0
"""Maximum changes of an account's games in these seconds. Each sends a message to all players."""
MOST_REMEMBERED = 1000


@handles("rename_game")
async def rename_game(session: Session, message: tp.RenameGame) -> Answer:
    """Rename a game. Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    before = game.name
    await ownership.rename(session.host.registry, game, message.name, _who(game, owner), owner.name)
    return [okay(session.dialect, f"The game {before} is called {message.name} now, and all players are notified")]


@handles("set_join")
async def set_join(session: Session, message: tp.SetJoin) -> Answer:
    """Restrict a game to invited players, or open it to all. Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    join = ownership.INVITED if message.invited else ownership.OPEN
    await ownership.set_join(session.host.registry, game, join, _who(game, owner), owner.name)
    words = "for invited players only" if message.invited else "open to everybody"
    return [okay(session.dialect, f"The game {game.name} is {words} now, and all players are notified")]


@handles("set_watch_delay")
async def set_watch_delay(session: Session, message: tp.SetWatchDelay) -> Answer:
    """Set the delay of a game for spectators. Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    delay = asked_delay(message)
    await ownership.set_watch_delay(session.host.registry, game, delay, _who(game, owner), owner.name)
    return [okay(session.dialect, f"In {game.name} now: {words(delay)}; all players are notified")]


@handles("abort_game")
async def abort_game(session: Session, message: tp.AbortGame) -> Answer:
    """End a game without a result. Raises NotAdmitted, GameError, NotNow."""
    game, owner = _made(session, message.game)
    check_consent(game, owner.id, ABORT)
    await ownership.abort(session.host.registry, game, message.reason, _who(game, owner), owner.name)
    return [okay(session.dialect, f"The game {game.name} is over without a result, and all players are notified")]


@handles("hand_over_game")
async def hand_over_game(session: Session, message: tp.HandOverGame) -> Answer:
    """Make another account with a seat in the game its owner. Raises RequestError, NotAdmitted, GameError, NotNow."""
    registry = session.host.registry
    game, owner = _made(session, message.game)
    other = _heir(session, game, message)
    called = game.name_of(game.seat_of(other.id) or 0)
    if not game.over:
        # Otherwise two accounts could create any number of games, or use up those of a third.
        limits = Creator(other.id, session.host.making.most_open_of(other), MOST_OF_ALL, MOST_NEW, NEW_SECONDS)
        try:
            registry.store.read(stored_ownership.check_own, limits, registry.now())
        except TooManyGames:
            raise NotNow(f"{called} has as many games as an account may have; another player can own it") from None
    await ownership.hand_over(registry, game, other, owner.name)
    return [okay(session.dialect, f"The game {game.name} now belongs to {called}, and all players are notified")]


def _heir(session: Session, game: Game, message: tp.HandOverGame) -> Account:
    """Return the account to which a game is handed over. Raises RequestError.

    In an anonymous game the request has the seat, as it must stay secret whether an account plays.
    """
    store = session.host.registry.store
    if not message.account:
        player = game.player(message.player) if not game.hides_seats else None
        found = None if player is None or player.account is None else store.read(stored_accounts.by_id, player.account)
        if found is None or not found.may_log_in:
            text = f"the game {game.name!r} has no player {message.player} who could become its owner"
            raise RequestError(FailCode.NO_SUCH_THING, text)
        return found
    if game.hides_players:
        text = f"the game {game.name!r} is anonymous; give the number of the new owner"
        raise RequestError(FailCode.PERMISSION_DENIED, text)
    found = store.read(stored_accounts.by_name, message.account.partition("@")[0])
    if found is None or not found.may_log_in or game.seat_of(found.id) is None:
        # Accounts outside of the game have not agreed to own it.
        text = f"no player of the game {game.name!r} is called {quoted(message.account)}; only players can own it"
        raise RequestError(FailCode.NO_SUCH_THING, text)
    return found


def _who(game: Game, owner: Account) -> str:
    """Return the name of the owner in messages to the players."""
    return MAKER if game.hides_players else owner.name


def _made(session: Session, name: str) -> tuple[Game, Account]:
    """Return a game that the account owns, and the account. Raises NotAdmitted, GameError, NotNow."""
    registry, account = session.host.registry, session.account
    assert account is not None  # the request requires a login
    game = registry.named(name)
    if registry.store.read(stored_ownership.creator_of, game.row.id) != account.id:
        raise NotAdmitted(f"only the owner of the game {game.name!r} can do this")
    now, changes = registry.steady(), session.host.owner_changes
    if len(changes) >= MOST_REMEMBERED:
        for number in [number for number, times in changes.items() if times[-1] <= now - SECONDS]:
            del changes[number]
    recent = [time for time in changes.get(account.id, []) if time > now - SECONDS]
    if len(recent) >= MOST_CHANGES:
        raise NotNow(f"you have changed your games {MOST_CHANGES} times within an hour, the maximum; try again later")
    changes[account.id] = [*recent, now]
    return game, account
