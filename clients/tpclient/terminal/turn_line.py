"""The line that tells the turn, the time that is left, and who is awaited."""

from rich.text import Text

from ..columns import listed, shown
from ..news import GAME_OVER
from ..plain.context import NO_DEADLINE, seconds_words
from .link import Link


def turn_line(link: Link, passed: int) -> Text:
    """The line as it is `passed` seconds after the newest clock was told."""
    clock = link.clock
    text = Text(no_wrap=True, overflow="ellipsis")
    name = shown(clock.turn_name) if link.has_turn_numbers else ""
    text.append(name or f"Turn {link.turn}", "bold")
    if link.is_over:
        if not clock.turn_name.casefold().startswith(GAME_OVER):
            text.append(" - the game is over")
        return text
    if link.hindrance:
        text.append(f" - {shown(link.hindrance)}", "reverse")
    limited = 0 < clock.time < NO_DEADLINE
    text.append(" - " + seconds_words(max(1, clock.time - passed) if limited else clock.time))
    if list(clock.waiting) == [link.universe.me]:
        text.append(" - it is your turn")
    elif clock.waiting:
        text.append(f" - awaited: {shown(listed(link.names(clock.waiting)))}")
    return text
