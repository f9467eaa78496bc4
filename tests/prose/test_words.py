"""Texts of the page stand in ``web/words.js`` alone, so that a second language is one more module."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.prose.strings import GAP, Text, javascript
from tests.support.modules import WEB

SHOWN = re.compile(rf"^\W*[A-Z][a-z]+\b|[A-Za-z]{{2}}\W* \W*[A-Za-z]{{2}}|[A-Za-z]{{2}}(?:[.!?]$|… ?$)|^ [a-z]+ {GAP}")
"""A text for people: it begins with a capital letter, has two words, or ends as a sentence does."""

LABEL = re.compile(
    r"""(?:\b(?:text|title|placeholder|alt|label)|"aria-label"): (?:[^"`',{}]* \? )?["`']([a-z][^"`']*)["`']"""
)
"""One word in lower case is a text for people where it is shown."""

CLASS = re.compile(r"""\bclass: (?:"[^"]*"|`[^`]*`)|className = `[^`]*`""")

TECHNICAL = re.compile(
    r"""
      \(prefers-.*\) | \(m(?:in|ax)-width:.*                              # media queries
    | M.*\d[a-z].* | (?:translate|scale)\(.*                              # drawings
    | (?:game|account)\ [a-z-]+ | calendar:.*                             # commands and clocks of the server
    | (?:input|button|textarea)\b.*                                       # selectors
    | Enter | Escape | Slash | Arrow | BUTTON | INPUT | TABLE | Notification | PushManager | POST | Content-Type
    | Bot | Home\ Planet | Human | Guest\                                 # names that the server and the rules give
    | rung\ zero | lit\ (?:rings|dots)\ … | path\ pull\ … | symbol…        # classes and keys
    | interval:86400                                                      # an example of a clock
    """,
    re.VERBOSE | re.DOTALL,
)
"""Keys, selectors, drawings and names that a translation leaves as they are."""

EXEMPT = {"pictures.js"}
"""It finds pictures by words of the rules."""


def shown(source: str) -> Iterator[Text]:
    """Yield literals of a script that people see."""
    source = CLASS.sub('class: ""', source)
    for text in javascript(source):
        if SHOWN.search(text.text) and not TECHNICAL.fullmatch(text.text):
            yield text
    for found in LABEL.finditer(source):
        if not TECHNICAL.fullmatch(found[1]) and "${" not in found[1]:
            yield Text(source.count("\n", 0, found.start()) + 1, found[1])


def test_scripts_of_the_page_have_no_words_of_their_own() -> None:
    scripts = [path for path in (WEB / "app.js", *sorted((WEB / "ui").glob("*.js"))) if path.name not in EXEMPT]
    assert len(scripts) > 50
    places = [f"{path.name}:{text.line}: {text.text}" for path in scripts for text in shown(path.read_text("utf-8"))]
    assert not places, "\n".join(["Move these to web/words.js:", *places])


@pytest.mark.parametrize(
    "line",
    [
        'h("p", { text: "Save" })',
        'h("p", { class: "hint", text: isMine ? "yours" : name })',
        'h("button", { "aria-label": `Remove ${name}` })',
        'note("The message is sent.", "good");',
        "tell(`${name} is selected.`);",
        "say($(`time`), `${left} left over`);",
        'const STATES = { unknown: "being looked up" };',
        'button.title = isOver ? "Over" : "";',
        'h("input", { placeholder: "name" })',
        "const more = (count) => `${count} more…`;",
    ],
)
def test_a_planted_word_is_found(line: str) -> None:
    assert len({text.text for text in shown(f"import x from './x.js';\n{line}\n")}) == 1


def test_words_of_the_page_are_constant() -> None:
    """The module has one object, which is frozen, and imports nothing."""
    source = (WEB / "words.js").read_text("utf-8")
    assert "import " not in re.sub(r"//.*|`[^`]*`|\"[^\"]*\"", "", source)
    assert "export const WORDS = frozen({" in source
