"""Requests about press, blocked players and silenced accounts."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import quoted
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.service import moderation
from tpserver.games.terms.anonymity import names_told
from tpserver.games.terms.chat_rules import WORDS, press_of
from tpserver.requests.lobby.game_setup import row_of
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import PLAYER, RequestError
from tpserver.requests.session.responses import Answer, okay
from tpserver.requests.session.session import Session
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import blocks as stored_blocks
from tpserver.store.people.accounts import Account
from tpserver.store.people.blocks import EVERYWHERE, Block, Hearing

TALK = BY_NAME["talk"].number

MOST_BLOCKED = 200
"""Maximum blocked accounts of an account."""

MODERATORS = ("moderator", "operator")
"""Roles of moderators."""


@handles("get_talk")
def get_talk(session: Session, message: tp.GetTalk) -> Answer:
    """Return the press rules of a game, and the blocks of the account.

    Raises GameError, and NotAdmitted for a game that is closed to the account.
    """
    account, store = _account(session), session.host.registry.store
    told = tp.Talk()
    if message.game or session.game is not None:
        row = row_of(session, message.game)
        told.game, told.press = row.name, press_of(row)
        told.words = WORDS[told.press]
        told.muted = row.id in store.read(stored_blocks.mutes, account.id)
    told.blocked.extend(_blocked(session, account))
    if (silence := store.read(stored_blocks.silence_of, account.id, session.host.registry.now())) is not None:
        told.silenced, told.reason = int(silence.until), silence.reason
    told.moderates = is_moderator(session)
    return [session.payload(TALK, told)]


@handles("set_mute")
async def set_mute(session: Session, message: tp.SetMute) -> Answer:
    """Mute or unmute messages to all in a game of the account, or those of spectators in a watched game."""
    account, registry = _account(session), session.host.registry
    row = registry.directory.row_named(message.game) if message.game else session.seeing().row
    watched = session.watched()
    watches = row is not None and watched is not None and watched.row.id == row.id
    if row is None or not (watches or row.id in registry.store.read(stored_games.with_seat_of, account.id)):
        raise RequestError(FailCode.NO_SUCH_THING, f"you have no seat in a game {quoted(message.game)}")
    await registry.store.write(stored_blocks.set_mute, account.id, row.id, message.muted)
    what = "messages of spectators" if watches else "messages to everybody"
    words = f"You get no {what}" if message.muted else f"You get {what} again"
    return [okay(session.dialect, f"{words} in {row.name}")]


@handles("set_block")
async def set_block(session: Session, message: tp.SetBlock) -> Answer:
    """Block another account's messages, or unblock them.

    A block of a player of an anonymous game counts there only. In other games the missing messages would reveal the
    player.
    """
    account, store = _account(session), session.host.registry.store
    if message.name:
        other = _named(session, message.name)
        name, scope = other.name, EVERYWHERE
    else:
        other, name, scope = _player(session, message.game, message.player)
    if other.id == account.id:
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, "you cannot block yourself")
    if not message.blocked:
        if not await store.write(stored_blocks.unblock, account.id, other.id, scope):
            raise RequestError(FailCode.NO_SUCH_THING, f"you do not block {name}")
        return [okay(session.dialect, f"You have unblocked {name}")]
    if not await store.write(stored_blocks.block, account.id, other.id, scope, MOST_BLOCKED):
        text = f"you block {MOST_BLOCKED} accounts, the maximum; unblock one first"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text)
    where = "" if scope == EVERYWHERE else " in this game"
    return [okay(session.dialect, f"You have blocked {name}, and the two of you cannot write to each other{where}")]


@handles("set_silence")
async def set_silence(session: Session, message: tp.SetSilence) -> Answer:
    """Silence an account for some days, or end its silence; for moderators. Raises NotAdmitted, GameError."""
    moderator = must_moderate(session)
    other = _named(session, message.name)
    if other.id == moderator.id:
        raise GameError("you cannot silence yourself")
    check_below(moderator, other)
    if not message.days:
        await moderation.end_silence(session.host.registry, other, moderator.name)
        return [okay(session.dialect, f"{other.name} may write again")]
    made = await moderation.silence(session.host.registry, other, message.days, message.reason, moderator.name)
    until = moderation.until_words(made.until)
    return [okay(session.dialect, f"{other.name} is silenced until {until}, and notified of the reason")]


def is_moderator(session: Session) -> bool:
    """Return whether the account is a moderator now. That may have changed since the login."""
    now = session.host.registry.store.read(stored_accounts.by_id, _account(session).id)
    return now is not None and now.role in MODERATORS


def must_moderate(session: Session) -> Account:
    """Return the present account of a moderator. Raises NotAdmitted."""
    now = session.host.registry.store.read(stored_accounts.by_id, _account(session).id)
    if now is None or now.role not in MODERATORS:
        raise NotAdmitted("only moderators can do this; the operator can give you the role")
    return now


def check_below(moderator: Account, other: Account) -> None:
    """Raise NotAdmitted if a moderator may not silence an account.

    Only the operator silences moderators and operators.
    """
    if other.role == "operator" or (other.role == "moderator" and moderator.role != "operator"):
        raise NotAdmitted(
            f"{other.name} has the role {other.role}; only an administrator with shell access can silence that account"
        )


# --- recipients of a message ------------------------------------------------------------------------------------------


def hearing_in(session: Session, game: Game) -> Hearing:
    """Return the accounts that get no messages of the own account. Raises RequestError if it is silenced."""
    registry, account = session.host.registry, _account(session)
    if (silence := registry.store.read(stored_blocks.silence_of, account.id, registry.now())) is not None:
        until = moderation.until_words(silence.until)
        text = f"you are silenced until {until} and can write only to yourself: {silence.reason}"
        raise RequestError(FailCode.PERMISSION_DENIED, text)
    return registry.store.read(stored_blocks.hearing_of, account.id, game.row.id, game.hides_players)


def not_heard(hearing: Hearing, game: Game, number: int) -> str:
    """Return why a player's board rejects messages of the account.

    The result is empty if it accepts them. Messages to all are rejected, too. A blocked sender gets this reason, as it
    matters in a game whether an offer was read.
    """
    account = game.players[number - 1].account
    if account in hearing.blocks:
        return f"you have blocked {game.name_of(number - 1)}; unblock it to write to it"
    if account in hearing.blocked_by:
        return f"{game.name_of(number - 1)} does not accept your messages"
    return ""


def _named(session: Session, name: str) -> Account:
    name = name.partition("@")[0]  # of NAME@GAME: a block is about the account
    found = session.host.registry.store.read(stored_accounts.by_name, name)
    if found is None or found.removed is not None:
        raise RequestError(FailCode.NO_SUCH_THING, f"there is no account {quoted(name)}")
    return found


def _player(session: Session, name: str, number: int) -> tuple[Account, str, int]:
    """Return the account of a player, its shown name, and a block's scope.

    The current game has the ``name`` "". The scope is EVERYWHERE or the game. Raises RequestError, GameError and
    NotAdmitted.
    """
    registry = session.host.registry
    row = row_of(session, name)
    game = registry.with_id(row.id)
    player = None if game.hides_seats else game.player(number)
    if player is None:
        raise refusals.no_such("player", number, PLAYER)
    found = None
    if player.account is not None:
        found = registry.store.read(stored_accounts.by_id, player.account)
    if found is None:
        raise RequestError(
            FailCode.UNAVAILABLE_PERMANENTLY, f"{player.name} is a bot of the server, which writes nothing"
        )
    # A block from before the end of an anonymous game is revoked there, too.
    is_there = any(one.other == found.id and one.game == row.id for one in _blocks(session))
    scope = row.id if game.hides_players or is_there else EVERYWHERE
    return found, player.name if game.hides_players else found.name, scope


def _blocks(session: Session) -> list[Block]:
    return session.host.registry.store.read(stored_blocks.blocks, _account(session).id)


def _blocked(session: Session, account: Account) -> list[tp.BlockedAccount]:
    """Return the blocked accounts, then blocked players of anonymous games.

    The former have names, the latter numbers. A player without a seat is omitted.
    """
    store, found = session.host.registry.store, _blocks(session)
    told = [tp.BlockedAccount(name=one.name) for one in found if one.game == EVERYWHERE]
    for game in sorted({one.game for one in found} - {EVERYWHERE}):
        row, seats = store.read(stored_games.by_id, game), store.read(stored_games.seats, game)
        if row is None:
            continue
        others = {one.other for one in found if one.game == game}
        for seat, name in zip(seats, names_told(row, seats, account.id), strict=True):
            if seat.account in others:
                told.append(tp.BlockedAccount(name=name, game=row.name, player=seat.seat + 1))
    return told


def _account(session: Session) -> Account:
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account
