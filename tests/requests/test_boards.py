"""Message boards: players read and clear their own, and post to all.

They learn nothing of other boards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from twisted.internet.defer import Deferred, fail

from tests.support.server_in_memory import Client, Server, state_of
from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tprules.api import Reference, RefKind, Report
from tpserver.games.core.message_board import BOARD_BYTES, BOARD_MESSAGES, SHARE_BYTES, SHARE_MESSAGES
from tpserver.games.core.turn_reports import (
    LONGEST_BODY,
    LONGEST_SUBJECT,
    MOST_REFERENCES,
    TURN_BYTES,
    TURN_MESSAGES,
    delivery,
    written,
)
from tpserver.requests.talk.boards import AT_ONCE, EVERYBODY
from tpserver.store import StoreError
from tpserver.store.games import boards as stored_boards
from tpserver.store.games.boards import Delivery, StoredMessage

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
TOO_BIG = int(FailCode.REQUEST_TOO_BIG)


@pytest.fixture
def two(server: Server, dialect: str) -> list[Client]:
    server.create(clock="manual")
    return server.players(2, dialect)


def post(client: Client, board: int, subject: str = "Hello", body: str = "World", **more: object):
    return client.ask("post_message", id=board, slot=-1, subject=subject, body=body, **more)


def fill(server: Server, number: int, sender: int, count: int, body: str = "") -> None:
    """Put that many messages on a board at once."""
    game = server.game()
    on = game.boards[number]
    letters = [
        StoredMessage(game.row.id, number, on.next_number(), 0, 0.0, sender, f"letter {index}", body, [[7, sender]])
        for index in range(count)
    ]
    server.store.write(partial(stored_boards.deliver, delivery=Delivery(letters)))
    game.deliver(Delivery(letters), server.clock.seconds())


def listed_own(client: Client) -> int:
    """Return the number under which a client's own board is listed to it."""
    return client.seat + 1 if client.title in ("pb", "json") else 0


def board(client: Client, number: int = 0) -> tp.Board:
    found: tp.Board = client.ask("get_boards", ids=[number]).message
    return found


def test_board_0_is_mine_and_has_its_real_number(two: list[Client]):
    """Each player's board has the player's number; the welcome is on it."""
    for client in two:
        mine = board(client)
        assert mine.id == client.seat + 1
        assert mine == board(client, mine.id)
        assert mine.messages == 1
        (welcome,) = client.messages()
        assert (welcome.id, welcome.slot, welcome.subject, welcome.turn) == (mine.id, 0, "Welcome", 0)


def test_a_message_arrives_at_the_end_with_who_sent_it(two: list[Client]):
    """Its slot number counts from 0, a reference has its writer, and the board's time rises."""
    ann, ben = two
    before = ben.ids("get_board_ids")[listed_own(ben)]
    ben.messages()  # what was listed is fetched as it was; from now on the board is as it is
    assert post(ann, 2, "Peace?", "Let us talk", turn=99, references=[tp.Reference(type=1, id=3)]).name == "okay"
    message = ben.messages()[-1]
    assert (message.id, message.slot, message.subject, message.body) == (2, 1, "Peace?", "Let us talk")
    assert message.turn == 0, "the server says in which turn it was written"
    assert [(r.type, r.id) for r in message.references] == [(7, 1), (1, 3)]
    assert ben.ids("get_board_ids")[listed_own(ben)] > before
    assert board(ben).modtime == ben.ids("get_board_ids")[listed_own(ben)]
    if ann.title not in ("pb", "json"):
        assert len(ann.messages()) == 1
        return
    copy = ann.messages()[-1]
    assert [(r.type, r.id) for r in copy.references] == [(7, 1), (4, 2), (1, 3)], "a copy says to whom it went"
    assert (copy.subject, copy.body, len(ann.messages())) == ("Peace?", "Let us talk", 2)


def test_table_talk_is_on_all_boards(server: Server, two: list[Client]):
    """Each reader sees the sender and that it went to all, whatever boards the sender names."""
    ann, ben = two
    before = [len(client.messages()) for client in two]
    assert post(ann, EVERYBODY, "Hello", "all", references=[tp.Reference(type=4, id=1)]).name == "okay"
    for client in two:
        letter = client.messages()[-1]
        assert (letter.subject, letter.body) == ("Hello", "all")
        assert [(r.type, r.id) for r in letter.references] == [(7, 1), (4, EVERYBODY)]
    assert [len(client.messages()) for client in two] == [count + 1 for count in before]
    later = server.restarted()
    assert [one.subject for one in later.player("ben", ben.title).messages()][-1] == "Hello"


def test_table_talk_misses_full_boards_and_says_so(server: Server):
    """The others still get it if one board is full. If all boards are full, the message is refused."""
    server.create(seats=3, clock="manual")
    ann, ben, cem = server.players(3)
    fill(server, 2, 9, BOARD_MESSAGES - 1)
    assert post(ann, EVERYBODY).text == "The message is on all boards but ben's: no room there"
    assert cem.messages()[-1].subject == ann.messages()[-1].subject == "Hello"
    fill(server, 3, 9, BOARD_MESSAGES - len(cem.messages()))
    counts = [board(client).messages for client in (ann, ben, cem)]
    assert post(ann, EVERYBODY).code == TEMPORARILY
    assert [board(client).messages for client in (ann, ben, cem)] == counts


def test_a_sender_cannot_pass_for_another(two: list[Client]):
    """The own reference is always there, and first unless the client gave it itself."""
    ann, ben = two
    post(ann, 2, references=[tp.Reference(type=7, id=2)])
    assert [(r.type, r.id) for r in ben.messages()[-1].references] == [(7, 1), (7, 2)]


def test_notes_to_oneself(two: list[Client]):
    ann, _ = two
    assert post(ann, 0, "Note", "to myself").name == "okay"
    assert post(ann, 1, "Note", "again").name == "okay"
    assert [message.body for message in ann.messages()[1:]] == ["to myself", "again"]


def test_text_of_any_language_arrives_as_it_was(two: list[Client]):
    ann, ben = two
    subject, body = "Grüße 😀", "line one\nline two\t\u05d0\u0301 " + "ż" * 500
    assert post(ann, 2, subject, body).name == "okay"
    assert (ben.messages()[-1].subject, ben.messages()[-1].body) == (subject, body)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"subject": "x" * (LONGEST_SUBJECT + 1)}, str(LONGEST_SUBJECT)),
        ({"body": "x" * (LONGEST_BODY + 1)}, str(LONGEST_BODY)),
        ({"references": [tp.Reference(type=1, id=1)] * (MOST_REFERENCES + 1)}, str(MOST_REFERENCES)),
    ],
)
def test_what_is_too_long_is_refused_with_what_is_allowed(two: list[Client], fields: dict[str, object], what: str):
    ann, ben = two
    before = state_of(ann.session.game)
    answer = ann.ask("post_message", **{"id": 2, "slot": -1, "subject": "s", "body": "b", **fields})
    assert answer.code == FRAME
    assert what in answer.text
    assert state_of(ann.session.game) == before
    assert len(ben.messages()) == 1


@pytest.mark.parametrize("number", [3, 77, 4_000_000_000])
def test_no_such_board(two: list[Client], number: int):
    ann, _ = two
    for answer in (
        post(ann, number),
        ann.ask("get_boards", ids=[number]),
        ann.ask("get_message", id=number, slots=[0]),
        ann.ask("remove_message", id=number, slots=[0]),
    ):
        assert answer.code == NO_SUCH_THING
        assert str(number) in answer.text


def test_another_players_board_is_named_and_nothing_more(two: list[Client]):
    """No count or time reveals that something was written. Reading and clearing are refused."""
    ann, ben = two
    seen, listed = board(ann, 2), ann.ids("get_board_ids")
    assert seen.messages == 0
    assert "ben" in seen.name
    post(ben, 0, "Secret", "plan")
    ben.ask("remove_message", id=0, slots=[0])
    ann.server.pass_time(100)
    assert board(ann, 2) == seen
    assert ann.ids("get_board_ids") == listed
    for request in ("get_message", "remove_message"):
        answer = ann.ask(request, id=2, slots=[0])
        assert answer.code == DENIED
        assert "Secret" not in answer.text
    assert [message.subject for message in ben.messages()] == ["Secret"]


def test_a_seat_that_nobody_has_yet_has_no_board(server: Server, dialect: str):
    server.create(seats=3)
    ann = server.player("ann", dialect)
    assert list(ann.ids("get_board_ids")) == [listed_own(ann)]
    assert ann.ask("get_boards", ids=[2]).code == NO_SUCH_THING
    assert post(ann, 2).code == NO_SUCH_THING
    server.player("ben", dialect)
    assert list(ann.ids("get_board_ids")) == [listed_own(ann), 2]
    assert post(ann, 2).name == "okay"


def test_all_boards_in_a_players_list_have_one_time(server: Server, dialect: str):
    """Programs of 2008 keep each board with the last time of the list; a player who joins and a message raise it."""
    server.create(seats=3, clock="manual")
    ann, ben = server.players(2, dialect)
    told = -1
    for change in (lambda: None, lambda: post(ben, 1), lambda: server.player("cem", dialect), lambda: post(ann, 0)):
        change()
        listed = ann.ids("get_board_ids")
        assert len(set(listed.values())) == 1
        assert {number: board(ann, number).modtime for number in listed} == listed
        assert listed[listed_own(ann)] > told
        told = listed[listed_own(ann)]


def test_the_own_board_is_listed_as_old_clients_look_for_it(two: list[Client]):
    """TP03 and TP04: as 0 and not again under its number (wire.md); what is fetched carries the real number.

    A client of 2008 keeps what it knows under the listed number, and goes on asking for board 0: for the board when
    its time has risen, for its messages, and to remove them.
    """
    ann, ben = two
    listed = ben.ids("get_board_ids")
    assert list(listed) == [2 if ben.title in ("pb", "json") else 0, 1]
    mine = listed_own(ben)
    post(ann, 2, "Peace?", "Let us talk")
    later = ben.ids("get_board_ids")
    assert later[mine] > listed[mine]
    assert later == {number: board(ben, number).modtime for number in listed}
    fetched = board(ben, mine)
    assert (fetched.id, fetched.messages, fetched.modtime) == (2, 2, later[mine])
    found = ben.ask("get_message", id=mine, slots=[0, 1]).things
    assert [(message.id, message.slot) for message in found] == [(2, 0), (2, 1)]
    assert ben.ask("remove_message", id=mine, slots=[0]).name == "okay"
    changed = ben.ids("get_board_ids", fromtime=later[mine])
    assert list(changed) == list(listed)
    assert board(ben, mine).messages == 1


def test_removed_messages_make_later_ones_move_up(two: list[Client]):
    """Slots are positions; each removal gets its own answer, done one after the other."""
    ann, _ = two
    for word in ("one", "two", "three"):
        post(ann, 0, word)
    before = board(ann).modtime
    answer = ann.ask("remove_message", id=0, slots=[3, 0, 2])
    assert answer.names == ["sequence_of", "okay", "okay", "fail"]
    assert [(m.slot, m.subject) for m in ann.messages()] == [(0, "one"), (1, "two")]
    assert board(ann).modtime > before
    assert board(ann).messages == 2


def test_boards_survive_a_restart(server: Server):
    """The same messages in the same slots, also after some were removed; times never go back."""
    server.create(clock="manual")
    ann, ben = server.players(2)
    for word in ("one", "two", "three"):
        post(ben, 1, word, references=[tp.Reference(type=-2, id=1)])
    ann.ask("remove_message", id=0, slots=[1])
    server.pass_time(3)
    ann.ask("remove_message", id=0, slots=[0])
    messages, times = ann.messages(), ann.ids("get_board_ids")
    for _ in range(2):
        server = server.restarted()
        ann = server.player("ann")
        assert ann.messages() == messages
        later = ann.ids("get_board_ids")
        assert all(later[number] >= time for number, time in times.items())
        times = later
    post(ann, 0, "four")
    assert [message.subject for message in ann.messages()] == ["two", "three", "four"]
    assert ann.ids("get_board_ids")[0] > times[0]
    server.stop()


def test_a_full_board_refuses_letters_but_not_reports(server: Server):
    """Letters of all senders fill a board, then they are refused; a report takes the place of the oldest message."""
    server.create(clock="manual")
    ann, ben = server.players(2)
    fill(server, 2, 9, BOARD_MESSAGES - 1)
    for client in (ann, ben):
        answer = post(client, 2)
        assert answer.code == TEMPORARILY
        assert str(BOARD_MESSAGES) in answer.text
    assert board(ben).messages == BOARD_MESSAGES
    before = [message.subject for message in ben.messages()]
    ben.bid(1)
    server.close_turn()
    after = [message.subject for message in ben.messages()]
    assert after == ["Older messages are gone", *before[2:], "Sold"]
    assert len(after) == BOARD_MESSAGES


def test_a_sender_has_a_share_of_a_board(two: list[Client]):
    """It can be used up in number and in bytes; others still write, and room is made by the owner."""
    ann, ben = two
    fill(ann.server, 2, 1, SHARE_MESSAGES - 1)
    assert post(ann, 2).name == "okay"
    answer = post(ann, 2)
    assert answer.code == TEMPORARILY
    assert str(SHARE_MESSAGES) in answer.text
    assert post(ben, 2).name == "okay"
    assert post(ann, 1).name == "okay"
    ben.ask("remove_message", id=0, slots=[1])
    assert post(ann, 2).name == "okay"
    big = "x" * LONGEST_BODY
    fill(ann.server, 1, 2, SHARE_BYTES // (LONGEST_BODY + 100) - 1, big)
    assert post(ben, 1, body=big).name == "okay"
    refused = post(ben, 1, body=big)
    assert refused.code == TEMPORARILY
    assert f"at most {SHARE_MESSAGES} and {SHARE_BYTES // 1024} KiB for one sender" in refused.text


def test_a_share_is_the_same_after_a_restart(server: Server):
    server.create(clock="manual")
    ann, _ = server.players(2)
    for words in ("one", "\u017c" * 500, "\U0001f600" * 300):
        post(ann, 2, words[:200], words, references=[tp.Reference(type=1, id=3)])
    before = server.game().boards[2]
    after = server.restarted().game().boards[2]
    assert (after.size, after.share(1), list(after.numbers)) == (before.size, before.share(1), list(before.numbers))


def test_a_whole_board_is_one_answer_and_one_removal(server: Server):
    """Programs of 2010 ask for all slots at once; to remove all of them is one change, and one unit of work."""
    server.create(clock="manual")
    _, ben = server.players(2)
    fill(ben.server, 2, 9, BOARD_MESSAGES - 1)
    assert [message.slot for message in ben.messages()] == list(range(BOARD_MESSAGES))
    given = []
    store, write = ben.server.registry.store, ben.server.registry.store.write
    store.write = lambda unit, *args: given.append(unit) or write(unit, *args)
    answer = ben.ask("remove_message", id=0, slots=[0] * (BOARD_MESSAGES - 1) + [7])
    assert answer.names == ["sequence_of", *["okay"] * (BOARD_MESSAGES - 1), "fail"]
    assert len(given) == 1
    (left,) = ben.messages()
    assert (left.slot, left.subject) == (0, f"letter {BOARD_MESSAGES - 2}")


@pytest.mark.parametrize("request_name", ["get_message", "remove_message"])
def test_more_slots_than_a_board_has_are_refused(two: list[Client], request_name: str):
    ann, _ = two
    before = state_of(ann.session.game)
    answer = ann.ask(request_name, id=0, slots=[0] * (BOARD_MESSAGES + 1))
    assert answer.code == (PERMANENTLY if ann.classic else TOO_BIG)
    assert str(BOARD_MESSAGES) in answer.text
    assert state_of(ann.session.game) == before


def test_the_same_large_message_again_and_again_is_refused_unread(two: list[Client], monkeypatch: pytest.MonkeyPatch):
    """The size of the response is known before anything is read."""
    ann, ben = two
    post(ben, 1, body="x" * LONGEST_BODY)
    assert ann.ask("get_message", id=0, slots=[1] * 50).names[0] == "sequence_of"
    monkeypatch.setattr(ann.server.store, "read_later", None)
    answer = ann.ask("get_message", id=0, slots=[1] * 200)
    assert answer.code == (PERMANENTLY if ann.classic else TOO_BIG)
    assert str(BOARD_BYTES) in answer.text


def test_texts_are_not_in_memory_and_are_read_a_few_at_a_time(two: list[Client]):
    ann, ben = two
    fill(ann.server, 2, 1, 2 * AT_ONCE, "needle")
    assert "needle" not in repr(ben.session.game.boards)
    reads = []
    store, read_later = ben.server.registry.store, ben.server.registry.store.read_later
    store.read_later = lambda fn, *args: reads.append(fn) or read_later(fn, *args)
    assert [message.body for message in ben.messages()[1:]] == ["needle"] * 2 * AT_ONCE
    assert len(reads) == 3


def test_a_message_that_another_connection_removes_meanwhile_is_not_there(server: Server):
    """Reading waits for the store; the slots are those of the moment of the request."""
    server.create(clock="manual")
    ann, _ = server.players(2)
    again = server.player("ann")
    post(ann, 0, "one")
    post(ann, 0, "two")
    waiting: list[tuple[tuple[object, ...], Deferred[object]]] = []

    def later(*reading: object) -> Deferred[object]:
        waiting.append((reading, Deferred()))
        return waiting[-1][1]

    read, server.store.read_later = server.store.read, later
    asked = ann.post("get_message", id=0, slots=[1, 2])
    ping = ann.post("ping")
    assert again.ask("remove_message", id=0, slots=[1]).name == "okay"
    assert not asked.came
    assert not ping.came
    ((reading, fired),) = waiting
    fired.callback(read(*reading))
    assert asked.reply.names == ["sequence_of", "fail", "message"]
    assert asked.reply.things[1].subject == "two"
    assert ping.reply.name == "okay"


def test_a_message_that_is_not_saved_yet_is_read_when_it_is(make_server: Callable[..., Server], dialect: str):
    """It is on the board already, and its text is in the store alone."""
    server = make_server(delayed=True)
    server.create(clock="manual")
    ann, ben = server.players(2, dialect)
    server.disk.at_once = False
    ben.post("post_message", id=1, slot=-1, subject="Hello", body="b")
    asked = ann.post("get_message", id=0, slots=[len(server.game().boards[1]) - 1])
    assert not asked.came
    server.disk.commit()
    assert asked.reply.message.subject == "Hello"


def test_messages_that_cannot_be_read_are_a_sentence(two: list[Client], monkeypatch: pytest.MonkeyPatch):
    """The disk fails: no text is made up, the connection goes on, and so do the messages when the disk does."""
    ann, _ = two
    with monkeypatch.context() as patched:
        patched.setattr(
            ann.server.store, "read_later", lambda *reading: fail(StoreError("It is gone.", code="unavailable"))
        )
        answer = ann.ask("get_message", id=0, slots=[0])
    assert answer.code == TEMPORARILY
    assert "cannot be read" in answer.text
    assert [message.subject for message in ann.messages()] == ["Welcome"]


def test_reports_of_one_turn_are_bounded(server: Server):
    """In number and in bytes; what is left out is listed in the last message, and a report is cut to a message."""
    game = server.create(clock="manual")
    ann, ben = server.players(2)

    def told(reports: list[Report]) -> list[tp.Message]:
        before = board(ann).messages
        game.deliver(delivered := delivery(game, written(game, reports), 0, 0.0), 0.0)
        server.store.write(lambda c: stored_boards.deliver(c, delivered))
        return ann.messages()[before:]

    many = told([Report(None, f"report {number}", "x") for number in range(10_000)])
    assert len(many) == TURN_MESSAGES
    assert [message.subject for message in many[:2]] == ["report 0", "report 1"]
    assert many[-1].subject == f"Further reports: {10_001 - TURN_MESSAGES}"
    assert many[-1].body.startswith(f"report {TURN_MESSAGES - 1}\n")
    assert many[-1].body.endswith(" more")
    size = game.boards[1].size
    large = told([Report(0, "\U0001f600" * 999, "\U0001f600" * 99_999, (Reference(RefKind.OBJECT, 1),) * 99)] * 9)
    assert game.boards[1].size - size <= TURN_BYTES
    assert [len(message.body) <= LONGEST_BODY for message in large] == [True, True]
    assert len(large[0].references) == MOST_REFERENCES
    assert large[0].body.endswith("[...]")
    assert board(ben).messages == 1 + TURN_MESSAGES


def test_boards_stay_bounded_however_many_reports_come(server: Server):
    """Memory and store agree after each turn, and after a restart; numbers and times never go back."""
    game = server.create(clock="manual")
    ann, _ = server.players(2)
    for turn in range(12):
        reports = [Report(0, f"turn {turn} report {number}", "y" * 9_000) for number in range(TURN_MESSAGES)]
        delivered = delivery(game, written(game, reports), turn, server.clock.seconds())
        server.store.write(partial(stored_boards.deliver, delivery=delivered))
        game.deliver(delivered, server.clock.seconds())
        listed = [one for one in server.store.read(partial(stored_boards.listing, game=game.row.id)) if one.board == 1]
        assert [one.number for one in listed] == list(game.boards[1].numbers)
        assert sum(one.size for one in listed) == game.boards[1].size <= BOARD_BYTES
        assert len(listed) <= BOARD_MESSAGES
    subjects = [message.subject for message in ann.messages()]
    assert subjects[0] == "Older messages are gone"
    assert subjects.count("Older messages are gone") == 1
    assert subjects[-1].startswith("Further reports")
    time = ann.ids("get_board_ids")
    later = server.restarted()
    ann = later.player("ann")
    assert [message.subject for message in ann.messages()] == subjects
    assert all(now >= time[number] for number, now in ann.ids("get_board_ids").items())


def test_slots_with_nothing_in_them_keep_nobody_waiting(two: list[Client]):
    """As many as are read at once are answered before others are served."""
    ann, _ = two
    slots = range(BOARD_MESSAGES - AT_ONCE - 1, BOARD_MESSAGES)
    asked = ann.post("get_message", id=0, slots=slots)
    assert not asked.came
    ann.server.settle()
    assert [fail.code for fail in asked.reply.things] == [NO_SUCH_THING] * len(slots)


def test_a_seat_that_is_not_there_is_named_by_its_number(server: Server):
    assert server.create(seats=2).text("{player 1}, {player 7}") == "Player 2, Player 8"


def test_reports_name_players_as_people_know_them(two: list[Client]):
    """A ruleset writes of seats; the board has names, and references have player numbers."""
    ann, ben = two
    ben.bid(5)
    ann.server.close_turn()
    for client in two:
        sold = client.messages()[-1]
        assert (sold.subject, sold.body, sold.turn) == ("Sold", "ben gets the lot", 1)


def test_names_with_braces_cannot_be_taken(server: Server):
    """They would be read as a ruleset's way to name a player."""
    answer = server.connect().ask("login", username="{player 1}", password="word")
    assert answer.code == DENIED


def test_what_players_write_is_not_taken_for_a_rulesets_text(two: list[Client]):
    """``{player 1}`` in a message stays as it was written."""
    ann, ben = two
    post(ann, 2, "{player 0}", "{player 1} {}")
    assert (ben.messages()[-1].subject, ben.messages()[-1].body) == ("{player 0}", "{player 1} {}")


def test_an_end_that_the_rules_do_not_tell_is_told_by_the_server(server: Server, dialect: str):
    """Places and figures, the best first, to everybody; the rules of the auction report no end."""
    server.create(clock="manual", options={"rounds": 1, "gold": 5})
    ann, ben = server.players(2, dialect)
    ben.bid(2)
    server.close_turn()
    for client in (ann, ben):
        last = client.messages()[-1]
        assert (last.subject, last.turn) == ("Game over", 1)
        assert [line.partition(":")[0] for line in last.body.splitlines()] == ["1. ben", "2. ann"]
        assert "lots 1" in last.body
