"""The account dialog: password changes, and tokens for bots and scripts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from axe import assert_accessible, look, report, script
from page_objects import PASSWORD, GamePage, begin_game, give_password
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


@pytest.mark.thorough
def test_the_password_is_changed_and_the_browser_stays_logged_in(server: ServerProcess, page: Page) -> None:
    """After a reload the browser logs in by another cookie, though the old one has ended."""
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
    # The cookie has logged in, so a token needs the password.
    page.get_by_role("button", name="Account").click()
    dialog.get_by_label("For").fill("my bot")
    dialog.get_by_role("button", name="Make a token").click()
    proof = page.get_by_role("dialog", name="Your password")
    proof.get_by_role("button", name="Go back").click()
    expect(dialog.get_by_role("alert")).to_contain_text("give your password with it")
    dialog.get_by_role("button", name="Make a token").click()
    proof.get_by_label("Password", exact=True).fill("another word")
    proof.get_by_role("button", name="Confirm").click()
    expect(dialog.locator("#account-tokens li")).to_contain_text("my bot: all my games, until")


@pytest.mark.thorough
def test_a_token_is_made_shown_once_used_and_revoked(server: ServerProcess, page: Page) -> None:
    dialog = opened(page, server)
    dialog.get_by_label("For").fill("my <b>bot</b>")
    dialog.get_by_label("In", exact=True).select_option("first")
    dialog.get_by_label("Days").fill("7")
    dialog.get_by_role("button", name="Make a token").click()
    give_password(page)
    expect(dialog.locator("#account-tokens li")).to_have_count(1)
    expect(dialog.get_by_label("Days")).to_have_value("7")
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
        shown = re.match(r"\d{8}", man.wait_for(1)[0]["Subject"])
        assert shown is not None

        async def verify(connection: Connection) -> str:
            await connection.login_account("eve", "old")
            return await connection.verify_notice_address(1, shown[0])

        accounts(server, verify)
        GamePage(page, server).open().type_name("eve@first")
        page.get_by_role("button", name="Password forgotten?").click()
        dialog = page.get_by_role("dialog", name="Password forgotten")
        expect(dialog.get_by_label("Name or mail address")).to_have_value("eve@first")
        dialog.get_by_role("button", name="Send a code").click()
        expect(dialog.get_by_role("status")).to_contain_text("a mail is on its way there.")
        came = man.wait_until(lambda came: any("#reset=" in mail.get_content() for mail in came))
        found = next(match for mail in came if (match := re.search(r"(#reset=\S+)", mail.get_content())))
        page.goto("about:blank")
        page.goto(f"{server.url.rstrip(chr(47))}/{found[1].replace('-', '%E2%80%93')}")
        dialog.get_by_label("New password").fill("another word")
        dialog.get_by_role("button", name="Set the password").click()
        expect(dialog.get_by_role("status")).to_contain_text("The password is changed")
        assert "reset" not in page.url, "whoever comes here next must not find it"
        dialog.get_by_role("button", name="Close").click()
        expect(page.get_by_label("Password", exact=True)).to_have_value("another word")
        accounts(server, lambda connection: connection.login_account("eve", "another word"))


SWALLOW_CALENDAR = """() => {
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) { if (!String(data).includes('"getCalendar"')) send.call(this, data); };
}"""
"""Swallow all later requests for the calendar, as a slow server would."""


@pytest.mark.thorough
def test_what_one_account_leaves_in_a_tab_is_not_the_next_ones(server: ServerProcess, page: Page) -> None:
    """The own name, drafts, a link that was shown once, and typed passwords are gone."""
    server.command("game", "abort", "first", "--reason", "enough")
    game = GamePage(page, server).enter("ann")
    expect(page.locator("#legend")).to_contain_text("ann (you)")
    game.tab("Messages")
    page.get_by_text("Write to the others").click()
    page.get_by_label("Subject").fill("For ben alone")
    page.get_by_role("button", name="Notices").click()
    notices = page.get_by_role("dialog", name="Notices")
    notices.get_by_role("button", name="Make a link").click()
    expect(notices.get_by_label("Link to the calendar")).to_be_visible()
    notices.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="My games").click()
    page.get_by_role("button", name="Account").click()
    account = page.get_by_role("dialog", name="Account")
    account.get_by_label("Old", exact=True).fill(PASSWORD)
    account.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Log out", exact=True).click()
    page.evaluate(SWALLOW_CALENDAR)
    game.type_name("ben")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("#legend")).to_contain_text("ben (you)")
    game.tab("Messages")
    expect(page.locator("#post-subject")).to_have_value("")
    page.evaluate("document.getElementById('notices-game').click()")
    expect(notices).to_be_visible()
    expect(notices.get_by_label("Link to the calendar")).to_have_count(0)
    notices.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="My games").click()
    page.get_by_role("button", name="Account").click()
    expect(account.get_by_label("Old", exact=True)).to_have_value("")


@pytest.mark.thorough
def test_where_no_mail_is_sent_nothing_of_it_is_offered(server: ServerProcess, page: Page) -> None:
    GamePage(page, server).open()
    expect(page.locator("#games li")).to_have_count(1)
    expect(page.get_by_role("button", name="Password forgotten?")).to_have_count(0)


@pytest.mark.thorough
def test_an_operator_disables_an_account_and_looks_at_a_game(server: ServerProcess, page: Page) -> None:
    """Other users see nothing of it."""
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
    expect(admin.get_by_role("alert")).to_contain_text(
        "only an administrator with shell access can change that account"
    )
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
def test_axe_finds_nothing_serious_in_the_dialog(server: ServerProcess, page: Page) -> None:
    GamePage(page, server).enter("ann")
    page.evaluate("document.getElementById('go-home').click()")
    page.get_by_role("button", name="Account").click()
    dialog = page.get_by_role("dialog", name="Account")
    dialog.get_by_label("For").fill("my bot")
    dialog.get_by_role("button", name="Make a token").click()
    give_password(page)
    expect(dialog.locator("output")).to_be_visible()
    assert_accessible(page, dialog, "account")
