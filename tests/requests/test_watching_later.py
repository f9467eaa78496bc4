"""Spectators of a delayed game: old turns only, and each at its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.support.server_in_memory import (
    BEGINNING,
    Client,
    DelayedStore,
    Server,
    everything,
    making_servers,
    result_of,
)
from tpproto.frames import BY_NAME
from tpserver.concurrency import at_once
from tpserver.games.core import phases
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.hall.hibernation import IDLE_SECONDS
from tpserver.games.service import ownership
from tpserver.games.service import spectator_feed as feed
from tpserver.games.terms import delay as delays
from tpserver.games.terms.delay import MOST_DELAY, UNWATCHED, BadDelay, delay_from, typed
from tpserver.store.games import rows as stored_games

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH, DENIED = 1, 2, 3, 4, 5


def try_to_watch(server: Server, name: str = "eve", dialect: str = "pb", game: str = "first") -> tuple[Client, Any]:
    client = server.connect(dialect)
    return client, client.ask("login", username=f"{name}@{game}/watch", password=f"{name}'s word")


def watcher(server: Server, name: str = "eve", dialect: str = "pb", game: str = "first") -> Client:
    client, answer = try_to_watch(server, name, dialect, game)
    assert answer.name == "okay", answer
    return client


def begun(server: Server, delay: int = 2, turns: int = 0, dialect: str = "tp04", **more: Any) -> list[Client]:
    """Begin an auction that is shown later, in which Ann bids 1, 2, 3 ... and so many turns are over."""
    more.setdefault("options", {"rounds": 9, "gold": 90})
    server.create("first", clock="manual", watch_delay=delay, **more)
    players = server.players(2, dialect)
    for turn in range(turns):
        play(server, players[0], turn)
    return players


def play(server: Server, ann: Client, turn: int) -> None:
    server.pass_time(10)
    assert ann.bid(turn + 1, f"bid {turn}").name in ("okay", "order")
    server.close_turn()


def things(client: Client) -> list[Any]:
    found = client.objects(*client.ids())
    for thing in found:
        thing.modtime = 0
    return found


def clock(client: Client) -> Any:
    return client.ask("get_time_remaining").message


# --- what is seen -----------------------------------------------------------------------------------------------------


def test_who_watches_sees_the_turn_of_so_many_turns_ago(server: Server, dialect: str):
    """Its objects, its number and title, and no time that is left; the login says how late that is."""
    ann, _ = begun(server, 2, 3)
    client, answer = try_to_watch(server, "eve", dialect)
    assert answer.text == "Welcome, eve; you watch turn 1 of 3: the game shows its turns 2 turns later"
    past = server.connect(dialect)
    assert past.ask("login", username="fay@first/turn/1", password="fay's word").name == "okay"
    assert things(client) == things(past)
    told = clock(client)
    assert told.time == 2**31 - 1
    if dialect != "tp03":
        assert (told.turn, told.turn_name, list(told.waiting)) == (1, "Round 2", [])
    if dialect in ("pb", "json"):
        assert (told.watch_delay, told.present_turn) == (2, 3)
    assert clock(ann).turn == 3


def test_each_closing_brings_the_next_turn(server: Server, dialect: str):
    """It is pushed, and a client that asks for what has changed since finds just that, and nothing that is newer."""
    ann, _ = begun(server, 2, 2)
    client = watcher(server, dialect=dialect)
    for turn in range(2, 5):
        before = client.ids()
        play(server, ann, turn)
        pushed = client.pushed[-1][1]
        assert client.times_pushed()[-1][1] in (0, 1), "the turn has begun; TP03 tells no reason"
        if dialect != "tp03":
            assert (pushed.turn, pushed.turn_name) == (turn - 1, f"Round {turn}")
        after = client.ids()
        assert after[0] > max(before.values()), "the root is newer than all that was told"
        past = server.connect(dialect)
        assert past.ask("login", username=f"fay@first/turn/{turn - 1}", password="fay's word").name == "okay"
        assert things(client) == things(past)
        past.hang_up()


def test_before_there_are_so_many_turns_a_sentence_says_so(server: Server, dialect: str):
    """There is the root alone, and the title of the turn says when there will be more; then there is."""
    begun(server, 2, 1)
    client, answer = try_to_watch(server, "eve", dialect)
    assert answer.text == (
        "Welcome, eve; you watch first: the game first shows its turns 2 turns later, so its turn 0 is seen when "
        "turn 2 begins"
    )
    assert list(client.ids()) == [0]
    told = clock(client)
    if dialect != "tp03":
        assert told.turn_name == "Turn 0 is shown when turn 2 begins: spectators see this game 2 turns later"
    if dialect in ("pb", "json"):
        assert (told.watch_delay, told.present_turn) == (2, 1)
        assert client.ask("get_scores").code == TEMPORARILY
        assert client.ask("get_turn_summaries", first=0, amount=1).code == TEMPORARILY
    assert [one.name for one in client.ask("get_player", ids=[1, 2]).things] == ["ann", "ben"]
    server.close_turn()
    assert len(client.ids()) > 1
    assert client.times_pushed()


def test_one_comes_before_the_start_and_sees_it_begin_later(server: Server):
    server.create("first", clock="manual", watch_delay=1)
    client = watcher(server)
    server.players(2)
    assert list(client.ids()) == [0]
    told = clock(client)
    assert (told.watch_delay, told.present_turn) == (1, 0)
    server.close_turn()
    assert clock(client).turn_name == "Round 1"


def test_scores_summaries_and_standing_are_those_of_the_turn_that_is_shown(server: Server):
    begun(server, 2, 4)
    client = watcher(server)
    assert client.ask("get_standing").message.turn == 2
    found = client.ask("get_turn_summaries", first=0, amount=9).things
    assert [one.turn for one in found][-1] == 2
    assert client.ask("get_turn_summaries", first=3, amount=1).code == NO_SUCH
    assert all(turn <= 2 for turn in client.ask("get_scores").message.turns)


def test_the_end_is_told_at_once_with_the_last_turn(server: Server, dialect: str):
    """Then nothing is hidden any longer: present and new spectators see everything that any seat saw."""
    ann, _ = begun(server, 2, 1)
    client = watcher(server, dialect=dialect)
    while not server.game().over:
        play(server, ann, 1)
    assert client.times_pushed()
    told = clock(client)
    if dialect != "tp03":
        assert told.turn == server.game().state.turn
        assert told.turn_name == phases.title(server.game())
    if dialect in ("pb", "json"):
        assert (told.watch_delay, told.present_turn) == (0, 0)
        assert client.ask("get_scores").message.places
    past = server.connect(dialect)
    answer = past.ask("login", username=f"fay@first/turn/{server.game().state.turn}", password="fay's word")
    assert answer.name == "okay"
    assert things(client) == things(past)
    later, answer = try_to_watch(server, "fay", dialect)
    assert answer.text == "Welcome, fay; you watch first"
    assert len(later.ids()) > 1


def test_an_end_without_a_result_is_told_at_once(server: Server):
    begun(server, 2, 3)
    client = watcher(server)
    result_of(ownership.abort(server.registry, server.game(), "nobody comes", "The operator"))
    assert clock(client).turn == 3
    assert clock(client).turn_name == "Game over"


def test_all_who_watch_share_one_turn(server: Server):
    """So a thousand spectators cost what one costs; and of a game that is over nothing is kept."""
    begun(server, 1, 2)
    one, other = watcher(server, "eve"), watcher(server, "fay")
    assert one.session.game is other.session.game
    shown = server.host.watching.shown
    assert len(shown) == 1
    server.close_turn()
    assert one.session.game is other.session.game
    one.hang_up()
    result_of(ownership.abort(server.registry, server.game(), "enough", "The operator"))
    assert not shown
    assert clock(other).turn_name == "Game over"


def test_who_comes_back_finds_what_has_changed_since(server: Server, dialect: str):
    """Turns within one second are no exception: no time equals one of an older turn."""
    ann, _ = begun(server, 1, 2)
    for number in range(3):
        client = watcher(server, dialect=dialect)
        before = client.ids()
        client.hang_up()
        assert ann.bid(number + 1).name in ("okay", "order")
        server.close_turn()
        after = watcher(server, dialect=dialect).ids()
        assert after[0] > max(before.values())


@pytest.mark.parametrize("ends", [False, True])
def test_who_watches_a_game_that_rests_is_shown_its_next_turn_and_its_end(server: Server, dialect: str, ends: bool):
    """Spectators of a delayed game do not keep it in memory.

    They still see the changes that happen when it is loaded again.
    """
    players = begun(server, 1, 2)
    eve = watcher(server, "eve", dialect)
    for player in players:
        player.hang_up()
    server.registry.idle.let_go()
    server.pass_time(IDLE_SECONDS + 60)
    server.registry.idle.let_go()
    assert not server.registry.games
    eve.pushed.clear()
    if ends:
        result_of(ownership.abort(server.registry, server.game(), "enough", "The operator"))
    else:
        server.close_turn()
    server.settle()
    assert eve.pushed
    assert eve.session.game is not None and eve.session.game.state.turn == 2
    if not ends:
        assert eve.ask("post_message", id=0, slot=-1, subject="x", body="y").name == "okay"


def test_turns_of_games_that_nobody_watches_any_more_are_kept_within_a_bound(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    """And none that is watched is forgotten, whatever comes after it."""
    monkeypatch.setattr(feed, "MOST_KEPT", 2)
    stays = []
    for number in range(6):
        server.create(f"game{number}", clock="manual", watch_delay=1)
        client = watcher(server, "eve", game=f"game{number}")
        if number == 0:
            stays.append(client)
        else:
            client.hang_up()
    kept = server.host.watching.shown
    assert len(kept) == 1 + 2 + 1
    assert stays[0].session.game in kept.values()


def test_a_closing_while_a_turn_is_read_leaves_nobody_behind(server: Server):
    """A spectator who logs in or changes the turn while the next turn begins gets that turn, too."""
    ann, _ = begun(server, 1, 2)
    waiting: list[Callable[[], object]] = []

    def read_later(work: Callable[[], Any]) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        waiting.append(lambda: at_once(work).chainDeferred(done))
        return done

    server.host.history.compute = read_later
    client = server.connect("pb")
    login = client.post("login", username="eve@first/watch", password="eve's word")
    play(server, ann, 2)
    waiting.pop()()
    server.pass_time(100)  # reading has taken long, so the next one waits
    assert login.came
    assert clock(client).turn == 1
    waiting.pop()()
    assert clock(client).turn == 2
    play(server, ann, 3)
    play(server, ann, 4)
    while waiting:
        waiting.pop()()
        server.pass_time(100)
    assert clock(client).turn == 4


def test_nothing_is_shown_before_the_turn_that_reveals_it_is_saved(make_server: Callable[..., Server]):
    """While the disk is busy with the closing, spectators stay where they are; if it fails, too."""
    server = make_server(delayed=True)
    begun(server, 1, 2)
    client, disk = watcher(server), server.disk
    assert isinstance(disk, DelayedStore)
    disk.at_once = False
    server.registry.turns.close_turn(server.game()).addErrback(lambda failure: None)
    coming = server.connect("pb").post("login", username="fay@first/watch", password="fay's word")
    assert clock(client).turn == 1
    disk.fail()
    server.settle()
    disk.at_once = True
    disk.commit()
    assert clock(client).turn == 1
    assert not coming.came or coming.reply.name in ("okay", "fail")


@pytest.mark.parametrize("aim", ["watch", "turn/8"])
def test_an_end_that_is_not_saved_shows_nothing(make_server: Callable[..., Server], aim: str):
    """Nobody is notified before it is saved. If that fails, the game goes on, and is hidden as before."""
    server = make_server(delayed=True)
    begun(server, 2, 8)
    watcher(server, "eve").hang_up()
    disk = server.disk
    disk.at_once = False
    server.registry.turns.close_turn(server.game()).addErrback(lambda failure: None)
    assert server.game().over, "in memory only"
    coming = server.connect("pb").post("login", username=f"eve@first/{aim}", password="eve's word")
    assert not coming.came
    disk.fail()
    disk.at_once = True
    server.settle()
    assert coming.reply.code in (TEMPORARILY, NO_SUCH)
    assert clock(watcher(server, "fay")).turn == 6


def test_it_survives_a_restart(make_server: Callable[..., Server]):
    server = make_server()
    begun(server, 2, 4)
    server = server.restarted(later=1)
    client = watcher(server)
    assert (clock(client).turn, clock(client).watch_delay) == (2, 2)


# --- that nothing leaks -----------------------------------------------------------------------------------------------

ALSO: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_standing", {}),
    ("get_scores", {}),
    ("get_turn_summaries", {"first": 0, "amount": 64}),
    ("get_turn_summaries", {"first": 4, "amount": 64}),
    ("get_proposals", {}),
    ("get_proposals", {"game": "first"}),
    ("get_talk", {}),
    ("get_game_setup", {}),
    ("get_clock", {}),
    ("get_my_games", {}),
    ("get_legal_orders", {"ids": [1]}),
    ("show_turn", {"turn": 4}),
    ("show_turn", {"turn": 5}),
    ("report_message", {"slot": 0, "subject": "s", "reason": "r"}),
)


def learnt(client: Client) -> list[tuple[str, Any]]:
    """Return everything that a connection received and can ask for, except the list of games.

    That list shows the awaited players to anybody, logged in or not.
    """
    found: list[tuple[str, Any]] = [("unasked", data) for data in client.pushed_data]
    fromtimes = (0, BEGINNING, BEGINNING + 25, BEGINNING + 45)
    found += [(what, answer.data) for what, answer in everything(client, range(9), fromtimes) if what != "get_games "]
    for name, fields in ALSO:
        if client.knows(name):
            kind = BY_NAME[name]
            found.append((f"{name} {fields}", client.post_message(kind, kind.message(**fields)).data))
    return found


def secret_turn(server: Server, players: list[Client], turn: int, is_other: bool) -> None:
    """Actions of players in a turn that is not shown yet: two twins in which all of them differ."""
    ann, ben = players
    ann.bid(3 if is_other else 1, "much" if is_other else "little")
    ben.bid(1 if is_other else 2)
    if is_other:
        ann.ask("post_message", id=2, slot=-1, subject="a letter", body="to ben")
        ann.ask("post_message", id=0, slot=-1, subject="a note", body="to myself")
        if turn != 5:  # then all else is as it was when the turn ends
            ben.ask("finished_turn")
        if turn % 2:
            ann.ask("remove_message", id=0, slots=[0])


@pytest.mark.parametrize("dialect", ["tp03", "json"])
def test_twins_that_differ_in_the_last_turns_only_give_who_watches_the_same_bytes(dialect: str):
    """Requests, pushed frames and logins while the turns close are equal, for present and new spectators."""
    runs: list[list[tuple[str, Any]]] = []
    seen: list[Any] = []
    for is_other in (False, True):
        with making_servers() as make:
            server = make()
            players = begun(server, 2, 3, seed="same")
            server.close_turn()
            there = watcher(server, "eve", dialect)
            found = learnt(there)
            for turn in (4, 5):
                server.pass_time(10)
                secret_turn(server, players, turn, is_other)
                found += learnt(there)
                server.close_turn()
                found += learnt(there)
            secret_turn(server, players, 6, is_other)
            players[1].ask("finished_turn")
            found += learnt(there) + learnt(watcher(server, "fay", dialect))
            for turn in (4, 5, 6, 7, 99):
                answer = server.connect(dialect).ask("login", username=f"fay@first/turn/{turn}", password="fay's word")
                found.append((f"turn {turn}", answer.data))
            assert clock(there).time > 0
            runs.append(found)
            server.close_turn()
            seen.append(learnt(there))
    assert len(runs[0]) == len(runs[1])
    for (about, first), (_, second) in zip(*runs, strict=True):
        assert first == second, f"{dialect} learns something by {about}"
    assert seen[0] != seen[1], "were the comparison blind, this would prove nothing: the next turn differs"


def test_what_players_propose_is_theirs_and_the_owners(server: Server):
    """Spectators of a delayed game see no proposals. Those of a game without delay see them as before."""
    ann, _ = begun(server, 1, 2, dialect="pb")
    server.create("second", clock="manual")
    others = server.players(2, "pb", "second")
    for client, game in ((ann, "first"), (others[0], "second")):
        assert client.ask("propose", game=game, kind="draw").name == "okay"
    client = watcher(server)
    assert not client.ask("get_proposals", game="first").message.proposals
    assert client.ask("get_proposals", game="second").message.proposals
    assert ann.ask("get_proposals", game="first").message.proposals


def test_a_game_master_sees_it_as_late_and_no_title_of_the_present_turn(server: Server):
    """It decides about the game, and knows no more of it than others who have no seat."""
    zoe = server.connect("pb")
    zoe.ask("create_account", username="zoe", password="zoe's word")
    zoe.ask("login_account", username="zoe", password="zoe's word")
    base = {"name": "first", "ruleset": "auction", "seats": 2, "clock": "interval:100000"}
    answer = zoe.ask("create_game", master=True, watch_delay=2, **base)
    assert answer.name == "okay", answer
    players = server.players(2, game="first")
    for _ in range(3):
        server.close_turn()
    (mine,) = zoe.ask("get_my_games").message.games
    assert (mine.turn, mine.turn_name) == (3, "")
    for player in players:
        player.hang_up()
    server.registry.idle.look()
    server.pass_time(IDLE_SECONDS)
    server.registry.idle.look()
    assert not server.registry.games
    (mine,) = zoe.ask("get_my_games").message.games
    assert (mine.turn, mine.turn_name) == (3, ""), "nor of a game that rests"
    client = watcher(server, "zoe")
    assert clock(client).turn == 1


def test_old_turns_that_are_not_shown_yet_are_refused_to_who_has_no_seat(server: Server):
    begun(server, 2, 4)
    for turn, code in ((0, 0), (2, 0), (3, NO_SUCH), (4, NO_SUCH), (5, NO_SUCH), ("x", NO_SUCH)):
        answer = server.connect().ask("login", username=f"eve@first/turn/{turn}", password="eve's word")
        assert answer.name == "okay" if not code else answer.code == code, turn
    assert "the newest that can be seen now is turn 2" in answer.text
    past = server.connect("pb")
    assert past.ask("login", username="eve@first/turn/0", password="eve's word").name == "okay"
    assert past.ask("show_turn", turn=2).name == "turn_shown"
    assert past.ask("show_turn", turn=3).code == NO_SUCH
    own = server.connect("pb")
    assert own.ask("login", username="ann@first/turn/4", password="ann's word").name == "okay"


def test_who_watches_goes_to_no_other_turn(server: Server):
    """Old turns need separate connections. This one could not return to the delayed turn."""
    begun(server, 2, 4)
    client = watcher(server)
    assert client.ask("show_turn", turn=0).code == PERMANENTLY
    assert clock(client).turn == 2


@pytest.mark.parametrize("name", ["order_insert", "order_probe", "finished_turn", "say_here", "get_legal_orders"])
def test_who_watches_cannot_do_what_players_do(server: Server, name: str):
    begun(server, 2, 4)
    fields = {"id": 1, "slot": -1, "otype": 1} if name.startswith("order") else {}
    answer = watcher(server).ask(name, **fields)
    assert answer.code == DENIED
    assert "you watch this game" in answer.text


# --- who --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [0, 2])
def test_who_has_a_seat_does_not_watch_besides(server: Server, delay: int):
    """It would see what is for spectators, and talk with them; after the end it may."""
    begun(server, delay, 3)
    client, answer = try_to_watch(server, "ann")
    assert answer.code == DENIED
    assert "have a seat" in answer.text
    assert client.session.account is None
    result_of(ownership.abort(server.registry, server.game(), "enough", "The operator"))
    assert watcher(server, "ann")


@pytest.mark.parametrize("delay", [0, 2])
def test_who_takes_a_seat_watches_no_more(server: Server, delay: int):
    server.create("first", clock="manual", watch_delay=delay)
    eve, fay = watcher(server, "eve"), watcher(server, "fay")
    assert server.connect().ask("login", username="eve@first", password="eve's word").name == "okay"
    answer = eve.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=-1)
    assert answer.code == DENIED
    assert "have a seat" in answer.text
    assert list(fay.ids()) == [0]


def test_who_takes_over_a_seat_watches_no_more(server: Server):
    begun(server, 1, 2)
    eve = watcher(server, "eve")
    result_of(server.registry.seat_changes.remove_player(server.game(), 1, "The operator"))
    taking = server.connect("pb")
    taking.ask("login_account", username="eve", password="eve's word")
    assert taking.ask("take_seat", game="first", player=2).name == "okay"
    assert "have a seat" in eve.ask("get_time_remaining").text


def test_a_game_closed_to_spectators_is_watched_when_it_is_over(server: Server):
    """Before that nobody watches, not even the owner. Without a seat, nobody sees its old turns, either."""
    begun(server, UNWATCHED, 3)
    for name in ("eve@first/watch", "eve@first/turn/0"):
        answer = server.connect().ask("login", username=name, password="eve's word")
        assert answer.code == DENIED, name
        assert "over" in answer.text
    result_of(ownership.abort(server.registry, server.game(), "enough", "The operator"))
    assert watcher(server).ids()
    assert server.connect().ask("login", username="eve@first/turn/0", password="eve's word").name == "okay"


def test_a_game_that_is_deleted_ends_what_shows_it(server: Server):
    server.create("first", watch_delay=1)
    client = watcher(server)
    result_of(ownership.delete(server.registry, server.game()))
    assert "deleted" in client.ask("get_time_remaining").text


# --- choosing and changing it -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "delay"), [("0", 0), (" 3 ", 3), ("50", 50), ("closed", UNWATCHED), ("Closed", UNWATCHED)]
)
def test_a_delay_is_typed_as_turns_or_as_closed(text: str, delay: int):
    assert delay_from(text) == delay
    assert delay_from(typed(delay)) == delay


@pytest.mark.parametrize("text", ["", "51", "-1", "x", "1.5", "9" * 100, "٣", "none"])
def test_other_delays_are_refused_with_their_bounds(text: str):
    with pytest.raises(BadDelay, match=f"0 to {MOST_DELAY}"):
        delay_from(text)


def test_a_stored_delay_that_is_not_known_hides_all(server: Server):
    """As a newer version may have stored it: then it is better that nobody watches."""
    game = server.create("first")
    result_of(server.store.write(stored_games.update, game.row.id, watch_delay=-7))
    row = server.store.read(stored_games.by_id, game.row.id)
    assert row is not None
    assert delays.delay_of(row) == UNWATCHED


def test_a_game_is_made_with_a_delay_and_says_so(server: Server, dialect: str):
    """In the list of games, which old clients read, in the welcome of players, and in what it was set up with."""
    maker = server.connect("json")
    maker.ask("create_account", username="zoe", password="zoe's word")
    maker.ask("login_account", username="zoe", password="zoe's word")
    base = {"ruleset": "auction", "seats": 2, "clock": "interval:1000"}
    assert maker.ask("create_game", name="first", watch_delay=MOST_DELAY + 1, **base).code == PERMANENTLY
    server.pass_time(100)
    assert maker.ask("create_game", name="first", watch_delay=3, **base).name == "okay"
    server.pass_time(100)
    assert maker.ask("create_game", name="second", unwatched=True, **base).name == "okay"
    setups = [maker.ask("get_game_setup", game=name).message for name in ("first", "second")]
    assert [(one.watch_delay, one.unwatched) for one in setups] == [(3, False), (0, True)]
    client = server.connect(dialect)
    if client.knows("get_games"):
        listed = str([message for _, message in client.ask("get_games")])
        assert "spectators see this game 3 turns later" in listed
        assert "nobody watches this game before it is over" in listed
    ann = server.player("ann", dialect, "first")
    assert "Spectators see this game 3 turns later." in ann.messages()[0].body


@pytest.mark.parametrize(("before", "after"), [(0, 3), (3, 0), (3, UNWATCHED), (UNWATCHED, 2)])
def test_before_the_start_it_is_changed_to_anything(server: Server, before: int, after: int):
    game = server.create("first", watch_delay=before)
    ann = server.player("ann", game="first")
    result_of(ownership.set_watch_delay(server.registry, game, after, "The operator"))
    assert delays.delay_of(server.game().row) == after
    assert delays.words(after) in ann.messages()[-1].body
    with pytest.raises(GameError, match="already"):
        result_of(ownership.set_watch_delay(server.registry, game, after, "The operator"))


@pytest.mark.parametrize(("before", "after"), [(3, 2), (3, 0), (UNWATCHED, MOST_DELAY), (UNWATCHED, 0)])
def test_once_it_has_begun_nothing_is_shown_sooner(server: Server, before: int, after: int):
    """Players rely on it: with a shorter delay, turns that were hidden would come out at once."""
    begun(server, before, 1)
    with pytest.raises(GameError, match="only be shown later"):
        result_of(ownership.set_watch_delay(server.registry, server.game(), after, "The operator"))
    assert delays.delay_of(server.game().row) == before


def test_a_longer_delay_counts_at_once_for_who_comes_and_stays_for_who_is_there(server: Server):
    """A present spectator continues from the turns shown so far, and gets no newer turn before it is due."""
    ann, _ = begun(server, 1, 4)
    eve = watcher(server, "eve")
    result_of(ownership.set_watch_delay(server.registry, server.game(), 3, "The operator"))
    assert (clock(eve).turn, clock(eve).watch_delay) == (3, 3)
    play(server, ann, 4)
    play(server, ann, 5)
    assert (clock(eve).turn, clock(eve).present_turn) == (3, 6)
    play(server, ann, 6)
    assert clock(eve).turn == 4


def test_who_watches_the_present_when_it_is_hidden_has_to_come_again(server: Server):
    begun(server, 0, 4)
    eve, ann = watcher(server, "eve"), server.player("ann", "pb")
    result_of(ownership.set_watch_delay(server.registry, server.game(), 2, "The operator"))
    assert "2 turns later" in eve.ask("get_time_remaining").text
    assert clock(watcher(server, "eve")).turn == 2
    assert clock(ann).turn == 4


def test_closing_a_game_to_spectators_ends_what_they_see(server: Server):
    begun(server, 1, 4)
    eve, past = watcher(server, "eve"), server.connect("pb")
    assert past.ask("login", username="fay@first/turn/1", password="fay's word").name == "okay"
    result_of(ownership.set_watch_delay(server.registry, server.game(), UNWATCHED, "The operator"))
    for client in (eve, past):
        assert "Nobody watches" in client.ask("get_time_remaining").text


def test_it_is_not_changed_while_a_turn_is_computed_nor_after_the_end(server: Server):
    begun(server, 1, 1)
    game = server.game()
    game.closing = True
    with pytest.raises(NotNow):
        result_of(ownership.set_watch_delay(server.registry, game, 3, "The operator"))
    game.closing = False
    result_of(ownership.abort(server.registry, game, "enough", "The operator"))
    with pytest.raises(GameError, match="is over"):
        result_of(ownership.set_watch_delay(server.registry, server.game(), 3, "The operator"))


def test_only_the_owner_changes_it_and_all_are_told(server: Server):
    zoe = server.connect("pb")
    zoe.ask("create_account", username="zoe", password="zoe's word")
    zoe.ask("login_account", username="zoe", password="zoe's word")
    zoe.ask("create_game", name="first", ruleset="auction", seats=2, clock="interval:1000")
    ann = server.player("ann", "pb", "first")
    assert ann.ask("set_watch_delay", game="first", watch_delay=2).code == DENIED
    assert zoe.ask("set_watch_delay", game="first", watch_delay=51).code == PERMANENTLY
    assert zoe.ask("set_watch_delay", game="first", watch_delay=2).text == (
        "In first now: spectators see this game 2 turns later; all players are notified"
    )
    assert "zoe has decided: spectators see this game 2 turns later." in ann.messages()[-1].body
    assert zoe.ask("set_watch_delay", game="first", unwatched=True).name == "okay"
