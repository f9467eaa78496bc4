"""What a server tells of its games: which of them is ours, why it does not go on, and that it is over."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from tpproto import tp_pb2

from .columns import counted
from .names import writer_of

Listed = TypeVar("Listed", tp_pb2.Game, tp_pb2.MyGame)

COMMENT = 5
"""The parameter of a Game frame that is words for people (TP04, Game)."""

TURN = "turn"
"""What is wanted of a game by who looks at an old turn of it, before the turn's number."""

RUNNING = "running"
"""The word of a game in which nothing keeps the turns from going on."""

GAME_OVER = "game over"
"""How the name of the turn begins, and what the subject of a report says, when nothing more will happen. A player may
be called so; therefore it counts only while nobody is awaited."""

PRESS = {
    "none": "players write nothing to each other",
    "public": "players write to everybody at once only",
    "private": "players write to each other and to everybody",
}
"""What players may write in a game, by the word of `GameSetup.press` and of `Talk.press`, for people."""


def press_words(press: str) -> str:
    """What players may write, for people; older servers say nothing of it, and a word that is not known is shown."""
    return PRESS.get(press or "private", press)


def watch_words(delay: int, is_closed: bool) -> str:
    """How late spectators see a game, for people."""
    if is_closed:
        return "nobody watches before the end"
    return f"spectators see it {counted(delay, 'turn')} later" if delay else "spectators see it as it is"


def late_words(clock: tp_pb2.TimeRemaining) -> str:
    """What whoever watches a game that is shown later is told of that; empty for all others, and as long as no turn is
    shown yet: then the name of the turn says so."""
    if not clock.watch_delay or clock.present_turn < clock.watch_delay:
        return ""
    later = f"{counted(clock.watch_delay, 'turn')} later"
    return f"You watch turn {clock.turn} of {clock.present_turn}: the game shows its turns {later}"


def comment_of(game: tp_pb2.Game) -> str:
    """What the server says of a game, for people."""
    return next((one.string_value for one in game.parameters if one.id == COMMENT), "")


def hindrance_of(game: tp_pb2.Game) -> str:
    """Why a game does not go on, in the server's word, as "paused"; nothing if it does or the server does not tell.

    The first of the notes between semicolons says how a game stands.
    """
    state = comment_of(game).partition(";")[0].strip()
    return "" if state.casefold() == RUNNING else state


def game_and_purpose(user: str) -> tuple[str, str]:
    """What follows a user's name at login: the game that is named, and what one wants there, as "watch" or "turn/3".

    Both may be empty: `carol`, `carol@friday`, `carol@friday/watch`. No game's name has a slash.
    """
    game, _, purpose = user.partition("@")[2].partition("/")
    return game, purpose


def login_name(user: str, game: str = "", turn: int | None = None) -> str:
    """The name to log in by: a user's, in a game if one is named, at an old turn of it if that is not None.

    `user` may name the game itself; a turn takes the place of anything else that was wanted there.
    """
    name = f"{user}@{game}" if game else user
    if turn is None:
        return name
    account, _, rest = name.partition("@")
    return f"{account}@{rest.partition('/')[0]}/{TURN}/{turn}"


def turn_in(purpose: str) -> str | None:
    """The number of the old turn that a purpose names, as it was written; None if it names none."""
    what, _, number = purpose.partition("/")
    return number if what == TURN else None


def own_game(games: Sequence[Listed], name: str, welcome: str) -> Listed | None:
    """The game that we are in: the one that was named, else the one to which the server said welcome, else the only
    one; None if that does not decide."""
    named = [game for game in games if name and game.name.casefold() == name.casefold()]
    welcomed = [game for game in games if game.name and f"to {game.name}," in welcome]
    for found in (named, welcomed, games):
        if len(found) == 1:
            return found[0]
    return None


def is_over(clock: tp_pb2.TimeRemaining, messages: Iterable[tp_pb2.Message]) -> bool:
    """Whether the game is over: the turn or a report says so, and nobody is awaited."""
    if clock.waiting:
        return False
    named = clock.turn_name.casefold().startswith(GAME_OVER)
    return named or any(GAME_OVER in message.subject.casefold() for message in messages if writer_of(message) is None)
