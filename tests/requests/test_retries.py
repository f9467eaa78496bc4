"""Repeated requests: done by an earlier process, or too late."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message

from tests.support.server_in_memory import Client, Reply, Server
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tpserver.requests import retries

AGAIN = "The server was replaced before it came to this one; list them and ask again."
LOGIN = BY_NAME["login"]
LOST = "This was done, but the server was replaced before it could answer; look at what there is now."


@pytest.fixture
def ann(server: Server) -> Client:
    server.create(clock="manual")
    return server.players(2, "pb")[0]


def told(client: Client, name: str, message: Message, changes: int = 1) -> Reply:
    """The answer to a request of which so many changes were saved."""
    kind = BY_NAME[name]
    frame = RawFrame(client.dialect, 7, kind.number, client.dialect.encode_body(kind.number, message, client.lookup()))
    reply = client.decoded(retries.answer(client.session, frame, changes))
    assert reply.sequences == {7}
    return reply


def test_most_are_done_and_no_more_is_said(ann: Client) -> None:
    for name, message in (("finished_turn", tp.FinishedTurn()), ("post_message", tp.Message(id=2, slot=-1))):
        reply = told(ann, name, message)
        assert (reply.name, reply.text) == ("okay", "It is done; the server was replaced before it could answer")


def test_what_cannot_be_told_again_is_said_to_be_lost(ann: Client) -> None:
    for name in ("create_token", "add_notice_address", "administer"):
        reply = told(ann, name, BY_NAME[name].message())
        assert (reply.code, reply.text) == (FailCode.UNAVAILABLE_TEMPORARILY, LOST)


@pytest.mark.parametrize(("changes", "done"), [(0, 0), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_each_slot_up_to_the_last_that_was_saved_is_removed(ann: Client, changes: int, done: int) -> None:
    reply = told(ann, "remove_order", tp.GetWithIDSlot(id=2, slots=[0, 1, 2]), changes)
    assert reply.names == ["sequence_of", *["okay"] * done, *["fail"] * (3 - done)]
    assert [one.result for one in reply.things] == ["It is removed"] * done + [AGAIN] * (3 - done)
    assert {one.code for one in reply.things[done:]} <= {FailCode.UNAVAILABLE_TEMPORARILY}


def test_more_slots_than_are_made_at_once_are_all_told(ann: Client) -> None:
    reply = told(ann, "remove_order", tp.GetWithIDSlot(id=2, slots=[0] * 700), 699)
    assert len(reply.things) == 700 and reply.names[-2:] == ["okay", "fail"]


def test_letters_are_removed_all_at_once(ann: Client) -> None:
    reply = told(ann, "remove_message", tp.GetWithIDSlot(id=1, slots=[0, 1, 2]), 1)
    assert [one.result for one in reply.things] == ["It is removed"] * 3


@pytest.mark.parametrize(
    ("name", "dialect"), [("order_insert", "pb"), ("order_insert", "tp04"), ("order_replace", "pb")]
)
def test_an_order_is_shown_as_it_stands(server: Server, ann: Client, name: str, dialect: str) -> None:
    """In TP04 its parameters can only be read with the descriptions of the game."""
    client = server.player("ann", dialect)
    client.bid(3, "gold")
    ((kind, order),) = told(client, name, client.queue(client.home)[0])
    assert kind == "order" and (order.id, order.slot) == (client.home, 0)
    assert order == client.queue(client.home)[0]


def test_a_request_that_cannot_be_read_is_refused(ann: Client) -> None:
    """The answer never raises: the process that has done it could read it."""
    frame = RawFrame(ann.dialect, 7, BY_NAME["finished_turn"].number, bytes(100_000))
    reply = ann.decoded(retries.answer(ann.session, frame, 1))
    assert reply.code == FailCode.REQUEST_TOO_BIG and reply.sequences == {7}


def test_the_answer_is_in_the_dialect_of_the_request(server: Server, ann: Client) -> None:
    """The session of a client whose connection was taken over has spoken none yet."""
    old = server.connect("tp03")
    old.session.dialect = TP04
    kind = BY_NAME["finished_turn"].number
    data = retries.answer(old.session, RawFrame(TP03, 7, kind, b""), 1)
    assert data.startswith(b"TP03") and old.session.dialect is TP03


@pytest.mark.parametrize(
    "name", ["finished_turn", "unfinish_turn", "order_insert", "order_replace", "remove_order", "post_message"]
)
def test_what_was_meant_for_a_turn_is_too_late_in_another(server: Server, ann: Client, name: str) -> None:
    """A message belongs to no turn. The turn that the client knew when it asked counts before later news."""
    frame = RawFrame(ann.dialect, 7, BY_NAME[name].number, b"")
    session: Any = ann.session
    of_turn = name != "post_message"
    session.told_turn = 0
    assert [retries.is_too_late(session, frame, turn) for turn in (None, 0, 1)] == [False, False, of_turn]
    session.told_turn = None
    assert not retries.is_too_late(session, frame, None), "nobody knows"
    session.told_turn = 1
    assert [retries.is_too_late(session, frame, turn) for turn in (None, 0)] == [of_turn, False]
    session.game = None
    assert not retries.is_too_late(session, frame, 1)


# --- logins -----------------------------------------------------------------------------------------------------------


def login_of(client: Client, username: str) -> RawFrame:
    """A login as it comes again; whether its password was right is known already."""
    body = client.dialect.encode_body(LOGIN.number, tp.Login(username=username, password="any"))
    return RawFrame(client.dialect, 7, LOGIN.number, body)


@pytest.mark.parametrize(
    ("username", "done"),
    [
        ("ann", True), ("ANN", True), ("ann@first", True), ("Ann@FIRST", True), ("ann@first/watch", True),
        ("ann@", True), ("ann@tp", True), ("ann@TP", True), ("ａｎｎ", True), ("ann@ｆｉｒｓｔ", True),
        ("ben", False), ("", False), ("ben@first", False), ("ann@second", False), ("ann@second/first", False),
    ],
)  # fmt: skip
def test_a_login_was_done_if_its_session_is_where_it_leads(ann: Client, username: str, done: bool) -> None:
    """Names are compared as they are at a login, which knows no difference of case nor of composition."""
    assert retries.is_logged_in(ann.session, login_of(ann, username)) is done


def test_a_login_to_a_game_was_not_done_where_the_session_is_in_none(server: Server, ann: Client) -> None:
    home = server.connect("pb")
    assert not retries.is_logged_in(home.session, login_of(home, "ann")), "nobody has logged in"
    home.ask("login_account", username="ann", password="ann's word")
    assert retries.is_logged_in(home.session, login_of(home, "ann"))
    assert not retries.is_logged_in(home.session, login_of(home, "ann@first"))


@pytest.mark.parametrize("body", [b"\xff", bytes(100_000)])
def test_what_is_no_login_was_not_done_as_one(ann: Client, body: bytes) -> None:
    """Another request, and a login that cannot be read or is too long: the session answers them."""
    assert not retries.is_logged_in(ann.session, RawFrame(ann.dialect, 7, LOGIN.number, body))
    assert not retries.is_logged_in(ann.session, RawFrame(ann.dialect, 7, BY_NAME["finished_turn"].number, b""))


def test_who_has_logged_in_is_welcome_in_the_dialect_of_the_login(server: Server, ann: Client) -> None:
    old = server.connect("tp03")
    data = retries.welcome_again(ann.session, login_of(old, "ann"))
    reply = old.decoded(data)
    assert data.startswith(b"TP03") and reply.sequences == {7}
    assert (reply.name, reply.text) == ("okay", "Welcome; the server was replaced before it could answer")
