"""Responses only after the commit: with a slow disk and a failing one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import (
    BEGINNING,
    Client,
    Server,
    Waiting,
    everything,
    number,
    questions,
    result_of,
    state_of,
    view_of,
)
from tpproto.frames import BY_NAME
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import durable
from tpserver.games.core.saving import NotSaved
from tpserver.games.hall import messages
from tpserver.games.turns.turn_service import MOST_AT_ONCE

TEMPORARILY = 3
OBJECTS = range(8)


class Scene:
    """Two games on a slow disk, and all clients that could see something of the first one."""

    def __init__(self, make_server: Callable[..., Server], dialect: str, seats: int = 2, **more: Any) -> None:
        self.server = make_server(delayed=True)
        self.disk = self.server.disk
        self.server.create("first", seats=seats, **more)
        self.server.create("other")
        self.ann = self.server.player("ann", dialect, game="first")
        self.ben = self.server.player("ben", dialect, game="first")
        self.again = self.server.player("ann", "tp04", game="first")
        self.elsewhere = self.server.players(2, game="other")[0]
        self.stranger = self.server.connect("tp04")
        self.server.settle()
        self.clients = {
            "the player": self.ann,
            "the other player": self.ben,
            "the player's other connection": self.again,
            "somebody in another game": self.elsewhere,
            "somebody who is not logged in": self.stranger,
        }
        self.questions = {who: list(questions(client, OBJECTS)) for who, client in self.clients.items()}
        self.forget()

    def forget(self) -> None:
        for client in self.clients.values():
            client.pushed.clear()
            client.pushed_data.clear()

    def seen(self) -> dict[str, list[tuple[str, Waiting]]]:
        return {who: everything(client, asked=self.questions[who]) for who, client in self.clients.items()}

    def pushes(self) -> list[bytes]:
        return [data for client in self.clients.values() for data in client.pushed_data]


def show_nothing(before: dict[str, list[tuple[str, Waiting]]], now: dict[str, list[tuple[str, Waiting]]]) -> int:
    """Make sure that all answers that came are as before; return how many have not come."""
    waiting = 0
    for who, answers in now.items():
        for (what, answer), (_, old) in zip(answers, before[who], strict=True):
            if answer.came:
                assert answer.data == old.data, f"{who} learns of it too early by {what}: {answer.reply}"
            else:
                waiting += 1
    return waiting


def finish(client: Client) -> Waiting:
    return client.post("finished_turn")


CHANGES: dict[str, Callable[[Scene], Any]] = {
    "an order": lambda scene: scene.ann.post_bid(3),
    "the removal of an order": lambda scene: scene.ann.post("remove_order", id=scene.ann.home, slots=[0]),
    "a mark": lambda scene: finish(scene.ann),
    "a letter": lambda scene: scene.ann.post("post_message", id=2, slot=-1, subject="s", body="b"),
    "a note": lambda scene: scene.ann.post("post_message", id=0, slot=-1, subject="s", body="b"),
    "the removal of a message": lambda scene: scene.ann.post("remove_message", id=0, slots=[0]),
    "a turn closed by the operator": lambda scene: scene.server.registry.turns.close_turn(scene.server.game("first")),
    "a pause": lambda scene: Deferred.fromCoroutine(scene.server.registry.control.pause(scene.server.game("first"))),
    "a new player": lambda scene: scene.server.connect().post("login", username="cem@first", password="word"),
}


@pytest.fixture(params=list(CHANGES))
def change(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["tp04"])
def title(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def scene_for(change: str, make_server: Callable[..., Server], title: str) -> Scene:
    """Return a scene in which the change can be made."""
    scene = Scene(make_server, title, seats=3 if change == "a new player" else 2, clock="manual")
    if change.startswith("the removal of an order"):
        scene.ann.bid(5)
    scene.forget()
    return scene


def test_a_change_is_told_to_nobody_before_it_is_saved(make_server: Callable[..., Server], change: str, title: str):
    """Everybody asks for everything while the disk is busy: what is answered is as before, all else waits."""
    scene = scene_for(change, make_server, title)
    before = scene.seen()
    assert show_nothing(before, scene.seen()) == 0
    scene.disk.at_once = False
    made = CHANGES[change](scene)
    done: list[Any] = []
    if isinstance(made, Deferred):
        made.addBoth(done.append)
    held_back = 0
    while scene.disk.waiting:
        assert not (made.came if isinstance(made, Waiting) else done), "acknowledged before it was saved"
        now = scene.seen()
        held_back += show_nothing(before, now)
        if change != "a turn closed by the operator":
            assert scene.pushes() == []
        scene.disk.commit(1)
    assert held_back > 0
    assert made.came if isinstance(made, Waiting) else done
    assert all(answer.came for answers in now.values() for _, answer in answers)


def test_that_a_turn_is_computed_is_told_at_once_and_its_result_when_it_is_saved(make_server: Callable[..., Server]):
    """0 seconds says that the turn is being computed, which shows nothing of it."""
    scene = Scene(make_server, "tp04", clock="manual")
    scene.ann.bid(3)
    scene.forget()
    scene.disk.at_once = False
    scene.server.registry.turns.close_turn(scene.server.game("first"))
    assert scene.ben.times_pushed() == [(0, 5)]
    assert not scene.ben.post("get_time_remaining").came
    scene.disk.commit()
    assert scene.ben.times_pushed() == [(2147483647, 1)]
    assert [message.subject for message in scene.ben.messages()] == ["Welcome", "Sold"]


def test_the_last_mark_is_saved_before_the_turn_closes(make_server: Callable[..., Server]):
    """Its Okay comes with the mark, not with the turn (wire.md)."""
    scene = Scene(make_server, "tp04", clock="all-done")
    finish(scene.ann)
    scene.forget()
    scene.disk.at_once = False
    mark = finish(scene.ben)
    assert not mark.came
    assert scene.pushes() == []
    scene.disk.commit(1)
    assert mark.reply.name == "okay"
    assert scene.ben.times_pushed() == [(0, 3)]
    assert scene.server.game("first").state.turn == 0
    scene.disk.commit()
    assert scene.ben.times_pushed() == [(2147483647, 1)]
    assert scene.server.game("first").state.turn == 1


def test_an_unasked_frame_shows_no_mark_that_is_not_saved(make_server: Callable[..., Server]):
    """Ben's mark is not saved when Ann's is announced, so he is still awaited then."""
    scene = Scene(make_server, "tp04", seats=3, clock="all-done")
    scene.server.player("cem", game="first")
    scene.forget()
    scene.disk.at_once = False
    finish(scene.ann)
    finish(scene.ben)
    assert scene.pushes() == []
    scene.disk.commit(1)
    for _, frame in scene.again.pushed:
        assert 2 in frame.waiting, "the mark of player 2 is told before it is saved"
    scene.disk.commit()
    assert list(scene.again.pushed[-1][1].waiting) == [3]


def test_marks_and_orders_that_come_while_a_turn_is_saved_are_refused_or_of_the_next(
    make_server: Callable[..., Server],
):
    """No order is lost or moved into another turn; what is refused changes nothing."""
    scene = Scene(make_server, "tp04", clock="all-done")
    scene.disk.at_once = False
    closed = scene.server.registry.turns.close_turn(scene.server.game("first"))
    order = scene.ann.post_bid(3)
    mark = finish(scene.ann)
    scene.disk.commit()
    assert order.reply.code == TEMPORARILY
    assert "computed" in order.reply.text
    result_of(closed)
    assert mark.reply.names in (["okay"], ["fail"])
    game = scene.server.game("first")
    assert (game.state.turn, game.finished, game.state.queues) == (1, set(), {})
    later = scene.server.restarted(5)
    try:
        game = later.game("first")
        assert (game.state.turn, game.finished, game.state.queues) == (1, set(), {})
    finally:
        later.stop()


def test_answers_leave_in_the_order_of_the_commits(make_server: Callable[..., Server]):
    """Ten orders at once: each answer comes with its own commit, none before."""
    server = make_server(delayed=True)
    server.create("rows", "synthetic", 2, options={"objects": 20}, clock="manual")
    ann, _ = server.players(2)
    server.disk.at_once = False
    order = ann.order(4, 1, number(5))
    answers = [ann.post_message(BY_NAME["order_insert"], order) for _ in range(10)]
    for count in range(1, 11):
        server.disk.commit(1)
        assert [answer.came for answer in answers] == [True] * count + [False] * (10 - count)
    assert [answer.reply.message.slot for answer in answers] == list(range(10))


# --- a disk that fails ----------------------------------------------------------------------------------------------


def test_a_change_that_cannot_be_saved_is_refused_and_nothing_of_it_stays(
    make_server: Callable[..., Server], change: str, title: str
):
    """The game goes on from what the store holds; the same players on the same connections; others notice nothing."""
    scene = scene_for(change, make_server, title)
    game = scene.server.game("first")
    before, views, other = state_of(game), view_of(game), scene.server.game("other")
    scene.disk.at_once = False
    made = CHANGES[change](scene)
    held_up = scene.ben.post("get_player", ids=[0])
    scene.disk.fail()
    scene.disk.at_once = True
    if isinstance(made, Deferred):
        with pytest.raises(NotSaved):
            result_of(made)
    else:
        assert made.reply.code == TEMPORARILY
    assert held_up.came
    now = scene.server.game("first")
    assert state_of(now) == before
    assert {seat: objects for seat, (objects, _, _) in view_of(now).items()} == {
        seat: objects for seat, (objects, _, _) in views.items()
    }
    for seat, (_, times, _) in view_of(now).items():
        assert all(times[number] >= time for number, time in views[seat][1].items()), "a time went back"
    assert scene.server.game("other") is other
    assert scene.elsewhere.ask("get_player", ids=[0]).name == "player"
    for client in (scene.ann, scene.ben, scene.again):
        assert client.ask("get_player", ids=[0]).name == "player"
    assert scene.ann.ask("finished_turn").name == "okay"
    assert scene.again.ask("get_time_remaining").name == "time_remaining"
    if now.started:
        scene.server.close_turn("first")


def test_after_a_failure_the_game_is_played_to_its_end(make_server: Callable[..., Server]):
    """Orders, marks and turns work as before on the connections that were there."""
    scene = Scene(make_server, "tp04", clock="all-done", options={"rounds": 2})
    scene.ann.bid(2)
    scene.disk.at_once = False
    failed = scene.ben.post_bid(9)
    scene.disk.fail()
    scene.disk.at_once = True
    assert failed.reply.code == TEMPORARILY
    assert "saved" in failed.reply.text
    assert len(scene.ann.queue(scene.ann.home)) == 1
    assert scene.ben.queue(scene.ben.home) == []
    for _ in range(2):
        finish(scene.ann)
        finish(scene.ben)
    assert scene.server.game("first").over
    assert scene.server.game("first").state.world.won[0] == 1


def test_a_turn_that_cannot_be_saved_is_tried_again_later_not_at_once(make_server: Callable[..., Server]):
    """A full disk must not make the server spin; when there is room again the turn closes."""
    scene = Scene(make_server, "tp04", clock="all-done")
    scene.ann.bid(3)
    finish(scene.ann)
    scene.disk.at_once = False
    finish(scene.ben)
    scene.disk.commit(1)
    failures = 0
    while scene.disk.waiting and failures < 50:
        scene.disk.fail()
        failures += 1
        scene.server.settle()
    assert failures == 1
    assert scene.server.game("first").state.turn == 0
    scene.disk.at_once = True
    scene.server.pass_time(60)
    assert scene.server.game("first").state.turn == 1
    assert scene.server.game("first").state.world.won == [1, 0]


def test_a_deadline_whose_turn_cannot_be_saved_is_tried_again_later(make_server: Callable[..., Server]):
    scene = Scene(make_server, "tp04", clock="interval:60")
    scene.disk.at_once = False
    scene.server.pass_time(60)
    failures = 0
    while scene.disk.waiting and failures < 50:
        scene.disk.fail()
        failures += 1
        scene.server.settle()
    assert failures == 1
    scene.disk.at_once = True
    scene.server.pass_time(60)
    assert scene.server.game("first").state.turn == 1


def test_a_game_that_cannot_be_read_again_answers_all_the_same(
    make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
):
    """Reading fails, too: no request hangs, and the game is available again when the disk is."""
    scene = Scene(make_server, "tp04", clock="all-done")
    scene.disk.at_once = False
    failed = scene.ann.post_bid(3)

    def unreadable(fn: Any) -> Any:
        raise OSError("Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(scene.disk, "read", unreadable)
        scene.disk.fail()
        assert failed.reply.code == TEMPORARILY
        for client in (scene.ann, scene.ben):
            assert client.post("get_time_remaining").reply.code == TEMPORARILY
            assert client.post_bid(1).reply.code == TEMPORARILY
            assert client.ask("ping").name in ("okay", "fail")
        scene.server.pass_time(60)  # tried again in vain
        assert scene.elsewhere.ask("get_time_remaining").name == "time_remaining"
    scene.disk.at_once = True
    scene.server.pass_time(60)
    assert scene.ann.ask("get_time_remaining").name == "time_remaining"
    assert scene.ann.bid(3).name == "order"
    assert scene.again.queue(scene.again.home)[0].parameters[0].range.value == 3


def test_an_account_that_cannot_be_saved_is_not_there(make_server: Callable[..., Server]):
    server = make_server(delayed=True, policy="register")
    server.disk.at_once = False
    client = server.connect()
    made = client.post("create_account", username="ann", password="word")
    assert not made.came
    server.disk.fail()
    assert made.reply.code == TEMPORARILY
    assert client.post("login", username="ann", password="word").reply.code == 5
    server.disk.at_once = True
    assert client.ask("create_account", username="ann", password="word").name == "okay"
    assert client.ask("login", username="ann", password="word").name == "okay"


def test_what_is_committed_is_there_after_a_crash_and_nothing_else(make_server: Callable[..., Server]):
    """At each moment a copy of the file is a whole game: every acknowledged change, no half of any other."""
    scene = Scene(make_server, "tp04", clock="all-done")
    scene.disk.at_once = False
    acknowledged = scene.ann.post_bid(3)
    scene.disk.commit()
    assert acknowledged.came
    pending = scene.ben.post_bid(5)
    crashed = scene.server.crashed(scene.server.path.with_name("copy.sqlite"))
    try:
        game = crashed.game("first")
        assert {on: len(queue) for on, queue in game.state.queues.items()} == {scene.ann.home: 1}
        assert game.row.created == BEGINNING
    finally:
        crashed.stop()
    assert not pending.came
    scene.disk.commit()
    assert pending.came


def test_changes_that_are_lost_together_are_logged_once(make_server: Callable[..., Server], logged: list[str]):
    """A full disk is one sentence to the operator, not one for each order that was on its way."""
    scene = Scene(make_server, "tp04", clock="manual")
    scene.disk.at_once = False
    orders = [client.post_bid(1) for client in (scene.ann, scene.ben)]
    messages.post(scene.server.game("first"), 1, {2: []}, "letter", "", scene.server.registry.now())
    assert scene.disk.fail() == 3
    assert [order.reply.code for order in orders] == [TEMPORARILY] * 2
    assert len([line for line in logged if "could not be saved" in line]) == 1


def test_what_nobody_knows_to_be_saved_is_not_called_unchanged(make_server: Callable[..., Server]) -> None:
    """The change may be saved. The response asks the player to look, and the reloaded game shows it."""
    scene = Scene(make_server, "tp04", clock="manual")
    scene.disk.at_once = False
    order, finished = scene.ann.post_bid(1), scene.ben.post("finished_turn")
    scene.disk.be_silent()
    scene.disk.at_once = True
    for asked in (order, finished):
        assert asked.reply.code == TEMPORARILY
        assert "not said whether this was saved" in asked.reply.text and "nothing" not in asked.reply.text
    assert len(scene.ann.queue(scene.ann.home)) == 1
    assert scene.server.game("first").finished == {scene.ben.session.seat}


def test_what_is_on_its_way_is_not_refused_for_what_comes_too_late(make_server: Callable[..., Server]) -> None:
    """Another node may have the game meanwhile, so that nothing more of it is saved here; what was given before is."""
    scene = Scene(make_server, "tp04", clock="manual")
    scene.disk.at_once = False
    order = scene.ann.post_bid(1)
    game = scene.server.game("first")
    game.saving.stale = True
    game.append(game.entry("finished", 1, None, 0.0))
    with pytest.raises(NotSaved):
        result_of(durable(game))
    assert not order.came
    scene.disk.commit()
    assert order.reply.name == "order"


def test_a_turn_whose_rules_fail_while_its_game_is_lost_is_not_called_closed(make_server: Callable[..., Server]):
    """The operator's command reports that it has not happened. The game in its place is not suspended."""
    scene = Scene(make_server, "tp04", clock="manual")
    computing: list[Deferred[Any]] = []

    def later(work: Callable[[], Any]) -> Deferred[Any]:
        computing.append(Deferred())
        return computing[-1]

    scene.server.registry.turns.compute = later
    scene.disk.at_once = False
    messages.post(scene.server.game("first"), 1, {2: []}, "letter", "", scene.server.registry.now())
    closed = scene.server.registry.turns.close_turn(scene.server.game("first"))
    scene.disk.fail()
    computing[0].errback(ValueError("the rules failed"))
    with pytest.raises(NotSaved):
        result_of(closed)
    game = scene.server.game("first")
    assert (game.row.state, game.state.turn) == ("running", 0)


def test_a_turn_that_is_being_computed_is_not_closed_again(make_server: Callable[..., Server]):
    """The operator gets an error, and an earlier order that is saved only now closes nothing."""
    server = make_server(found=ODD, delayed=True)
    server.create("first", "sequential", clock="manual")
    ann, _ = server.players(2)
    computing: list[Deferred[Any]] = []

    def later(work: Callable[[], Any]) -> Deferred[Any]:
        computing.append(Deferred())
        return computing[-1].addCallback(lambda _: work())

    server.registry.turns.compute = later
    server.disk.at_once = False
    given = ann.post_bid(1)
    closed = server.registry.turns.close_turn(server.game())
    with pytest.raises(GameError, match="already being computed"):
        server.registry.turns.close_turn(server.game())
    server.disk.at_once = True
    server.disk.commit()
    assert given.reply.name == "order"
    (one,) = computing
    one.callback(None)
    result_of(closed)
    assert server.game().state.turn == 1


def test_a_seat_that_the_operator_gives_is_told_when_it_is_saved(make_server: Callable[..., Server]):
    """No connection waits for it that would hold the answer back."""
    server = make_server(delayed=True)
    server.create()
    server.disk.at_once = False
    taken = Deferred.fromCoroutine(server.registry.lobby.take_seat(server.game(), None, "cem"))
    assert not taken.called
    server.disk.commit()
    assert result_of(taken) == 0


def test_of_many_turns_that_are_due_at_once_a_few_are_computed_and_saved_at_a_time(make_server: Any) -> None:
    """So an order of another game waits for those few only.

    All get the frame that their turns are computed, and all are closed in the end, also if one of them fails.
    """
    server = make_server()
    count = 3 * MOST_AT_ONCE
    for place in range(count):
        server.create(f"game {place}", clock="interval:60")
        server.players(2, game=f"game {place}")
    running: list[tuple[Deferred[Any], Callable[[], Any]]] = []

    def later(work: Callable[[], Any]) -> Deferred[Any]:
        running.append((Deferred(), work))
        return running[-1][0]

    server.registry.turns.compute = later
    server.pass_time(60)
    games = [server.game(f"game {place}") for place in range(count)]
    assert all(game.closing for game in games)
    assert len(running) == MOST_AT_ONCE
    done = 0
    while running:
        assert len(running) <= MOST_AT_ONCE
        waiting, work = running.pop(0)
        if done == 1:
            waiting.errback(ValueError("its rules broke"))
        else:
            waiting.callback(work())
        done += 1
        server.pass_time(0)
    assert done == count
    assert sorted(game.row.state for game in games) == ["held"] + ["running"] * (count - 1)
    assert not any(game.closing for game in games)
