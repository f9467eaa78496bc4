"""Two of the five classes of refusals (RULES.md, section 4); the others are common refusals."""

from __future__ import annotations

from tprules.api import Code, Refusal

_NEVER, _LATER = Code.UNAVAILABLE_PERMANENTLY, Code.UNAVAILABLE_TEMPORARILY

ORDER_REASONS: dict[str, tuple[Code, str]] = {
    "nosuch": (Code.NO_SUCH_THING, "there is no object {id}"),
    "notsquare": (_NEVER, "object {id} is not a square of the pavement"),
    "start": (_NEVER, "your ant cannot enter at {place} (possible: {possible})"),
    "edge": (_NEVER, "a step {direction} leads off the pavement"),
    "cone": (_NEVER, "there is a pine cone on {place}; no ant may enter"),
    "stay": (_NEVER, "ants are always on the move; only an ant without any step stays"),
    "pad": (_NEVER, "there is no {weapon} left on your pad"),
    "own": (_NEVER, "your own ant is on {place}; nothing can be thrown there"),
    "barred": (_NEVER, "there is a pine cone on {place}; nothing can be thrown there"),
    "queued": (_LATER, "you have given the order {type} for this phase; remove it first"),
}


def refusal(reason: str, param: str = "", **details: str | int) -> Refusal:
    """Return the refusal for a reason."""
    code, sentence = ORDER_REASONS[reason]
    return Refusal(code, reason, sentence.format(**details), param)
