"""The games of a server as its Game frames tell of them, and which of them is ours."""

from collections.abc import Sequence

from tpproto import tp_pb2

COMMENT = 5
"""The parameter of a Game frame that is words for people (TP04, Game)."""

RUNNING = "running"
"""The word of a game in which nothing keeps the turns from going on."""


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
    """What follows a user's name at login: the game that is named, and what one wants there, as "watch".

    Both may be empty: `carol`, `carol@friday`, `carol@friday/watch`. No game's name has a slash.
    """
    game, _, purpose = user.partition("@")[2].partition("/")
    return game, purpose


def own_game(games: Sequence[tp_pb2.Game], name: str, welcome: str) -> tp_pb2.Game | None:
    """The game that we are in: the one that was named, else the one to which the server said welcome, else the only
    one; None if that does not decide."""
    named = [game for game in games if name and game.name.casefold() == name.casefold()]
    welcomed = [game for game in games if game.name and f"to {game.name}," in welcome]
    for found in (named, welcomed, games):
        if len(found) == 1:
            return found[0]
    return None
