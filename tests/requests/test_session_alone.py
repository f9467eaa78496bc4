"""`Session` alone: its responses, permissions, and ends by its `Host`.

Where the request does not matter, the tests supply the handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.logger import capturedLogs

from tests.support.orders import text as words
from tests.support.server_in_memory import BEGINNING, BID, Client, Server, Waiting, number, order, result_of
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.errors import FailCode, FrameError
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tprules.api import Code, Refusal
from tpserver.accounts.accounts import OPERATOR, Busy, NotAdmitted
from tpserver.accounts.kept_logins import LIFETIME
from tpserver.events import EVENTS
from tpserver.fault_points import interfering
from tpserver.games.core.errors import GameElsewhere, GameError, NotNow
from tpserver.games.core.events import GameDropped
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.time_left import REQUESTED, TIMER_STARTED, WARNING, TimeLeft
from tpserver.games.hall.vacations import NoSuchVacation
from tpserver.games.seats.presence import plays_there
from tpserver.games.seats.proposals import NoSay, NoSuchProposal
from tpserver.games.service import ownership
from tpserver.games.service.spectators import MOST_A_MINUTE
from tpserver.games.stored.history import NoSuchTurn, PastGame
from tpserver.games.terms.delay import later
from tpserver.notices.channels import MAIL
from tpserver.notices.contacts import NotKept, Terms
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session import pipeline
from tpserver.requests.session.pipeline import NO_NODE
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.repeatable_reads import SWEEP_SECONDS
from tpserver.requests.session.responses import FRAMES_AT_ONCE, Frames, FromElsewhere, failed, okay
from tpserver.requests.session.session import (
    ACCOUNT_CHANGED,
    LOGGED_OUT,
    TOKEN_REVOKED,
    CreationPolicy,
    Host,
    Peer,
    RequestType,
    Session,
)
from tpserver.store import StoreError
from tpserver.store.people.accounts import Account
from tpserver.store.people.tokens import Token

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
SILENT = f"{NO_NODE[0].upper()}{NO_NODE[1:]}."
NOT_SAVED = "This could not be saved, so nothing was changed; try again."
UNKNOWN = "The database has not said whether this was saved; look at what there is now before you ask again."
FAILED = "The server failed on this request; the operator has been notified."


def serve(server: Server, handle: Callable[..., Any], name: str = "ping", **more: Any) -> None:
    """Have a request answered by ``handle``, as a request that every connection may send."""
    kind = BY_NAME[name]
    says = {"is_open": True, "quick": None, "needs_present": False, "access": "read", **more}
    server.host.requests = {**REQUESTS, kind.number: RequestType(kind, handle, **says)}


def account(server: Server, name: str) -> Account:
    found: Account = server.accounts.named(name)
    return found


def at_home(server: Server, name: str) -> Client:
    client = server.connect("pb")
    assert client.ask("login_account", username=name, password=f"{name}'s word").name == "account"
    return client


def fine(session: Session, message: Any) -> list[bytes]:
    return [okay(session.dialect, "done")]


def raises(error: BaseException) -> Callable[..., Any]:
    def handle(session: Session, message: Any) -> Any:
        raise error

    return handle


@pytest.fixture
def ann(server: Server) -> Client:
    server.create(clock="manual")
    return server.players(2, "pb")[0]


@pytest.fixture
def slow(make_server: Callable[..., Server]) -> tuple[Server, Client]:
    """A server whose disk commits when the test says so, and a player whose game has an unsaved change."""
    server = make_server(delayed=True)
    server.create(clock="manual")
    ann = server.players(2, "pb")[0]
    server.disk.at_once = False
    ann.post_bid(1)
    return server, ann


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (RequestError(FailCode.NO_SUCH_THING, "there is no such thing"), NO_SUCH_THING, "There is no such thing."),
        (Refusal("it is not there", reason="gone", code=Code.NO_SUCH_THING), NO_SUCH_THING, "It is not there."),
        (FrameError("too short", FailCode.FRAME), FRAME, "Too short."),
        (NoSuchTurn("there is no turn 9"), NO_SUCH_THING, "There is no turn 9."),
        (NoSuchProposal("there is no proposal 9"), NO_SUCH_THING, "There is no proposal 9."),
        (NoSuchVacation("there is no vacation 9"), NO_SUCH_THING, "There is no vacation 9."),
        (Busy("too many ask", 5), TEMPORARILY, "Too many ask; try again in 5 seconds."),
        (NotNow("the turn is being computed"), TEMPORARILY, "The turn is being computed."),
        (NotKept("this is no address"), FRAME, "This is no address."),
        (NotKept("there is no address 9", "unknown"), NO_SUCH_THING, "There is no address 9."),
        (NotKept("these are too many", "limit"), TEMPORARILY, "These are too many."),
        (NotKept("this is not the code", "denied"), DENIED, "This is not the code."),
        (NotAdmitted("the word is wrong"), DENIED, "The word is wrong."),
        (NoSay("you have no say in this"), DENIED, "You have no say in this."),
        (GameError("the game is over"), PERMANENTLY, "The game is over."),
        (NotSaved("disk"), TEMPORARILY, NOT_SAVED),
        (NotSaved("disk", is_unknown=True), TEMPORARILY, UNKNOWN),
        (StoreError("The disk is full.", code="full"), TEMPORARILY, NOT_SAVED),
        (StoreError("It has not said.", code="unknown"), TEMPORARILY, UNKNOWN),
        (StoreError("Another node has it.", code="fenced"), TEMPORARILY, NOT_SAVED),
    ],
)
def test_each_error_is_told_by_its_code_and_a_sentence(
    server: Server, error: Exception, code: int, text: str, logged: list[Any]
) -> None:
    serve(server, raises(error))
    reply = server.connect("pb").ask("ping")
    assert (reply.code, reply.text) == (code, text)
    assert logged == [], "the operator is told of what nobody expects alone"


@pytest.mark.parametrize("error", [RuntimeError("a bug"), StoreError("No such entry.", code="entry")])
def test_what_nobody_expects_is_told_to_the_operator_and_its_words_to_nobody_else(
    server: Server, error: Exception, logged: list[Any]
) -> None:
    serve(server, raises(error))
    reply = server.connect("pb", address="192.0.2.77").ask("ping")
    assert (reply.code, reply.text) == (TEMPORARILY, FAILED)
    (event,) = logged
    assert event["log_failure"].value is error and event["peer"] == "192.0.2.77"
    assert event["log_failure"].tb is not None or event["log_failure"].frames, "where it came from"


def test_an_error_that_comes_later_is_told_as_one_at_once(server: Server, logged: list[Any]) -> None:
    async def later(session: Session, message: Any) -> Any:
        await succeed(None)
        raise error

    error: Exception = GameError("the game is over")
    serve(server, later)
    client = server.connect("pb")
    assert client.ask("ping").text == "The game is over."
    error = RuntimeError("a bug")
    assert client.ask("ping").text == FAILED
    assert [event["log_failure"].value for event in logged] == [error]


def test_whoever_lost_the_database_is_told_that_nothing_is_saved_any_more(server: Server) -> None:
    serve(server, raises(NotSaved("gone")))
    server.store.has_gone_back()
    reply = server.connect("pb").ask("ping")
    assert reply.code == TEMPORARILY
    assert reply.text == (
        "The server has lost its database and saves nothing until its operator has put it back; nothing was changed."
    )


def test_where_another_node_is_reached_is_told_to_no_client(server: Server, ann: Client) -> None:
    """A player in a game has to ask over another connection. Without an address, the place is unknown."""
    away = GameElsewhere("the game cannot be played here: it is played on the node at one:6926", "one:6926")
    plain = "The game cannot be played here: it is played on another node of this server"
    serve(server, raises(away))
    for client, text in (
        (server.connect("pb"), f"{plain}."),
        (ann, f"{plain}; ask for it from a connection that is in no game."),
    ):
        reply = client.ask("ping")
        assert (reply.code, reply.text) == (TEMPORARILY, text)
    serve(server, raises(GameElsewhere("this server is no node now")))
    assert ann.ask("ping").text == "This server is no node now."


def test_an_interrupt_is_no_refusal(server: Server) -> None:
    serve(server, raises(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        server.connect("pb").ask("ping")


# --- what is asked ----------------------------------------------------------------------------------------------------


def test_requests_are_counted_and_pass_their_fault_points(server: Server) -> None:
    client, before, points = server.connect("pb"), EVENTS.frames, []
    with interfering(points.append):
        client.ask("ping")
        client.ask("get_time_remaining")
    assert EVENTS.frames == before + 2
    assert points == ["session: asked", "session: answered"] * 2


@pytest.mark.parametrize("name", ["okay", "time_remaining"])
def test_a_frame_that_only_servers_send_is_refused(server: Server, name: str) -> None:
    reply = server.connect("pb").raw(BY_NAME[name].number, b"")
    assert reply.code == FRAME
    assert reply.text == f"{BY_NAME[name].title} is an answer; servers send it, clients do not."


def test_a_request_of_another_dialect_is_none(server: Server) -> None:
    """TP03 has no GetMyGames; the session does not answer what the dialect cannot carry."""
    client = server.connect("tp03")
    kind = BY_NAME["get_my_games"].number
    assert kind not in TP03.kinds
    assert client.decoded(client.session.answer(RawFrame(TP03, 5, kind, b""))).code == FRAME


def test_before_login_few_requests_are_open_and_after_the_end_none(server: Server, ann: Client) -> None:
    stranger, names = server.connect("pb"), ("ping", "login", "finished_turn", "okay")
    open_to = {client: [client.session.may_ask(BY_NAME[name].number) for name in names] for client in (stranger, ann)}
    assert open_to == {stranger: [True, True, False, False], ann: [True, True, True, False]}
    refused = stranger.ask("finished_turn")
    assert refused.code == TEMPORARILY
    assert refused.text == "Log in to finish the turn."
    ann.session.kept_login = 7
    ann.session.end("that is all")
    assert not any(ann.session.may_ask(BY_NAME[name].number) for name in names)
    reply = ann.ask("ping")
    assert (reply.code, reply.text, ann.session.closing) == (DENIED, "That is all.", True)
    assert not ann.session.logged_in and ann.session.game is None and ann.session.account_id is None
    assert ann.session.kept_login == 0


def test_each_answer_is_in_the_dialect_of_its_request(server: Server) -> None:
    """A client may change its dialect. Pushed frames follow."""
    client = server.connect("tp03")
    for dialect, start in ((TP03, b"TP03"), (TP04, b"TP\x04\0"), (PB, b"\0\0"), (TP03, b"TP03")):
        kind = BY_NAME["ping"].number
        body = dialect.encode_body(kind, tp.Ping())
        data = client.session.answer(RawFrame(dialect, 5, kind, body))
        assert isinstance(data, bytes) and data.startswith(start) and client.session.dialect is dialect


def test_single_frames_are_in_the_dialect_of_the_present_request(server: Server, ann: Client) -> None:
    refusal = RequestError(FailCode.NO_SUCH_THING, "there is no such thing")
    for dialect in (TP03, PB):
        ann.session.dialect = dialect
        assert ann.session.fail_payload(refusal) == failed(dialect, refusal)
        assert ann.session.payload(BY_NAME["okay"].number, tp.Okay(result="done")) == okay(dialect, "done")
    ann.session.dialect, kind = TP04, BY_NAME["order"].number
    bid = order(ann.home, BID, number(3), words("in TP04 it is written with the descriptions of the game"))
    assert ann.session.payload(kind, bid) == TP04.payload(kind, bid, server.game().description.lookup)


def test_an_order_of_an_old_program_is_read_with_the_descriptions_of_the_game(server: Server) -> None:
    """Its bytes do not say what they are."""
    server.create(clock="manual")
    ann = server.players(2, "tp03")[0]
    assert ann.post_bid(3).reply.name == "okay"


# --- quick answers ----------------------------------------------------------------------------------------------------


def quickly(session: Session, frame: RawFrame) -> bytes:
    return frame.dialect.join_payloads(frame.sequence, [okay(frame.dialect, "quick")])


def test_a_quick_answer_is_given_in_a_game_that_is_saved_alone(server: Server, ann: Client) -> None:
    serve(server, fine, quick=quickly)
    assert ann.ask("ping").text == "quick"
    assert server.connect("pb").ask("ping").text == "done", "it shows a game"
    asked = []
    serve(server, fine, quick=lambda session, frame: asked.append((session, frame.kind)))
    assert ann.ask("ping").text == "done", "where it can tell nothing"
    assert asked == [(ann.session, BY_NAME["ping"].number)]


def test_a_quick_answer_does_not_show_what_is_not_saved(slow: tuple[Server, Client]) -> None:
    server, ann = slow
    serve(server, fine, quick=quickly)
    waiting = ann.post("ping")
    assert not waiting.came
    server.disk.commit()
    assert waiting.reply.text == "done"
    assert ann.ask("ping").text == "quick"


def token(**changes: Any) -> Token:
    return replace(Token(1, 1, "bot", None, False, BEGINNING, BEGINNING + 60.0, None), **changes)


def test_a_quick_answer_ends_with_the_token(server: Server, ann: Client) -> None:
    serve(server, fine, quick=quickly)
    ann.session.token = token()
    server.pass_time(59)
    assert ann.ask("ping").text == "quick"
    server.pass_time(1)
    reply = ann.ask("ping")
    assert (reply.code, reply.text, ann.session.closing) == (DENIED, "This token has expired; make another one.", True)


# --- tokens -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("access", ["read", "change", "account"])
def test_what_a_token_lets_do(server: Server, ann: Client, access: str) -> None:
    serve(server, fine, access=access)
    refusals = {
        "account": "A token is for games only; log in with the password for that.",
        "change": "This token is read-only.",
    }
    for read_only in (False, True):
        ann.session.token = token(read_only=read_only)
        reply = ann.ask("ping")
        if access == "account" or (access == "change" and read_only):
            assert (reply.code, reply.text) == (DENIED, refusals[access])
        else:
            assert reply.text == "done"
        assert not ann.session.closing and ann.session.logged_in


def test_a_guest_does_by_its_token_what_others_do_by_their_password(server: Server, ann: Client) -> None:
    """But not longer than the token is good for."""
    serve(server, fine, access="account")
    found = ann.session.account
    assert found is not None
    ann.session.account, ann.session.token = replace(found, guest=1.0), token(read_only=True, game=9)
    assert ann.ask("ping").text == "done"
    server.pass_time(60)
    assert ann.ask("ping").code == DENIED


def test_a_token_of_one_game_is_for_requests_that_name_no_other(server: Server, ann: Client) -> None:
    server.create("second")
    serve(server, fine, "get_game_setup")
    other, mine = "This token is for another game.", "done"
    for game, told in (
        (None, {"": mine, "first": mine, "second": mine, "none": mine}),
        (1, {"": mine, "first": mine, "first/watch": mine, "second": other, "second/first": other, "none": other}),
    ):
        ann.session.token = token(game=game)
        assert {name: ann.ask("get_game_setup", game=name).text for name in told} == told
    serve(server, fine, "create_game")
    assert ann.ask("create_game").text == other
    ann.session.token = token()
    assert ann.ask("create_game").text == "done"


# --- answers that wait ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("handle", [fine, raises(GameError("it cannot be"))])
def test_answers_and_refusals_wait_until_all_that_they_show_is_saved(
    slow: tuple[Server, Client], handle: Callable[..., Any]
) -> None:
    """And say that it could not be if it could not."""
    server, ann = slow
    serve(server, handle)
    waiting = ann.post("ping")
    assert not waiting.came
    server.disk.commit()
    assert waiting.reply.text in ("done", "It cannot be.")
    ann.post("finished_turn")
    waiting = ann.post("ping")
    server.disk.fail()
    assert (waiting.reply.code, waiting.reply.text) == (TEMPORARILY, NOT_SAVED)


async def leave_later(session: Session, message: Any) -> Any:
    await succeed(None)
    session.leave()
    return [okay(session.dialect, "done")]


def leave(session: Session, message: Any) -> Any:
    session.leave()
    return [okay(session.dialect, "done")]


def leave_and_fail(session: Session, message: Any) -> Any:
    session.leave()
    raise GameError("it cannot be")


@pytest.mark.parametrize("handle", [leave, leave_later, leave_and_fail])
def test_an_answer_waits_for_the_game_that_the_session_has_left_meanwhile(
    slow: tuple[Server, Client], handle: Callable[..., Any]
) -> None:
    """It may show what that game has not saved yet."""
    server, ann = slow
    serve(server, handle)
    waiting = ann.post("ping")
    assert ann.session.game is None and not waiting.came
    server.disk.commit()
    assert waiting.reply.text in ("done", "It cannot be.")


def test_a_session_is_occupied_until_its_answer_is_there(server: Server, ann: Client) -> None:
    """Success and failure both end it. Later requests wait for unsaved changes, too."""
    done: list[Deferred[Any]] = []

    async def later(session: Session, message: Any) -> Any:
        done.append(Deferred())
        return await done[-1]

    serve(server, later)
    for outcome, text in ((okay(PB, "late"), "late"), (GameError("no"), "No.")):
        waiting = ann.post("ping")
        assert ann.session.occupied and not waiting.came
        if isinstance(outcome, Exception):
            done[-1].errback(outcome)
        else:
            done[-1].callback([outcome])
        assert not ann.session.occupied and waiting.reply.text == text


def of_frames(count: int, **more: Any) -> Callable[..., Any]:
    def handle(session: Session, message: Any) -> Frames:
        return Frames(session.dialect, count, (okay(session.dialect, f"{n}") for n in range(count)), **more)

    return handle


@pytest.mark.parametrize("count", [3, 3 * FRAMES_AT_ONCE])
def test_a_list_waits_for_nothing_where_there_is_no_game(server: Server, count: int) -> None:
    serve(server, of_frames(count))
    assert len(server.connect("pb").ask("ping").things) == count


@pytest.mark.parametrize("count", [1, 3, FRAMES_AT_ONCE, 3 * FRAMES_AT_ONCE])
def test_a_list_waits_for_what_its_game_has_not_saved(slow: tuple[Server, Client], count: int) -> None:
    server, ann = slow
    serve(server, of_frames(count))
    waiting = ann.post("ping")
    assert not waiting.came
    server.disk.commit()
    assert [one.result for one in waiting.reply.things] == [str(n) for n in range(count)]
    assert ann.session.left == 0


@pytest.mark.parametrize("count", [1, 3, FRAMES_AT_ONCE, 3 * FRAMES_AT_ONCE])
def test_a_list_that_could_not_be_saved_has_as_many_frames_as_it_said(slow: tuple[Server, Client], count: int) -> None:
    server, ann = slow
    serve(server, of_frames(count))
    waiting = ann.post("ping")
    server.disk.fail()
    if count <= FRAMES_AT_ONCE - 1:
        assert (waiting.reply.code, waiting.reply.text) == (TEMPORARILY, NOT_SAVED), "nothing of it was sent"
        return
    assert len(waiting.reply.things) == count
    assert {one.result for one in waiting.reply.things} == {NOT_SAVED}


def test_a_list_waits_for_what_it_says_itself_in_place_of_its_game(slow: tuple[Server, Client]) -> None:
    server, ann = slow
    settled: list[Deferred[None]] = []

    def waits() -> Deferred[None]:
        settled.append(Deferred())
        return settled[-1]

    serve(server, of_frames(3, settled=waits))
    waiting = ann.post("ping")
    server.disk.commit()
    assert not waiting.came
    settled.pop().callback(None)
    assert len(waiting.reply.things) == 3


def test_a_long_list_is_made_as_it_is_taken(server: Server, ann: Client) -> None:
    """The connection knows the rest. An error on the way is reported once for each remaining frame."""
    made: list[int] = []

    def payloads(session: Session) -> Iterator[bytes]:
        for n in range(100):
            made.append(n)
            if n == 70:
                raise GameError("no more")
            yield okay(session.dialect, f"{n}")

    serve(server, lambda session, message: Frames(session.dialect, 100, payloads(session)))
    pieces = ann.session.answer(RawFrame(PB, 9, BY_NAME["ping"].number, b""))
    assert isinstance(pieces, Iterator)
    said, left = b"", []
    for piece in pieces:
        assert isinstance(piece, bytes)
        said += piece
        left.append(ann.session.left)
        assert len(made) <= len(left) * FRAMES_AT_ONCE
    reply = ann.decoded(said)
    assert reply.sequences == {9}
    assert left == [101 - FRAMES_AT_ONCE, 101 - 2 * FRAMES_AT_ONCE, 0]
    shown = 2 * FRAMES_AT_ONCE - 1
    assert [one.result for one in reply.things] == [str(n) for n in range(shown)] + ["No more."] * (100 - shown)


def test_a_login_whose_welcome_is_not_saved_is_none(slow: tuple[Server, Client]) -> None:
    """Its token and kept login are forgotten, too. A session that is already logged in stays."""
    server, ann = slow
    client = server.connect("pb")

    async def login(session: Session, message: Any) -> Any:
        session.enter(account(server, "ben"), server.game(), 1)
        session.token, session.kept_login = token(), 7
        await succeed(None)
        return [okay(session.dialect, "in")]

    serve(server, login)
    waiting, again = client.post("ping"), ann.post("ping")
    server.disk.fail()
    assert waiting.reply.code == again.reply.code == TEMPORARILY
    session = client.session
    assert (session.account, session.token, session.kept_login, session.game, session.seat) == (
        None,
        None,
        0,
        None,
        None,
    )
    assert ann.session.logged_in


# --- nodes of a cluster -----------------------------------------------------------------------------------------------


class Elsewhere:
    """Another node for a session: it records the requests and responds as the test says."""

    def __init__(self) -> None:
        self.reply: Any = None
        self.asked: list[Any] = []

    def elsewhere(self, session: Session, frame: RawFrame, error: GameElsewhere) -> Any:
        self.asked.append(("elsewhere", session, frame.sequence, error.address))
        return self.reply

    def unspoken(self, session: Session, frame: RawFrame) -> Any:
        self.asked.append(("unspoken", session, frame.sequence))
        return self.reply

    def moved(self, session: Session) -> None:
        self.asked.append(("moved", session, session.game))


@pytest.fixture
def route(ann: Client) -> Elsewhere:
    route = Elsewhere()
    ann.session.route = route
    return route


def speaking(server: Server, *answers: bool) -> None:
    """Have the node be asked whether it may speak, and this be what it says one time after the other."""
    said = iter(answers)
    server.host.may_speak = lambda: next(said)


def from_elsewhere(text: str = "elsewhere") -> FromElsewhere:
    return FromElsewhere(PB.join_payloads(1, [okay(PB, text)]))


def raw(name: str = "ping", sequence: int = 1, dialect: Dialect = PB) -> RawFrame:
    return RawFrame(dialect, sequence, BY_NAME[name].number, b"")


def said(client: Client, reply: Any) -> list[str]:
    """The texts of an answer, whatever it is made of."""
    waiting = Waiting(client)
    waiting.wait_for(reply)
    assert waiting.reply.sequences == {1}
    return [one.result for one in waiting.reply.things]


def test_a_node_that_may_not_speak_is_silent_and_does_nothing(server: Server, ann: Client) -> None:
    serve(server, raises(AssertionError("it was asked")))
    for client in (server.connect("pb"), ann):
        speaking(server, False)
        reply = client.decoded(client.session.answer(raw()))
        assert (reply.code, reply.text, reply.sequences) == (TEMPORARILY, SILENT, {1})


def test_whoever_is_logged_in_is_led_to_another_node_by_one_that_may_not_speak(
    server: Server, ann: Client, route: Elsewhere
) -> None:
    route.reply = from_elsewhere()
    speaking(server, False)
    assert ann.session.answer(raw()) is route.reply
    assert route.asked == [("unspoken", ann.session, 1)]
    stranger = server.connect("pb")
    stranger.session.route = route
    speaking(server, False)
    assert said(stranger, stranger.session.answer(raw())) == [SILENT], "it can try another node at once"
    route.reply = None
    speaking(server, False)
    assert said(ann, ann.session.answer(raw())) == [SILENT], "nobody waits for it"


def test_a_node_that_fell_silent_while_it_answered_does_not_say_it(
    server: Server, ann: Client, route: Elsewhere
) -> None:
    serve(server, fine)
    speaking(server, True, True)
    assert said(ann, ann.session.answer(raw())) == ["done"]
    speaking(server, True, False)
    assert said(ann, ann.session.answer(raw())) == [SILENT]
    assert route.asked == [("unspoken", ann.session, 1)]
    serve(server, raises(GameElsewhere("it is on the node at one:1", "one:1")))
    route.reply = from_elsewhere()
    speaking(server, True, False)
    assert ann.session.answer(raw()) is route.reply, "which is not what this one says"
    assert route.asked[1:] == [("elsewhere", ann.session, 1, "one:1")]


@pytest.mark.parametrize(("access", "told"), [("read", SILENT), ("change", "late"), ("account", "late")])
def test_what_was_done_as_a_node_fell_silent_is_told_all_the_same(
    server: Server, ann: Client, access: str, told: str
) -> None:
    """It was saved while nobody else had the game; what is only read may be old."""
    done: list[Deferred[Any]] = []

    async def later(session: Session, message: Any) -> Any:
        done.append(Deferred())
        return await done[-1]

    serve(server, later, access=access)
    for speaks, text in ((True, "late"), (False, told)):
        speaking(server, True, speaks)
        reply = ann.session.answer(raw())
        done[-1].callback([okay(PB, "late")])
        assert said(ann, reply) == [text]


def test_what_another_node_says_later_is_passed_on_by_one_that_is_silent(
    server: Server, ann: Client, route: Elsewhere
) -> None:
    async def later(session: Session, message: Any) -> Any:
        await succeed(None)
        raise GameElsewhere("it is on the node at one:1", "one:1")

    serve(server, later)
    speaking(server, True, False)
    route.reply = from_elsewhere()
    assert said(ann, ann.session.answer(raw())) == ["elsewhere"]
    assert route.asked == [("elsewhere", ann.session, 1, "one:1")]
    route.reply = None
    speaking(server, True, True)
    assert "another node of this server; ask for it" in said(ann, ann.session.answer(raw()))[0]
    ann.session.gone, route.reply = True, from_elsewhere()
    speaking(server, True, True)
    assert "another node of this server; ask for it" in said(ann, ann.session.answer(raw()))[0]


@pytest.mark.parametrize("pieces", [0, 1, 2])
def test_a_node_that_falls_silent_within_a_list_says_so_for_each_frame_that_is_left(
    server: Server, ann: Client, pieces: int
) -> None:
    serve(server, of_frames(70))
    speaking(server, True, *[True] * pieces, False)
    texts = said(ann, ann.session.answer(raw())) if pieces else []
    if not pieces:
        reply = ann.session.answer(raw())
        assert isinstance(reply, Iterator)
        assert ann.decoded(b"".join(piece for piece in reply if isinstance(piece, bytes))).text == SILENT
    shown = max(0, pieces * FRAMES_AT_ONCE - 1)
    assert texts == ([str(n) for n in range(shown)] + [SILENT] * (70 - shown) if pieces else [])
    assert ann.session.left == 0


def test_a_turn_that_a_node_may_not_tell_is_remembered(server: Server, ann: Client) -> None:
    """The first of them counts: at another node the client gets the turns from there on."""
    left = TimeLeft(5, TIMER_STARTED, 3, "Round 4", ())
    ann.pushed.clear()
    speaking(server, False, False, False, True)
    ann.session.time_left(replace(left, reason=WARNING, turn=2))
    assert ann.session.untold_since is None
    ann.session.time_left(left)
    assert ann.session.untold_since == 2
    ann.session.time_left(replace(left, turn=4))
    assert ann.session.untold_since == 2 and ann.pushed == []
    ann.session.time_left(replace(left, turn=5))
    assert ann.session.untold_since is None
    assert [message.turn for _, message in ann.pushed] == [5]


def test_of_a_game_that_moves_the_route_is_told_while_the_session_is_in_it(
    server: Server, ann: Client, route: Elsewhere
) -> None:
    game = ann.session.game
    ann.session.game_moved("first")
    assert route.asked == [("moved", ann.session, game)]
    assert ann.ask("ping").text == "The game first is no longer on this server; log in again."
    ben = server.player("ben", "pb")
    ben.session.gone = True
    ben.session.game_moved("first")
    assert ben.session.ended == "" and ben.session.game is not None, "it has ended already"


# --- what is told unasked ---------------------------------------------------------------------------------------------


def test_the_time_is_told_in_the_dialect_to_come_and_encoded_once(server: Server) -> None:
    server.create(clock="manual")
    ann, ben = server.players(2, "padded")
    left, shared = TimeLeft(5, WARNING, 3, "odd", (2,), 1, 4), b""
    for client in (ann, ben):
        client.pushed.clear()
        client.session.time_left(left)
        ((name, message),) = client.pushed
        assert name == "time_remaining" and (message.time, message.reason, message.turn) == (5, WARNING, 3)
        assert message.turn_name == "odd"
        shared = shared or left.encoded[TP04.padded.name]
    assert list(left.encoded) == [TP04.padded.name] and left.encoded[TP04.padded.name] is shared
    modern = server.player("ann", "pb")
    modern.pushed.clear()
    modern.session.time_left(left)
    ((_, message),) = modern.pushed
    assert list(message.waiting) == [2] and (message.watch_delay, message.present_turn) == (1, 4)


def test_a_turn_that_a_player_was_told_of_is_seen(server: Server, ann: Client) -> None:
    game = server.game()
    eve = server.connect("pb")
    eve.ask("login", username="eve@first/watch", password="word")
    for left, seen in ((TimeLeft(5, REQUESTED, 7, "", ()), 0), (TimeLeft(5, TIMER_STARTED, 7, "", ()), 7)):
        for client in (ann, eve, at_home(server, "cem")):
            client.session.time_left(left)
        assert [player.look.turn for player in game.players] == [seen, 0]


def test_of_a_game_that_was_deleted_its_name_is_told(ann: Client) -> None:
    ann.session.game_deleted("first")
    assert ann.ask("ping").text == "The game first was deleted by the operator of this server."


# --- in a game --------------------------------------------------------------------------------------------------------


def test_what_needs_a_seat_or_a_game_says_so(server: Server, ann: Client) -> None:
    eve = server.connect("pb")
    eve.ask("login", username="eve@first/watch", password="word")
    home, game = at_home(server, "ben"), server.game()
    assert ann.session.playing() == (game, 0) and ann.session.seeing() is game
    assert eve.session.seeing() is game
    eve.session.phrase = home.session.phrase = "do this"
    with pytest.raises(RequestError, match="only players can do this; you watch this game") as refused:
        eve.session.playing()
    assert refused.value.code == DENIED
    for look in (home.session.playing, home.session.seeing):
        with pytest.raises(RequestError, match="log in to a game as name@game to do this") as refused:
            look()
        assert refused.value.code == TEMPORARILY


def test_which_number_is_ones_own(server: Server, ann: Client) -> None:
    """Zero is the own seat. For a spectator it is the number after the last seat."""
    eve = server.connect("pb")
    eve.ask("login", username="eve@first/watch", password="word")
    sessions = [ann.session, server.player("ben", "pb").session, eve.session, at_home(server, "ann").session]
    assert [session.number_of(0) for session in sessions] == [1, 2, 3, 0]
    assert [session.number_of(2) for session in sessions] == [2] * 4


def test_descriptions_are_those_of_the_game(server: Server, ann: Client) -> None:
    assert ann.session.lookup() is server.game().description.lookup
    assert server.connect("pb").session.lookup() is not ann.session.lookup()


def test_who_asks_is_a_network_and_a_connection_that_may_be_gone(server: Server) -> None:
    client = server.connect("pb", address="2001:db8::1:2:3:4")
    caller = client.session.caller()
    assert caller.network == "2001:db8::/64" and not caller.is_gone()
    client.hang_up()
    assert caller.is_gone()
    assert client.session not in server.host.sessions


def watching(server: Server, name: str = "eve", purpose: str = "watch", game: str = "first") -> Client:
    client = server.connect("pb")
    answer = client.ask("login", username=f"{name}@{game}/{purpose}", password=f"{name}'s word")
    assert answer.name == "okay", answer
    return client


def test_what_is_watched_is_the_game_as_it_is_now(server: Server, ann: Client) -> None:
    """Players do not, nor do viewers of an old turn, unless that turn is shown to all spectators."""
    server.close_turn()
    eve, back = watching(server), watching(server, "eve", "turn/0")
    assert [one.session.watched() for one in (eve, ann, back, at_home(server, "eve"))] == [
        server.game(), None, None, None,
    ]  # fmt: skip
    server.close_turn()
    server.create("later", clock="manual", watch_delay=1)
    server.players(2, "pb", "later")
    late = watching(server, game="later")
    assert isinstance(late.session.game, PastGame) and late.session.watched() is server.game("later")


def test_who_enters_is_in_the_game_and_its_account_is_as_it_was(server: Server, ann: Client) -> None:
    """Unless the connection is gone, or was ended; the login is counted unless another process has counted it."""
    game, ben = server.game(), account(server, "ben")
    for again, spoil in ((False, ""), (True, ""), (False, "gone"), (False, "ended")):
        before, session = EVENTS.logins, server.connect("pb").session
        if spoil == "gone":
            session.gone = True
        elif spoil:
            session.ended = "before"
        session.enter(ben, game, 1, **({"again": True} if again else {}))
        assert (session.account is ben, session.game is game, session.seat) == (
            (False, False, None) if spoil else (True, True, 1)
        )
        assert (session in game.subscribers) is (session.look is not None) is not spoil
        assert EVENTS.logins - before == int(not again and not spoil)
    session = server.connect("pb").session
    session.enter(ben, None, None)
    assert session.logged_in and session.account_id == ben.id and session.game is None


def test_the_log_says_who_has_logged_in_from_where_and_to_what(server: Server, ann: Client) -> None:
    ben = account(server, "ben")
    for game, seat, named, where in ((server.game(), 1, "first", " to first, player 2"), (None, None, "", "")):
        session = server.connect("pb", address="192.0.2.77").session
        with capturedLogs() as logged:
            session.enter(ben, game, seat)
        (told,) = [event for event in logged if event.get("event") == "login"]
        assert (told["account"], told["address"]) == ("ben", "192.0.2.77")
        assert (told["game"], told["where"]) == (named, where)


def test_a_game_into_which_somebody_comes_is_in_use(server: Server, ann: Client) -> None:
    """It stays in memory for a while after that."""
    game = server.game()
    server.pass_time(100.0)
    server.connect("pb").session.enter(account(server, "ann"), game, 0)
    assert game.last_used == server.clock.seconds()


def test_an_account_that_was_changed_on_the_way_in_is_not_let_in(server: Server, ann: Client) -> None:
    ben = account(server, "ben")
    stale = replace(ben, password_hash="another")
    nobody = replace(ben, id=99)
    for one in (stale, nobody):
        with pytest.raises(NotAdmitted, match=ACCOUNT_CHANGED):
            server.connect("pb").session.enter(one, None, None)
    result_of(server.accounts.disable(ben, ""))
    with pytest.raises(NotAdmitted, match=ACCOUNT_CHANGED):
        server.connect("pb").session.enter(ben, None, None)
    home = at_home(server, "ann").session
    changed = replace(account(server, "ann"), password_hash="another")
    home.enter(changed, None, None)
    assert home.account is changed, "it is logged in already, and would have been ended"


def test_whoever_has_lost_the_seat_on_the_way_in_is_not_let_in(server: Server, ann: Client) -> None:
    """Also of an old turn; and nobody watches a game that is hidden from it."""
    server.close_turn()
    game, back = server.game(), watching(server, "ann", "turn/0").session.game
    ben, eve = account(server, "ben"), account(server, "ann")
    for shown in (game, back):
        with pytest.raises(NotAdmitted, match="first"):
            server.connect("pb").session.enter(ben, shown, 0)
        server.connect("pb").session.enter(eve, shown, 0)
    with pytest.raises(NotAdmitted, match="you have a seat in the game 'first'"):
        server.connect("pb").session.enter(ben, game, None)
    game.players[0].account = None
    with pytest.raises(NotAdmitted, match="first"):
        server.connect("pb").session.enter(eve, back, 0)


def test_another_old_turn_takes_the_place_of_one(server: Server, ann: Client) -> None:
    server.close_turn()
    back, other = watching(server, "ann", "turn/0").session, watching(server, "ann", "turn/1").session
    before, after = back.game, other.game
    assert isinstance(after, PastGame) and before is not None
    reading = back.reads()
    back.show(after)
    assert back.game is after and back in after.subscribers and back not in before.subscribers
    assert back.reading is None and reading is not back.reads()
    home = at_home(server, "ann").session
    home.show(after)
    assert home.game is None and home not in after.subscribers


def test_a_game_that_is_read_again_takes_the_place_of_the_stale_one(server: Server, ann: Client) -> None:
    """Listed queues may never have been saved. A session ends if its seat belongs to another account."""
    old, session = server.game(), ann.session
    view = old.views[0]
    reading = session.reads()
    ann.ids("get_order_queue_ids")
    ann.ask("get_order_queue", ids=[ann.home])
    ann.bid(3)
    ann.ask("get_order_queue", ids=[ann.home])
    assert reading.told
    session.game_reloaded(old)
    assert view.forgotten and not reading.told and session.game is old and not session.ended
    server.create("second")
    other = server.game("second")
    session.game_reloaded(other)
    assert "second" in session.ended and session.game is None
    home = at_home(server, "cem").session
    home.game_reloaded(old)
    assert home.game is old and not home.ended


def test_what_was_told_of_a_queue_is_kept_until_it_is_empty_or_changed(server: Server, ann: Client) -> None:
    ann.bid(3)
    session, queue = ann.session, server.game().views[0].queues[ann.home]
    session.tell(ann.home, None)
    session.changed(ann.home)
    assert session.reading is None, "nothing was listed"
    session.tell(ann.home, queue)
    reading = session.reading
    assert reading is not None and reading.told[ann.home].since == server.now()
    assert session.reads() is reading
    session.changed(ann.home)
    assert not reading.told
    session.tell(ann.home, queue)
    for _ in range(2):
        session.tell(ann.home, None)
        assert not reading.told


def test_whoever_leaves_is_told_nothing_more(server: Server, ann: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is kept of what it has listed."""
    server.close_turn()
    back, removed = watching(server, "ann", "turn/0"), []
    monkeypatch.setattr(server.host.readers, "remove", removed.append)
    for client in (ann, back):
        game, session = client.session.game, client.session
        assert game is not None
        reading = session.reads()
        client.ids()
        assert len(session.lists) == 1
        client.hang_up()
        assert removed.pop() is reading and not removed
        assert (session.game, session.seat, session.look, session.reading) == (None, None, None, None)
        assert session not in game.subscribers and len(session.lists) == 0 and session.gone
    assert len(server.host.history) == 0


def test_what_an_old_turn_does_not_let_do(server: Server, ann: Client) -> None:
    server.close_turn()
    serve(server, fine, needs_present=True)
    back = watching(server, "ann", "turn/0")
    reply = back.ask("ping")
    assert reply.code == DENIED
    assert reply.text == "This is the old turn 0 of first, which cannot be changed; log in as ann@first to play."
    assert ann.ask("ping").text == "done"
    server.create("later", clock="manual", watch_delay=1)
    server.players(2, "pb", "later")
    late = watching(server, game="later")
    assert isinstance(late.session.game, PastGame) and late.ask("ping").text == "done", "it is watched now"
    serve(server, fine)
    assert back.ask("ping").text == "done"


def test_an_account_owns_the_games_that_it_has_made(server: Server) -> None:
    ann, ben = at_home(server, "ann"), at_home(server, "ben")
    ann.ask("create_game", name="third", ruleset="auction", seats=2, master=True)
    game = server.game("third").row.id
    assert ann.session.owns(game, account(server, "ann")) and not ben.session.owns(game, account(server, "ben"))


# --- the host ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(server: Server) -> dict[str, Client]:
    """Connections to two games, to their old turns, and to no game."""
    for game in ("first", "second"):
        server.create(game, clock="manual")
        server.players(2, "pb", game)
        server.close_turn(game)
    for session in tuple(server.host.sessions):
        session.connection_lost()
    return {
        "ann": server.player("ann", "pb", "first"),
        "ann back": watching(server, "ann", "turn/0"),
        "ann second": server.player("ann", "pb", "second"),
        "ann second back": watching(server, "ann", "turn/0", "second"),
        "ann home": at_home(server, "ann"),
        "ben": server.player("ben", "pb", "first"),
        "eve": watching(server),
        "eve back": watching(server, "eve", "turn/0"),
        "eve second": watching(server, game="second"),
        "stranger": server.connect("pb"),
    }


def ended(here: dict[str, Client]) -> dict[str, str]:
    return {name: client.session.ended for name, client in here.items() if client.session.ended}


def test_whoever_loses_a_seat_is_ended_where_it_was_seen(server: Server, here: dict[str, Client]) -> None:
    server.registry.presence.end_player(server.game(), account(server, "ann").id, "because")
    assert ended(here) == {"ann": "because", "ann back": "because"}


def test_whoever_gets_a_seat_watches_no_more(server: Server, here: dict[str, Client]) -> None:
    server.registry.presence.end_spectator(server.game(), account(server, "eve").id)
    assert ended(here) == {"eve": plays_there("first"), "eve back": plays_there("first")}
    assert plays_there("first") == "you have a seat in the game 'first', so you cannot also watch it"


def test_a_game_for_invited_players_is_watched_no_more(server: Server, here: dict[str, Client]) -> None:
    result_of(ownership.set_join(server.registry, server.game(), "invited", "The operator"))
    why = "the game 'first' is for invited players only; nobody else may watch it"
    assert ended(here) == {"eve": why, "eve back": why}


def test_a_game_that_is_shown_later_is_watched_anew(server: Server, here: dict[str, Client]) -> None:
    """Old turns are shown as before."""
    result_of(ownership.set_watch_delay(server.registry, server.game(), 1, "The operator"))
    assert ended(here) == {"eve": f"the game 'first' shows its turns {later(1)} now; watch it again"}
    eve = watching(server)
    eve.pushed.clear()
    result_of(ownership.set_watch_delay(server.registry, server.game(), 2, "The operator"))
    assert eve.session.ended == "" and eve.pushed[-1][1].watch_delay == 2


def test_who_may_watch(server: Server, here: dict[str, Client]) -> None:
    """No player may while the game goes on. Games for invited players only: the owner. Hidden games: nobody."""
    host, game = server.host, server.game()
    ann, eve = account(server, "ann"), account(server, "eve")
    assert (host.not_to_watch(eve, game), host.not_to_watch(ann, game)) == ("", plays_there("first"))
    assert host.not_to_watch(ann, here["ann back"].session.game) == plays_there("first")
    here["ann home"].ask("create_game", name="third", ruleset="auction", seats=2, master=True)
    third = server.game("third")
    result_of(ownership.set_join(server.registry, third, "invited", "The operator"))
    assert host.not_to_watch(ann, third) == "" and "invited players only" in host.not_to_watch(eve, third)
    server.create("closed", watch_delay=-1)
    assert host.not_to_watch(eve, server.game("closed")) == "nobody watches the game 'closed' before it is over"
    server.create("short", clock="manual", options={"rounds": 1})
    server.players(2, "pb", "short")
    assert host.not_to_watch(ann, server.game("short")) == plays_there("short")
    server.close_turn("short")
    assert host.not_to_watch(ann, server.game("short")) == ""


def test_a_game_is_looked_at_as_long_as_a_session_is_in_it(server: Server, here: dict[str, Client]) -> None:
    def looked_at(name: str) -> bool:
        return server.registry.presence.is_in(server.game(name))

    server.create("empty")
    assert [looked_at(name) for name in ("first", "second", "empty")] == [True, True, False]
    for name in ("ann", "ben", "eve", "eve back"):
        here[name].hang_up()
    assert looked_at("first"), "its past is"
    here["ann back"].hang_up()
    assert [looked_at(name) for name in ("first", "second")] == [False, True]


def test_all_who_are_in_a_game_that_is_removed_are_told(server: Server, here: dict[str, Client]) -> None:
    server.registry.remove(server.game())
    assert ended(here) == dict.fromkeys(
        ("ann", "ann back", "ben", "eve", "eve back"), "the game first was deleted by the operator of this server"
    )


def test_who_looks_back_at_a_game_that_is_held_elsewhere_goes_there(server: Server, here: dict[str, Client]) -> None:
    """The game itself notifies connections to the present turn."""
    server.registry.bus.publish(GameDropped(server.game()))
    assert ended(here) == dict.fromkeys(
        ("ann back", "eve back"), "the game first is no longer on this server; log in again"
    )


def test_all_sessions_of_an_account_end_but_one(server: Server, here: dict[str, Client]) -> None:
    """And what could let others in."""
    ann, forgotten = account(server, "ann").id, []

    class SignIns:
        forget = forgotten.append

    sign_ins: Any = SignIns()
    server.host.sign_ins = sign_ins
    tickets = [server.host.logins.ticket(one, "x", here[name].session) for one, name in ((ann, "ann"), (99, "ben"))]
    server.accounts.revoke_logins(ann, "because", here["ann"].session)
    assert ended(here) == dict.fromkeys(("ann back", "ann second", "ann second back", "ann home"), "because")
    assert forgotten == [ann]
    with pytest.raises(NotAdmitted):
        result_of(server.host.logins.redeem(tickets[0]))
    server.host.sign_ins = None
    server.accounts.revoke_logins(ann, "again")
    assert ended(here)["ann"] == "again"


def test_a_server_that_is_locked_down_keeps_who_plays_and_who_looks_after_it(
    server: Server, here: dict[str, Client]
) -> None:
    host = server.host
    for name in ("mod", "op", "cem"):
        here[name] = at_home(server, name)
    result_of(server.accounts.set_role(account(server, "mod"), "moderator"))
    result_of(server.accounts.set_role(account(server, "op"), "operator"))
    for name in ("mod", "op"):
        here[name].session.account = account(server, name)
    assert host.comes_in(account(server, "cem"))
    host.lock_down()
    assert ended(here) == {}
    server.accounts.policy = "lockdown"
    assert [host.comes_in(account(server, name)) for name in ("ann", "mod", "op", "cem", "eve")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    host.lock_down()
    assert ended(here) == dict.fromkeys(
        ("eve", "eve back", "eve second", "cem"),
        "this server is in lockdown; only accounts with a seat can log in",
    )


def test_a_token_or_a_kept_login_that_is_revoked_ends_whom_it_has_let_in(
    server: Server, here: dict[str, Client]
) -> None:
    here["ann"].session.token, here["ben"].session.token = token(id=5), token(id=6)
    here["eve"].session.kept_login, here["eve back"].session.kept_login = 7, 8
    server.host.end_token(5)
    assert ended(here) == {"ann": TOKEN_REVOKED}
    server.host.end_logins([7])
    assert ended(here) == {"ann": TOKEN_REVOKED, "eve": LOGGED_OUT}


def test_who_is_online_is_logged_in(server: Server, here: dict[str, Client]) -> None:
    server.connect("pb").ask("create_account", username="cem", password="word")
    known = [account(server, name).id for name in ("ann", "ben", "eve", "cem")]
    assert [server.host.is_online(one) for one in known] == [True, True, True, False]
    assert [server.host.guests.is_online(one) for one in known] == [True, True, True, False]
    here["ben"].hang_up()
    assert not server.host.is_online(known[1])


def test_what_lets_in_goes_by_the_clocks_of_the_server(server: Server) -> None:
    """Kept logins, tokens, guests and resets of passwords, on the store of the server."""
    host, ann = server.host, result_of(server.accounts.add("ann", "word"))
    kept = result_of(host.logins.redeem(host.logins.ticket(ann.id, "x", server.connect("pb").session)))
    assert result_of(host.logins.login(kept))[0] == ann
    made = result_of(host.tokens.create(ann.id, "bot", None, False, 1))
    assert made is not None and made[0].created == server.now()
    found = result_of(host.tokens.login("ann", made[1]))
    assert found is not None and found[0] == ann
    host.guests.terms.allowed = True
    guest, _, _ = result_of(host.guests.come(OPERATOR))
    assert guest.is_guest and guest.created == server.now()
    host.resets.offered = True
    result_of(host.resets.ask("ann", OPERATOR))
    assert host.resets.is_address("ann@example.org") and not host.resets.is_address("ann")
    server.pass_time(LIFETIME)
    with pytest.raises(NotAdmitted):
        result_of(host.logins.login(kept))
    with pytest.raises(NotAdmitted):
        result_of(host.tokens.login("ann", made[1]))


def test_passwords_are_reset_where_mail_is_sent(server: Server) -> None:
    ann = result_of(server.accounts.add("ann", "word"))
    assert not server.host.resets.offered
    host = Host(server.registry, server.accounts, "1", REQUESTS, pipeline.answer, notice_terms=Terms(channels=(MAIL,)))
    assert host.resets.offered
    added = result_of(host.notices.add(ann.id, MAIL, "ann@example.org"))
    assert [one.target for one in host.notices.addresses(ann.id)] == ["ann@example.org"] == [added.target]


def test_what_is_listed_is_dropped_in_time(server: Server, ann: Client) -> None:
    reading = ann.session.reads()
    ann.ids()
    assert reading.objects
    server.pass_time(10 * SWEEP_SECONDS)
    assert not reading.objects


def test_the_next_old_turn_is_read_after_a_while_by_the_timers_of_the_server(server: Server, ann: Client) -> None:
    server.close_turn()
    game, account = server.game(), ann.session.account_id or 0

    def look(turn: int) -> Deferred[PastGame]:
        """It takes two seconds."""
        shown = server.host.history.open(object(), account, game, 0, turn, lambda: not server.pass_time(2.0))
        return Deferred.fromCoroutine(shown)

    assert result_of(look(0)).turn == 0
    second = look(1)
    assert not second.called
    server.pass_time(2.0)
    assert result_of(second).turn == 1


def test_a_turn_that_begins_while_somebody_comes_to_watch_is_shown_by_the_timers_of_the_server(
    server: Server,
) -> None:
    server.create(clock="manual", watch_delay=1)
    server.players(2, "pb")
    server.close_turn()

    def is_awaited() -> bool:
        """The next turn begins while this one is read."""
        if server.game().state.turn == 1:
            server.close_turn()
        return True

    shown = result_of(Deferred.fromCoroutine(server.host.watching.open(server.game(), is_awaited)))
    eve = server.connect("pb").session
    eve.enter(result_of(server.accounts.add("eve", "word")), shown, None)
    assert eve.game is shown and shown.turn == 0
    server.pass_time(0)
    assert eve.game is not shown and eve.game is not None and eve.game.turn == 1


def test_spectators_write_to_each_other_as_often_as_the_clock_of_the_server_lets_them(server: Server) -> None:
    server.create(clock="manual")
    server.players(2, "pb")
    eve = watching(server)
    game, writes = server.game(), server.host.spectators.post

    def write() -> str:
        posted = Deferred.fromCoroutine(writes(game, eve.session.account_id or 0, "Well played", "", 0))
        return str(result_of(posted.addErrback(lambda failure: failure.value)))

    assert [write() for _ in range(MOST_A_MINUTE)] == ["None"] * MOST_A_MINUTE
    server.pass_time(59)
    assert "the maximum" in write()
    server.pass_time(1)
    assert write() == "None" and len(game.spectators.numbers) == MOST_A_MINUTE + 1


def test_a_guest_has_one_open_game_at_most(server: Server) -> None:
    ann = result_of(server.accounts.add("ann", "word"))
    guest = replace(ann, guest=1.0)
    for most, of_account, of_guest in ((0, 0, 0), (1, 1, 1), (8, 8, 1)):
        making = CreationPolicy(most_open=most)
        assert (making.most_open_of(ann), making.most_open_of(guest)) == (of_account, of_guest)


def test_nobody_administers_a_server_over_the_network_unless_it_says_so(server: Server) -> None:
    ann = result_of(server.accounts.add("ann", "word"))
    administration = server.host.administration
    assert list(administration.operations_of(ann)) == []
    with pytest.raises(RequestError, match="nobody administers this server over the network") as refused:
        result_of(Deferred.fromCoroutine(administration.perform(ann, "doctor", {})))
    assert refused.value.code == DENIED


def test_a_session_begins_and_ends_with_its_connection(server: Server) -> None:
    session = Session(server.host, Peer("192.0.2.1"), lambda data: None)
    assert session in server.host.sessions and session.kept_bytes == 0
    session.note_reading(True)
    session.connection_lost()
    assert session not in server.host.sessions
