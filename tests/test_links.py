"""Relative links in the Markdown files of the project."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / ".github").is_dir(), reason="a release has no folder .github")

SKIPPED = frozenset({"node_modules", "__pycache__", "build", "dist"})

_FENCE = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1\s*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_CODE = re.compile(r"(`+)(?:(?!`).|(?!\1)`)+?\1", re.DOTALL)
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?\s*$", re.MULTILINE)
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def pages(root: Path) -> Iterator[Path]:
    """Yield the Markdown files of a tree, without hidden folders other than ``.github``."""
    for folder, folders, names in os.walk(root):
        folders[:] = [one for one in folders if one not in SKIPPED and (one[0] != "." or one == ".github")]
        yield from (Path(folder, name) for name in names if name.endswith(".md"))


@cache
def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them: a repeated one gets a number."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number, base = 0, anchor
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        found.add(anchor)
    return found


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a page that lead to no file, or to no heading of a page."""
    text = page.read_text(encoding="utf-8")
    # A link may be around code, so only what is inside the code is left out.
    shown = _CODE.sub("code", _FENCE.sub("", text))
    broken = []
    for link in _LINK.findall(shown):
        if _EXTERNAL.match(link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        is_page = target.suffix == ".md" and target.is_file()
        if not target.exists() or (anchor and is_page and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in sorted(pages(ROOT))])
def test_each_relative_link_leads_to_a_file_and_a_heading(page: str) -> None:
    assert broken_links(ROOT / page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    """Links in code are examples, and links to other sites are not checked."""
    (tmp_path / "other.md").write_text("# One `two`, three\n\n```\n# Four\n```\n\n## Same\n\n## Same\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#one-two-three) [`c`](other.md#same-1) [d](https://example.org/x) [e](#mine)\n"
        "[f](missing.md) [g](other.md#four) [h](#yours) `[i](missing.md)`\n\n```\n[j](missing.md)\n```\n\n## Mine\n"
    )
    assert broken_links(page) == ["missing.md", "other.md#four", "#yours"]
