"""Idioms that the style guide bans, and the search for them in one text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

MOST_WORDS = 30
"""Words that a sentence of a Markdown page may have."""

FIRST_WORD = "first word"
LONG_SENTENCE = "long sentence"
WHO_CLAUSE = "who clause"

IDIOMS = {
    "whoever": (r"whom?(so)?ever", "Name the person: the player, the owner, the operator."),
    "nobody knows": (r"nobody knows", "Write: unknown."),
    "is told": (r"(is|are|was|were|be|been|being)( \w+)? told", "Use the active voice: notify, answer, show."),
    "any more": (r"any more(?! than)", "Write: no longer."),
    "of late": (r"of late", "Write: recently."),
    "anew": (r"anew", "Write: again."),
    "mend": (r"mend(s|ed|ing)?", "Write: fix."),
    "comes back": (r"(come|comes|came|coming) back", "Write: return, log in again, is available again."),
    "lets nobody in": (r"let(s|ting)? nobody in", "Write: revoked, locked."),
    "all the same": (r"all the same(?! \w)", "Write: anyway."),
    "besides": (r"besides(?=[,.;:!)])", "Write: also."),
    "only who": (
        r"(only|of|by|for|to|from|with|at|as|than|but) who",
        "Use a noun in place of the clause: only the owner.",
    ),
}
"""Name -> pattern and advice. A space in a pattern is any white space; a match begins and ends with a whole word."""

ADVICE = {name: advice for name, (_, advice) in IDIOMS.items()} | {
    WHO_CLAUSE: "Use a noun in place of the clause: the players, blocked players.",
    FIRST_WORD: "Begin with a verb in the imperative or with a noun phrase.",
    LONG_SENTENCE: f"Split it: a sentence may have {MOST_WORDS} words.",
}

_NAMES = tuple(IDIOMS)
_PATTERN = re.compile(
    "|".join(rf"(?P<i{at}>\b(?:{IDIOMS[name][0]})\b)" for at, name in enumerate(_NAMES)).replace(" ", r"\s+"),
    re.IGNORECASE,
)
_FIRST = re.compile(r"\s*(?:What|Who|Whom|Whose|Which|Whether|How|When)\b")
_CLAUSE = re.compile(r"(?:^|[.!?;]\s+)\s*(Whom?)\s(?![^.!;]*\?)")
"""A sentence that begins with a clause in place of a noun, and is no question."""

_EXEMPT = re.compile(r"“[^”]*”|(?P<ticks>`+)(?:(?!`).|(?!(?P=ticks))`)+?(?P=ticks)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"</?\w[^>]*>")
_SENTENCE_END = re.compile(r"[.?!][\"”’)*_]*\s+(?=[^a-z\s])")


class Found(NamedTuple):
    """An idiom in a text: its name, the number of lines before it, and the words around it."""

    idiom: str
    lines: int
    words: str


def idioms(text: str) -> Iterator[Found]:
    """Yield the idioms of a text. Quotations in “ ” and code in ` ` are exempt."""
    text = _EXEMPT.sub(_blank, text)
    for match in _PATTERN.finditer(text):
        yield _found(_NAMES[int(str(match.lastgroup)[1:])], text, match.start())


def clauses(text: str) -> Iterator[Found]:
    """Yield the sentences that begin with a clause in place of a noun, such as "Who plays" or "Whom I hear"."""
    text = _EXEMPT.sub(_blank, text)
    for match in _CLAUSE.finditer(text):
        yield _found(WHO_CLAUSE, text, match.start(1))


def first_words(docstring: str) -> Iterator[Found]:
    """Yield the first word of a docstring if it is a banned one."""
    if _FIRST.match(docstring):
        yield _found(FIRST_WORD, docstring, 0)


def long_sentences(paragraph: str) -> Iterator[Found]:
    """Yield the sentences over MOST_WORDS."""
    text = _plain(paragraph)
    for start, end in _sentences(text):
        if _length(text[start:end]) > MOST_WORDS:
            yield _found(LONG_SENTENCE, text, start)


def sentence_lengths(paragraph: str) -> list[int]:
    """Return the words of each sentence. A quotation or a piece of code counts as one word."""
    text = _plain(paragraph)
    return [_length(text[start:end]) for start, end in _sentences(text)]


def _plain(paragraph: str) -> str:
    return _TAG.sub("", _LINK.sub(r"\1", _EXEMPT.sub(_blank, paragraph)))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    yield from pairwise([0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)])


def _length(sentence: str) -> int:
    # A dash is no word.
    return sum(any(letter.isalnum() or letter == "`" for letter in word) for word in sentence.split())


def _blank(match: re.Match[str]) -> str:
    return "``" + "\n" * match[0].count("\n")


def _found(idiom: str, text: str, at: int) -> Found:
    at += len(text[at:]) - len(text[at:].lstrip())
    return Found(idiom, text.count("\n", 0, at), " ".join(text[max(at - 30, 0) : at + 50].split()))
