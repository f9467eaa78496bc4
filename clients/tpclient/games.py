"""The list of games: the game of this client, why it waits, and its end."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from tpclient.columns import counted
from tpclient.names import writer_of
from tpproto import tp_pb2

Listed = TypeVar("Listed", tp_pb2.Game, tp_pb2.MyGame)

COMMENT = 5
"""The parameter of a Game frame with a text for people (TP04, Game)."""

TURN = "turn"
"""The purpose of a login to an old turn, before the turn's number."""

RUNNING = "running"
"""The state of a game whose turns go on."""

GAME_OVER = "game over"
"""Start of the turn's name, and subject of a report, when a game is over.

A player may have this name, so it counts only while nobody is awaited.
"""

PRESS = {
    "none": "players write nothing to each other",
    "public": "players write to everybody at once only",
    "private": "players write to each other and to everybody",
}
"""Words for `GameSetup.press` and `Talk.press`: permitted messages."""


SUSPENDED = "suspended"
"""First word of the turn's name while the rules have failed and the operator has not yet resumed the game.

It counts only while nobody is awaited, like GAME_OVER.
"""


def press_words(press: str) -> str:
    """Return the permitted messages in words.

    Older servers send nothing, and an unknown word is shown as it is.
    """
    return PRESS.get(press or "private", press)


def watch_words(delay: int, is_closed: bool) -> str:
    """Return the delay of spectators, in words."""
    if is_closed:
        return "nobody watches before the end"
    return f"spectators see it {counted(delay, 'turn')} later" if delay else "spectators see it as it is"


def late_words(clock: tp_pb2.TimeRemaining) -> str:
    """Return the note for spectators of a delayed game; "" for all others.

    Also "" as long as no turn is shown: then the name of the turn says so.
    """
    if not clock.watch_delay or clock.present_turn < clock.watch_delay:
        return ""
    later = f"{counted(clock.watch_delay, 'turn')} later"
    return f"You watch turn {clock.turn} of {clock.present_turn}: the game shows its turns {later}"


def comment_of(game: tp_pb2.Game) -> str:
    """Return the server's comment on a game, for people."""
    return next((one.string_value for one in game.parameters if one.id == COMMENT), "")


def hindrance_of(game: tp_pb2.Game) -> str:
    """Return the reason why a game does not go on, in the server's word, such as "paused".

    It is the first note of the comment, up to a semicolon. It is "" if the game goes on, or if the server does not
    tell.
    """
    state = comment_of(game).partition(";")[0].strip()
    return "" if state.casefold() == RUNNING else state


def game_and_purpose(user: str) -> tuple[str, str]:
    """Return the game after a user's name, and the purpose of the login.

    The purpose is "watch" or "turn/3". Both may be empty: `carol`, `carol@friday`, `carol@friday/watch`. No game's name
    has a slash.
    """
    game, _, purpose = user.partition("@")[2].partition("/")
    return game, purpose


def login_name(user: str, game: str = "", turn: int | None = None) -> str:
    """Return the login name of a user, optionally in a game and at an old turn of it.

    `user` may name the game itself. A turn replaces any other purpose in it.
    """
    name = f"{user.partition('@')[0]}@{game}" if game else user
    if turn is None:
        return name
    account, _, rest = name.partition("@")
    return f"{account}@{rest.partition('/')[0]}/{TURN}/{turn}"


def turn_in(purpose: str) -> str | None:
    """Return the number of the old turn that a purpose names, as text; None if it names none."""
    what, _, number = purpose.partition("/")
    return number if what == TURN else None


def own_game(games: Sequence[Listed], name: str, welcome: str) -> Listed | None:
    """Return the game of this client, or None if it is ambiguous.

    It is the game with that name, or the one in the server's `welcome`, or the only one.
    """
    named = [game for game in games if name and game.name.casefold() == name.casefold()]
    welcomed = [game for game in games if game.name and f"to {game.name}," in welcome]
    for found in (named, welcomed, games):
        if len(found) == 1:
            return found[0]
    return None


def is_over(clock: tp_pb2.TimeRemaining, messages: Iterable[tp_pb2.Message]) -> bool:
    """Return whether the game is over.

    The turn or a report says so, and nobody is awaited.
    """
    if clock.waiting:
        return False
    named = clock.turn_name.casefold().startswith(GAME_OVER)
    return named or any(GAME_OVER in message.subject.casefold() for message in messages if writer_of(message) is None)


def is_suspended(clock: tp_pb2.TimeRemaining) -> bool:
    """Return whether the rules failed, so that the game waits for its operator."""
    return not clock.waiting and clock.turn_name.casefold().startswith(SUSPENDED)
