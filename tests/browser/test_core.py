"""The core of the browser client in a real Chromium: alone, against a fake server, and against the real one."""

from __future__ import annotations

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

HERE = Path(__file__).parent / "core"
ROOT = Path(__file__).parents[2]
WEB = ROOT / "clients" / "tpclient" / "web"
SYMBOLS = json.loads((ROOT / "tests" / "clients" / "symbol_cases.json").read_text(encoding="utf-8"))
CASES = json.loads((ROOT / "tests" / "clients" / "views_cases.json").read_text(encoding="utf-8"))["cases"]
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"

MOST_BYTES = 180_000
"""Of the core as it is written; `test_page_sessions` bounds what the whole page sends."""


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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_case_of_the_views(core: Page, case: dict[str, Any]) -> None:
    """Boards, dots, paths, pies and tooltips are those worked by hand, which the Python library is tested with, too."""
    drawn = core.evaluate("async (row) => (await import('/tests/views_cases.js')).drawn(row)", case)
    for pie in case["expected"]["pies"].values():
        pie["diameter"] = pytest.approx(pie["diameter"], abs=1e-9)
        pie["slices"] = [[name, amount, pytest.approx(share, abs=1e-9)] for name, amount, share in pie["slices"]]
    assert drawn == case["expected"]


def test_a_symbol_is_read_as_the_rulesets_are_checked(core: Page) -> None:
    """What `tprules.api.symbols` refuses is no symbol here, too, and what it takes is one."""
    read = "async (sources) => sources.map((await import('/core/appearance.js')).readSymbol).map((one) => one !== null)"
    assert all(core.evaluate(read, SYMBOLS["fit"]))
    assert not any(core.evaluate(read, [source for source, _ in SYMBOLS["unfit"]]))


def test_the_core_is_small() -> None:
    """Everybody downloads it before anything is shown."""
    assert sum(path.stat().st_size for path in (WEB / "core").glob("*.js")) < MOST_BYTES


def test_no_module_asks_another_host() -> None:
    """Modules import each other only, and name no address."""
    for path in (WEB / "core").glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert all(name.startswith("./") for name in re.findall(r'from "([^"]+)"', text)), path.name
        assert not re.search(r"https?://[^`$ ]", text), path.name
        assert "innerHTML" not in text, path.name
