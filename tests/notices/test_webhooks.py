"""Notifications to real HTTP receivers, signed.

Receivers that hang, lie, redirect or never end do no harm.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.selectreactor import SelectReactor

from tests.support.receivers import Behaviour, answering, hanging, pouring, receiver
from tpserver import http_client
from tpserver.addresses import is_public
from tpserver.http_client import ANSWER_BYTES
from tpserver.notices.channels import NotDelivered
from tpserver.notices.content import Letter
from tpserver.notices.webhook_formats import message_of, request_of, signature
from tpserver.notices.webhooks import Webhooks
from tpserver.store.games.outbox import Notice

LETTER = Letter("game.turn", "Your turn in first", ["first (Auction): Round 3."], {"turn": 2}, "https://games.example/")
SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()


def notice(url: str, channel: str = "json", message: str = "", secret: str = SECRET) -> Notice:
    return Notice(1, 1, "turn", 2, "abc123", 1_700_000_000.0, 1, message, 1, 1, channel, url, secret, "")


@pytest.fixture(scope="module")
def reactor() -> Iterator[Any]:
    """A reactor of its own that runs in a thread."""
    made = SelectReactor()
    thread = threading.Thread(target=made.run, kwargs={"installSignalHandlers": False}, daemon=True)
    thread.start()
    yield made
    made.callFromThread(made.stop)
    thread.join(30)


def send(reactor: Any, told: Notice, own_network: bool = True, letter: Letter = LETTER) -> str:
    """Deliver a notice and return what the receiver calls its message. Raises NotDelivered."""
    ended, outcome = threading.Event(), []

    def begin() -> None:
        doing: Deferred[str] = Webhooks(reactor, time.time, own_network=own_network).send(told, letter)
        doing.addBoth(outcome.append).addBoth(lambda _: ended.set())

    reactor.callFromThread(begin)
    assert ended.wait(60)
    if hasattr(outcome[0], "raiseException"):
        outcome[0].raiseException()
    return str(outcome[0])


def failure(reactor: Any, told: Notice, own_network: bool = True) -> NotDelivered:
    with pytest.raises(NotDelivered) as caught:
        send(reactor, told, own_network)
    return caught.value


# --- what comes -------------------------------------------------------------------------------------------------------


def test_the_signature_is_that_of_the_specification() -> None:
    """The example of Standard Webhooks."""
    signed = signature(
        "whsec_plJ3nmyCDGBKInavdOK15jsl",
        "msg_loFOjxBNrRLzqYUf",
        1731705121,
        b'{"event_type":"ping","data":{"success":true}}',
    )
    assert signed["webhook-signature"] == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="


def test_a_receiver_gets_json_that_it_can_verify(reactor: Any) -> None:
    with receiver() as other:
        assert send(reactor, notice(other.url)) == ""
        (came,) = other.wait_for(1)
    assert (came.method, came.path, came.headers["content-type"]) == ("POST", "/hook", "application/json")
    identity, at = came.headers["webhook-id"], came.headers["webhook-timestamp"]
    assert identity == "abc123", "the same in every try"
    assert abs(int(at) - time.time()) < 60
    signed = hmac.new(b"k" * 32, f"{identity}.{at}.".encode() + came.body, hashlib.sha256).digest()
    assert came.headers["webhook-signature"] == f"v1,{base64.b64encode(signed).decode()}"
    assert came.json["type"] == "game.turn"
    assert came.json["timestamp"] == "2023-11-14T22:13:20Z"
    assert came.json["data"]["turn"] == 2
    assert came.json["data"]["subject"] == "Your turn in first"


def test_discord_is_told_once_and_then_its_message_is_changed(reactor: Any) -> None:
    with receiver(answering(200, b'{"id":"77","content":"x"}', Content_Type="application/json")) as other:
        url = other.url.replace("/hook", "/api/webhooks/1/token?thread_id=5")
        assert send(reactor, notice(url, "discord")) == "77"
        assert send(reactor, notice(url, "discord", "77")) == "77"
        first, second = other.wait_for(2)
    assert (first.method, first.path) == ("POST", "/api/webhooks/1/token?thread_id=5&wait=true")
    assert (second.method, second.path) == ("PATCH", "/api/webhooks/1/token/messages/77?thread_id=5")
    assert first.json["allowed_mentions"] == {"parse": []}


def test_a_message_that_is_not_there_any_more_is_written_anew(reactor: Any) -> None:
    def behaviour(line: Any, came: Any) -> None:
        answering(404 if came.method == "PATCH" else 200, b'{"id":"78"}')(line, came)

    with receiver(behaviour) as other:
        assert send(reactor, notice(other.url, "discord", "77")) == "78"


def test_matrix_knows_the_transaction_again_and_changes_messages(reactor: Any) -> None:
    room = "/_matrix/client/v3/rooms/!x:example.org/send/m.room.message"
    with receiver(answering(200, b'{"event_id":"$e"}')) as other:
        url = other.url.replace("/hook", room)
        assert send(reactor, notice(url, "matrix", secret="token")) == "$e"
        send(reactor, notice(url, "matrix", "$d", secret="token"))
        first, second = other.wait_for(2)
    assert (first.method, first.path) == ("PUT", f"{room}/abc123")
    assert first.headers["authorization"] == "Bearer token"
    assert "webhook-signature" not in first.headers, "the token is no key to sign with"
    assert first.json["msgtype"] == "m.text"
    assert second.json["m.relates_to"] == {"rel_type": "m.replace", "event_id": "$d"}


HOSTILE = Letter("game.turn", "Your turn in <!channel> *x* @everyone & `y`", ["[a](https://evil.example)"])


def test_names_of_games_are_no_markup_for_anybody() -> None:
    slack = request_of(notice("https://x.example", "slack"), HOSTILE, 0.0).body.decode()
    assert "<!channel>" not in slack
    assert "&lt;!channel&gt;" in slack
    discord = request_of(notice("https://x.example", "discord"), HOSTILE, 0.0).body.decode()
    assert "[a](" not in discord
    assert "<!channel>" not in discord


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"{}", b'{"id":5}', b'{"id":"a\\nb"}', b"[" * 99999, b'{"id":"%s"}' % (b"x" * 300)]
)
def test_what_a_receiver_calls_its_message_may_be_anything(answer: bytes) -> None:
    assert message_of("discord", answer) == ""


def test_the_longest_text_fits_into_a_message_of_discord() -> None:
    letter = Letter("game.turn", "*" * 300, ["*" * 300] * 20)
    assert len(request_of(notice("https://x.example", "discord"), letter, 0.0).body) < 2000 * 2


# --- receivers that do harm -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "says", "final"),
    [(500, "an error (500)", False), (404, "an error (404)", False), (410, "gone for good", True)],
)
def test_an_error_is_told_and_tried_again_unless_the_receiver_is_gone(
    reactor: Any, code: int, says: str, final: bool
) -> None:
    with receiver(answering(code)) as other:
        problem = failure(reactor, notice(other.url))
    assert says in str(problem)
    assert problem.final is final


def test_how_long_to_wait_is_the_receivers_word_if_it_is_a_number(reactor: Any) -> None:
    for text, seconds in (("120", 120.0), ("tomorrow", 0.0), ("9" * 50, 0.0), ("-5", 0.0)):
        with receiver(answering(429, Retry_After=text)) as other:
            assert failure(reactor, notice(other.url)).wait == seconds


def test_a_redirect_is_not_followed(reactor: Any) -> None:
    with receiver() as inside, receiver(answering(307, Location=inside.url)) as other:
        problem = failure(reactor, notice(other.url))
        assert "points elsewhere (307)" in str(problem)
        assert inside.received == []


@pytest.mark.parametrize("channel", ["json", "discord"])
def test_a_gigabyte_is_not_read(reactor: Any, channel: str) -> None:
    """A body without end is cut; the notice has arrived, for the receiver has said so."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
    with receiver(pouring(head)) as other:
        assert send(reactor, notice(other.url, channel)) == ""


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-More: y\r\n" * 1000),
        (b"HTTP/1.1 200 OK\r\nX: ", b"x" * 65536),
        (b"", b"\0" * 65536),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    ],
    ids=["headers", "a header", "no HTTP", "continue"],
)
def test_headers_without_end_are_not_read(reactor: Any, head: bytes, piece: bytes) -> None:
    begun = time.monotonic()
    with receiver(pouring(head, piece)) as other:
        problem = failure(reactor, notice(other.url))
    assert str(problem).startswith("the receiver")
    assert time.monotonic() - begun < http_client.SECONDS, f"it is cut at {ANSWER_BYTES} bytes"


def test_a_receiver_that_says_nothing_is_left_in_time(reactor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "SECONDS", 0.5)
    ended = threading.Event()
    with receiver(hanging(ended)) as other:
        problem = failure(reactor, notice(other.url))
        ended.set()
    assert "does not answer within 0.5 s" in str(problem)


def test_a_receiver_that_speaks_a_letter_a_second_is_left_in_time(
    reactor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "SECONDS", 0.5)
    ended = threading.Event()

    def drip(line: Any, came: Any) -> None:
        while not ended.wait(0.05):
            line.sendall(b"H")

    with receiver(drip) as other:
        problem = failure(reactor, notice(other.url))
        ended.set()
    assert "does not answer within 0.5 s" in str(problem)


def closing(line: Any, came: Any) -> None:
    """Hang up."""


def lying(line: Any, came: Any) -> None:
    line.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")


@pytest.mark.parametrize("behaviour", [closing, lying])
def test_what_is_no_http_is_told_in_words(reactor: Any, behaviour: Behaviour) -> None:
    with receiver(behaviour) as other:
        assert str(failure(reactor, notice(other.url))).startswith("the receiver ")


def test_nobody_listens(reactor: Any) -> None:
    with receiver() as other:
        url = other.url
    assert "nobody listens" in str(failure(reactor, notice(url)))


# --- the own network --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "169.254.169.254", "[::ffff:10.0.0.1]"])
def test_nothing_is_sent_into_the_own_network(reactor: Any, host: str) -> None:
    """By address and by a name that leads there: it is refused after the name is looked up, for good."""
    with receiver() as other:
        problem = failure(reactor, notice(f"http://{host}:{other.port}/"), own_network=False)
        assert other.received == []
    assert "own network" in str(problem)
    assert problem.final


def test_a_name_of_which_one_address_is_inside_is_refused(reactor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from twisted.internet.address import IPv4Address

    class Resolver:
        def resolveHostName(self, receiver: Any, host: str, port: int = 0, *rest: Any, **more: Any) -> Any:
            receiver.resolutionBegan(self)
            receiver.addressResolved(IPv4Address("TCP", "8.8.8.8", port))
            receiver.addressResolved(IPv4Address("TCP", "10.0.0.1", port))
            receiver.resolutionComplete()
            return self

    before = reactor.nameResolver
    monkeypatch.setattr(reactor, "_nameResolver", None, raising=False)
    reactor.installNameResolver(Resolver())
    try:
        assert "own network" in str(failure(reactor, notice("http://two.example/"), own_network=False))
    finally:
        reactor.installNameResolver(before)


@pytest.mark.parametrize(
    ("host", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("192.168.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("example.org", None),
        ("127.1", None),
    ],
)
def test_which_addresses_are_the_whole_internets(host: str, public: bool | None) -> None:
    assert is_public(host) is public
