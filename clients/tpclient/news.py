"""What clocks and messages tell besides their numbers: who wrote a message, and that a game is over."""

from collections.abc import Iterable

from tpproto import tp_pb2

from .objects import PLAYER

GAME_OVER = "game over"
"""How the name of the turn begins, and what the subject of a report says, when nothing more will happen. A player may
be called so; therefore it counts only while nobody is awaited."""


def is_letter(message: tp_pb2.Message) -> bool:
    """Whether a player wrote this message: it names its writer. Anybody can put anything into a letter."""
    return any(reference.type == PLAYER for reference in message.references)


def is_over(clock: tp_pb2.TimeRemaining, messages: Iterable[tp_pb2.Message]) -> bool:
    """Whether the game is over: the turn or a report says so, and nobody is awaited."""
    if clock.waiting:
        return False
    named = clock.turn_name.casefold().startswith(GAME_OVER)
    return named or any(GAME_OVER in message.subject.casefold() for message in messages if not is_letter(message))
