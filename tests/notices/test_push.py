"""Notifications to browsers, received by a real receiver.

Only the browser's keys can decrypt them, and the sender can be verified.
"""

from __future__ import annotations

import base64
import json
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import http_ece
import pytest
from py_vapid import Vapid02
from told import Told
from twisted.internet.defer import Deferred
from twisted.internet.selectreactor import SelectReactor

from tests.notices.push_browser import Browser
from tests.support.receivers import answering, receiver
from tests.support.server import ServerProcess
from tests.support.server_in_memory import result_of
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB
from tpserver.notices.channels import NotDelivered
from tpserver.notices.contacts import NotKept, Terms
from tpserver.notices.content import Letter
from tpserver.notices.push import KEY_FILE, TEXT_BYTES, NoPush, Push, ServerKey, keys_of
from tpserver.notices.webhooks import Webhooks
from tpserver.store.games.outbox import Notice
from tpserver.store.people import notices as stored_notices

NOW = 1_800_000_000.0
LETTER = Letter("game.turn", "Your turn in first", ["first (Auction): Round 3."], link="https://games.example/")


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture
def key(tmp_path: Path) -> ServerKey:
    return ServerKey(tmp_path / KEY_FILE)


@pytest.fixture(scope="module")
def reactor() -> Iterator[Any]:
    """A reactor of its own that runs in a thread."""
    made = SelectReactor()
    thread = threading.Thread(target=made.run, kwargs={"installSignalHandlers": False}, daemon=True)
    thread.start()
    yield made
    made.callFromThread(made.stop)
    thread.join(30)


def send(reactor: Any, key: ServerKey, notice: Notice, letter: Letter = LETTER, own_network: bool = True) -> None:
    """Deliver a notice. Raises NotDelivered."""
    ended, outcome = threading.Event(), []
    hooks = Webhooks(reactor, lambda: NOW, own_network=own_network)

    def begin() -> None:
        doing: Deferred[str] = Push(hooks, key, "mailto:a@b.example", lambda: NOW).send(notice, letter)
        doing.addBoth(outcome.append).addBoth(lambda _: ended.set())

    reactor.callFromThread(begin)
    assert ended.wait(60)
    if hasattr(outcome[0], "raiseException"):
        outcome[0].raiseException()


def notice(url: str, browser: Browser, code: str = "") -> Notice:
    return Notice(1, 7, "turn", 2, "abc123", 1_700_000_000.0, 1, "", 1, 1, "push", url, browser.token, code)


def test_a_browser_reads_what_comes_and_nobody_else(reactor: Any, key: ServerKey, browser: Browser) -> None:
    with receiver(answering(201)) as service:
        send(reactor, key, notice(service.url, browser))
        (came,) = service.received
    told = browser.read(came)
    assert (told["title"], told["body"]) == ("Your turn in first", "first (Auction): Round 3.")
    assert (told["url"], told["id"]) == ("https://games.example/", "abc123")
    assert "code" not in told
    assert b"first" not in came.body
    with pytest.raises(http_ece.ECEException):
        Browser().read(came)
    assert (came.method, came.headers["ttl"]) == ("POST", "259200")
    assert came.headers["topic"] == told["tag"], "a newer notice of the game takes its place"


def test_a_service_can_tell_whose_a_notice_is(reactor: Any, key: ServerKey, browser: Browser) -> None:
    with receiver(answering(201)) as service:
        origin = service.url.removesuffix("/hook")
        send(reactor, key, notice(service.url, browser))
        (came,) = service.received
    assert Vapid02.verify(came.headers["authorization"])
    assert came.headers["authorization"].endswith(f"k={key.public}")
    claims = came.headers["authorization"].split("t=")[1].split(",")[0].split(".")[1]
    read = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    assert read["aud"] == origin
    assert read["sub"] == "mailto:a@b.example"
    assert 0 < read["exp"] - NOW <= 86400


def test_a_code_comes_there_for_the_page(reactor: Any, key: ServerKey, browser: Browser) -> None:
    with receiver(answering(201)) as service:
        send(reactor, key, notice(service.url, browser, code="12345678"))
        assert browser.read(service.received[0])["code"] == "12345678"


def test_the_longest_text_fits(reactor: Any, key: ServerKey, browser: Browser) -> None:
    """Services take 4096 bytes, encrypted; a letter is not cut in two."""
    letter = replace(LETTER, subject="\N{SNOWMAN}" * 300, lines=["\N{SNOWMAN}" * 300] * 21)
    with receiver(answering(201)) as service:
        send(reactor, key, notice(service.url, browser), letter)
        (came,) = service.received
    assert len(came.body) <= 4096
    assert 0 < len(browser.read(came)["body"].encode()) <= TEXT_BYTES


@pytest.mark.parametrize(("code", "gone"), [(410, True), (404, True), (400, False), (429, False), (500, False)])
def test_a_subscription_that_is_gone_is_told_from_an_error(
    reactor: Any, key: ServerKey, browser: Browser, code: int, gone: bool
) -> None:
    with receiver(answering(code)) as service, pytest.raises(NotDelivered) as problem:
        send(reactor, key, notice(service.url, browser))
    assert (problem.value.gone, problem.value.final) == (gone, gone)


def test_nothing_goes_into_the_own_network(reactor: Any, key: ServerKey, browser: Browser) -> None:
    with receiver(answering(201)) as service, pytest.raises(NotDelivered, match="own network"):
        send(reactor, key, notice(service.url, browser), own_network=False)
    assert service.received == []


def test_keys_that_are_none_end_the_address(reactor: Any, key: ServerKey, browser: Browser) -> None:
    """A point that is on no curve, as sent by a client that is no browser."""
    browser.token = f"{'A' * 87}.{'A' * 22}"
    assert keys_of(browser.token) is None
    with pytest.raises(NotDelivered) as problem:
        send(reactor, key, notice("https://push.example/x", browser))
    assert problem.value.gone


def test_the_servers_key_is_made_once_and_is_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / KEY_FILE
    made = ServerKey(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert ServerKey(file).public == made.public
    assert len(made.public) == 87
    file.write_bytes(b"nonsense")
    with pytest.raises(NoPush, match="needs the key in"):
        ServerKey(file)


def test_an_address_that_is_gone_is_removed(told: Told, browser: Browser) -> None:
    """There is no message, as the user has taken back the permission of the browser."""
    told.game()
    host = told.server.host
    host.notices.terms = Terms(["push"])
    told.delivery.channels = {"push": told.box}
    account = told.account("ann")
    added = result_of(host.notices.add(account, "push", "https://push.example/x", browser.token))
    result_of(host.notices.verify(account, added.id, added.code))
    told.box.problem = NotDelivered("the browser wants none", final=True, gone=True)
    told.server.close_turn()
    told.pass_time(10)
    assert told.server.store.read(stored_notices.of_account, account) == []


@pytest.mark.parametrize("token", ["", "x", f"{'A' * 87}", f"{'A' * 87}.{'A' * 21}", f"{'A' * 86}=.{'A' * 22}"])
def test_what_are_no_keys_is_refused(told: Told, token: str) -> None:
    told.game()
    told.server.host.notices.terms = Terms(["push"])
    with pytest.raises(NotKept, match="a browser's address needs its keys"):
        result_of(told.server.host.notices.add(told.account("ann"), "push", "https://push.example/x", token))


@pytest.mark.thorough
def test_a_browser_is_told_by_a_real_server(
    live: Callable[..., ServerProcess], tmp_path: Path, browser: Browser
) -> None:
    """From the server's key to the code, and then a turn; the key is there after a restart, for its owner only."""
    config = tmp_path / "tp.toml"
    config.write_text('[notices]\npush = "on"\nown_network = "allowed"\nmail_from = "games@example.org"\n')
    server = live("--config", str(config), "--web", "off")
    server.start()
    server.create_game("first", "auction", 2, clock="manual")
    with receiver(answering(201)) as service:
        with closing(Client(server.port, PB)) as client:
            client.one("connect", tp.Connect(client="test"), tp.Okay)
            client.one("login", tp.Login(username="ann@first", password="SecretWord"), tp.Okay)
            key = client.one("get_push_key", tp.GetPushKey(), tp.PushKey).key
            wanted = tp.AddNoticeAddress(kind="push", target=service.url, token=browser.token)
            added = client.one("add_notice_address", wanted, tp.NoticeAddress)
            assert added.secret == ""
            code = browser.read(service.wait_for(1)[0])["code"]
            client.one("verify_notice_address", tp.VerifyNoticeAddress(id=added.id, code=code), tp.Okay)
        with closing(Client(server.port, PB)) as client:
            client.one("connect", tp.Connect(client="test"), tp.Okay)
            client.one("login", tp.Login(username="ben@first", password="SecretWord"), tp.Okay)
        server.stop()
        server.start()
        server.command("game", "close-turn", "first")
        came = service.wait_for(2)[1]
    assert browser.read(came)["title"] == "Your turn in first"
    assert came.headers["authorization"].endswith(f"k={key}")
    assert stat.S_IMODE((server.data / KEY_FILE).stat().st_mode) == 0o600
