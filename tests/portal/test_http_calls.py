"""HTTP calls of pages, answered by the engine through the portal.

While no engine runs, the pages are asked to try again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.portal.portal_in_memory import EdgeServer
from tests.support.server_in_memory import result_of
from tests.web.web_in_memory import HOST, WebServer
from tpserver.accounts.accounts import NotAdmitted, Requester
from tpserver.portal.http_calls import LONGEST_STEP, RelayedPages, RelayedSignIns, calls, sign_in_call
from tpserver.portal.portal_session import MOST_CALLS
from tpserver.store import StoreError
from tpserver.wire.net.errors import HolderAway


class Feed:
    def find(self, token: str) -> tuple[str, Callable[[], bytes]] | None:
        if token == "broken":
            raise StoreError("The disk is gone.")
        return ("tag", lambda: b"BEGIN") if token == "right" else None


async def stop(token: str) -> bool:
    return token == "right"


class Pages:
    """A site whose store is behind the link."""

    def __init__(self, at: EdgeServer) -> None:
        self.at = at
        self.ended: list[int] = []
        self.relayed = RelayedPages(at.edge)
        self.web = WebServer()
        self.web.root.keep_logins(self.relayed, lambda logins: None)
        self.web.root.stop_notices(self.relayed.stop_notices)
        self.web.root.show_calendars(self.relayed)
        self.serve()

    def serve(self) -> None:
        self.at.holder.calls = calls(self.at.server.host.logins, self.ended.extend, stop, Feed())  # type: ignore[arg-type]

    def wait_for(self, work: Any) -> Any:
        waiting = Deferred.fromCoroutine(work)
        self.at.pump()
        return result_of(waiting)


@pytest.fixture
def pages(at: EdgeServer) -> Pages:
    return Pages(at)


def test_a_ticket_is_redeemed_once_and_its_login_revoked(pages: Pages) -> None:
    ann = pages.at.connect("pb", name="ann")
    ticket = ann.ask("keep_login", label="here").message.ticket
    token = pages.wait_for(pages.relayed.redeem(ticket))
    assert ann.session.kept_login
    with pytest.raises(NotAdmitted, match="already used"):
        pages.wait_for(pages.relayed.redeem(ticket))
    assert pages.wait_for(pages.relayed.revoke_token(token)) is None
    assert pages.ended == [ann.session.kept_login]


def test_notices_and_calendars_are_found_there(pages: Pages) -> None:
    assert pages.wait_for(pages.relayed.stop_notices("right"))
    assert not pages.wait_for(pages.relayed.stop_notices("wrong"))
    tag, text = pages.wait_for(pages.relayed.find_elsewhere("right"))
    assert (tag, text()) == ("tag", b"BEGIN")
    assert pages.wait_for(pages.relayed.find_elsewhere("wrong")) is None
    with pytest.raises(StoreError):
        pages.wait_for(pages.relayed.find_elsewhere("broken"))


@pytest.mark.parametrize("is_cut", [False, True])
def test_without_a_process_pages_are_told_when_to_ask_again(pages: Pages, is_cut: bool) -> None:
    """Also those that have asked it and get no answer."""
    if not is_cut:
        pages.at.kill()
    body, headers = (
        json.dumps({"ticket": "x"}).encode(),
        {"Origin": f"http://{HOST}", "Content-Type": "application/json"},
    )
    asked = [
        lambda: pages.web.post("/login", body, **headers),
        lambda: pages.web.post("/logout", b"{}", Cookie="tp-login-8080=x", **headers),
        lambda: pages.web.post("/stop-notices/right", b""),
        lambda: pages.web.get("/calendar/right.ics"),
    ]
    if is_cut:
        waiting = pages.at.edge.call("calendar", "right")
        pages.at.kill()
        with pytest.raises(HolderAway):
            result_of(waiting)
    for ask in asked:
        answer = ask()
        assert (answer.code, answer.headers["retry-after"]) == (503, "3")
    assert pages.web.get("/").code in (200, 404), "files need no process"
    pages.at.replace()
    pages.serve()
    assert pages.wait_for(pages.relayed.stop_notices("right"))


class Steps:
    """Sign-ins that record the addresses that begin them."""

    site = "https://games.example.org/"

    async def begin(self, provider: str, caller: Requester) -> tuple[str, str]:
        if provider != "known":
            raise NotAdmitted("There is no such provider.")
        return "cookie", f"https://provider/?from={caller.network}"

    async def begin_connecting(self, ticket: str, caller: Requester) -> tuple[str, str]:
        return ticket, caller.network

    async def come_back(self, provider: str, browser: str, given: Mapping[str, str]) -> None:
        self.given = (provider, browser, given)

    async def outcome(self, browser: str, label: str) -> tuple[Any, str]:
        return SimpleNamespace(state="name", provider=SimpleNamespace(name="Known"), text=label), browser

    async def choose_name(self, browser: str, name: str, label: str, caller: Requester) -> str:
        return f"{browser} {name} {label} {caller.network}"


def test_the_steps_of_a_sign_in_are_taken_there(pages: Pages) -> None:
    there, here = Steps(), RelayedSignIns(pages.at.edge)
    pages.at.holder.calls = sign_in_call(there)
    caller = Requester("192.0.2.1")
    assert pages.wait_for(here.begin("known", caller)) == ("cookie", "https://provider/?from=192.0.2.1")
    assert pages.wait_for(here.begin_connecting("t", caller)) == ("t", "192.0.2.1")
    with pytest.raises(NotAdmitted, match="no such provider"):
        pages.wait_for(here.begin("other", caller))
    pages.wait_for(here.come_back("known", "cookie", {"code": "c"}))
    assert there.given == ("known", "cookie", {"code": "c"})
    assert here.site == there.site
    found, token = pages.wait_for(here.outcome("cookie", "label"))
    assert (found.state, found.provider.name, found.text, token) == ("name", "Known", "label", "cookie")
    assert pages.wait_for(here.choose_name("cookie", "Ann", "label", caller)) == "cookie Ann label 192.0.2.1"
    with pytest.raises(NotAdmitted, match="too long"):
        pages.wait_for(here.come_back("known", "cookie", {"code": "c" * LONGEST_STEP}))
    pages.at.kill()
    with pytest.raises(HolderAway):
        result_of(here.begin("known", caller))


def test_a_sign_in_is_refused_while_there_are_no_providers(pages: Pages) -> None:
    """The next process may have other providers, or none. This one does not restart for that."""
    here, caller = RelayedSignIns(pages.at.edge), Requester("192.0.2.1")
    pages.at.holder.calls = {}
    with pytest.raises(NotAdmitted, match="has named none"):
        pages.wait_for(here.begin("known", caller))
    pages.at.holder.calls = sign_in_call(Steps())
    assert pages.wait_for(here.begin("known", caller))[0] == "cookie"


def test_no_more_wait_at_once_than_there_is_room_for(pages: Pages) -> None:
    waiting = [pages.at.edge.call("stop notices", "right") for _ in range(MOST_CALLS)]
    with pytest.raises(HolderAway):
        result_of(pages.at.edge.call("stop notices", "right"))
    pages.at.pump()
    assert all(result_of(one).text == "" for one in waiting)
    assert pages.wait_for(pages.relayed.stop_notices("right"))
