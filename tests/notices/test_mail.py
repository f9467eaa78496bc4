"""Notifications through a real SMTP server, with stable message ids.

A mail server that is down, hangs or refuses loses nothing.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from told import Told
from twisted.internet.task import Clock

from tests.notices.postman import free_port, smtp_server
from tests.support.server_in_memory import result_of
from tpserver.concurrency import at_once
from tpserver.notices import mail
from tpserver.notices.channels import NotDelivered
from tpserver.notices.content import Letter
from tpserver.notices.mail import Mail, MailServer, mail_server, written
from tpserver.store.games.outbox import Notice

LETTER = Letter(
    "game.turn", "Your turn in first", ["first (Auction): Round 3.", "There is no deadline."], stop="https://x/s"
)
NOTICE = Notice(1, 1, "turn", 2, "abc123", 1_700_000_000.0, 1, "", 1, 1, "mail", "ann@example.org", "s", "")


def channel(port: int, threads: Callable[..., Any] = at_once, clock: Any = None) -> Mail:
    return Mail(MailServer("127.0.0.1", port, "off", "games@example.org"), threads, clock or Clock())


def failure(port: int, **more: Any) -> NotDelivered:
    with pytest.raises(NotDelivered) as caught:
        result_of(channel(port, **more).send(NOTICE, LETTER))
    return caught.value


def test_a_notice_comes_as_a_mail_that_is_known_again() -> None:
    """Two tries are the same mail to the letter: by its Message-ID a mail program shows it once."""
    with smtp_server() as (postman, port):
        for tries in (1, 2):
            result_of(channel(port).send(replace(NOTICE, tries=tries), LETTER))
    first, second = postman.came
    assert first["Message-ID"] == "<abc123@example.org>"
    assert first["To"] == "ann@example.org"
    assert first["From"] == "games@example.org"
    assert first["Subject"] == "Your turn in first"
    assert first["Date"].datetime.timestamp() == 1_700_000_000
    assert first["Auto-Submitted"] == "auto-generated", "so that nobody's absence is answered to us"
    assert first["List-Unsubscribe"] == "<https://x/s>"
    assert first["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "first (Auction): Round 3." in first.get_content()
    assert first.as_bytes() == second.as_bytes()


def test_the_link_that_ends_notices_is_in_its_header_as_it_is() -> None:
    """However long it is: mail programs take it literally, and know neither folds nor encoded words in it."""
    stop = "https://games.example.org/stop-notices/1234567890-" + "0123456789abcdef" * 4
    sent = written(NOTICE, replace(LETTER, stop=stop), "games@example.org").as_bytes()
    assert f"\nList-Unsubscribe: <{stop}>\n".encode() in sent


def test_a_name_of_a_game_cannot_make_headers() -> None:
    from tpserver.day_times import DayTimes
    from tpserver.notices.content import AwaitedTurn, of_turn

    letter = of_turn(AwaitedTurn("x\r\nBcc: all@example.org", "T", 1, "t", None), DayTimes(), "")
    made = written(NOTICE, letter, "games@example.org")
    assert made["Bcc"] is None
    assert "\n" not in made["Subject"]


@pytest.mark.parametrize(
    ("refusal", "says", "of_all"),
    [
        ("RCPT 550 No such mailbox", "does not take mail for this address (550 No such mailbox)", False),
        ("554 Looks like spam", "the mail server refuses it (554 Looks like spam)", False),
        ("451 Come later", "the mail server refuses it (451 Come later)", False),
    ],
)
def test_what_the_mail_server_refuses_is_told_in_its_words(refusal: str, says: str, of_all: bool) -> None:
    with smtp_server() as (postman, port):
        postman.refusal = refusal
        problem = failure(port)
    assert says in str(problem)
    assert problem.channel is of_all


def test_a_mail_server_that_is_not_there_rests_for_all() -> None:
    problem = failure(free_port())
    assert problem.channel
    assert "cannot be reached" in str(problem)


@contextmanager
def stubborn(behaviour: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server on a port that does to each connection what the test wants."""

    def serve() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=behave, args=(line,), daemon=True).start()

    def behave(line: socket.socket) -> None:
        with line:
            try:
                behaviour(line)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def test_a_mail_server_that_says_nothing_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "SILENCE", 0.3)
    ended = threading.Event()
    with stubborn(lambda line: ended.wait(60) and None) as port:
        problem = failure(port)
        ended.set()
    assert "does not answer in time" in str(problem)
    assert problem.channel


def test_a_mail_server_that_never_comes_to_an_end_is_cut() -> None:
    """It says a line of its greeting again and again, so it is never silent: the whole conversation has a limit."""
    clock, begun = Clock(), threading.Event()

    def talk(line: socket.socket) -> None:
        while True:
            line.sendall(b"220-and so on\r\n")
            begun.set()
            threading.Event().wait(0.01)

    def in_a_thread(work: Callable[[], None]) -> Any:
        problems: list[BaseException] = []

        def run() -> None:
            try:
                work()
            except BaseException as error:
                problems.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        assert begun.wait(60)
        clock.advance(mail.SECONDS)
        give_up = time.monotonic() + 60
        while thread.is_alive() and time.monotonic() < give_up:
            thread.join(0.1)
            clock.advance(1)
        assert not thread.is_alive()
        raise problems[0]

    with stubborn(talk) as port:
        assert "does not answer in time" in str(failure(port, threads=in_a_thread, clock=clock))


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"220 " + b"x" * 100_000 + b"\r\n", b"\xff\r\n"]
)
def test_what_is_no_mail_server_is_told_in_words(said: bytes) -> None:
    with stubborn(lambda line: line.sendall(said)) as port:
        assert str(failure(port)).startswith("the mail server ")


def test_a_mail_server_without_tls_gets_nothing_where_tls_is_wanted() -> None:
    with smtp_server() as (postman, port):
        server = MailServer("127.0.0.1", port, "starttls", "games@example.org")
        with pytest.raises(NotDelivered):
            result_of(Mail(server, at_once, Clock()).send(NOTICE, LETTER))
        assert postman.came == []


@pytest.mark.parametrize(
    ("place", "host", "port"),
    [("mail.example.org", "mail.example.org", 587), ("10.0.0.1:25", "10.0.0.1", 25), ("[::1]:2525", "::1", 2525),
     ("[::1]", "::1", 587)],
)  # fmt: skip
def test_the_place_of_a_mail_server(place: str, host: str, port: int) -> None:
    found = mail_server(place, "starttls", "x@example.org", "", None)
    assert (found.host, found.port) == (host, port)


# --- with the outbox --------------------------------------------------------------------------------------------------


def by_mail(told: Told, port: int) -> None:
    """Let notices go by real mail."""
    told.delivery.channels = {"mail": channel(port)}


def test_an_address_is_verified_by_a_code_that_comes_there(told: Told) -> None:
    """Before that nothing else comes; a wrong code changes nothing, and five are too many."""
    told.game()
    book, ann = told.server.host.notices, told.account("ann")
    with smtp_server() as (postman, port):
        by_mail(told, port)
        added = result_of(book.add(ann, "mail", "ann@example.org"))
        told.server.close_turn()
        told.pass_time(60)
        (code,) = postman.came
        assert added.code in str(code["Subject"])
        assert "Notices of the games of ann on our server" in code.get_content()
        with pytest.raises(Exception, match="not the code"):
            result_of(book.verify(ann, added.id, "12"))
        result_of(book.verify(ann, added.id, added.code))
        told.server.close_turn()
        told.pass_time(60)
        assert [str(one["Subject"]) for one in postman.came[1:]] == ["Your turn in first"]
        assert postman.came[1]["List-Unsubscribe"].startswith("<https://games.example/stop-notices/")


@pytest.mark.thorough
def test_a_mail_server_that_is_away_for_a_day_loses_nothing(told: Told) -> None:
    """The game goes on meanwhile; when the server is back, each player hears of the turn that awaits them, once."""
    told.game(options={"rounds": 50})
    told.address("ann", "mail")
    told.address("ben", "mail")
    port = free_port()
    by_mail(told, port)
    for _ in range(24):
        told.server.close_turn()
        told.pass_time(3600, 60)
    assert told.server.game().row.turn == 24
    with smtp_server(port) as (postman, _):
        told.pass_time(3 * 3600, 60)
        assert sorted(str(one["To"]) for one in postman.came) == ["ann@example.org", "ben@example.org"]
        assert "Round 25" in postman.came[0].get_content()


def test_mail_that_hangs_holds_up_no_game(told: Told) -> None:
    """A turn closes while a conversation with the mail server does not come to an end."""
    told.game(options={"rounds": 50})
    told.address("ann", "mail")
    ended = threading.Event()
    from twisted.internet.defer import Deferred

    def in_a_thread(work: Callable[[], None]) -> Deferred[None]:
        def run() -> None:
            with suppress(NotDelivered):
                work()

        threading.Thread(target=run, daemon=True).start()
        return Deferred()

    with stubborn(lambda line: ended.wait(60) and None) as port:
        told.delivery.channels = {"mail": channel(port, threads=in_a_thread)}
        begun = time.monotonic()
        for _ in range(5):
            told.server.close_turn()
        assert time.monotonic() - begun < mail.SILENCE
        ended.set()
    assert told.server.game().row.turn == 5
