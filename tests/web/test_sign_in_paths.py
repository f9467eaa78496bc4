"""/sign-in over HTTP: started only by our pages, finished by one browser.

Only the browser that started it can finish it, and it then goes to our page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from web_in_memory import HOST, Answer, WebServer

from tests.requests.test_sign_ins import Http
from tests.support.oidc_provider import CLIENT, SECRET, oidc_provider
from tests.support.oidc_provider import OidcProvider as RealProvider
from tpserver.accounts.accounts import Accounts
from tpserver.accounts.kept_logins import KeptLogins
from tpserver.accounts.oidc.provider import OidcProvider
from tpserver.accounts.oidc.sign_ins import SignIns
from tpserver.accounts.oidc.terms import Provider
from tpserver.concurrency import at_once
from tpserver.store import Store
from tpserver.store.people import logins
from tpserver.wire.web.resources import Origins
from tpserver.wire.web.sign_in import sign_in_resource

ORIGIN = f"http://{HOST}"
SITE = "https://games.example/"
COOKIE = "tp-sign-in-8080"


class Signing:
    """A server for browsers with a provider, on a database of its own."""

    def __init__(self, path: Path, real: RealProvider) -> None:
        self.real = real
        self.store = Store.open(f"sqlite:///{path / 'store.sqlite'}", reactor=None)
        (path / "secret").write_text(SECRET)
        origins = Origins(["https://games.example"])
        self.server = WebServer(origins=origins)
        clock = self.server.clock
        clock.advance(1_700_000_000)
        real.now = clock.seconds
        terms = Provider("ours", "Ours", real.issuer, CLIENT, path / "secret", own_network=True)
        accounts = Accounts(self.store, "register", at_once, clock.seconds)
        kept = KeptLogins(self.store, clock.seconds, clock.seconds)
        provider = OidcProvider(terms, Http(), clock.seconds, clock.seconds)
        sign_ins = SignIns([provider], accounts, kept, SITE, lambda account: None, clock.seconds, clock.seconds)
        root = self.server.root
        root.sign_in(sign_in_resource(root.files, origins, sign_ins))

    def post(self, path: str, cookie: str = "", origin: str = ORIGIN, **body: str) -> Answer:
        headers = {"Origin": origin, **({"Cookie": cookie} if cookie else {})}
        return self.server.post(f"/sign-in/{path}", json.dumps(body).encode(), **headers)

    def begin(self, origin: str = ORIGIN) -> tuple[str, str]:
        """Return the cookie of a browser, and its path from the provider to this server."""
        answer = self.post("begin", origin=origin, provider="ours")
        assert answer.code == 200, answer
        back = self.real.authorize(urlsplit(json.loads(answer.body)["url"]).query)
        assert back.startswith(f"{SITE}sign-in/back/ours?")
        return answer.headers["set-cookie"].partition(";")[0], back.removeprefix(SITE.rstrip("/"))


@pytest.fixture
def signing(tmp_path: Path) -> Iterator[Signing]:
    with oidc_provider() as real:
        made = Signing(tmp_path, real)
        yield made
        made.store.close()


def test_the_way_of_a_browser_from_the_first_click_to_its_cookie(signing: Signing) -> None:
    """Two cookies: the one of the way comes along from another site, that of the login does not."""
    answer = signing.post("begin", provider="ours")
    pair, *words = answer.headers["set-cookie"].split("; ")
    assert pair.startswith(f"{COOKIE}=")
    assert set(words) == {"Max-Age=900", "Path=/sign-in", "HttpOnly", "SameSite=Lax"}
    cookie, back = signing.begin()
    arrived = signing.server.get(back, Cookie=f"other=1; {cookie}")
    assert (arrived.code, arrived.headers["location"]) == (303, f"{SITE}#signed-in")
    assert "set-cookie" not in arrived.headers
    assert arrived.headers["referrer-policy"] == "no-referrer"
    told = signing.post("outcome", cookie)
    assert json.loads(told.body) == {"state": "name", "provider": "Ours", "name": "Ann of There"}
    assert "set-cookie" not in told.headers
    assert signing.post("name", cookie, name="Guest 1").code == 403
    made = signing.post("name", cookie, name="ann")
    pair, *words = made.headers["set-cookie"].split("; ")
    assert pair.startswith("tp-login-8080=")
    assert set(words) == {"Max-Age=34560000", "Path=/", "HttpOnly", "SameSite=Strict"}
    assert (made.code, json.loads(made.body)) == (200, {})
    assert len(signing.store.read(logins.of_account, 1)) == 1


def test_behind_tls_both_cookies_are_for_encrypted_connections_only(signing: Signing) -> None:
    answer = signing.post("begin", origin="https://games.example", provider="ours")
    assert "; Secure" in answer.headers["set-cookie"]


def test_another_browser_does_not_come_back_with_a_state(signing: Signing) -> None:
    """A browser without a cookie does not, either: with a foreign link it is logged in to nothing, and does no harm."""
    cookie, back = signing.begin()
    other, _ = signing.begin()
    for sent in ("", other, f"{COOKIE}=", f"{COOKIE}=x", "tp-sign-in-9090=" + cookie.partition("=")[2]):
        answer = signing.server.get(back, **({"Cookie": sent} if sent else {}))
        assert answer.code == 403
        assert not {"location", "set-cookie"} & set(answer.headers)
    assert "/token" not in signing.real.asked
    assert signing.server.get(back, Cookie=cookie).code == 303
    assert signing.server.get(back, Cookie=cookie).code == 403, "a state is good once"


@pytest.mark.parametrize(
    "query",
    ["", "?state=", "?state=x", "?state=x&code=y", "?state=%ff%00&code=" + "x" * 9000, "?" + "state=x&" * 500],
)
def test_anything_at_all_that_comes_back_is_answered(signing: Signing, query: str) -> None:
    cookie, _ = signing.begin()
    for path in ("ours", "other", "", "ours/more", "%2e%2e/x"):
        assert signing.server.get(f"/sign-in/back/{path}{query}", Cookie=cookie).code in (403, 404)


@pytest.mark.parametrize("more", ["&next=https://evil.example", "&redirect_uri=https://evil.example", "&site=//x"])
def test_nobody_is_led_elsewhere(signing: Signing, more: str) -> None:
    cookie, back = signing.begin()
    answer = signing.server.get(f"{back}{more}", Cookie=cookie)
    assert answer.headers["location"] == f"{SITE}#signed-in"


def test_to_look_at_the_way_back_takes_no_code(signing: Signing) -> None:
    cookie, back = signing.begin()
    assert signing.server.get(back, method="HEAD", Cookie=cookie).code == 405
    assert signing.server.get(back, Cookie=cookie).code == 303


@pytest.mark.parametrize("path", ["begin", "connect", "outcome", "name"])
def test_only_our_own_pages_sign_in(signing: Signing, path: str) -> None:
    body = {"provider": "ours", "ticket": "x", "name": "ann"}
    cookie, back = signing.begin()
    signing.server.get(back, Cookie=cookie)
    assert signing.post(path, cookie, "http://evil.example", **body).code == 403
    assert signing.server.get(f"/sign-in/{path}", Cookie=cookie).code == 405
    text = json.dumps(body).encode()
    form = signing.server.post(f"/sign-in/{path}", text, Origin=ORIGIN, Content_Type="text/plain", Cookie=cookie)
    assert form.code == 415
    assert json.loads(signing.post("outcome", cookie).body)["state"] == "name", "nothing has changed"


def test_what_is_not_known_is_refused_with_a_sentence(signing: Signing) -> None:
    for path, body in (("begin", {"provider": "x"}), ("connect", {"ticket": "x"}), ("name", {"name": "x"})):
        answer = signing.post(path, **body)
        assert answer.code == 403
        assert len(json.loads(answer.body)["error"]) > 20
    assert signing.post("outcome").code == 403
