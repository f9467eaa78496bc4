"""Text from outside, made fit to be shown: whatever a ruleset, a client or an operator may have put into it."""

from __future__ import annotations

LONGEST_LINE = 2000
"""Characters of a line in a log or on a terminal."""

LONGEST_WORD = 100
"""Characters of a word that somebody has typed, in a sentence about it."""

CUT = " [...]"

KEPT_FOR_PLAYERS = "\u00a0\u00ad\u200c\u200d\u202f\u3000"
"""What cannot steer a terminal and has its place in a text: odd spaces, and what joins or parts letters."""


def printable(text: str, longest: int = LONGEST_LINE, keep: str = "") -> str:
    """Return a text of at most ``longest`` characters, cut with a mark where it is longer.

    Written out as Python escapes are control characters, ends of lines, invisible ones, those that turn the direction
    of writing, lone surrogates and what Unicode has not assigned (all that ``str.isprintable`` denies), but for the
    characters in ``keep``.
    """
    if len(text) <= longest and text.isprintable():
        return text
    # Cut before it is looked at: the rest may be a million characters.
    shown = "".join(letter if letter.isprintable() or letter in keep else _escaped(letter) for letter in text[:longest])
    if len(shown) <= longest and len(text) <= longest:
        return shown
    return shown[: max(0, longest - len(CUT))] + CUT


def quoted(word: str) -> str:
    """Return what somebody has called something as a sentence shows it; what the sentence says of it stands behind."""
    return repr(word if len(word) <= LONGEST_WORD else word[:LONGEST_WORD] + CUT)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
