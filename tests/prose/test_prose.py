"""Texts for people contain no banned idiom, except for the allowlist."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.prose.idioms import FIRST_WORD, IDIOMS, LONG_SENTENCE, MOST_WORDS, WHO_CLAUSE
from tests.prose.places import ROOT, Place, differences, lowered, page_sizes, places, read_allowlist, write_allowlist
from tests.prose.strings import GAP, html, javascript, markdown

PLANTED = {
    "whoever": ["Whoever plays", "to whomever"],
    "nobody knows": ["Nobody knows it"],
    "is told": ["the player is told", "they are told", "all were never told", "has been told"],
    "any more": ["not there any more"],
    "of late": ["too many of late"],
    "anew": ["begin anew"],
    "mend": ["mend it", "was mended"],
    "comes back": ["until it comes back", "Come back later", "came back"],
    "lets nobody in": ["it lets nobody in", "let nobody in"],
    "all the same": ["finish all the same"],
    "besides": ["it plays, besides."],
    "only who": ["only who plays", "a form for who writes"],
}
"""Name -> sentences, each with this idiom alone."""

KINDS = {
    ("tpserver/games/planted.py", "refusal"): 'def check():\n    raise GameError(f"{{name}}: {}")\n',
    ("tpserver/games/refusals.py", "refusal"): 'SENTENCE = (\n    "Sorry; "\n    "{}"\n)\n',
    ("rulesets/tprules/planted.py", "refusal"): 'def no_move():\n    return Refusal("{}", code=Code.GONE)\n',
    ("clients/tpclient/planted.py", "refusal"): 'raise BadArgument("{}")\n',
    ("clients/tpclient/terminal/planted.py", "label"): 'BINDINGS = [Binding("q", "quit", "{}")]\n',
    ("clients/tpclient/web/ui/planted.js", "label"): "/* */ button(`${{a ? `b` : 'c'}}. {}`);\n",
    ("clients/tpclient/web/core/planted.js", "label"): "const pattern = /[\"'`]/g, text = '{}';\n",
    ("clients/tpclient/web/index.html", "label"): "<!doctype html><p>A text <b>{}</b></p>\n",
    ("clients/tpclient/web/title.html", "label"): '<button title="{}">x</button>\n',
    ("protocol/tpproto/planted.py", "module docstring"): '"""Frames.\n\n{}\n"""\n',
    ("tests/games/test_planted.py", "docstring"): 'class A:\n    async def test(self):\n        """Test {}"""\n',
    ("tpserver/constants.py", "docstring"): 'MOST = 1\n"""Maximum, {}"""\n',
    ("clients/README.md", "readme"): "# Clients\n\nA\nparagraph. {}\n",
    (".github/PLANTED.md", "page"): "1. An item\n\n   {}\n",
    ("tpserver/docs/planted.md", "page"): "| a | {} |\n|---|---|\n",
}
"""File and kind of text -> the file with a place for a sentence."""


def plant(root: Path, file: str, text: str) -> None:
    """Write a file of a tree."""
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text, encoding="utf-8")


def found_in(root: Path) -> Counter[tuple[str, str, str]]:
    """Count the places of a tree."""
    return Counter(place.key for place in places(root))


@pytest.mark.thorough
def test_no_idiom_outside_of_the_allowlist() -> None:
    """Each idiom in a text for people is in the allowlist, which holds nothing that is gone."""
    found = differences(read_allowlist(), list(places()))
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(("file", "kind"), KINDS, ids=[file for file, _ in KINDS])
def test_planted_idioms_are_found(tmp_path: Path, file: str, kind: str) -> None:
    """Each idiom is found in each kind of text, also where a line ends in it."""
    assert PLANTED.keys() == IDIOMS.keys()
    for idiom, sentences in PLANTED.items():
        for sentence in sentences:
            plant(tmp_path, file, KINDS[file, kind].format(sentence))
            assert found_in(tmp_path) == {(file, kind, idiom): 1}, sentence
    if kind in ("module docstring", "docstring", "readme"):
        plant(tmp_path, file, KINDS[file, kind].format("not there any\nmore, and it\nis told anew"))
        assert found_in(tmp_path) == {(file, kind, idiom): 1 for idiom in ("any more", "is told", "anew")}


@pytest.mark.parametrize("word", ["What", "Who", "Whom", "Whose", "Which", "Whether", "How", "When"])
def test_first_words_of_docstrings_are_found(tmp_path: Path, word: str) -> None:
    """A docstring of a module, a function or a constant that begins with a clause is found; in a body it is not."""
    plant(
        tmp_path,
        "tests/planted.py",
        f'"""{word} it is."""\n\nMOST = 1\n"""{word} many."""\n\n\ndef f():\n    "{word} x."\n',
    )
    plant(tmp_path, "tpserver/good.py", f'"""A module.\n\n{word} it is.\n"""\nTEXT = "{word} is it?"\n')
    assert found_in(tmp_path) == {
        ("tests/planted.py", "module docstring", FIRST_WORD): 1,
        ("tests/planted.py", "docstring", FIRST_WORD): 2,
    }


def test_clauses_as_labels_are_found(tmp_path: Path) -> None:
    """A label or refusal that begins with "Who" is found, unless it is a question."""
    text = 'TITLES = ("Whom I hear", "Who plays", "It is over. Who has won is listed", "Who plays?", "Whole turns")\n'
    plant(tmp_path, "clients/tpclient/planted.py", text)
    plant(tmp_path, "tpserver/planted.py", text)
    assert found_in(tmp_path) == {
        ("clients/tpclient/planted.py", "label", WHO_CLAUSE): 3,
        ("tpserver/planted.py", "refusal", WHO_CLAUSE): 3,
    }


@pytest.mark.parametrize(
    "page",
    [
        "{}.\n",
        "# {}\n",
        "Short. {}. Short.\n",
        "- short\n- {}\n- short\n",
        "| short | {} |\n|---|---|\n",
        "See [this\n page](short.md) {}\n",
    ],
)
def test_long_sentences_of_pages_are_found(tmp_path: Path, page: str) -> None:
    """A sentence with more words than allowed is found in any part of a page, and one as long as allowed is not."""
    words = MOST_WORDS - (3 if "[" in page else 0)
    plant(tmp_path, "planted.md", page.format(" ".join(["Word"] * words)))
    assert not found_in(tmp_path)
    plant(tmp_path, "planted.md", page.format(" ".join(["Word"] * words + ["more"])))
    assert found_in(tmp_path) == {("planted.md", "page", LONG_SENTENCE): 1}
    [(file, count, longest)] = page_sizes(tmp_path)
    assert (file, longest) == ("planted.md", MOST_WORDS + 1)
    assert count >= longest


def test_exempt_places_are_not_found(tmp_path: Path) -> None:
    """Quotations, code, comments, generated files and the pages of rules and frames may have every idiom."""
    idioms = ". ".join(sentence for sentences in PLANTED.values() for sentence in sentences)
    long = "word " * (MOST_WORDS + 1)
    for file in ("rulesets/tprules/tae/RULES.md", "protocol/FRAMES.md", "rulesets/tprules/tae/ORIGINAL.md"):
        plant(tmp_path, file, f"{idioms} {long}\n")
    for file in ("protocol/tpproto/tp_pb2.py", ".venv/planted.py", ".cache/planted.md", "tests/planted.txt"):
        plant(tmp_path, file, f'"""{idioms}"""\n')
    plant(tmp_path, "tests/test_planted.py", f'"""Tests: “{idioms}”, ``{idioms}``."""\nTEXT = "{idioms}"  # {idioms}\n')
    plant(tmp_path, "tests/browser/planted.js", f"const text = '{idioms}';\n")
    plant(tmp_path, "tpserver/planted.py", f'# {idioms}\nTEXT = "The server says “{idioms}”."\n')
    plant(tmp_path, "clients/tpclient/web/planted.js", f"// {idioms}\n/** {idioms} */\nconst one = 4 / 2; // '\n")
    plant(tmp_path, "clients/tpclient/web/planted.html", f"<!-- {idioms} --><script>{idioms}</script><p>x</p>\n")
    plant(
        tmp_path,
        "README.md",
        f"Text “{idioms} {long}”, `{idioms} {long}`.\n<!-- {idioms} -->\n\n> {idioms}\n{long}\n\n"
        f"```\n{idioms}\n{long}\n```\n\n    {idioms}\n    {long}\n\n- item\n\n  ~~~text\n  {long}\n  ~~~\n",
    )
    assert not list(places(tmp_path))


def test_places_have_the_line_of_the_idiom(tmp_path: Path) -> None:
    """A place names its line, its words and the advice of the style guide."""
    plant(tmp_path, "README.md", "# Title\n\nText `a\nb` text\nis told here\n")
    plant(tmp_path, "tpserver/planted.py", '"""A module.\n\nIt is\nmended.\n"""\n')
    found = list(places(tmp_path))
    assert [(place.file, place.line) for place in found] == [("README.md", 5), ("tpserver/planted.py", 4)]
    assert differences(Counter(), found)[1].splitlines() == [
        "tpserver/planted.py:4: module docstring: mend: A module. It is mended.",
        "    Write: fix.",
    ]


def test_the_allowlist_only_shrinks(tmp_path: Path) -> None:
    """A place more fails and is not added; a place less fails, too, until the list is written."""
    key = ("README.md", "readme", "anew")
    two = [Place("README.md", line, "readme", "anew", "begin anew") for line in (1, 2)]
    other = Place("tpserver/bots.py", 1, "refusal", "mend", "mend it")
    allowed = Counter({key: 2})
    assert not differences(allowed, two)
    assert len(differences(allowed, [*two, other])) == 1
    assert len(differences(allowed, two[:1])) == 1
    assert lowered(allowed, [*two, *two, other]) == allowed
    assert lowered(allowed, two[:1]) == {key: 1}

    list_file = tmp_path / "allowlist.txt"
    write_allowlist(lowered(allowed, two[:1]), list_file)
    assert list_file.read_text() == "README.md: readme: anew: 1\n"
    assert read_allowlist(list_file) == {key: 1}
    list_file.write_text("README.md: readme: anew: 1\n" * 2)
    with pytest.raises(ValueError, match="anew"):
        read_allowlist(list_file)


def test_strings_of_javascript() -> None:
    """Comments, patterns and divisions are no literals, and templates nest."""
    source = r"""
        // 'no'
        const a = 'it\'s', b = x / "two".length / 2; /* "no" */
        if (/["'`/]\/'/.test(a)) return /'/;
        const c = `${a ? `in ${b}` : {d: 'e'}} out \${no}`;
    """
    texts = [(text.line, text.text) for text in javascript(source)]
    assert texts == [(3, "it's"), (3, "two"), (5, f"in {GAP}"), (5, "e"), (5, f"{GAP} out ${{no}}")]
    with pytest.raises(ValueError, match="line 1"):
        list(javascript("`open"))


def test_texts_of_html_and_markdown() -> None:
    """Shown attributes are text; a paragraph ends where a list, a table or a heading begins."""
    assert [text.text for text in html('<p class="no">One<img alt="two"></p><style>no</style>')] == ["One", "two"]
    page = "a\nb\n# c\n1. d\n   e\n\n   f\n- g\n| h \\| i | j |\n|---|---|\n\n    no\nk\n"
    assert [text.text.strip() for text in markdown(page)] == ["a\nb", "c", "d\n   e", "f", "g", r"h \| i", "j", "k"]


def test_glossary_names_modules_that_exist() -> None:
    """Each term of the glossary is there once, with a module of the project."""
    rows = re.findall(
        r"^\| ([^|`]+) \| [^|]+ \| `([^`|]+)` \|$", (ROOT / "tpserver" / "GLOSSARY.md").read_text("utf-8"), re.M
    )
    terms = [term for term, _ in rows]
    assert len(terms) >= 40
    assert len(set(terms)) == len(terms)
    paths = re.findall(r"`([a-z.]+/[^`]+)`", (ROOT / "tpserver" / "GLOSSARY.md").read_text("utf-8"))
    assert [path for path in paths if not (ROOT / path).is_file()] == []
