"""Articles before inserted words: only `with_article` writes "a" or "an".

The article depends on the word.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tprules.kit.words import with_article

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("clients/tpclient", "protocol/tpproto", "rulesets/tprules", "tpserver")

ARTICLE = re.compile(r"(?<![^\s(\[\"'])[Aa]n? [\"']?$")
"""An article at the end of the text before an inserted word."""
IN_TEMPLATE = re.compile(r"\b[Aa]n? [\"']?\{\w")
"""One before a name in braces, in a text that is no f-string."""


def bare_articles(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of all texts with an article before an inserted word, but for those of `with_article`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "with_article":
            continue
        if isinstance(node, ast.JoinedStr):
            for text, inserted in zip(node.values, node.values[1:], strict=False):
                is_text = isinstance(text, ast.Constant) and isinstance(text.value, str)
                if is_text and isinstance(inserted, ast.FormattedValue) and ARTICLE.search(text.value):
                    yield text.lineno
            for part in node.values:
                yield from bare_articles(part)
            continue
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod) and _ends_with_article(node.left):
            yield node.lineno
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and IN_TEMPLATE.search(node.value):
            yield node.lineno
        yield from bare_articles(node)


def _ends_with_article(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(ARTICLE.search(node.value))


@pytest.mark.thorough
def test_no_text_guesses_the_article_of_an_inserted_word() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if not path.name.endswith("_pb2.py")
        for line in bare_articles(ast.parse(path.read_text("utf-8")))
    ]
    assert found == [], "reword the sentence, or call tprules.kit.words.with_article"


@pytest.mark.parametrize(
    "text",
    ['f"give a {word}"', "f\"an '{word}'\"", 'f"A {word}"', 'f"one" f" a {word}"', '"a " + word', '"Feed a {With}"'],
)
def test_an_article_is_found(text: str) -> None:
    assert list(bare_articles(ast.parse(text)))


@pytest.mark.parametrize("text", ['f"Anna {word}"', 'f"data {word}"', 'f"a word {word}"', '"schema {With}"'])
def test_what_is_no_article_is_left_alone(text: str) -> None:
    assert not list(bare_articles(ast.parse(text)))


def test_the_article_is_that_of_the_first_sound() -> None:
    words = ("an egg", "an order", "an Antshouse", "a Fleet", "a Universe", "a unit", "an unmanned ship", "an hour")
    assert [with_article(one.partition(" ")[2]) for one in words] == [*words]
