"""Old turns by login: `name@game/turn/N`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_games.auction import Auction, World
from twisted.internet.defer import Deferred

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import (
    BEGINNING,
    BID,
    GIFT,
    Client,
    Server,
    chosen,
    number,
    result_of,
    state_of,
    target,
    text,
)
from tpproto import tp_pb2 as tp
from tpproto.frames import policy_of
from tprules.api import Oid, Seat, Shown
from tpserver.concurrency import at_once
from tpserver.games.core import phases, rules_calls
from tpserver.games.stored.history import (
    AGAIN_SECONDS,
    MOST_VISITS,
    MOST_VISITS_OF_ONE,
    History,
    turns_in_words,
)
from tpserver.requests.dispatch import REQUESTS
from tpserver.rules.call_limits import TooSlow
from tpserver.rules.discovery import Rulesets

PERMANENTLY, TEMPORARILY, NO_SUCH, DENIED = 2, 3, 4, 5


def try_to_look(
    server: Server, turn: object, name: str = "ann", dialect: str = "tp04", game: str = "first"
) -> tuple[Client, Any]:
    """Try to log in to an old turn; return the connection and the answer."""
    client = server.connect(dialect)
    return client, client.ask("login", username=f"{name}@{game}/turn/{turn}", password=f"{name}'s word")


def look(server: Server, turn: object, name: str = "ann", dialect: str = "tp04", game: str = "first") -> Client:
    client, answer = try_to_look(server, turn, name, dialect, game)
    assert answer.name == "okay", answer
    return client


def played(server: Server, dialect: str = "tp04", **more: Any) -> list[Client]:
    """Begin an auction in which Ann bids 1 in turn 0, 2 in turn 1, and in turn 2, which is open, nothing."""
    server.create("first", clock="manual", **more)
    clients = server.players(2, dialect)
    for gold in (1, 2):
        server.pass_time(10)
        assert clients[0].bid(gold, f"bid {gold}").name in ("okay", "order")
        server.close_turn()
    return clients


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_a_turn_is_shown_as_it_was_when_it_closed(server: Server, dialect: str):
    """Objects, their times, the clock, the orders and the messages until then."""
    played(server, dialect)
    for turn, gold, begun, messages in ((0, 9, BEGINNING, 1), (1, 9, BEGINNING + 10, 2), (2, 9, BEGINNING + 20, 3)):
        client = look(server, turn, dialect=dialect)
        assert set(client.ids().values()) == {begun}, gold
        things = client.objects(*client.ids())
        assert {thing.modtime for thing in things} == {begun}
        told = client.ask("get_time_remaining").message
        if not client.classic:
            assert (told.turn, told.turn_name) == (turn, f"Round {turn + 1}")
            assert not told.waiting
        assert told.time == 2**31 - 1
        orders = client.queue(client.home)
        assert [order.parameters[0].range.value for order in orders] == ([turn + 1] if turn < 2 else [])
        found = client.messages()
        assert len(found) == messages
        assert max(message.turn for message in found) == turn
        client.hang_up()


def test_the_present_turn_is_the_newest_and_stays_as_it_was_at_login(server: Server, dialect: str):
    ann, _ = played(server, dialect)
    ann.bid(3, "early")
    client = look(server, 2, dialect=dialect)
    before = client.objects(*client.ids())
    ann.bid(4, "late", slot=0)
    ann.ask("remove_order", id=ann.home, slots=[0])
    server.close_turn()
    assert client.objects(*client.ids()) == before
    assert [order.parameters[1].string.string for order in client.queue(client.home)] == ["early"]


def test_orders_are_shown_as_they_stood_at_the_end_also_after_compaction(server: Server, dialect: str):
    """They are right after any number of changes, and after a shorter journal has replaced that of the turn."""
    server.registry.order_entries = 10
    server.create("first", clock="manual")
    ann, _ = server.players(2, dialect)
    for gold in range(1, 9):
        ann.bid(gold, "x")
        ann.ask("remove_order", id=ann.home, slots=[0])
    ann.bid(9, "at last")
    assert server.game().order_entries < 17, "the journal is to have been written anew"
    server.close_turn()
    (order,) = look(server, 0, dialect=dialect).queue(ann.home)
    assert (order.parameters[0].range.value, order.parameters[1].string.string) == (9, "at last")


def test_a_queue_tells_its_length_and_its_slots(server: Server, dialect: str):
    """Clients of 2008 and 2010 ask for this: the queues, the length of each, then each slot."""
    played(server, dialect)
    client = look(server, 0, dialect=dialect)
    if client.knows("get_order_queue_ids"):
        assert client.home in client.ids("get_order_queue_ids")
        assert client.ask("get_order_queue", ids=[client.home]).things[0].num_orders == 1
    else:
        assert client.object(client.home).orders == 1
    assert client.ask("get_order", id=client.home, slots=[0]).message.otype == BID
    assert client.ask("get_order", id=client.home, slots=[1]).code == NO_SUCH
    assert client.ask("get_order", id=client.home + 1, slots=[0]).code == DENIED


def test_the_usual_download_works(server: Server, dialect: str):
    """Every list can be asked for, and everything in it; other players and descriptions are those of the game."""
    ann, _ = played(server, dialect)
    client = look(server, 1, dialect=dialect)
    for name in REQUESTS.values():
        field = name.kind.field
        if field.endswith("_ids") and client.knows(field) and field not in ("get_board_ids",):
            ids = client.ids(field)
            things = {"get_object_ids": "get_objects_by_id"}.get(field, field.removesuffix("_ids"))
            for answer in client.ask(things, ids=ids).things if ids else []:
                assert answer.DESCRIPTOR.name != "Fail", field
    assert [one.name for one in client.ask("get_player", ids=[1, 2]).things] == ["ann", "ben"]
    assert client.ask("get_player", ids=[0]).message.id == 1
    boards = client.ids("get_board_ids")
    assert list(boards) == list(ann.ids("get_board_ids"))
    assert len(set(boards.values())) == 1
    assert client.ask("get_boards", ids=[0]).message.messages == 2
    assert client.ask("get_object_ids_by_pos", r=2**40).name == "object_ids"


def test_letters_of_later_turns_and_what_was_removed_are_not_shown(server: Server):
    ann, ben = played(server)
    ben.ask("post_message", id=1, slot=-1, subject="in turn 2", body="b")
    assert "in turn 2" in [message.subject for message in look(server, 2).messages()]
    assert "in turn 2" not in [message.subject for message in look(server, 1).messages()]
    client = look(server, 1)
    assert len(client.messages()) == 2
    ann.ask("remove_message", id=0, slots=[0])
    assert len(look(server, 1).messages()) == 1
    frames = client.ask("get_message", id=0, slots=[0, 1]).things
    assert frames[0].subject == "(removed)" or frames[0].DESCRIPTOR.name == "Fail"


def test_the_end_of_a_game_is_its_last_turn(server: Server):
    server.create("first", clock="manual")
    server.players(2)
    while not server.game().over:
        server.close_turn()
    last = server.game().state.turn
    told = look(server, last).ask("get_time_remaining").message
    assert told.turn_name == phases.title(server.game())
    assert told.turn_name.startswith("Game over")
    before = look(server, last - 1).ask("get_time_remaining").message
    assert before.turn_name == f"Round {last}"


# --- who --------------------------------------------------------------------------------------------------------------


def test_somebody_without_a_seat_sees_what_spectators_saw(server: Server, dialect: str):
    """The turns include some that nobody watched. Looking takes no seat, and the viewer's own board is empty."""
    played(server, dialect)
    client = look(server, 1, "eve", dialect)
    assert client.session.seat is None
    assert client.ask("get_player", ids=[0]).message.name == "eve"
    watching = server.connect(dialect)
    assert watching.ask("login", username="eve@first/watch", password="eve's word").name == "okay"
    assert list(client.ids()) == list(watching.ids())
    assert client.ask("get_boards", ids=[0]).message.messages == 0
    assert client.ask("get_order", id=2, slots=[0]).code == DENIED


def test_the_turns_of_a_game_for_invited_players_are_theirs(server: Server):
    game = server.create("first", join="invited", clock="manual")
    result_of(server.accounts.add("ann", "ann's word"))
    result_of(server.accounts.add("ben", "ben's word"))
    for name in ("ann", "ben"):
        account = result_of(server.accounts.login(name, f"{name}'s word", server.connect().session.caller()))
        result_of(server.registry.lobby.take_seat(game, account.id, name))
    server.close_turn()
    assert look(server, 0).seat == 0
    client, answer = try_to_look(server, 0, "eve")
    assert answer.code == DENIED
    assert "invited" in answer.text
    assert client.session.account is None


def test_a_game_that_waits_for_players_shows_nothing_and_gives_no_seat(server: Server):
    """Before the start nobody may see the board."""
    game = server.create("first", seats=2)
    client, answer = try_to_look(server, 0)
    assert answer.code == NO_SUCH
    assert "not started" in answer.text
    assert len(game.open_seats()) == 2
    assert client.session.game is None


def test_a_wrong_password_is_not_told_which_turns_there_are(server: Server):
    played(server)
    client = server.connect()
    assert client.ask("login", username="ann@first/turn/99", password="wrong").code == DENIED


@pytest.mark.parametrize(
    "turn", ["3", "-1", "+1", "x", "", "1/2", " 1", "1.0", "٢", "9" * 10, "9" * 500, "0x1"]
)  # fmt: skip
def test_what_is_no_turn_is_refused_with_those_that_there_are(server: Server, turn: str, dialect: str):
    """Also digits that are not ASCII, and more of them than a number may have; one may try again."""
    played(server)
    client, answer = try_to_look(server, turn, dialect=dialect)
    assert answer.code == NO_SUCH
    assert "the turns 0 to 2" in answer.text
    assert client.session.account is None
    assert len(server.host.history) == 0
    again = client.ask("login", username="ann@first/turn/2", password="ann's word")
    assert again.name == "okay"


def test_the_turns_in_words():
    assert turns_in_words([]) == "are none"
    assert turns_in_words([0]) == "is turn 0 only"
    assert turns_in_words([0, 1, 2]) == "are the turns 0 to 2"
    assert turns_in_words([0, 2, 3, 9]) == "are the turns 0 and 2 to 3 and 9"


def test_without_a_game_there_are_no_turns(server: Server):
    client = server.connect()
    answer = client.ask("login", username="ann@/turn/0", password="ann's word")
    assert answer.code == PERMANENTLY
    assert "no game" in answer.text
    assert client.ask("login", username="ann@none/turn/0", password="ann's word").code == PERMANENTLY
    assert "turn/NUMBER" in client.ask("login", username="ann@x/turns/0", password="ann's word").text


def test_a_game_that_is_over_need_not_be_named_if_it_is_the_only_one(server: Server):
    """Without a seat one must name the game otherwise. If there are several, the refusal names them."""
    server.create("first", clock="manual")
    server.players(2)
    while not server.game().over:
        server.close_turn()
    client = look(server, 0, "eve", game="")
    assert client.session.game is not None
    assert client.session.game.name == "first"
    server.create("second", clock="manual")
    server.players(2, game="second")
    while not server.game("second").over:
        server.close_turn("second")
    _, answer = try_to_look(server, 0, "eve", game="")
    assert answer.code == PERMANENTLY
    assert "first, second" in answer.text


# --- nothing can be changed -------------------------------------------------------------------------------------------

CHANGES: dict[str, dict[str, Any]] = {
    "order_insert": {"id": 2, "slot": -1, "otype": BID, "parameters": [number(1), text("")]},
    "order_probe": {"id": 2, "slot": -1, "otype": BID, "parameters": [number(1), text("")]},
    "order_replace": {"id": 2, "slot": 0, "otype": BID, "parameters": [number(1), text("")]},
    "remove_order": {"id": 2, "slots": [0]},
    "finished_turn": {},
    "unfinish_turn": {},
    "get_legal_orders": {},
    "get_legal_values": {"id": 2, "otype": BID},
    "post_message": {"id": 2, "slot": -1, "subject": "s", "body": "b"},
    "remove_message": {"id": 0, "slots": [0]},
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("who", ["ann", "eve"])
def test_whatever_would_change_something_is_refused(server: Server, name: str, who: str, dialect: str):
    """For players and others the refusal names the turn, and says how to play. Nothing is changed."""
    played(server, dialect)
    client = look(server, 1, who, dialect)
    if not client.knows(name):
        return
    before = state_of(server.game())
    answer = client.ask(name, **CHANGES[name])
    assert answer.code == DENIED
    assert f"old turn 1 of first, which cannot be changed; log in as {who}@first to play" in answer.text
    assert state_of(server.game()) == before
    assert client.ask("get_time_remaining").name == "time_remaining"


def test_every_request_that_is_no_reading_needs_the_present():
    """Of those that need a game; what is legal is about the present, though it only reads."""
    of_the_present = {"get_legal_orders", "get_legal_values"}
    of_the_past = {"show_turn"}
    for request in REQUESTS.values():
        name = request.kind.field
        if policy_of(request.kind).needs == tp.Policy.LOGIN or name in of_the_past:
            continue
        reads = request.is_open or (name.startswith("get_") and name not in of_the_present)
        assert request.needs_present is not reads, name


def test_the_rules_are_not_asked_after_login(make_server: Callable[..., Server]):
    """So that slow rules keep nobody waiting: what remains of the world is what is shown."""
    rules = Auction()
    server = make_server(found=Rulesets({**ODD.usable, "auction": rules}, {}))
    played(server)
    client = look(server, 0)
    for name in ("show", "sight", "phase"):
        setattr(rules, name, None)
    assert len(client.objects(*client.ids())) == 4
    assert client.ask("get_time_remaining").message.turn_name == "Round 1"
    assert client.ask("get_order", id=client.home, slots=[0]).message.otype == BID
    assert client.session.game is not None
    assert client.session.game.state.world is None


# --- the game goes on -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [["close"], ["hold"], ["pause", "resume"], ["hold", "resume", "close"]])
def test_a_look_at_the_past_survives_what_happens_to_the_game(server: Server, steps: list[str], dialect: str):
    """Nothing about the game is pushed to it, either."""
    played(server, dialect)
    client = look(server, 1, dialect=dialect)
    before = (client.objects(*client.ids()), [str(message) for message in client.messages()])
    for step in steps:
        server.undergo(step)
        server.settle()
    assert (client.objects(*client.ids()), [str(message) for message in client.messages()]) == before
    assert client.pushed == []
    other = look(server, 1, dialect=dialect)
    assert other.objects(*other.ids()) == before[0]


def test_it_survives_a_game_that_is_read_again(make_server: Callable[..., Server]):
    """As after a full disk; what was lost was never in the past."""
    server = make_server(delayed=True)
    ann, _ = played(server)
    client = look(server, 2)
    before = client.objects(*client.ids())
    server.disk.at_once = False
    lost = ann.post_bid(5)
    during = look(server, 2)
    assert during.queue(ann.home) == [], "what is not saved is not shown"
    server.disk.fail()
    assert lost.reply.code == TEMPORARILY
    server.disk.at_once = True
    server.pass_time(20)
    assert client.objects(*client.ids()) == before
    assert client.queue(client.home) == []
    assert client.pushed == []


def test_a_turn_that_is_not_saved_yet_is_no_turn(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    played(server)
    server.disk.at_once = False
    closing = server.registry.turns.close_turn(server.game())
    _, answer = try_to_look(server, 3)
    assert answer.code == NO_SUCH
    assert "0 to 2" in answer.text
    server.disk.commit()
    server.disk.at_once = True
    result_of(closing)
    assert look(server, 3).ask("get_time_remaining").message.turn == 3


def test_the_past_is_there_after_a_restart(server: Server):
    played(server)
    before = look(server, 0).objects(0, 1, 2, 3)
    again = server.restarted()
    assert look(again, 0).objects(0, 1, 2, 3) == before


def test_who_watches_the_present_is_counted_without_those_who_look_back(server: Server):
    """Parameter 2 of a Game frame: the connections that play or watch."""
    ann, _ = played(server)

    def connections() -> int:
        (game,) = [message for name, message in ann.ask("get_games") if name == "game"]
        return next(one.int_value for one in game.parameters if one.id == 2)

    before = connections()
    look(server, 0)
    assert connections() == before


# --- limits -----------------------------------------------------------------------------------------------------------


def test_an_account_looks_at_a_few_turns_at_once(server: Server, dialect: str):
    """A connection that closes makes room, and so does a refused one. Others are not affected."""
    played(server)
    clients = [look(server, 0, dialect=dialect) for _ in range(MOST_VISITS_OF_ONE)]
    refused, answer = try_to_look(server, 0, dialect=dialect)
    assert answer.code == TEMPORARILY
    assert f"{MOST_VISITS_OF_ONE} old turns" in answer.text
    assert refused.session.account is None
    look(server, 0, "ben", dialect)
    server.player("ann", dialect)
    clients[0].hang_up()
    assert refused.ask("login", username="ann@first/turn/9", password="ann's word").code == NO_SUCH
    assert refused.ask("login", username="ann@first/turn/1", password="ann's word").name == "okay"


def test_so_many_old_turns_are_looked_at_in_all(server: Server):
    played(server)
    """Half of them by anybody, a quarter by accounts that look at none, and the last quarter by players."""
    half, quarter = MOST_VISITS // 2, MOST_VISITS // 4
    clients = [look(server, 0, f"guest{number // MOST_VISITS_OF_ONE}x") for number in range(half)]
    _, answer = try_to_look(server, 0, "guest0x")
    assert answer.code == TEMPORARILY
    clients += [look(server, 0, f"other{number}x") for number in range(quarter)]
    client, answer = try_to_look(server, 0, "guestx")
    assert answer.code == TEMPORARILY
    assert str(len(clients)) in answer.text
    for name in ("ann", "ben"):
        clients.append(look(server, 0, name))
    for one in clients[: quarter + 3]:
        one.hang_up()
    assert client.ask("login", username="guestx@first/turn/0", password="guestx's word").name == "okay"
    for one in (*clients, client):
        one.hang_up()
    assert len(server.host.history) == 0


def test_so_many_objects_are_looked_at_in_all(server: Server, monkeypatch: pytest.MonkeyPatch):
    """One turn is always shown, however large."""
    monkeypatch.setattr("tpserver.games.stored.history.MOST_OBJECTS", 3)
    played(server)
    first = look(server, 0)
    client, answer = try_to_look(server, 1)
    assert answer.code == TEMPORARILY
    assert "much of the past" in answer.text
    first.hang_up()
    assert client.ask("login", username="ann@first/turn/1", password="ann's word").name == "okay"


def lined_up(server: Server) -> tuple[list[tuple[Callable[[], Any], Deferred[Any]]], Callable[[], None]]:
    """Read old turns in a thread that works when the test says so."""
    waiting: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    def compute(work: Callable[[], Any]) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        waiting.append((work, done))
        return done

    def do_next(seconds: float = 0.0) -> None:
        work, done = waiting.pop(0)
        server.pass_time(seconds)
        at_once(work).chainDeferred(done)

    server.host.history = History(server.store, compute, server.clock, server.clock.seconds)
    return waiting, do_next


def post_look(server: Server, turn: int, name: str = "ann") -> tuple[Client, Any]:
    client = server.connect()
    return client, client.post("login", username=f"{name}@first/turn/{turn}", password=f"{name}'s word")


def test_old_turns_are_read_one_after_the_other_with_a_rest_as_long(server: Server):
    """And not on the reactor's thread, which serves others meanwhile."""
    ann, _ = played(server)
    waiting, do_next = lined_up(server)
    _, first = post_look(server, 0)
    _, second = post_look(server, 1, "ben")
    assert len(waiting) == 1
    assert ann.ask("get_time_remaining").name == "time_remaining"
    do_next(2.0)
    assert first.reply.name == "okay"
    assert not waiting
    server.pass_time(1.9)
    assert not waiting
    server.pass_time(0.1)
    do_next()
    assert second.reply.name == "okay"


def test_nothing_is_read_for_whoever_has_hung_up(server: Server):
    played(server)
    waiting, do_next = lined_up(server)
    gone, _ = post_look(server, 0)
    never, _ = post_look(server, 0)
    _, third = post_look(server, 1)
    gone.hang_up()
    never.hang_up()
    assert len(server.host.history) == 1
    do_next()
    assert len(waiting) == 1
    do_next()
    assert third.reply.name == "okay"
    assert len(server.host.history) == 1


def test_a_turn_of_a_newer_version_is_a_sentence(make_server: Callable[..., Server]):
    """The game was played on by a newer version, and an older one is installed again."""
    rules = Auction()
    server = make_server(found=Rulesets({**ODD.usable, "auction": rules}, {}))
    played(server)
    rules.version = Auction.version - 1  # type: ignore[misc] # as if an older one were installed
    _, answer = try_to_look(server, 1)
    assert answer.code == PERMANENTLY
    assert f"turn 1 of 'first' was saved by version {Auction.version}".casefold() in answer.text.casefold()
    assert len(server.host.history) == 0


class Forgetful(Auction):
    """Cannot load what it saved in its first round, and counts the attempts."""

    name = "forgetful"
    world = None
    tries = 0
    problem: Exception | None = None

    def dump(self, world: World) -> Any:
        return [world.gold, world.won, world.rounds, world.hidden, world.round]

    def load(self, data: Any, version: int) -> World:
        if self.problem is not None and data[4] == 0:
            self.tries += 1
            raise self.problem
        return World(*data)


def test_a_turn_that_cannot_be_loaded_is_a_sentence_and_others_are_shown(
    make_server: Callable[..., Server], logged: list[Any]
):
    """It is logged, and not tried again at once; the game goes on."""
    rules = Forgetful()
    server = make_server(found=Rulesets({**ODD.usable, "forgetful": rules}, {}))
    played(server, ruleset="forgetful")
    rules.problem = ValueError("no world of the first round can be read")
    for _ in range(3):
        _, answer = try_to_look(server, 0)
        assert answer.code == PERMANENTLY
        assert "no world of the first round can be read" in answer.text
        assert "turn 0 of 'first' was saved by version" in answer.text.casefold()
    assert rules.tries == 1
    assert len([event for event in logged if "cannot be shown" in event["log_format"]]) == 1
    look(server, 1)
    server.close_turn()
    server.pass_time(AGAIN_SECONDS + 1)
    try_to_look(server, 0)
    assert rules.tries == 2
    assert server.game().row.state == "running"


def test_rules_that_take_too_long_for_one_turn_are_not_asked_for_another(make_server: Callable[..., Server]):
    rules = Forgetful()
    server = make_server(found=Rulesets({**ODD.usable, "forgetful": rules}, {}))
    played(server, ruleset="forgetful")
    rules.problem = TooSlow("it took longer than 5 s")
    assert try_to_look(server, 0)[1].code == PERMANENTLY
    assert "longer than 5 s" in try_to_look(server, 1)[1].text
    server.pass_time(AGAIN_SECONDS + 1)
    look(server, 1)


def test_rules_that_are_not_to_be_called_are_not_called_for_the_past(server: Server):
    """While a game has a fault nothing of it is asked, until its operator resumes it."""
    played(server)
    rules_calls.broke(server.game(), RuntimeError("as if a rule had failed"), "go on")
    _, answer = try_to_look(server, 0)
    assert answer.code == TEMPORARILY
    assert "operator" in answer.text
    server.undergo("resume")
    look(server, 0)


class WithoutGifts(Auction):
    """A later version, without one type of order."""

    version = Auction.version + 1
    orders = Auction.orders[:1]


def test_orders_of_a_type_that_is_gone_are_left_out(make_server: Callable[..., Server]):
    """The rest of the turn is shown."""
    server = make_server()
    server.create("first", clock="manual")
    ann, _ = server.players(2)
    ann.insert(ann.home, GIFT, target(3), chosen((1, 1)))
    ann.bid(4)
    server.close_turn()
    assert len(look(server, 0).queue(ann.home)) == 2
    server.found = Rulesets({**ODD.usable, "auction": WithoutGifts()}, {})
    client = look(server.restarted(), 0)
    assert client.home == ann.home
    assert [order.otype for order in client.queue(ann.home)] == [BID]
    assert client.queue(ann.home)[0].slot == 0


# --- after the end ----------------------------------------------------------------------------------------------------


class Levels(Auction):
    """An auction in which seats see the lot, object 1, at levels with more or fewer details. Only Ben sees his home."""

    name = "levels"
    by_seat: dict[Seat | None, str] = {}
    homes = False
    """If true, all others see Ann's home, object 2, at a level with more details than her own."""

    def sight(self, world: World, seat: Seat | None) -> dict[Oid, str]:
        seen = dict(super().sight(world, seat))
        seen[1] = self.by_seat.get(seat, "dim")
        if self.homes:
            seen[2] = "short" if seat == 0 else "bright"
        if seat != 1:
            seen.pop(3)
        return seen

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        if level not in ("dim", "short", "bright"):
            return super().show(world, oid, level)
        shown = super().show(world, oid, "public")
        return shown._replace(name=level, description={"dim": "", "bright": "a long story"}.get(level, "short"))


def ended(server: Server) -> None:
    server.create("first", "levels", clock="manual")
    server.players(2)
    while not server.game().over:
        server.close_turn()


@pytest.mark.parametrize(
    ("levels", "seen"),
    [
        ({}, "dim"),
        ({0: "bright"}, "bright"),
        ({1: "bright"}, "bright"),
        ({None: "bright"}, "bright"),
        ({0: "short", 1: "bright"}, "bright"),
    ],
)
def test_after_the_end_all_see_what_anybody_saw_as_it_told_the_most(
    make_server: Callable[..., Server], levels: dict[Seat | None, str], seen: str
):
    rules = Levels()
    rules.by_seat = levels
    server = make_server(found=Rulesets({**ODD.usable, "levels": rules}, {}))
    ended(server)
    for name in ("ann", "ben", "eve"):
        client = look(server, 0, name)
        assert list(client.ids()) == [0, 1, 2, 3]
        assert client.object(1).name == seen
        client.hang_up()


@pytest.mark.parametrize("name", ["ann", "ben", "eve"])
def test_after_the_end_all_see_an_object_as_its_owner_did(make_server: Callable[..., Server], name: str):
    """Another level with more details changes nothing."""
    rules = Levels()
    rules.homes = True
    server = make_server(found=Rulesets({**ODD.usable, "levels": rules}, {}))
    ended(server)
    assert look(server, 0, name).object(2).name == "short"


def test_before_the_end_a_seat_sees_its_own_level_only(make_server: Callable[..., Server]):
    rules = Levels()
    rules.by_seat = {0: "bright"}
    server = make_server(found=Rulesets({**ODD.usable, "levels": rules}, {}))
    server.create("first", "levels", clock="manual")
    server.players(2)
    server.close_turn()
    assert list(look(server, 0).ids()) == [0, 1, 2]
    assert look(server, 0).object(1).name == "bright"
    assert look(server, 0, "ben").object(1).name == "dim"
    assert look(server, 0, "eve").object(1).name == "dim"


def test_an_end_that_is_not_saved_yet_opens_nothing(make_server: Callable[..., Server]):
    """It may never have been: only what the store holds counts."""
    server = make_server(found=Rulesets({**ODD.usable, "levels": Levels()}, {}), delayed=True)
    server.create("first", "levels", clock="manual")
    server.players(2)
    for _ in range(4):
        server.close_turn()
    server.disk.at_once = False
    closing = server.registry.turns.close_turn(server.game())
    assert server.game().over
    assert list(look(server, 0).ids()) == [0, 1, 2]
    server.disk.commit()
    server.disk.at_once = True
    result_of(closing)
    assert list(look(server, 0).ids()) == [0, 1, 2, 3]


def test_orders_of_others_stay_theirs_after_the_end(server: Server):
    ann, _ = played(server)
    while not server.game().over:
        server.close_turn()
    assert len(look(server, 0).queue(ann.home)) == 1
    for name in ("ben", "eve"):
        client = look(server, 0, name)
        assert client.ask("get_order", id=ann.home, slots=[0]).code == DENIED
        assert client.messages() == [] or name == "ben"
