"""Which parameter of an order a refusal is about, as far as its words tell: where the server does not name it."""

import re
from collections.abc import Mapping, Sequence


def blamed_parameter(text: str, parameters: Sequence[str], words: Mapping[str, Sequence[str]]) -> str | None:
    """The name of the parameter that a refusal's text speaks of, None if it could be any or none.

    `words` are what the value of each parameter is called: names and ids. A parameter's own name in the text goes
    before a value's; where several fit, the one that is named first in the text.
    """
    named = _first(text, {name: [name] for name in parameters})
    if named is not None:
        return named
    return _first(text, words)


def _first(text: str, words: Mapping[str, Sequence[str]]) -> str | None:
    found: list[tuple[int, int, str]] = []
    for parameter, alternatives in words.items():
        for word in alternatives:
            match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) if word.strip() else None
            if match is not None:
                found.append((match.start(), -len(word), parameter))
    return min(found)[2] if found else None
