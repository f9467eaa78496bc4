"""Plain form of codes that people type or paste, such as invitations."""

from __future__ import annotations

import unicodedata

LONGEST = 200
"""Maximum characters that are read; a code is shorter."""


def plain_code(text: str) -> str:
    """Return a code in the server's form.

    Editors, keyboards and mail programs insert other dashes, wide letters and digits, digits of other scripts, spaces
    of all kinds, soft hyphens and invisible characters.
    """
    return "".join(map(_plain, unicodedata.normalize("NFKC", text[:LONGEST])))


def _plain(letter: str) -> str:
    kind = unicodedata.category(letter)
    if kind == "Pd" or letter == "\N{MINUS SIGN}":
        return "-"
    if kind == "Nd":
        return str(unicodedata.decimal(letter))
    return "" if letter.isspace() or kind in ("Cf", "Cc") else letter
