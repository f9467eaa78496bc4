"""ShowTurn: from one old turn to another, listing only the differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_games.auction import Auction, World

from tests.requests.odd_rulesets import ODD
from tests.requests.test_turn_history import Forgetful, Levels, lined_up, look, played, try_to_look
from tests.support.server_in_memory import Client, Server, result_of
from tprules.api import Oid, Seat
from tpserver.games.stored.history import MOST_VISITS_OF_ONE
from tpserver.rules.discovery import Rulesets

PERMANENTLY, TEMPORARILY, NO_SUCH, DENIED = 2, 3, 4, 5
LATER = ["pb", "json"]


def go(client: Client, turn: int) -> Any:
    """Go to a turn; return what the server says."""
    return client.ask("show_turn", turn=turn)


def changed(client: Client, since: int) -> tuple[set[int], int]:
    """The objects that are listed as changed since a time, and the time for the next such question."""
    told = client.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=since).message
    return {one.id for one in told.ids}, told.fromtime


def whole(client: Client) -> list[str]:
    """All objects, without their times."""
    things = client.objects(*client.ids())
    for thing in things:
        thing.modtime = 0
    return [str(thing) for thing in things]


@pytest.mark.parametrize("dialect", LATER)
def test_only_what_differs_is_listed_since_the_turn_before(server: Server, dialect: str):
    """The root and what an order changed; nothing when the same turn is asked for again."""
    played(server)
    client = look(server, 0, dialect=dialect)
    every, since = changed(client, -1)
    assert go(client, 1).message.turn_name == "Round 2"
    found, since = changed(client, since)
    assert 0 < len(found) < len(every)
    assert client.ask("get_time_remaining").message.turn == 1
    go(client, 1)
    assert changed(client, since) == (set(), since)
    go(client, 0)
    assert changed(client, since)[0] == found


@pytest.mark.parametrize("dialect", LATER)
def test_other_orders_in_a_queue_of_the_same_length_are_a_change(server: Server, dialect: str):
    """The object looks the same in both turns, but its queue has to be read again."""
    server.create("first", clock="manual")
    ann, ben = server.players(2)
    for gold in (1, 2):
        ben.bid(3)
        ann.bid(gold, f"bid {gold}")
        server.close_turn()
    client = look(server, 0, dialect=dialect)
    before = str(client.object(ann.home).parameters)
    assert [order.parameters[1].string.string for order in client.queue(ann.home)] == ["bid 1"]
    _, since = changed(client, -1)
    go(client, 1)
    assert str(client.object(ann.home).parameters) == before
    assert ann.home in changed(client, since)[0]
    assert ann.home in client.ids("get_order_queue_ids", since)
    assert [order.parameters[1].string.string for order in client.queue(ann.home)] == ["bid 2"]


def test_messages_and_their_board_are_those_of_the_turn(server: Server):
    """The board has a newer time, so that a client looks at it again."""
    played(server)
    client = look(server, 2, dialect="pb")
    before = client.ids("get_board_ids")
    assert len(client.messages()) == 3
    go(client, 0)
    assert len(client.messages()) == 1
    after = client.ids("get_board_ids")
    assert list(after) == list(before)
    assert after[client.session.number_of(0)] > before[client.session.number_of(0)]


@pytest.mark.parametrize("dialect", LATER)
@pytest.mark.parametrize("turn", [3, 10**9, 2**32 - 1])
def test_a_turn_that_is_not_there_is_refused_and_the_other_one_stays(server: Server, turn: int, dialect: str):
    played(server)
    client = look(server, 1, dialect=dialect)
    before = whole(client)
    answer = go(client, turn)
    assert answer.code == NO_SUCH
    assert "the turns 0 to 2" in answer.text
    assert whole(client) == before
    assert client.ask("get_time_remaining").message.turn == 1
    assert go(client, 2).message.turn == 2


@pytest.mark.parametrize(("name", "where"), [("ann", "first"), ("eve", "first/watch")])
def test_a_connection_to_the_present_stays_there(server: Server, name: str, where: str):
    """The refusal says how to view old turns, and nothing has changed."""
    played(server)
    client = server.connect("pb")
    client.ask("login", username=f"{name}@{where}", password=f"{name}'s word")
    answer = go(client, 0)
    assert answer.code == PERMANENTLY
    assert f"log in as {name}@first/turn/0" in answer.text
    assert client.ask("get_time_remaining").message.turn == 2


def test_it_needs_a_login_and_a_game(server: Server):
    client = server.connect("pb")
    assert go(client, 0).code == TEMPORARILY
    client.ask("create_account", username="ann", password="ann's word")
    client.ask("login_account", username="ann", password="ann's word")
    assert go(client, 0).code == TEMPORARILY


def test_however_many_turns_are_shown_it_is_one_visit(server: Server):
    """Of the four that an account has; and the end of the connection ends it."""
    played(server)
    clients = [look(server, 0, dialect="pb") for _ in range(MOST_VISITS_OF_ONE)]
    for turn in (1, 2, 0, 1):
        assert go(clients[0], turn).name == "turn_shown"
    assert len(server.host.history) == MOST_VISITS_OF_ONE
    assert try_to_look(server, 0)[1].code == TEMPORARILY
    clients[0].hang_up()
    assert len(server.host.history) == MOST_VISITS_OF_ONE - 1


def test_a_turn_with_more_objects_than_there_is_room_for_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch):
    """The other turn stays; without others it is shown, however large."""
    played(server)
    client, other = look(server, 0, dialect="pb"), look(server, 0, "ben")
    before = whole(client)
    monkeypatch.setattr("tpserver.games.stored.history.MOST_OBJECTS", 7)
    answer = go(client, 1)
    assert answer.code == TEMPORARILY
    assert "much of the past" in answer.text
    assert whole(client) == before
    monkeypatch.setattr("tpserver.games.stored.history.MOST_OBJECTS", 9)
    assert go(client, 1).name == "turn_shown", "in place of the other one, not beside it"
    monkeypatch.setattr("tpserver.games.stored.history.MOST_OBJECTS", 3)
    other.hang_up()
    assert go(client, 0).name == "turn_shown"


def test_nothing_of_the_turn_before_is_kept(server: Server):
    """Neither what was listed of it, nor its view."""
    played(server)
    client = look(server, 0, dialect="pb")
    client.ids()
    before = client.session.game
    assert before is not None
    assert len(server.host.readers.readings) == 1
    go(client, 1)
    assert client.session.reading is None
    assert len(server.host.readers.readings) == 0
    assert client.session not in before.subscribers
    assert client.session.game is not before
    assert client.session.game is not None
    assert client.session in client.session.game.subscribers


class Vanishing(Auction):
    """An auction whose lot is seen in the first round only."""

    name = "vanishing"

    def sight(self, world: World, seat: Seat | None) -> dict[Oid, str]:
        seen = dict(super().sight(world, seat))
        if world.round:
            seen.pop(1)
        return seen


def test_what_has_gone_since_the_turn_before_is_counted_with_what_is_there(make_server: Callable[..., Server]):
    """It is listed as gone, and takes room until it is back."""
    server = make_server(found=Rulesets({**ODD.usable, "vanishing": Vanishing()}, {}))
    played(server, ruleset="vanishing")
    client = look(server, 0, dialect="pb")
    _, since = changed(client, -1)
    for turn, listed in ((1, 3), (2, 3), (0, 4)):
        go(client, turn)
        assert len(client.ids()) == listed
        assert [objects for _, objects in server.host.history.visits.values()] == [4]
        assert 1 in changed(client, since)[0]
        assert (client.ask("get_objects_by_id", ids=[1]).things[0].DESCRIPTOR.name == "Fail") == (turn > 0)


def test_turns_are_read_in_line_with_those_of_others_and_what_follows_waits(server: Server):
    """A request behind ShowTurn is answered from the turn that it asks for."""
    played(server)
    client = look(server, 0, dialect="pb")
    waiting, do_next = lined_up(server)
    server.host.history.visits[client.session] = (1, 4)
    shown = client.post("show_turn", turn=1)
    clock = client.post("get_time_remaining")
    other = server.connect()
    login = other.post("login", username="ben@first/turn/0", password="ben's word")
    assert len(waiting) == 1
    assert not clock.came
    do_next(2.0)
    client.go_on()
    assert shown.reply.message.turn == 1
    assert clock.reply.message.turn == 1
    assert not waiting, "it rests as long as it has read"
    server.pass_time(2.0)
    do_next()
    assert login.reply.name == "okay"


def test_whoever_hangs_up_meanwhile_leaves_nothing(server: Server, logged: list[Any]):
    played(server)
    client = look(server, 0, dialect="pb")
    _, do_next = lined_up(server)
    server.host.history.visits[client.session] = (1, 4)
    client.post("show_turn", turn=1)
    client.hang_up()
    do_next()
    assert len(server.host.history) == 0
    assert client.session.game is None
    assert not [event for event in logged if event.get("log_failure")]


def test_a_turn_that_the_rules_cannot_load_is_a_sentence_and_the_other_one_stays(make_server: Callable[..., Server]):
    rules = Forgetful()
    server = make_server(found=Rulesets({**ODD.usable, "forgetful": rules}, {}))
    played(server, ruleset="forgetful")
    client = look(server, 1, dialect="pb")
    before = whole(client)
    rules.problem = ValueError("no world of the first round can be read")
    answer = go(client, 0)
    assert answer.code == PERMANENTLY
    assert "no world of the first round can be read" in answer.text
    assert whole(client) == before
    assert len(server.host.history) == 1


def test_the_end_of_the_game_opens_the_past_for_a_connection_that_was_there_before(make_server: Callable[..., Server]):
    """Hidden things stay hidden until the end is saved. Then each turn shows what any seat saw."""
    rules = Levels()
    server = make_server(found=Rulesets({**ODD.usable, "levels": rules}, {}))
    server.create("first", "levels", clock="manual")
    server.players(2)
    server.close_turn()
    client = look(server, 0, dialect="pb")
    go(client, 1)
    assert list(client.ids()) == [0, 1, 2]
    while not server.game().over:
        server.close_turn()
    assert list(client.ids()) == [0, 1, 2], "it stays as it was when it was shown"
    go(client, 1)
    assert list(client.ids()) == [0, 1, 2, 3]
    assert whole(client) == whole(look(server, 1, dialect="pb"))


def test_whoever_has_taken_a_seat_since_has_to_log_in_again(server: Server):
    """A connection shows what its seat saw, or spectators; it does not become another one."""
    server.create("first", seats=2, clock="manual")
    server.player("ann")
    account = result_of(server.accounts.add("ben", "ben's word"))
    eve = result_of(server.accounts.add("eve", "eve's word"))
    result_of(server.registry.lobby.take_seat(server.game(), account.id, "ben"))
    server.close_turn()
    client = look(server, 0, "eve", "pb")
    server.game().players[1].account = eve.id
    answer = go(client, 1)
    assert answer.code == DENIED
    assert "log in again" in answer.text
    assert client.session.seat is None


def test_the_rules_are_not_asked_after_a_turn_is_shown(make_server: Callable[..., Server]):
    rules = Auction()
    server = make_server(found=Rulesets({**ODD.usable, "auction": rules}, {}))
    played(server)
    client = look(server, 0, dialect="pb")
    go(client, 1)
    for name in ("show", "sight", "phase"):
        setattr(rules, name, None)
    assert len(client.objects(*client.ids())) == 4
    assert client.ask("get_time_remaining").message.turn_name == "Round 2"
    assert client.session.game is not None
    assert client.session.game.state.world is None
