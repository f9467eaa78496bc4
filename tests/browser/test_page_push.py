"""Notifications in the browser: asked for, shown, and withdrawn.

A local receiver stands in for the push service of the browser's maker. The test makes the subscription and has its
keys. It passes what the receiver gets to the real service worker of the page, as the browser would.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_objects import GamePage, begin_game
from playwright.sync_api import Page, expect

from tests.notices.push_browser import Browser
from tests.support.receivers import answering, receiver
from tests.support.server import ServerProcess

pytestmark = pytest.mark.thorough

SUBSCRIBE = """([endpoint, p256dh, auth]) => {
  let made = null;
  PushManager.prototype.subscribe = async function (options) {
    window.asked = [options.userVisibleOnly, options.applicationServerKey.length];
    made = { endpoint, toJSON: () => ({ endpoint, keys: { p256dh, auth } }), unsubscribe: async () => (made = null) };
    return made;
  };
  PushManager.prototype.getSubscription = async () => made;
}"""


WATCH = """() => {
  self.shown = new Promise((resolve) => {
    self.registration.showNotification = async (title, options) => resolve([title, options.body, options.tag]);
  });
}"""
"""Notices are not seen in a browser without a screen: what the worker shows is noted in place of that."""


def pushing(web_server: Callable[..., ServerProcess], directory: Path) -> ServerProcess:
    """A server that sends notices to browsers and to nothing else, with a game of ann and ben."""
    config = directory / "tpserver.toml"
    config.write_text('[notices]\npush = "on"\nown_network = "allowed"\nmail_from = "games@example.org"\n')
    server = web_server("--config", str(config))
    server.start()
    begin_game(server, "first", "tae")
    return server


def test_a_player_is_told_in_this_browser(
    web_server: Callable[..., ServerProcess], page: Page, directory: Path
) -> None:
    browser, server = Browser(), pushing(web_server, directory)
    page.context.grant_permissions(["notifications"])
    registrations: list[str] = []
    tools = page.context.new_cdp_session(page)

    def registered(event: Any) -> None:
        registrations.extend(one["registrationId"] for one in event["registrations"])

    tools.on("ServiceWorker.workerRegistrationUpdated", registered)
    tools.send("ServiceWorker.enable")

    def deliver(came: Any) -> None:
        data = json.dumps(browser.read(came))
        what = {"origin": server.url.rstrip("/"), "registrationId": registrations[-1], "data": data}
        tools.send("ServiceWorker.deliverPushMessage", what)

    with receiver(answering(201)) as service:
        GamePage(page, server).enter("ann")
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
        page.evaluate(SUBSCRIBE, [service.url, *browser.token.split(".")])
        page.get_by_role("button", name="Notices").click()
        dialog = page.get_by_role("dialog", name="Notices")
        dialog.get_by_role("button", name="Tell me in this browser").click()
        code = service.wait_for(1)[0]
        assert page.evaluate("window.asked") == [True, 65]
        deliver(code)
        expect(dialog).to_contain_text("This browser shows notices, also while the page is closed.")
        expect(dialog.locator("#notices-addresses li")).to_contain_text("gets notices")
        dialog.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Log out", exact=True).click()
        server.command("game", "close-turn", "first")
        (worker,) = page.context.service_workers
        worker.evaluate(WATCH)
        came = service.wait_for(2)[1]
        deliver(came)
        title, body, tag = worker.evaluate("() => self.shown")
    told = browser.read(came)
    assert (title, body, tag) == ("Your turn in first", told["body"], told["tag"])


def test_what_the_browser_does_not_allow_is_said_and_what_it_did_is_taken_back(
    web_server: Callable[..., ServerProcess], page: Page, directory: Path
) -> None:
    """Without leave nothing is registered; an address of this browser is removed where it was added."""
    browser, server = Browser(), pushing(web_server, directory)
    GamePage(page, server).enter("ann")
    page.get_by_role("button", name="Notices").click()
    dialog = page.get_by_role("dialog", name="Notices")
    expect(dialog.get_by_label("Address", exact=True)).to_be_hidden()
    page.evaluate("() => { Notification.requestPermission = async () => 'denied'; }")
    tell = dialog.get_by_role("button", name="Tell me in this browser")
    tell.click()
    expect(dialog.locator("#notices-push").get_by_role("alert")).to_have_text(
        "This browser was not allowed to show notices of this page."
    )
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    page.evaluate(SUBSCRIBE, ["https://push.example/x", *browser.token.split(".")])
    page.evaluate("() => { Notification.requestPermission = async () => 'granted'; }")
    page.evaluate(
        "() => { navigator.serviceWorker.addEventListener = (what, hear) => hear({ data: { code: 'wrong' } }); }"
    )
    tell.click()
    expect(dialog.locator("#notices-push").get_by_role("alert")).to_have_text(
        "This is not the code that was sent last."
    )
    expect(tell).to_be_enabled()
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Notices").click()
    expect(dialog).to_contain_text("This browser waits for its code")
    dialog.get_by_role("button", name="Tell me here no more").click()
    expect(tell).to_be_visible()
    expect(dialog.locator("#notices-addresses li")).to_have_count(0)
