"""The dialog Account: another password, with which this browser goes on, and tokens for bots and scripts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from axe import look, report, script
from page_objects import PASSWORD, GamePage, begin_game
from playwright.sync_api import Locator, Page, expect

from tests.notices.postman import smtp_server
from tests.support.server import ServerProcess
from tpclient.blocking import open_game
from tpclient.connection import Connection
from tpclient.errors import RequestFailed
from tpproto.dialects import PB

Servers = Callable[..., ServerProcess]


@pytest.fixture
def server(web_server: Servers) -> ServerProcess:
    made = web_server()
    made.start()
    begin_game(made, "first", "tae")
    return made


def opened(page: Page, server: ServerProcess) -> Locator:
    """Open the dialog at home, and return it."""
    GamePage(page, server).enter("ann")
    page.get_by_role("button", name="My games").click()
    page.get_by_role("button", name="Account").click()
    return page.get_by_role("dialog", name="Account")


def accounts(server: ServerProcess, ask: Callable[[Connection], Coroutine[Any, Any, str]]) -> None:
    """Ask a server something about an account, in a thread, as the event loop of this one is Playwright's."""

    async def do() -> None:
        async with await Connection.open(f"127.0.0.1:{server.port}", PB) as connection:
            await connection.connect()
            await ask(connection)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, do()).result()


def test_the_password_is_changed_and_the_browser_stays_logged_in(server: ServerProcess, page: Page) -> None:
    """After a reload it comes back by a cookie of its own, though the old one has ended."""
    dialog = opened(page, server)
    for label, words in (("Old", "wrong"), ("New", "another word"), ("Once more", "other")):
        dialog.get_by_label(label, exact=True).fill(words)
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("alert")).to_have_text("The two new passwords differ.")
    dialog.get_by_label("Once more").fill("another word")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The old password is wrong.")
    dialog.get_by_label("Old").fill(PASSWORD)
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("status")).to_have_text(
        "Your password is changed, and you are logged out everywhere else"
    )
    page.reload()
    expect(page.get_by_role("heading", name="Logged in as ann")).to_be_visible()
    with pytest.raises(RequestFailed):
        open_game(f"127.0.0.1:{server.port}", "ann", PASSWORD, "first").close()
    open_game(f"127.0.0.1:{server.port}", "ann", "another word", "first").close()


@pytest.mark.thorough
def test_a_token_is_made_shown_once_used_and_revoked(server: ServerProcess, page: Page) -> None:
    dialog = opened(page, server)
    dialog.get_by_label("For").fill("my <b>bot</b>")
    dialog.get_by_label("In", exact=True).select_option("first")
    dialog.get_by_label("Days").fill("7")
    dialog.get_by_role("button", name="Make a token").click()
    secret = dialog.locator("output").inner_text()
    expect(dialog.locator("#account-tokens li")).to_contain_text("my <b>bot</b>: first, until")
    open_game(f"127.0.0.1:{server.port}", "ann", secret, "first").close()
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Account").click()
    expect(dialog.locator("#account-tokens li")).to_contain_text("last used")
    expect(dialog.locator("output")).to_be_hidden()
    dialog.get_by_role("button", name="Revoke my <b>bot</b>").click()
    expect(dialog.locator("#account-tokens li")).to_have_count(0)
    with pytest.raises(RequestFailed):
        open_game(f"127.0.0.1:{server.port}", "ann", secret, "first").close()


@pytest.mark.thorough
def test_a_forgotten_password_is_reset_by_the_link_in_a_mail(web_server: Servers, page: Page, directory: Path) -> None:
    """The entrance offers it where the server sends mail; the link opens the page with the code."""
    with smtp_server() as (man, port):
        config = directory / "tpserver.toml"
        config.write_text(
            f'[notices]\nmail_server = "127.0.0.1:{port}"\nmail_tls = "off"\nmail_from = "games@example.org"\n'
            'site = "https://games.example/"\n'
        )
        server = web_server("--config", str(config))
        server.start()
        begin_game(server, "first", "tae")

        accounts(server, lambda connection: connection.create_account("eve", "old", "eve@example.org"))
        GamePage(page, server).open()
        page.get_by_role("button", name="Password forgotten?").click()
        dialog = page.get_by_role("dialog", name="Password forgotten")
        dialog.get_by_label("Name or mail address").fill("eve@example.org")
        dialog.get_by_role("button", name="Send a code").click()
        expect(dialog.get_by_role("status")).to_contain_text("a mail is on its way there.")
        found = re.search(r"(#reset=\S+)", man.wait_for(1)[0].get_content())
        assert found is not None
        page.goto("about:blank")
        page.goto(f"{server.url.rstrip(chr(47))}/{found[1]}")
        dialog.get_by_label("New password").fill("another word")
        dialog.get_by_role("button", name="Set the password").click()
        expect(dialog.get_by_role("status")).to_contain_text("The password is changed")
        assert "reset" not in page.url, "whoever comes here next must not find it"
        dialog.get_by_role("button", name="Close").click()
        expect(page.get_by_label("Password", exact=True)).to_have_value("another word")
        accounts(server, lambda connection: connection.login_account("eve", "another word"))


def test_where_no_mail_is_sent_nothing_of_it_is_offered(server: ServerProcess, page: Page) -> None:
    GamePage(page, server).open()
    expect(page.locator("#games li")).to_have_count(1)
    expect(page.get_by_role("button", name="Password forgotten?")).to_have_count(0)


@pytest.mark.thorough
def test_an_operator_disables_an_account_and_looks_at_a_game(server: ServerProcess, page: Page) -> None:
    """Whoever is none sees nothing of it."""
    dialog = opened(page, server)
    expect(dialog.get_by_role("button", name="Change")).to_be_visible()
    expect(dialog.get_by_role("button", name="Administration")).to_be_hidden()
    dialog.get_by_role("button", name="Close").click()
    server.command("account", "role", "ann", "operator")
    page.get_by_role("button", name="Account").click()
    dialog.get_by_role("button", name="Administration").click()
    admin = page.get_by_role("dialog", name="Administration")
    admin.get_by_label("Reason").fill("too <b>loud</b>")
    admin.get_by_role("button", name="Disable ben").click()
    expect(admin.get_by_role("status")).to_contain_text("Account ben is disabled")
    expect(admin.locator("#admin-accounts .disabled")).to_contain_text("ben: player, disabled (too <b>loud</b>)")
    admin.get_by_role("button", name="Disable ann").click()
    expect(admin.get_by_role("alert")).to_contain_text("only who has the machine changes that account")
    admin.get_by_label("Do", exact=True).select_option("game show")
    admin.get_by_role("button", name="Do it").click()
    expect(admin.locator("pre")).to_contain_text("Tigris and Euphrates in space")
    admin.get_by_label("Name", exact=True).fill("be")
    admin.get_by_role("button", name="Look").click()
    expect(admin.locator("#admin-accounts li")).to_have_count(1)
    admin.get_by_role("button", name="Show the audit").click()
    expect(admin.locator("pre")).to_contain_text("account disable  ben")
    findings = look(page, script(), "administration")
    assert findings == [], report(findings)


@pytest.mark.thorough
@pytest.mark.parametrize(("theme", "width"), [("dark", 360), ("light", 1280)])
def test_axe_finds_nothing_serious_in_the_dialog(
    server: ServerProcess, new_page: Callable[..., Page], theme: str, width: int
) -> None:
    axe = script()
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=theme, reduced_motion="reduce")
    GamePage(page, server).enter("ann")
    page.evaluate("document.getElementById('go-home').click()")
    page.get_by_role("button", name="Account").click()
    dialog = page.get_by_role("dialog", name="Account")
    dialog.get_by_label("For").fill("my bot")
    dialog.get_by_role("button", name="Make a token").click()
    expect(dialog.locator("output")).to_be_visible()
    findings = look(page, axe, f"account, {theme}, {width} px")
    assert findings == [], report(findings)
    assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth"), "it is as narrow as the window"
