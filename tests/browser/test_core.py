"""The JavaScript core of the client, alone and against a fake server.

It runs in Node, which is fast, and in Chromium.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.support.modules import WEB, modules_of_the_page
from tests.support.node import node
from tests.support.process import run

HERE = Path(__file__).parent / "core"
ROOT = Path(__file__).parents[2]
SYMBOLS = json.loads((ROOT / "tests" / "clients" / "symbol_cases.json").read_text(encoding="utf-8"))
CASES = json.loads((ROOT / "tests" / "clients" / "views_cases.json").read_text(encoding="utf-8"))["cases"]
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"


def names_in(file: str) -> list[str]:
    return re.findall(r'^test\("([^"]+)"', (HERE / file).read_text(encoding="utf-8"), re.MULTILINE)


TESTS = [(path.name, name) for path in sorted(HERE.glob("*_test.js")) for name in names_in(path.name)]


class Files(SimpleHTTPRequestHandler):
    """`/core/` is the client's, `/tests/` is ours, `/` an empty page; all under the policy."""

    protocol_version = "HTTP/1.1"

    def translate_path(self, path: str) -> str:
        name = Path(path).name
        return str((WEB / "core" if path.startswith("/core/") else HERE) / (name or "empty.html"))

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def files() -> Iterator[str]:
    """The address of a server of files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        Thread(target=partial(server.serve_forever, 0.05), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def core(browser: Browser, files: str) -> Iterator[Page]:
    """A page for all tests that need no server."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(files)
    yield page
    context.close()


@pytest.fixture(scope="module")
def in_node() -> Any:
    """Results of Node for all tests, which run once, and its drawings of all cases of the views."""
    done = run(*node(), HERE / "in_node.mjs", *sorted({file for file, _ in TESTS}), stdin=json.dumps(CASES))
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize(("file", "name"), TESTS, ids=lambda text: text.removesuffix("_test.js"))
def test_in_node(in_node: Any, file: str, name: str) -> None:
    """Each test of tests/browser/core does in Node what its name says."""
    assert in_node["tests"][name] == ""


def test_no_test_is_left_out(in_node: Any) -> None:
    """The names that are found by reading the files are those of all tests."""
    assert list(in_node["tests"]) == [name for _, name in TESTS]


@pytest.mark.thorough
@pytest.mark.parametrize(("file", "name"), TESTS, ids=lambda text: text.removesuffix("_test.js"))
def test_in_the_page(core: Page, file: str, name: str) -> None:
    """Each test of tests/browser/core does in Chromium what its name says."""
    core.evaluate(
        "async ([file, name]) => {"
        " await import(`/tests/${file}`);"
        " await (await import('/tests/checks.js')).run(name);"
        " }",
        [file, name],
    )


def worked_by_hand(case: dict[str, Any]) -> dict[str, Any]:
    """Boards, dots, paths, pies and tooltips of a case, which the Python library is tested with, too."""
    expected: dict[str, Any] = copy.deepcopy(case["expected"])
    for pie in expected["pies"].values():
        pie["diameter"] = pytest.approx(pie["diameter"], abs=1e-9)
        pie["slices"] = [[name, amount, pytest.approx(share, abs=1e-9)] for name, amount, share in pie["slices"]]
    return expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_case_of_the_views(in_node: Any, case: dict[str, Any]) -> None:
    """Node draws what was worked by hand."""
    assert in_node["drawn"][case["name"]] == worked_by_hand(case)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_case_of_the_views_in_the_page(core: Page, case: dict[str, Any]) -> None:
    """A browser draws it, too."""
    drawn = core.evaluate("async (row) => (await import('/tests/views_cases.js')).drawn(row)", case)
    assert drawn == worked_by_hand(case)


def test_a_symbol_is_read_as_the_rulesets_are_checked(core: Page) -> None:
    """The symbols that `tprules.api.symbols` refuses are no symbols here either, and all others are."""
    read = "async (sources) => sources.map((await import('/core/appearance.js')).readSymbol).map((one) => one !== null)"
    assert all(core.evaluate(read, SYMBOLS["fit"]))
    assert not any(core.evaluate(read, [source for source, _ in SYMBOLS["unfit"]]))


OTHERS = {"account.js", "agreements.js", "guests.js", "index.js", "providers.js", "seats.js", "talk.js", "turns.js"}
"""Modules that the entrance does not load: parts that load when they are opened, and parts for other programs."""


def test_the_page_loads_the_core_without_its_other_parts() -> None:
    """`test_page_sessions` bounds what the whole page sends."""
    assert {path.name for path in set((WEB / "core").glob("*.js")) - modules_of_the_page()} == OTHERS


def test_no_module_asks_another_host() -> None:
    """Modules import each other only, and name no address."""
    for path in (WEB / "core").glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert all(name.startswith("./") for name in re.findall(r'from "([^"]+)"', text)), path.name
        assert not re.search(r"https?://[^`$ ]", text), path.name
        assert "innerHTML" not in text, path.name
