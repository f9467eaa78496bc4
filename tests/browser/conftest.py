"""Fixtures: a real Chromium driven by Playwright, pages and servers.

The pages report their errors. Without a Chromium these tests are skipped, with a reason that says what to install. With
TP_BROWSER=required in the environment they fail instead.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))


from tests.support.chromium import ARGUMENTS, chromium, missing
from tests.support.process import TPSERVER, Process
from tests.support.server import ServerProcess

PATIENCE = 240_000
"""Milliseconds that anything on a page may take on a busy machine."""

expect.set_options(timeout=PATIENCE)

MISSING = (
    "no Chromium found: install one (Debian: apt install chromium-headless-shell) or name it in the variable CHROMIUM"
)


def _set_running(loop: asyncio.AbstractEventLoop | None) -> None:
    asyncio._set_running_loop(loop)  # noqa: SLF001 - of makers of event loops; nothing else puts one back


@pytest.fixture(scope="session")
def chromium_process() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """One browser for all tests of this process, as its start costs more than many of them, and Playwright's loop."""
    program = chromium()
    if program is None:
        missing(MISSING)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        loop = asyncio.get_running_loop()
        yield opened, loop
        _set_running(loop)
        opened.close()


@pytest.fixture(scope="module")
def browser(chromium_process: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """The browser for the tests of a module; each takes a context of its own, which shares nothing with the others.

    Playwright leaves its event loop as the one that runs in this thread, in which other tests could run none of their
    own; so between modules none runs, and for the next module it is put back, as Playwright does after each call.
    """
    opened, loop = chromium_process
    _set_running(loop)
    yield opened
    _set_running(None)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Makes pages, each as in a browser of its own; options are those of a Playwright context.

    An exception that nothing caught, or something that the content security policy refused, fails the test.
    """
    wrong: list[str] = []
    with ExitStack() as stack:

        def make(**options: object) -> Page:
            context = browser.new_context(**options)  # type: ignore[arg-type] # passed on as they are
            stack.callback(context.close)
            page = context.new_page()
            page.on("pageerror", lambda error: wrong.append(f"not caught: {error}"))
            page.on("console", lambda line: wrong.append(line.text) if "Content Security Policy" in line.text else None)
            return page

        yield make
    assert wrong == []


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """One page."""
    return new_page()


@pytest.fixture
def web_server(live: Callable[..., ServerProcess]) -> Callable[..., ServerProcess]:
    """Makes servers; what `live` is called here."""
    return live


@pytest.fixture
def link(directory: Path) -> Iterator[str]:
    """The login link that `tpserver play` prints for a newcomer, with a token that has not been used."""
    command = ["play", "swarm", "--port", 0, "--web-port", 0, "--data", directory / "play"]
    with Process(TPSERVER, *command, log=directory / "play.log") as process:
        process.spawn()
        yield process.wait_for(r"(http\S+#link=\S+)\n")[1]
        process.stop()
