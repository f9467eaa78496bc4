"""Sign-in through an OpenID Connect provider at another site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe import look, report, script
from page_objects import GamePage
from playwright.sync_api import Page, expect

from tests.support.oidc_provider import CLIENT, SECRET, OidcProvider, oidc_provider
from tests.support.server import ServerProcess

Servers = Callable[..., ServerProcess]


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    """It is called localhost, and the server 127.0.0.1: so the cookie of a login, SameSite=Strict, is not sent back."""
    with oidc_provider("localhost") as made:
        yield made


@pytest.fixture
def server(web_server: Servers, directory: Path, provider: OidcProvider) -> ServerProcess:
    config = directory / "tpserver.toml"
    made = web_server("--config", str(config))
    (directory / "secret").write_text(f"{SECRET}\n")
    config.write_text(
        f'[oidc]\nsite = "{made.url}"\n[[oidc.providers]]\nid = "ours"\nname = "Our <b>Club</b>"\n'
        f'issuer = "{provider.issuer}"\nclient_id = "{CLIENT}"\nsecret = "secret"\nown_network = true\n'
    )
    made.start()
    return made


@pytest.mark.thorough
def test_signing_in_makes_an_account_and_the_next_time_comes_in(
    server: ServerProcess, provider: OidcProvider, page: Page, new_page: Callable[..., Page]
) -> None:
    """The browser stays logged in by a cookie that no script reads; nothing of it is in the address."""
    GamePage(page, server).open()
    page.get_by_role("button", name="Sign in with Our <b>Club</b>").click()
    dialog = page.get_by_role("dialog", name="Your name here")
    expect(dialog.get_by_label("Name")).to_have_value("Ann of There")
    assert (findings := look(page, script(), "choosing a name")) == [], report(findings)
    dialog.get_by_label("Name").fill("Guest 1")
    dialog.get_by_role("button", name="Create account").click()
    expect(dialog.get_by_role("alert")).to_contain_text("does not begin like those of guests")
    dialog.get_by_label("Name").fill("ann@friday")
    dialog.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Logged in as ann")).to_be_visible()
    expect(page.locator("#home-note")).to_contain_text("There is no game 'friday'")
    assert page.url == server.url
    page.reload()
    expect(page.get_by_role("heading", name="Logged in as ann")).to_be_visible()
    cookies = {one["name"].rpartition("-")[0]: one for one in page.context.cookies()}
    assert (cookies["tp-login"]["httpOnly"], cookies["tp-login"]["sameSite"]) == (True, "Strict")
    assert (cookies["tp-sign-in"]["httpOnly"], cookies["tp-sign-in"]["sameSite"]) == (True, "Lax")
    other = new_page()
    GamePage(other, server).open()
    other.get_by_role("button", name="Sign in with").click()
    expect(other.get_by_role("heading", name="Logged in as ann")).to_be_visible()


@pytest.mark.thorough
def test_an_account_is_connected_and_disconnected(server: ServerProcess, page: Page) -> None:
    GamePage(page, server).open()
    page.get_by_label("Name", exact=True).fill("ben")
    page.get_by_label("Password", exact=True).fill("word")
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Account", exact=True).click()
    page.get_by_role("button", name="Connect Our <b>Club</b>").click()
    expect(page.locator(".toast")).to_contain_text("Our <b>Club</b> logs in to your account from now on.")
    expect(page.get_by_role("heading", name="Logged in as ben")).to_be_visible()
    page.get_by_role("button", name="Account", exact=True).click()
    dialog = page.get_by_role("dialog", name="Account")
    dialog.get_by_role("button", name="Disconnect Our <b>Club</b>").click()
    expect(dialog.get_by_role("status")).to_contain_text("It logs in to your account no more")
    expect(dialog.locator("#account-providers")).to_contain_text("not connected")


@pytest.mark.thorough
def test_a_provider_that_lets_nobody_in_is_told_and_the_entrance_is_there(
    server: ServerProcess, provider: OidcProvider, page: Page
) -> None:
    provider.error = "access_denied"
    GamePage(page, server).open()
    page.get_by_role("button", name="Sign in with").click()
    expect(page.locator(".toast")).to_contain_text("rejected the sign-in (access_denied).")
    expect(page.get_by_role("button", name="Log in", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_a_link_that_says_so_logs_nobody_in(server: ServerProcess, page: Page) -> None:
    """Anybody can write it into a message."""
    page.goto(f"{server.url}#signed-in")
    expect(page.locator(".toast")).to_contain_text("The server has no sign-in of this browser")
    expect(page.get_by_role("button", name="Log in", exact=True)).to_be_visible()
