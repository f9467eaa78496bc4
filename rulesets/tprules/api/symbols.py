"""Symbols of pieces: a small part of SVG, which clients read the same way.

A symbol is one ``svg`` element with a ``viewBox`` of four numbers. It contains only ``g``, ``path``, ``circle``,
``rect``, ``polygon`` and ``line``, with geometry and paint only. It has no text, styles or references, and nothing that
a browser would run.
"""

from __future__ import annotations

import re

LONGEST_SYMBOL = 4096
"""Maximum characters of a symbol."""

MOST_ELEMENTS = 64
"""Maximum elements of a symbol, without the ``svg`` itself."""

DEEPEST = 8
"""Maximum depth of nested ``g`` elements."""

_TAG = re.compile(r"""[ \t\r\n]*<(?:/([a-z]+)|([a-z]+)((?:[ \t\r\n]+[a-zA-Z0-9-]+="[^"<>&]*")*)[ \t\r\n]*(/?))>""")
_ATTRIBUTE = re.compile(r"""(?<![a-zA-Z0-9-])([a-zA-Z0-9-]+)="([^"]*)\"""")

_NUMBER = r"-?(?:[0-9]{1,6}(?:\.[0-9]{0,6})?|\.[0-9]{1,6})"
_ONE = re.compile(_NUMBER)
_MANY = re.compile(rf"{_NUMBER}(?:[ ,]+{_NUMBER})*")
_BOX = re.compile(rf"{_NUMBER} {_NUMBER} [0-9]{{1,4}} [0-9]{{1,4}}")
_PATH = re.compile(r"[MmLlHhVvCcSsQqTtAaZz0-9., -]+")
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
"""The notation of a color."""
_PAINT = re.compile(r"none|currentColor|#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}")

_PAINTED = {
    "fill": _PAINT,
    "stroke": _PAINT,
    "stroke-width": _ONE,
    "stroke-linecap": re.compile("butt|round|square"),
    "stroke-linejoin": re.compile("miter|round|bevel"),
    "opacity": re.compile(r"0?\.[0-9]{1,6}|[01]"),
}
_GEOMETRY = {
    "g": {},
    "path": {"d": _PATH},
    "circle": dict.fromkeys(("cx", "cy", "r"), _ONE),
    "rect": dict.fromkeys(("x", "y", "width", "height", "rx"), _ONE),
    "polygon": {"points": _MANY},
    "line": dict.fromkeys(("x1", "y1", "x2", "y2"), _ONE),
}
_ELEMENTS = {tag: {**geometry, **_PAINTED} for tag, geometry in _GEOMETRY.items()}
_ROOT = {"viewBox": _BOX, "xmlns": re.compile(re.escape("http://www.w3.org/2000/svg")), **_PAINTED}


def unfit_symbol(text: object) -> str:
    """Return one sentence about the first forbidden thing in a symbol and its place, or "".

    LONGEST_SYMBOL bounds the time.
    """
    if not isinstance(text, str):
        return f"it is {type(text).__name__}, not text"
    if len(text) > LONGEST_SYMBOL:
        return f"it has {len(text)} characters; at most {LONGEST_SYMBOL} are allowed"
    at, elements = 0, 0
    open_tags: list[str] = []
    while True:
        match = _TAG.match(text, at)
        if match is None:
            if text[at:].strip() or open_tags or not at:
                return f"at character {at + 1} there is {text[at : at + 20].strip()!r}, {_no_tag(open_tags)}"
            return "" if elements else "it is empty"
        if at and not open_tags:
            return f"at character {at + 1} something follows the end of the svg element"
        at = match.end()
        ended, tag, attributes, is_closed = match[1], match[2], match[3] or "", bool(match[4])
        if ended:
            if not open_tags or open_tags.pop() != ended:
                return f"before character {at + 1} </{ended}> ends what is not open"
            continue
        problem = _unfit_element(tag, attributes, open_tags)
        if problem:
            return f"before character {at + 1} {problem}"
        elements += len(open_tags) > 0
        if elements > MOST_ELEMENTS:
            return f"it has more than {MOST_ELEMENTS} elements"
        if not is_closed:
            open_tags.append(tag)
            if len(open_tags) > DEEPEST + 1:
                return f"before character {at + 1} elements are more than {DEEPEST} deep in each other"


def _no_tag(open_tags: list[str]) -> str:
    if open_tags:
        return f'where an element, as <path d="..."/>, or </{open_tags[-1]}> is expected'
    return 'where <svg viewBox="0 0 24 24"> is expected'


def _unfit_element(tag: str, attributes: str, open_tags: list[str]) -> str:
    """Return an error of an element, as the rest of a sentence, or ""."""
    if not open_tags:
        if tag != "svg":
            return f"<{tag}> stands in the place of <svg>"
        allowed = _ROOT
    elif tag not in _ELEMENTS:
        return f"<{tag}> is not allowed; allowed are {', '.join(_ELEMENTS)}"
    elif open_tags[-1] not in ("svg", "g"):
        return f"<{tag}> is inside of <{open_tags[-1]}>"
    else:
        allowed = _ELEMENTS[tag]
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(attributes):
        if name not in allowed:
            return f"<{tag}> has {name}, which is not allowed; allowed are {', '.join(allowed)}"
        if name in found:
            return f"<{tag}> has {name} twice"
        if not allowed[name].fullmatch(value):
            return f"<{tag}> has {name}={value[:30]!r}, which does not fit"
        found[name] = value
    if tag == "svg" and "viewBox" not in found:
        return "<svg> has no viewBox"
    if tag == "svg" and "0" in found["viewBox"].split()[2:]:
        return "the viewBox is empty"
    return ""
