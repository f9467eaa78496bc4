"""Sign-in through OpenID Connect, with a real provider.

Tested are admission, refusal, and the limits of a hostile provider.
"""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwk

from tests.support.oidc_provider import CLIENT, SECRET, by_public_key, oidc_provider, unsigned
from tests.support.oidc_provider import OidcProvider as RealProvider
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.accounts.accounts import Busy, NotAdmitted, Requester
from tpserver.accounts.oidc import sign_ins as module
from tpserver.accounts.oidc.provider import FAULT_REST, KEYS_REST, KEYS_SECONDS, LEEWAY, OidcProvider
from tpserver.accounts.oidc.sign_ins import (
    CONNECTED,
    FAILED,
    IN,
    MOST,
    MOST_ASKING,
    MOST_OF_NETWORK,
    NAME,
    SECONDS,
    SignIns,
)
from tpserver.accounts.oidc.terms import Provider
from tpserver.http_client import Answer, Unanswered
from tpserver.requests.entry.login import check_lockdown
from tpserver.store import audit as stored_audit
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import identities as stored_identities

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
SITE = "https://games.example/"


class Http:
    """Real requests that are waited for, each with a connection of its own."""

    async def ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        request = urllib.request.Request(url, data=body or None, headers=dict(headers), method=method)
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return Answer(answer.status, {}, answer.read(32 * 1024))
        except urllib.error.HTTPError as error:
            return Answer(error.code, {}, b"")
        except OSError:
            raise Unanswered("{who} does not answer") from None


class Place:
    """A server with a provider, and browsers that go to and fro."""

    def __init__(self, server: Server, real: RealProvider, path: Path, **more: Any) -> None:
        self.server, self.real = server, real
        secret = path / "secret"
        secret.write_text(f"{SECRET}\n")
        self.terms = Provider("ours", "Ours", real.issuer, CLIENT, secret, own_network=True, **more)
        real.now = server.now
        provider = OidcProvider(self.terms, Http(), server.now, server.clock.seconds)
        host = server.host
        self.sign_ins = SignIns([provider], server.accounts, host.logins, SITE, lambda one: check_lockdown(host, one),
                                server.now, server.clock.seconds)  # fmt: skip
        host.sign_ins = self.sign_ins

    def begin(self, network: str = "192.0.2.1", provider: str = "ours") -> tuple[str, str]:
        """Return the cookie of a browser, and where it goes."""
        return result_of(self.sign_ins.begin(provider, Requester(network)))

    def through(self, url: str) -> dict[str, str]:
        """Go to the provider, and return what it sends back."""
        assert url.startswith(f"{self.real.issuer}/authorize?tenant=ours&")
        back = urlsplit(self.real.authorize(urlsplit(url).query))
        assert f"{back.scheme}://{back.netloc}{back.path}" == f"{SITE}sign-in/back/ours"
        return {key: values[-1] for key, values in parse_qs(back.query).items()}

    def come_back(self, browser: str, given: Mapping[str, str], provider: str = "ours") -> Any:
        result_of(self.sign_ins.come_back(provider, browser, given))
        return self.outcome(browser)

    def outcome(self, browser: str) -> Any:
        return result_of(self.sign_ins.outcome(browser, "a browser"))

    def sign_in(self) -> Any:
        """Go the whole way, and return what has come of it, and the token of a login."""
        browser, url = self.begin()
        return self.come_back(browser, self.through(url))

    def new(self, name: str) -> str:
        """Make an account for the present user of the provider, and return the token of its login."""
        browser, url = self.begin()
        assert self.come_back(browser, self.through(url))[0].state == NAME
        return result_of(self.sign_ins.choose_name(browser, name, "a browser", Requester("192.0.2.1")))

    def at_home(self, token: str) -> Client:
        """Return the connection of a browser with the token of a login."""
        client = self.server.connect("pb", token=token)
        assert client.ask("login_account").name == "account"
        return client


@pytest.fixture
def real() -> Iterator[RealProvider]:
    with oidc_provider() as made:
        yield made


@pytest.fixture
def place(server: Server, real: RealProvider, tmp_path: Path) -> Place:
    return Place(server, real, tmp_path)


def failed(place: Place) -> str:
    """Return the sentence of a sign-in that fails; nobody is there after it."""
    outcome, token = place.sign_in()
    assert (outcome.state, token) == (FAILED, "")
    assert outcome.text[0].isupper() and outcome.text.endswith(".")
    assert place.server.store.read(stored_accounts.all) == []
    return str(outcome.text)


# --- the way in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["RS256", "PS384", "ES256"])
def test_who_signs_in_chooses_a_name_once_and_comes_back(place: Place, algorithm: str) -> None:
    place.real.algorithm = algorithm
    browser, url = place.begin()
    outcome, token = place.come_back(browser, place.through(url))
    assert (outcome.state, outcome.text, token) == (NAME, "Ann of There", "")
    token = result_of(place.sign_ins.choose_name(browser, "ann", "a browser", Requester("x")))
    assert place.at_home(token).session.account.name == "ann"  # type: ignore[union-attr]
    with pytest.raises(NotAdmitted):
        result_of(place.sign_ins.choose_name(browser, "ben", "a browser", Requester("x")))
    place.real.more = {"preferred_username": None, "email": "other@example.org"}
    outcome, token = place.sign_in()
    assert outcome.state == IN
    assert place.at_home(token).session.account.name == "ann"  # type: ignore[union-attr]
    assert place.server.connect("pb").ask("login", username="ann", password="").code == DENIED, "it has no password"


def test_an_account_is_found_by_its_subject_and_never_by_a_mail_address(place: Place) -> None:
    """The same address or name at the provider may belong to another person."""
    place.server.connect("pb").ask("create_account", username="ann", password="x", email="ann@example.org")
    place.real.more = {"preferred_username": "ann", "email": "ann@example.org", "email_verified": True}
    browser, url = place.begin()
    outcome, _ = place.come_back(browser, place.through(url))
    assert outcome.state == NAME
    with pytest.raises(NotAdmitted, match="taken"):
        result_of(place.sign_ins.choose_name(browser, "ann", "x", Requester("x")))
    for bad in ("Guest 1", "", "x" * 33, "a@b"):
        with pytest.raises(NotAdmitted):
            result_of(place.sign_ins.choose_name(browser, bad, "x", Requester("x")))
    result_of(place.sign_ins.choose_name(browser, "zoe", "x", Requester("x")))
    place.real.subject = "subject-2"
    assert place.sign_in()[0].state == NAME, "another subject is another person"


def test_a_provider_may_let_in_only_those_who_are_connected(server: Server, real: RealProvider, tmp_path: Path) -> None:
    place = Place(server, real, tmp_path, makes_accounts=False)
    assert "connect it under Account" in failed(place)


def test_nobody_gets_an_account_on_a_server_that_is_locked_down(place: Place) -> None:
    """An account that was about to choose its name is refused, too. An account with a seat can sign in."""
    token = place.new("ann")
    ann = place.at_home(token)
    place.server.create()
    place.real.subject = "subject-2"
    browser, url = place.begin()
    place.come_back(browser, place.through(url))
    place.server.accounts.policy = "lockdown"
    with pytest.raises(NotAdmitted, match="lockdown"):
        result_of(place.sign_ins.choose_name(browser, "ben", "x", Requester("x")))
    assert "in lockdown" in place.sign_in()[0].text
    place.real.subject = "subject-1"
    assert place.sign_in()[0].state == FAILED
    place.server.accounts.policy = "open"
    ann.ask("enter_game", game="first")
    place.server.accounts.policy = "lockdown"
    assert place.sign_in()[0].state == IN


def test_who_is_disabled_or_removed_here_does_not_come_in(place: Place) -> None:
    place.new("ann")
    ann = place.server.accounts.named("ann")
    browser, url = place.begin()
    result_of(place.sign_ins.come_back("ours", browser, place.through(url)))
    result_of(place.server.accounts.disable(ann, "spam"))
    with pytest.raises(NotAdmitted):
        place.outcome(browser)
    assert "disabled this account: spam" in place.sign_in()[0].text
    result_of(place.server.accounts.enable(place.server.accounts.named("ann")))
    assert place.sign_in()[0].state == IN
    result_of(place.server.accounts.remove(place.server.accounts.named("ann")))
    assert place.sign_in()[0].state == NAME, "nothing is known of who was removed"
    assert place.server.store.read(stored_identities.of_account, ann.id) == []


# --- states and codes -------------------------------------------------------------------------------------------------


def test_a_state_is_good_once_and_in_its_own_browser_only(place: Place) -> None:
    """So a link cannot log a user in to a foreign account. A failed try takes nothing from the owner of the state."""
    browser, url = place.begin()
    given = place.through(url)
    other, _ = place.begin()
    for wrong in (other, "", "x" * 5000, "\ud800"):
        with pytest.raises(NotAdmitted, match="not started in this browser"):
            place.come_back(wrong, given)
    assert place.come_back(browser, given)[0].state == NAME
    with pytest.raises(NotAdmitted, match="not started in this browser"):
        place.come_back(browser, given)
    for state in ("", "x", given["state"][:-1]):
        with pytest.raises(NotAdmitted):
            place.come_back(browser, {**given, "state": state})


def test_a_code_is_good_once(place: Place) -> None:
    browser, url = place.begin()
    code = place.through(url)["code"]
    (other, again) = place.begin()
    assert place.come_back(browser, {"state": place.through(url)["state"], "code": code})[0].state == NAME
    outcome, _ = place.come_back(other, {**place.through(again), "code": code})
    assert (outcome.state, "refuses what it was asked (code 400)" in outcome.text) == (FAILED, True)


def test_a_code_of_another_sign_in_is_none(place: Place) -> None:
    """It is bound to the verifier that only this server knows (PKCE)."""
    (one, first), (two, second) = place.begin(), place.begin()
    stolen = place.through(first)["code"]
    outcome, _ = place.come_back(two, {**place.through(second), "code": stolen})
    assert outcome.state == FAILED
    assert one != two


@pytest.mark.parametrize("given", [{"code": ""}, {"code": "x" * 5000}, {"iss": "https://evil.example"}])
def test_what_comes_back_wrongly_ends_the_sign_in(place: Place, given: dict[str, str]) -> None:
    browser, url = place.begin()
    outcome, token = place.come_back(browser, {**place.through(url), **given})
    assert (outcome.state, token) == (FAILED, "")
    assert "/token" not in place.real.asked


def test_what_is_too_late_ends_the_sign_in(place: Place) -> None:
    browser, url = place.begin()
    given = place.through(url)
    place.server.pass_time(SECONDS)
    assert "took too long" in place.come_back(browser, given)[0].text
    browser, url = place.begin()
    place.come_back(browser, place.through(url))
    place.server.pass_time(SECONDS)
    with pytest.raises(NotAdmitted):
        result_of(place.sign_ins.choose_name(browser, "ann", "x", Requester("x")))


def test_the_page_of_another_provider_takes_no_state_of_this_one(place: Place) -> None:
    browser, url = place.begin()
    with pytest.raises(NotAdmitted):
        place.come_back(browser, place.through(url), provider="other")
    with pytest.raises(NotAdmitted, match="no provider"):
        place.begin(provider="nobody")


def test_a_provider_that_lets_nobody_in_is_quoted_without_its_signs(place: Place) -> None:
    place.real.error = "access_denied\x1b[31m" + "x" * 500
    browser, url = place.begin()
    text = place.come_back(browser, place.through(url))[0].text
    assert text.startswith("Ours rejected the sign-in (access_denied")
    assert "\x1b" not in text and len(text) < 120


# --- tokens -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"iss": "https://evil.example"}, "of another issuer"),
        ({"iss": None}, "of another issuer"),
        ({"aud": "another client"}, "for somebody else"),
        ({"aud": None}, "for somebody else"),
        ({"aud": [CLIENT, "other"]}, "for several"),
        ({"aud": [CLIENT, "other"], "azp": "other"}, "for somebody else"),
        ({"azp": "other"}, "for somebody else"),
        ({"nonce": "another"}, "for another sign-in"),
        ({"nonce": None}, "for another sign-in"),
        ({"nonce": ["x"]}, "for another sign-in"),
        ({"exp": None}, "does not say exp"),
        ({"exp": "soon"}, "does not say exp"),
        ({"exp": True}, "does not say exp"),
        ({"iat": None}, "does not say iat"),
        ({"sub": None}, "without a subject"),
        ({"sub": ""}, "without a subject"),
        ({"sub": "x" * 256}, "without a subject"),
        ({"sub": 7}, "without a subject"),
        ({"sub": "ä"}, "not ASCII"),
        ({"sub": "a\x00b"}, "not ASCII"),
    ],
)
def test_a_token_that_is_not_for_this_sign_in_lets_nobody_in(place: Place, claims: dict[str, Any], words: str) -> None:
    place.real.more = claims
    assert words in failed(place)


@pytest.mark.parametrize(("by", "is_good"), [(-LEEWAY - 1, False), (-LEEWAY + 1, True)])
def test_clocks_may_differ_by_the_leeway(place: Place, by: float, is_good: bool) -> None:
    """A token that has just expired, and one of a provider whose clock is ahead."""
    now = int(place.server.now())
    for more in ({"exp": now + int(by)}, {"iat": now - int(by)}, {"nbf": now - int(by)}):
        place.real.more = more
        assert (place.sign_in()[0].state == NAME) == is_good, more
        place.server.pass_time(0)


def swapped(token: str, other: str) -> str:
    """Return a token with the signature of another one."""
    return f"{token.rpartition('.')[0]}.{other.rpartition('.')[2]}"


@pytest.mark.parametrize(
    "forge",
    [
        lambda real, claims: unsigned(claims),
        lambda real, claims: by_public_key(real, claims),
        lambda real, claims: real.signed(claims, key=jwk.RSAKey.generate_key(2048, {"kid": real.rsa.kid})),
        lambda real, claims: real.signed(claims, "RS256", kid="nobody's"),
        lambda real, claims: real.signed(claims, "ES256", kid=real.rsa.kid),
        lambda real, claims: real.signed(claims)[:-8] + "AAAAAAAA",
        lambda real, claims: swapped(real.signed({**claims, "sub": "me"}), real.signed(claims)),
        lambda real, claims: "x.y.z",
        lambda real, claims: "." * 300,
        lambda real, claims: "x" * 17_000,
        lambda real, claims: "",
        lambda real, claims: 7,
        lambda real, claims: base64.urlsafe_b64encode(b"[" * 9000).decode() + ".x.y",
        lambda real, claims: base64.urlsafe_b64encode(b'{"alg": ["RS256"]}').decode() + ".x.y",
    ],
    ids=["none", "public key", "another key", "unknown key", "key of another kind", "signature", "swapped", "garbage",
         "dots", "long", "empty", "number", "nested", "alg of another type"],
)  # fmt: skip
def test_a_token_that_is_not_signed_by_the_provider_lets_nobody_in(
    place: Place, forge: Callable[[RealProvider, dict[str, Any]], Any]
) -> None:
    place.real.sign = lambda claims: forge(place.real, claims)
    assert "gives " in failed(place)


def test_keys_are_kept_and_asked_for_again_when_there_are_new_ones(place: Place) -> None:
    """Not more often than once a minute, whatever keys tokens name; without a name any of them may fit."""
    for _ in range(3):
        assert place.sign_in()[0].state == NAME
    assert place.real.asked.count("/keys") == 1
    assert place.real.asked.count("/.well-known/openid-configuration") == 1
    place.real.rotate()
    assert place.sign_in()[0].state == FAILED, "it has just been asked"
    place.server.pass_time(KEYS_REST)
    assert place.sign_in()[0].state == NAME
    assert place.real.asked.count("/keys") == 2
    place.real.sign = lambda claims: place.real.signed(claims, kid=None)
    assert place.sign_in()[0].state == NAME
    place.server.pass_time(KEYS_SECONDS)
    assert place.sign_in()[0].state == NAME
    assert place.real.asked.count("/keys") == 3


# --- a provider that does what it likes -------------------------------------------------------------------------------


def saying(code: int, body: bytes) -> Callable[[Any], None]:
    def say(handler: Any) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return say


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/keys"])
@pytest.mark.parametrize(
    "answer",
    [
        saying(500, b""),
        saying(302, b""),
        saying(200, b""),
        saying(200, b"<html>"),
        saying(200, b"[" * 20_000),
        saying(200, b"[]"),
        saying(200, b"{}"),
        saying(200, b"\xff" * 40_000),
        saying(200, b'{"keys": [], "id_token": null, "issuer": 7}'),
        lambda handler: handler.close_connection,
    ],
    ids=["500", "302", "empty", "html", "nested", "list", "object", "bytes", "nulls", "gone"],
)
def test_a_provider_that_answers_garbage_lets_nobody_in(place: Place, path: str, answer: Any) -> None:
    """It is not asked again at once for the missing data."""
    place.real.answers[path] = answer
    if path.startswith("/."):
        for _ in range(3):
            with pytest.raises(NotAdmitted, match="sign-in through Ours is not possible now"):
                place.begin()
        assert place.real.asked.count(path) == 1
        place.server.pass_time(FAULT_REST)
    else:
        assert "Sign-in through Ours is not possible now" in failed(place)
        place.server.pass_time(FAULT_REST)
    place.real.answers.clear()
    assert place.sign_in()[0].state == NAME


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("issuer", "https://evil.example"),
        ("authorization_endpoint", "javascript:alert(1)"),
        ("authorization_endpoint", None),
        ("token_endpoint", "file:///etc/passwd"),
        ("jwks_uri", "https://x.example/ y"),
        ("authorization_endpoint", "https://x.example/#a"),
    ],
)
def test_addresses_of_a_provider_are_addresses(place: Place, key: str, value: object) -> None:
    told = {**place.real.discovery(), key: value}
    place.real.answers["/.well-known/openid-configuration"] = saying(200, json.dumps(told).encode())
    with pytest.raises(NotAdmitted):
        place.begin()


def test_a_provider_of_the_world_has_tls_everywhere(place: Place) -> None:
    from tpserver.accounts.oidc.discovery import ProviderFault, endpoints_of

    terms = Provider("x", "X", "https://x.example", "c")
    good = {key: f"https://x.example/{key}" for key in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
    told = {"issuer": "https://x.example", **good}
    endpoints_of(terms, json.dumps(told).encode())
    for key in good:
        with pytest.raises(ProviderFault, match="without https"):
            endpoints_of(terms, json.dumps({**told, key: "http://x.example/"}).encode())


def test_without_its_secret_nobody_signs_in_and_it_is_not_told(place: Place) -> None:
    place.terms.secret.write_text("wrong\n")  # type: ignore[union-attr]
    assert "refuses what it was asked (code 401)" in failed(place)
    place.terms.secret.unlink()  # type: ignore[union-attr]
    assert str(place.terms.secret) not in failed(place)


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_a_network_begins_so_many_sign_ins_in_a_minute(place: Place) -> None:
    for _ in range(MOST_OF_NETWORK):
        place.begin("198.51.100.7")
    with pytest.raises(Busy):
        place.begin("198.51.100.7")
    place.begin("203.0.113.1")


def test_what_is_under_way_is_bounded(place: Place) -> None:
    """Networks that begin many push out their own, and nobody else's."""
    browser, url = place.begin("0")
    first, its_url = place.begin("1")
    for number in range(MOST):
        place.begin(str(1 + (1 + number) // MOST_OF_NETWORK))
    assert len(place.sign_ins.begun) == MOST
    with pytest.raises(NotAdmitted, match="Start it again"):
        place.come_back(first, place.through(its_url))
    assert place.come_back(browser, place.through(url))[0].state == NAME


def test_so_many_wait_for_a_provider_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place.sign_ins, "_asking", MOST_ASKING)
    with pytest.raises(Busy):
        place.begin()
    assert module.MOST_ASKING == MOST_ASKING


# --- connecting -------------------------------------------------------------------------------------------------------


def connect(place: Place, client: Client) -> Any:
    ticket = client.ask("connect_provider", provider="ours").message.ticket
    browser, url = result_of(place.sign_ins.begin_connecting(ticket, Requester("192.0.2.1")))
    with pytest.raises(NotAdmitted, match="already used"):
        result_of(place.sign_ins.begin_connecting(ticket, Requester("192.0.2.1")))
    return place.come_back(browser, place.through(url))[0]


def test_an_account_is_connected_signs_in_and_is_disconnected(place: Place) -> None:
    ann = place.server.connect("pb")
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    (told,) = ann.ask("get_providers").message.providers
    assert (told.id, told.name, told.makes_accounts, told.connected) == ("ours", "Ours", True, False)
    assert connect(place, ann).state == CONNECTED
    answer = ann.ask("get_providers").message
    assert (answer.providers[0].connected, answer.has_password) == (True, True)
    assert ann.ask("connect_provider", provider="ours").code == PERMANENTLY
    assert place.at_home(place.sign_in()[1]).session.account.name == "ann"  # type: ignore[union-attr]
    assert not place.server.connect("pb").ask("get_providers").message.providers[0].connected
    assert ann.ask("disconnect_provider", provider="ours").name == "okay"
    assert ann.ask("disconnect_provider", provider="ours").code == NO_SUCH_THING
    assert place.sign_in()[0].state == NAME
    did = [entry.operation for entry in place.server.store.read(stored_audit.newest, 9, "ann")]
    assert did == ["account connect", "account disconnect"]


def test_one_subject_logs_in_to_one_account(place: Place) -> None:
    place.new("ann")
    ben = place.server.player("ben", "pb")
    outcome = connect(place, ben)
    assert (outcome.state, "belongs to another account" in outcome.text) == (FAILED, True)


def test_the_last_way_to_log_in_stays(place: Place) -> None:
    """An account without a password sets one first. That needs no old password, once."""
    ann = place.at_home(place.new("ann"))
    refused = ann.ask("disconnect_provider", provider="ours")
    assert (refused.code, "set a password first" in refused.text) == (PERMANENTLY, True)
    assert not ann.ask("get_providers").message.has_password
    assert ann.ask("change_password", old="x", new="word").code == DENIED
    assert ann.ask("change_password", old="", new="word").name == "okay"
    assert ann.ask("change_password", old="", new="other").code == DENIED
    assert ann.ask("disconnect_provider", provider="ours").name == "okay"
    assert place.server.connect("pb").ask("login_account", username="ann", password="word").name == "account"


def test_guests_and_tokens_connect_nothing(place: Place) -> None:
    place.server.host.guests.terms.allowed = True
    guest = place.server.connect("pb")
    guest.ask("play_as_guest")
    assert guest.ask("connect_provider", provider="ours").code == DENIED
    ann = place.at_home(place.new("ann"))
    token = ann.ask("create_token", label="bot", days=1).message.secret
    bot = place.server.connect("pb")
    bot.ask("login_account", username="ann", password=token)
    assert bot.ask("connect_provider", provider="ours").code == DENIED
    assert not bot.ask("get_providers").message.providers[0].connected


def test_what_is_under_way_ends_when_the_password_is_changed(place: Place) -> None:
    """A person who logged in with the old password can no longer connect a provider."""
    ann = place.server.player("ann", "pb")
    ticket = ann.ask("connect_provider", provider="ours").message.ticket
    browser, url = result_of(place.sign_ins.begin_connecting(ticket, Requester("x")))
    unused = ann.ask("connect_provider", provider="ours").message.ticket
    result_of(place.server.accounts.set_password(place.server.accounts.named("ann"), "new"))
    with pytest.raises(NotAdmitted):
        place.come_back(browser, place.through(url))
    with pytest.raises(NotAdmitted):
        result_of(place.sign_ins.begin_connecting(unused, Requester("x")))


def test_the_features_say_that_there_are_providers(place: Place, make_server: Callable[..., Server]) -> None:
    assert 1004 in place.server.connect("pb").ask("get_features").message.features
    assert 1004 not in place.server.connect("tp04").ask("get_features").message.features
    assert 1004 not in make_server().connect("pb").ask("get_features").message.features
