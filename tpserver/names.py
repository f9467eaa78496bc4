"""Account names: allowed characters, and names that look alike.

Only names of new accounts are checked. Existing accounts keep theirs.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any

LONGEST_NAME = 32
"""Maximum characters of a name."""
MOST_SEATS = 999
"""Number of seats, and of bots, with reserved labels."""

AUTHORITY = (
    *("administrator", "admin", "operator", "moderator", "sysop", "superuser", "webmaster", "staff", "support"),
    *("sysadmin", "superadmin", "owner", "gm"),
    *("server", "tpserver", "system", "host", "game master", "referee", "official", "security", "abuse", "neutral"),
)
"""Names that claim authority on the server."""
KEYWORDS = (
    *("all", "anybody", "anyone", "everybody", "everyone", "nobody", "none", "no one", "somebody", "someone"),
    *("spectator", "watch", "watcher", "all who watch", "others", "personal board"),
)
"""Words that commands and lists of players use in the place of a name."""

REMOVED = "removed player "
"""Beginning of the names of removed accounts."""
GUEST = "Guest "
"""Beginning of the names of guests."""

_TOGETHER = ({"HAN", "HIRAGANA", "KATAKANA"}, {"HAN", "BOPOMOFO"}, {"HAN", "HANGUL"})
"""Scripts that one language uses together (UTS 39, 5.1, augmented script sets)."""
_NO_SCRIPT = {"COMMON", "INHERITED"}
"""Digits, punctuation and marks, which all scripts share."""
_LEFT_TO_RIGHT_MARK = "\u200e"


class BadName(ValueError):
    """The name is not allowed. The message describes the allowed names."""


def new_name(name: str, *, has_authority: bool = False) -> str:
    """Return the name of a new account in its stored form. Raises BadName.

    Each word must be a username by PRECIS (RFC 8265, 3.1 and 3.4), and the whole name must use one script. With
    ``has_authority`` it may be one of AUTHORITY.
    """
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadName(f"a name has 1 to {LONGEST_NAME} characters, not {len(name)}")
    if name != name.strip() or "@" in name or "{" in name or "}" in name or "  " in name:
        raise BadName("a name has no @, no braces, no spaces at its ends and no two in a row")
    if name.startswith("-") or "=" in name:
        raise BadName("a name has no = and does not begin with -, as commands would take it for an option")
    kept = " ".join(_word(word) for word in name.split(" "))
    if not any(unicodedata.category(letter).startswith("L") for letter in kept):
        raise BadName("a name has a letter in it, as commands take numbers for something else")
    scripts = _scripts(kept)
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        found = " and ".join(sorted(script.capitalize() for script in scripts))
        raise BadName(f"a name is in one script, not in {found}")
    looks = appearances(kept) | appearances(kept.rstrip("0123456789 "))
    if not looks.isdisjoint(_keywords()) or not (has_authority or looks.isdisjoint(_names_of_authority())):
        raise BadName("this name is kept for the server and its commands; choose another one")
    spaced = _skeletons(kept)
    # Names like player2 are usual, but Player-2 would be taken for the label.
    alike = {_bare(look) for look in spaced} if _bare(kept) != kept else set()
    if not spaced.isdisjoint(_labels_of_seats()) or not alike.isdisjoint(_bare_labels()):
        raise BadName("a name is not what the server calls an open seat or a bot, like Player 2 or bot-1")
    if any(look.startswith(removed) for look in spaced for removed in _skeletons(REMOVED)):
        raise BadName(f"a name does not begin like those of removed accounts, with {REMOVED!r}")
    if any(look.startswith(guest) for look in spaced for guest in _skeletons(GUEST)):
        raise BadName(f"a name does not begin like those of guests, with {GUEST!r}")
    return kept


def guest_names(number: int, taken: frozenset[str]) -> Iterator[str]:
    """Yield names for the guest of this number, from 1, that do not look like the taken ones."""
    for name in (f"{GUEST}{number}{more}" for more in chain([""], (f"-{again}" for again in count(2)))):
        if appearances(name).isdisjoint(taken):
            yield name


def load_tables() -> None:
    """Read the tables of Unicode, which takes about 0.1 s. Otherwise the first new name does it."""
    new_name("ann")


def _word(word: str) -> str:
    # Imported here and below only for a new account. These libraries take 0.1 s to read their tables.
    import precis_i18n

    try:
        kept: str = precis_i18n.get_profile("UsernameCasePreserved").enforce(word)
    except UnicodeError as error:
        reason = str(error)
        at = error.start if isinstance(error, UnicodeEncodeError) else -1
        which = f" (not {_described(word[at])})" if 0 <= at < len(word) and "DISALLOWED" in reason else ""
        raise BadName(
            "a name has letters and digits of any script and the signs of a keyboard, "
            f"but nothing invisible, no symbols and no other space than the plain one{which}"
        ) from None
    return kept


def _described(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _scripts(name: str) -> set[str]:
    from confusable_homoglyphs import categories  # type: ignore[import-untyped] # it has no annotations

    return {str(script) for script in categories.unique_aliases(name)} - _NO_SCRIPT


def appearances(name: str) -> frozenset[str]:
    """Return the visual keys of a name. Names that share a key look alike.

    A key is the skeleton of a name, with and without its punctuation and spaces. Punctuation and spaces distinguish no
    names, but a bar also looks like a letter.
    """
    found = {_bare(look) for form in {name, _bare(name)} for look in _skeletons(form)}
    return frozenset(found)


def _skeletons(name: str) -> set[str]:
    """Return the skeletons of UTS 39, 4, ignoring case.

    A name is case-folded before, as its capitals may look different. It is case-folded again after, for a capital that
    looks like a small letter (I and l).
    """
    return {_skeleton(name.casefold()), _skeleton(_skeleton(name).casefold())}


def _bare(text: str) -> str:
    """Return a text without punctuation, spaces and signs; a text of only these stays."""
    return "".join(letter for letter in text if not _is_punctuation(letter)) or text


def _is_punctuation(letter: str) -> bool:
    # Modifier letters look like apostrophes. Those of other blocks are letters, such as the long vowels of Japanese.
    return unicodedata.category(letter)[0] in "PZSC" or "\u02b0" <= letter <= "\u02ff"


def _skeleton(name: str) -> str:
    prototypes = _prototypes()
    return unicodedata.normalize(
        "NFD", "".join(prototypes.get(letter, letter) for letter in unicodedata.normalize("NFD", name))
    )


@cache
def _prototypes() -> dict[str, str]:
    """Return the characters that look like another one, with that one.

    The library has each pair of Unicode's table (confusables.txt) in both directions. A prototype has many look-alikes.
    Of two characters that look only like each other, one is chosen.
    """
    # The library's module `confusables` would keep the whole table, 10 MB of lists and names.
    from confusable_homoglyphs.utils import path  # type: ignore[import-untyped] # it has no annotations

    table = json.loads(Path(path("confusables.json")).read_text("utf-8"), object_pairs_hook=_without_names)
    pairs: dict[str, set[str]] = {}
    for character, others in table.items():
        alike = pairs.setdefault(character.replace(_LEFT_TO_RIGHT_MARK, ""), set())
        alike.update(other.replace(_LEFT_TO_RIGHT_MARK, "") for other in others)
    found = {}
    for character, alike in pairs.items():
        if len(character) == 1 and len(alike) == 1:
            (other,) = alike
            if len(pairs.get(other, ())) > 1 or _plainer(other) < _plainer(character):
                found[character] = other
    return found


def _without_names(pairs: list[tuple[str, Any]]) -> Any:
    """Return only the character of a list {"c": character, "n": name}, and any other value unchanged."""
    found = dict(pairs)
    return found["c"] if found.keys() == {"c", "n"} else found


def _plainer(text: str) -> tuple[bool, int, str]:
    return not text.isascii(), len(text), text


@cache
def _names_of_authority() -> frozenset[str]:
    return _forms([*AUTHORITY, *(f"{word}s" for word in AUTHORITY)])


@cache
def _keywords() -> frozenset[str]:
    return _forms([*KEYWORDS, "spectators", "watchers"])


def _forms(words: Iterable[str]) -> frozenset[str]:
    """Return the visual keys of words, with and without an article."""
    return frozenset().union(*(appearances(form) for word in words for form in (word, f"the {word}")))


@cache
def _labels_of_seats() -> frozenset[str]:
    numbers = range(1, MOST_SEATS + 1)
    labels = [*(f"Player {number}" for number in numbers), *(bot_name(number) for number in numbers)]
    return frozenset().union(*(_skeletons(label) for label in labels))


@cache
def _bare_labels() -> frozenset[str]:
    return frozenset(map(_bare, _labels_of_seats()))


def bot_name(number: int) -> str:
    """Return the name of the server's bot of this number, from 1."""
    return f"bot-{number}"


class NamesInUse:
    """All names of accounts, by their visual keys."""

    def __init__(self, names: Iterable[str]) -> None:
        self._owners: dict[str, str] = {}
        for name in names:
            self.add(name)

    def alike(self, name: str) -> str | None:
        """Return a name in use that looks like this one, or None."""
        found = (self._owners.get(appearance) for appearance in appearances(name))
        return next((owner for owner in found if owner is not None), None)

    def beginning(self, text: str) -> frozenset[str]:
        """Return the visual keys of names in use that begin like a text."""
        begins = tuple(appearances(text))
        return frozenset(appearance for appearance in self._owners if appearance.startswith(begins))

    def add(self, name: str) -> None:
        """Add a name that is in use from now on."""
        for appearance in appearances(name):
            self._owners.setdefault(appearance, name)

    def remove(self, name: str) -> None:
        """Undo ``add``: the name is free again."""
        for appearance in appearances(name):
            if self._owners.get(appearance) == name:
                del self._owners[appearance]
