"""Make untrusted text safe to show in logs and on terminals.

The text may come from rulesets, clients or operators.
"""

from __future__ import annotations

LONGEST_LINE = 2000
"""Maximum characters of a line in a log or on a terminal."""

LONGEST_WORD = 100
"""Maximum characters of a typed word that a sentence quotes."""

CUT = " [...]"
"""The end of text that was cut."""

KEPT_FOR_PLAYERS = "\u00a0\u00ad\u200c\u200d\u202f\u3000"
"""Characters that are useful in texts and harmless on a terminal, but not printable for ``str.isprintable``.

These are special spaces, and characters that join or separate letters.
"""


def printable(text: str, longest: int = LONGEST_LINE, keep: str = "") -> str:
    """Return ``text`` with unprintable characters escaped, cut to at most ``longest`` characters with the mark CUT.

    Characters are escaped as in Python if ``str.isprintable`` is False for them, unless they are in ``keep``. These are
    control characters, line breaks, invisible characters and lone surrogates. They also include unassigned code points
    and characters that change the direction of writing.
    """
    if len(text) <= longest and text.isprintable():
        return text
    # Cut before checking the characters: there may be millions.
    shown = "".join(letter if letter.isprintable() or letter in keep else _escaped(letter) for letter in text[:longest])
    if len(shown) <= longest and len(text) <= longest:
        return shown
    return shown[: max(0, longest - len(CUT))] + CUT


def quoted(word: str) -> str:
    """Return a typed word in quotes for a sentence, cut to LONGEST_WORD characters."""
    return repr(word if len(word) <= LONGEST_WORD else word[:LONGEST_WORD] + CUT)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
