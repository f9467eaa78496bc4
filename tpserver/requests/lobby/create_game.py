"""Requests about new games: their options, creation and invitations."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import OptionError, Ruleset, parse_options
from tprules.api.options import Flag, Integer, IntegerList, OneOf, Option
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.accounts.accounts import LOCKDOWN, Busy, NotAdmitted
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError
from tpserver.games.core.saving import NotSaved
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.terms.chat_rules import PRIVATE
from tpserver.games.terms.delay import UNWATCHED
from tpserver.games.terms.guests import NO, YES
from tpserver.requests.entry.login import digest_of
from tpserver.requests.lobby.clocks import clock_for_players
from tpserver.requests.lobby.game_setup import LONGEST_HELP, LONGEST_VALUE, MOST_OPTIONS, typed
from tpserver.requests.lobby.seats import policy_of
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import CreationPolicy, Session
from tpserver.rules.call_limits import CHECK_SECONDS, WATCHDOG, Caller, why_it_failed
from tpserver.rules.manuals import manual_of
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games.ownership import Creator, TooManyGames
from tpserver.store.people.accounts import Account

RULESET, INVITATION = BY_NAME["ruleset"].number, BY_NAME["invitation"].number

MOST_OF_ALL = 1000
"""Maximum unfinished games created by accounts: those with two people, and the others."""
MOST_NEW, NEW_SECONDS = 20, 3600.0
"""Maximum games that an account creates in these seconds."""
REST = 20.0
"""Rest of an account after it created a game or tried to, as a multiple of the time that took."""
MOST_RESTS = 1000
WORD_BYTES = 32
MOST_WORDS = 100
"""Maximum choices in the description of an option."""


@handles("get_rulesets")
def get_rulesets(session: Session, message: tp.GetRulesets) -> Frames:
    usable = session.host.registry.rulesets.usable
    return Frames(session.dialect, len(usable), (_described(session, usable[name]) for name in sorted(usable)))


@handles("create_game")
async def create_game(session: Session, message: tp.CreateGame) -> Answer:
    """Create a game and give its owner a seat, except to a game master. Raises RequestError, GameError."""
    host, account = session.host, _account(session)
    making, registry = host.making, session.host.registry
    if host.accounts.policy == LOCKDOWN:
        raise NotAdmitted("this server is in lockdown; no games can be created")
    if not making.allowed:
        raise NotAdmitted("on this server only the operator can create games")
    new = _wanted(message, making, account)
    _check_options(registry.rulesets.usable.get(new.ruleset), new)  # a corrected request need not wait
    rests = making.rests
    begun = registry.steady()
    if session.route is not None and session.game is None and registry.cluster is not None:
        registry.cluster.go_to_least_loaded()
    if (left := rests.get(account.id, 0.0) - begun) > 0:
        when = "when the one before is made" if left == float("inf") else f"in {int(left) + 1} s"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, f"you create games too fast; try again {when}")
    if len(rests) >= MOST_RESTS:
        making.rests = rests = {number: until for number, until in rests.items() if until > begun}
    new = replace(new, creator=_creator(session, account))
    rests[account.id] = float("inf")
    try:
        game = await registry.lobby.create(new)
    except TooManyGames as refusal:
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, str(refusal)) from None
    finally:
        now = registry.steady()
        making.rests[account.id] = now + REST * (now - begun)
    if message.master:
        making.bring_bots(game)
        text = f"The game {game.name} is made, and you are its game master: watch it"
        return [okay(session.dialect, game.clock.with_notes(text, game.policy.absent_after))]
    try:
        await registry.lobby.take_seat(game, account.id, account.name)
    except NotSaved:
        text = f"the game {new.name!r} is made, but your seat in it could not be saved; join it"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text) from None
    finally:
        making.bring_bots(registry.with_id(game.row.id))
    text = f"The game {game.name} is made, and you have a seat in it"
    return [okay(session.dialect, game.clock.with_notes(text, game.policy.absent_after))]


@handles("get_invitation")
async def get_invitation(session: Session, message: tp.GetInvitation) -> Answer:
    """Return a new invitation code for the owner of a game. It revokes the previous one."""
    registry, account = session.host.registry, _account(session)
    game = registry.named(message.game)
    if registry.store.read(stored_ownership.creator_of, game.row.id) != account.id:
        raise NotAdmitted(f"only the owner of the game {game.name!r} can invite players to it")
    if game.row.join == "open":
        raise GameError(f"the game {game.name!r} is open to everybody; players need no invitation")
    if not game.open_seats() and not any(attendance.seeks_player(game, player.seat) for player in game.players):
        raise GameError(f"no seat of the game {game.name!r} is free")
    word = secrets.token_urlsafe(WORD_BYTES)
    await game.saving.write(stored_ownership.set_invitation, game.row.id, digest_of(word))
    return [session.payload(INVITATION, tp.Invitation(game=game.name, word=word))]


def _creator(session: Session, account: Account) -> Creator:
    """Return the limits of an account that creates a game, which also counts for its network. Raises Busy."""
    host, network = session.host, session.caller().network
    is_new = host.making_networks.is_new(network)
    if left := host.new_games.add(network):
        raise Busy("too many games were created from your network", left)
    host.making_networks.add(network)
    most_open = host.making.most_open_of(account)
    return Creator(account.id, most_open, MOST_OF_ALL, MOST_NEW, NEW_SECONDS, is_new)


def _wanted(message: tp.CreateGame, making: CreationPolicy, account: Account) -> NewGame:
    """Return the settings of a game that an account requests. Raises GameError."""
    options: dict[str, Any] = {each.name: each.value for each in message.options}
    if len(options) != len(message.options):
        raise GameError("an option is given twice")
    clock = str(clock_for_players(message.clock)) if message.clock else making.clock
    if not message.master and message.bots >= max(1, message.seats):
        raise GameError("one of the seats is yours, so there must be fewer bots than seats")
    join = "invited" if message.invited else "open"
    policy = policy_of(message.policy)
    press, guests = message.press or PRIVATE, message.guests or (YES if account.is_guest else NO)
    delay = asked_delay(message)
    return NewGame(
        name=message.name,
        ruleset=message.ruleset,
        seats=message.seats,
        options=options,
        clock=clock,
        join=join,
        bots=message.bots,
        policy=policy,
        press=press,
        anonymous=message.anonymous,
        watch_delay=delay,
        guests=guests,
    )


def asked_delay(message: tp.CreateGame | tp.SetWatchDelay) -> int:
    """Return the spectators' delay that a client requests. Its bounds are not checked."""
    return UNWATCHED if message.unwatched else message.watch_delay


def _check_options(rules: Ruleset[Any] | None, new: NewGame) -> None:
    """Raise GameError if the ruleset does not declare the options of a game."""
    if rules is None:
        return
    try:
        WATCHDOG.call(CHECK_SECONDS, lambda: parse_options(rules.options, new.options), Caller(0, rules.name))
    except OptionError as error:
        raise GameError(str(error)) from None
    except Exception as error:
        raise GameError(f"ruleset {new.ruleset} cannot read its options: {why_it_failed(error)}") from None


def _described(session: Session, rules: Ruleset[Any]) -> bytes:
    _, goal = manual_of(rules)
    told = tp.Ruleset(
        name=rules.name, title=rules.title, version=str(rules.version), goal=goal, seats=list(rules.seats)
    )
    try:
        told.options.extend(WATCHDOG.call(CHECK_SECONDS, lambda: _options(rules), Caller(0, rules.name)))
    except Exception:
        del told.options[:]  # the game can be played with its defaults
    return session.payload(RULESET, told)


def _options(rules: Ruleset[Any]) -> list[tp.RulesetOption]:
    return [_option(name, option) for name, option in list(rules.options.items())[:MOST_OPTIONS]]


def _option(name: str, option: Option) -> tp.RulesetOption:
    told = tp.RulesetOption(name=name, help=_text(option.help), limits=_text(option.limits), kind="text")
    if isinstance(option, Integer | IntegerList):
        told.kind = "integer" if isinstance(option, Integer) else "integers"
        told.low, told.high = option.low, option.high
    elif isinstance(option, Flag):
        told.kind = "flag"
    elif isinstance(option, OneOf):
        told.kind = "word"
        told.words.extend(option.words[:MOST_WORDS])
    value = typed(option.default)
    told.value = value if len(value) <= LONGEST_VALUE else ""
    return told


def _text(text: str) -> str:
    return printable(str(text), LONGEST_HELP, KEPT_FOR_PLAYERS)


def _account(session: Session) -> Account:
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account
