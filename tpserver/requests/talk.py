"""Requests about what is written in a game: what may be, whom an account does not hear, and who is silenced."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import quoted
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games import moderation
from tpserver.games.anonymity import names_told
from tpserver.games.game import Game, GameError
from tpserver.games.press import WORDS, press_of
from tpserver.requests import refusals
from tpserver.requests.game_setup import row_of
from tpserver.requests.refusals import PLAYER, Refused
from tpserver.requests.responses import okay
from tpserver.requests.session import Answer, Session
from tpserver.store import accounts as stored_accounts
from tpserver.store import games as stored_games
from tpserver.store import hearing as stored_hearing
from tpserver.store.accounts import Account
from tpserver.store.hearing import EVERYWHERE, Block, Hearing

TALK = BY_NAME["talk"].number

MOST_BLOCKED = 200
"""Maximum accounts that an account blocks."""

MODERATORS = ("moderator", "operator")
"""The roles of those who moderate."""


def get_talk(session: Session, message: tp.GetTalk) -> Answer:
    """Return what can be written in a game, and whom the account does not hear.

    Raises GameError, and NotAdmitted of a game for others.
    """
    account, store = _account(session), session.host.registry.store
    told = tp.Talk()
    if message.game or session.game is not None:
        row = row_of(session, message.game, "GetTalk")
        told.game, told.press = row.name, press_of(row)
        told.words = WORDS[told.press]
        told.muted = row.id in store.read(stored_hearing.mutes, account.id)
    told.blocked.extend(_blocked(session, account))
    if (silence := store.read(stored_hearing.silence_of, account.id, session.host.registry.now())) is not None:
        told.silenced, told.reason = int(silence.until), silence.reason
    told.moderates = is_moderator(session)
    return [session.payload(TALK, told)]


async def set_mute(session: Session, message: tp.SetMute) -> Answer:
    """Let the account hear nothing of letters to everybody in a game in which it has a seat, or of those of spectators
    in one that it watches; or hear them again."""
    account, registry = _account(session), session.host.registry
    row = registry.row_named(message.game) if message.game else session.seeing("SetMute").row
    watched = session.watched()
    watches = row is not None and watched is not None and watched.row.id == row.id
    if row is None or not (watches or row.id in registry.store.read(stored_games.with_seat_of, account.id)):
        raise Refused(FailCode.NO_SUCH_THING, f"you have no seat in a game {quoted(message.game)}")
    await registry.store.write(stored_hearing.set_mute, account.id, row.id, message.muted)
    what = "letters of spectators" if watches else "letters to everybody"
    words = f"You hear no {what}" if message.muted else f"You hear {what} again"
    return [okay(session.dialect, f"{words} in {row.name}")]


async def set_block(session: Session, message: tp.SetBlock) -> Answer:
    """Let the account take no letters of another one any more, or take them again.

    A player of an anonymous game is blocked there only: in other games it would be seen whose letters do not come.
    """
    account, store = _account(session), session.host.registry.store
    if message.name:
        other = _named(session, message.name)
        name, scope = other.name, EVERYWHERE
    else:
        other, name, scope = _player(session, message.game, message.player)
    if other.id == account.id:
        raise Refused(FailCode.UNAVAILABLE_PERMANENTLY, "you cannot block yourself")
    if not message.blocked:
        if not await store.write(stored_hearing.unblock, account.id, other.id, scope):
            raise Refused(FailCode.NO_SUCH_THING, f"you do not block {name}")
        return [okay(session.dialect, f"You take the letters of {name} again")]
    if not await store.write(stored_hearing.block, account.id, other.id, scope, MOST_BLOCKED):
        text = f"you block {MOST_BLOCKED} accounts, and more cannot be kept; unblock one"
        raise Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)
    where = "" if scope == EVERYWHERE else " in this game"
    return [okay(session.dialect, f"You take no letters of {name} any more, and can write none to it{where}")]


async def set_silence(session: Session, message: tp.SetSilence) -> Answer:
    """Let an account write to nobody for so many days, or again; for moderators.  Raises NotAdmitted, GameError."""
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
    return [okay(session.dialect, f"{other.name} writes to nobody until {until}, and is told why")]


def is_moderator(session: Session) -> bool:
    """Return whether the account is a moderator now; it may have become one, or none, since it logged in."""
    now = session.host.registry.store.read(stored_accounts.by_id, _account(session).id)
    return now is not None and now.role in MODERATORS


def must_moderate(session: Session) -> Account:
    """Return the account as it is now, which is a moderator's.  Raises NotAdmitted."""
    now = session.host.registry.store.read(stored_accounts.by_id, _account(session).id)
    if now is None or now.role not in MODERATORS:
        raise NotAdmitted("this is for moderators; the operator makes one with tpserver account role NAME moderator")
    return now


def check_below(moderator: Account, other: Account) -> None:
    """Raise NotAdmitted if a moderator may not silence an account: moderators and operators are the operator's."""
    if other.role == "operator" or (other.role == "moderator" and moderator.role != "operator"):
        raise NotAdmitted(f"{other.name} is a {other.role}, whom only who has the machine silences")


# --- who hears a letter -----------------------------------------------------------------------------------------------


def hearing_in(session: Session, game: Game) -> Hearing:
    """Return who does not hear the account in a game.  Raises Refused if the account is silenced."""
    registry, account = session.host.registry, _account(session)
    if (silence := registry.store.read(stored_hearing.silence_of, account.id, registry.now())) is not None:
        until = moderation.until_words(silence.until)
        text = f"you are silenced until {until} and can write to nobody but yourself: {silence.reason}"
        raise Refused(FailCode.PERMISSION_DENIED, text)
    return registry.store.read(stored_hearing.hearing_of, account.id, game.row.id, game.hides_players)


def not_heard(hearing: Hearing, game: Game, number: int) -> str:
    """Return why a player's board takes no letter of the account, whoever it is meant for; empty if it does.

    Whoever is blocked is told that the letter was not taken, for a player who believes that an offer was read plays
    another game than one who knows that it was not.
    """
    account = game.players[number - 1].account
    if account in hearing.blocks:
        return f"you have blocked {game.name_of(number - 1)}; to write, take its letters again"
    if account in hearing.blocked_by:
        return f"{game.name_of(number - 1)} takes no letters of yours"
    return ""


def _named(session: Session, name: str) -> Account:
    found = session.host.registry.store.read(stored_accounts.by_name, name)
    if found is None or found.removed is not None:
        raise Refused(FailCode.NO_SUCH_THING, f"there is no account {quoted(name)}")
    return found


def _player(session: Session, name: str, number: int) -> tuple[Account, str, int]:
    """Return the account of a player of a game (empty: that which is played), the name by which it is told, and where
    a block of it counts: EVERYWHERE or the game.  Raises Refused, GameError, and NotAdmitted of a game for others."""
    registry = session.host.registry
    row = row_of(session, name, "SetBlock")
    game = registry.with_id(row.id)
    player = None if game.hides_seats else game.player(number)
    if player is None:
        raise refusals.no_such("player", number, PLAYER)
    found = None
    if player.account is not None:
        found = registry.store.read(stored_accounts.by_id, player.account)
    if found is None:
        raise Refused(FailCode.UNAVAILABLE_PERMANENTLY, f"{player.name} is a bot of the server, which writes nothing")
    # One that was made before the end of an anonymous game is taken back there, too.
    is_there = any(one.other == found.id and one.game == row.id for one in _blocks(session))
    scope = row.id if game.hides_players or is_there else EVERYWHERE
    return found, player.name if game.hides_players else found.name, scope


def _blocks(session: Session) -> list[Block]:
    return session.host.registry.store.read(stored_hearing.blocks, _account(session).id)


def _blocked(session: Session, account: Account) -> list[tp.BlockedAccount]:
    """Return whom an account blocks: accounts by their names, and then players of anonymous games by their numbers.

    A player who has its seat no more is told no more.
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
    """Return the account of a session that is logged in."""
    assert session.account is not None
    return session.account
