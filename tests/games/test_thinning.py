"""Thinned snapshots: old turns are computed again, or reported as lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import update
from test_games.auction import Auction
from twisted.internet.defer import Deferred, execute

from tests.games.test_taking_back import FOUND, agree, finish, propose, table
from tests.support.server_in_memory import Client, Server, everything, result_of
from tpserver.games.service import ownership
from tpserver.games.service.thinning import AT_ONCE, DAY, Thinning
from tpserver.games.stored.history import COMPUTE_SECONDS
from tpserver.games.stored.replay import read_recorded, run_again
from tpserver.games.terms.snapshot_retention import KeepRule
from tpserver.rules.discovery import Rulesets
from tpserver.store import tables
from tpserver.store.games import snapshots as stored_snapshots

NO_SUCH = 4


def installed(version: int) -> Rulesets:
    """Return the auction as the only ruleset, in this version."""
    return Rulesets({"auction": type("Auction", (Auction,), {"version": version})()}, {})


def thin(server: Server, rule: KeepRule) -> None:
    """Follow a rule in all games at once."""
    thinning = Thinning(server.registry, server.clock, rule)
    driven(server, Deferred.fromCoroutine(thinning.thin()))


def driven(server: Server, doing: Deferred[Any]) -> Any:
    for _ in range(1000):
        if doing.called:
            break
        server.settle()
    return result_of(doing)


def kept(server: Server, game: int = 1) -> list[int]:
    """The turns whose worlds are there."""

    def read(connection: Any) -> list[int]:
        turns = stored_snapshots.turns(connection, game)
        found = [stored_snapshots.by_turn(connection, game, turn) for turn in turns]
        assert all(one is not None and one.thinned == ("world" not in one.state or None) for one in found)
        return [one.turn for one in found if one is not None and not one.thinned]

    found: list[int] = server.store.read(read)
    return found


def played(server: Server, turns: int, **more: Any) -> list[Client]:
    """Play an auction in which Ann bids in each turn, and Ben in every other one."""
    server.create("first", clock="manual", options={"rounds": 99, "gold": 9}, **more)
    clients = server.players(2)
    on(server, clients, turns)
    return clients


def on(server: Server, clients: list[Client], turns: int) -> None:
    for number in range(turns):
        server.pass_time(10)
        clients[0].bid(1 + number % 3, f"bid {number}")
        if number % 2:
            clients[1].bid(2, "")
        server.close_turn()


def look(server: Server, turn: int, name: str = "ann", dialect: str = "tp04") -> tuple[Client, Any]:
    client = server.connect(dialect)
    return client, client.ask("login", username=f"{name}@first/turn/{turn}", password=f"{name}'s word")


def seen(server: Server, turn: int, name: str = "ann") -> Any:
    """All that a client downloads of an old turn; then it has left."""
    client, answer = look(server, turn, name)
    assert answer.name == "okay", answer
    found = downloaded(client)
    client.hang_up()
    return found


def downloaded(client: Client) -> list[tuple[str, bytes | None]]:
    """Every answer to what can be asked, byte for byte."""
    return [(about, answer.data) for about, answer in everything(client, client.ids())]


def test_a_thinned_turn_is_shown_as_it_was(server: Server):
    """To each seat, byte for byte: objects, orders, boards and times; and the whole game can be run again."""
    played(server, 12)
    server = server.restarted()
    before = {(turn, name): seen(server, turn, name) for turn in range(13) for name in ("ann", "ben")}
    digests = server.store.read(stored_snapshots.digests, 1)
    thin(server, KeepRule(5, 3))
    assert kept(server) == [0, 5, 10, 11, 12]
    assert {(turn, name): seen(server, turn, name) for turn in range(13) for name in ("ann", "ben")} == before
    assert server.store.read(stored_snapshots.digests, 1) == digests
    assert "12 turns" in run_again(*server.store.read(read_recorded, "first", server.found)).done


def test_the_game_goes_on_and_more_is_thinned_at_the_next_look(server: Server):
    clients = played(server, 6)
    thinning = Thinning(server.registry, server.clock, KeepRule(4, 2))
    driven(server, Deferred.fromCoroutine(thinning.thin()))
    assert kept(server) == [0, 4, 5, 6]
    on(server, clients, 3)
    driven(server, Deferred.fromCoroutine(thinning.thin()))
    assert kept(server) == [0, 4, 8, 9]
    thinning.rule = KeepRule(8, 2)
    driven(server, Deferred.fromCoroutine(thinning.thin()))
    assert kept(server) == [0, 8, 9]


def test_it_looks_again_by_itself_until_it_is_stopped(server: Server):
    clients = played(server, 4)
    thinning = Thinning(server.registry, server.clock, KeepRule(4, 2))
    thinning.start()
    server.pass_time(1)
    assert kept(server) == [0, 3, 4]
    on(server, clients, 1)
    server.pass_time(3600)
    server.settle()
    assert kept(server) == [0, 4, 5]
    thinning.stop()
    on(server, clients, 4)
    server.pass_time(7200)
    assert kept(server) == [0, 4, 5, 6, 7, 8, 9]


def test_more_turns_than_fit_in_a_transaction(server: Server):
    """A little at a time, and each of them; nothing is kept but what the rule says."""
    played(server, AT_ONCE + 12)
    thin(server, KeepRule(100, 2))
    assert kept(server) == [0, AT_ONCE + 11, AT_ONCE + 12]


def test_only_games_that_are_over_for_so_long(server: Server):
    """From their last turn or their abortion on; games that go on keep all."""
    clients = played(server, 4)
    rule = KeepRule(4, 2, 30)
    server.pass_time(60 * DAY)
    thin(server, rule)
    assert kept(server) == [0, 1, 2, 3, 4]
    result_of(ownership.abort(server.registry, server.game(), "nobody plays", "The operator"))
    thin(server, rule)
    assert kept(server) == [0, 1, 2, 3, 4]
    server.pass_time(30 * DAY)
    thin(server, rule)
    assert kept(server) == [0, 3, 4]
    assert clients


def test_what_those_who_watch_a_delayed_game_see_next_is_kept(server: Server):
    played(server, 12, watch_delay=6)
    thin(server, KeepRule(100, 2))
    assert kept(server) == [0, 6, 7, 8, 9, 10, 11, 12]


def test_a_turn_that_was_taken_back_leads_to_the_same_turns(make_server: Callable[..., Server]):
    """Also where the closing of the kept turn itself goes back to one that is thinned."""
    server = make_server(found=FOUND)
    ann, ben = table(server, options={"rounds": 99, "gold": 9})
    for number in range(4):
        ann.bid(3 - number % 2)
        finish(ann, ben)
    propose(ann)
    agree(ben)  # closes turn 4, and turn 5 begins as turn 3 did
    for _ in range(4):
        ben.bid(2)
        finish(ann, ben)
    before = {turn: seen(server, turn) for turn in range(10)}
    thin(server, KeepRule(4, 2))
    assert kept(server) == [0, 4, 8, 9]
    assert {turn: seen(server, turn) for turn in range(10)} == before


def test_the_last_turns_of_a_version_are_kept_and_its_other_ones_gone(make_server: Callable[..., Server]):
    """Without the version that has saved them, they would become others; the sentence has the code of no such thing."""
    server = make_server(found=installed(1))
    played(server, 6)
    server.found = installed(2)
    server = server.restarted()
    clients = server.players(2)
    on(server, clients, 6)
    assert [version for _, version in server.store.read(stored_snapshots.versions, 1)] == [1] * 7 + [2] * 6
    thin(server, KeepRule(5, 2))
    assert kept(server) == [0, 5, 6, 10, 11, 12]
    assert "6 turns" in run_again(*server.store.read(read_recorded, "first", server.found)).done
    assert look(server, 8)[1].name == "okay"
    client, answer = look(server, 3)
    assert answer.code == NO_SUCH
    assert answer.text == (
        "Turn 3 of 'first' is no longer kept: version 1 of ruleset auction has saved it, and version 2 is "
        "installed, which would compute another one."
    )
    assert client.ask("login", username="ann@first/turn/5", password="ann's word").name == "okay"


def test_a_turn_that_becomes_another_one_is_not_shown(server: Server, logged: list[str]):
    """No client gets a digest, which would help to guess a world. The log has it for the operator."""
    played(server, 6)
    thin(server, KeepRule(5, 2))
    snapshots = tables.snapshots
    wrong = update(snapshots).where(snapshots.c.turn == 2).values(digest="0" * 64)
    result_of(server.store.write(lambda connection: connection.execute(wrong)))
    for _ in range(2):  # the second time it is known
        _, answer = look(server, 3)
        assert answer.code == NO_SUCH
        assert answer.text == (
            "Turn 3 of 'first' is no longer kept, and cannot be computed again; the server's log says why."
        )
    assert sum("turn 2 differs" in line for line in logged) == 1
    assert look(server, 1)[1].name == "okay"


def test_a_turn_that_takes_too_long_is_given_up(make_server: Callable[..., Server]):
    """The rest of the work is not done, and nobody waits longer."""
    server = make_server()
    played(server, 6)
    thin(server, KeepRule(6, 2))
    closings = []

    def slow(work: Callable[[], Any]) -> Deferred[Any]:
        closings.append(work)
        server.clock.rightNow += COMPUTE_SECONDS * 0.6
        return execute(work)

    server.host.history.compute = slow
    _, answer = look(server, 4)
    assert answer.code == NO_SUCH
    assert "cannot be computed again" in answer.text
    assert len(closings) == 2


def test_nothing_more_is_computed_for_whoever_has_hung_up(server: Server):
    played(server, 6)
    thin(server, KeepRule(6, 2))
    pieces: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    def later(work: Callable[[], Any]) -> Deferred[Any]:
        fired: Deferred[Any] = Deferred()
        pieces.append((work, fired))
        return fired

    server.host.history.compute = later
    client = server.connect("tp04")
    client.post("login", username="ann@first/turn/4", password="ann's word")
    work, fired = pieces.pop()
    client.hang_up()
    fired.callback(work())
    assert not pieces


def test_who_goes_from_turn_to_turn_has_each_computed_once(server: Server):
    """The next one begins at the end of the last one. When no connection views them, nothing of it is kept."""
    played(server, 12)
    thin(server, KeepRule(12, 2))
    history = server.host.history
    count = 0
    compute = history.compute

    def counted(work: Callable[[], Any]) -> Deferred[Any]:
        nonlocal count
        count += 1
        return compute(work)

    history.compute = counted
    client, answer = look(server, 1, dialect="pb")
    assert answer.name == "okay"
    for turn in range(2, 10):
        assert client.ask("show_turn", turn=turn).name == "turn_shown"
    assert count == 9 + 9  # a step and a look for each
    client.hang_up()
    assert history.computed is None


def test_a_disk_that_is_full_leaves_all_as_it_is(make_server: Callable[..., Server], logged: list[str]):
    server = make_server(delayed=True)
    played(server, 6)
    server.disk.at_once = False
    thinning = Thinning(server.registry, server.clock, KeepRule(3, 2))
    doing = Deferred.fromCoroutine(thinning.thin())
    server.disk.fail()
    driven(server, doing)
    assert kept(server) == [0, 1, 2, 3, 4, 5, 6]
    assert "old turns could not be thinned: The disk is full." in logged
    server.disk.at_once = True
    driven(server, Deferred.fromCoroutine(thinning.thin()))
    assert kept(server) == [0, 3, 5, 6]


def test_a_turn_that_is_thinned_while_somebody_reads_it(server: Server):
    """A connection that views it continues, and finds the next ones."""
    played(server, 8)
    client, answer = look(server, 3, dialect="pb")
    assert answer.name == "okay"
    before = downloaded(client)
    thin(server, KeepRule(7, 2))
    assert downloaded(client) == before
    assert client.ask("show_turn", turn=4).name == "turn_shown"


def test_a_game_that_is_deleted_while_it_is_thinned(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    played(server, 6)
    result_of(ownership.abort(server.registry, server.game(), "no more", "The operator"))
    server.disk.at_once = False
    doing = Deferred.fromCoroutine(Thinning(server.registry, server.clock, KeepRule(3, 2)).thin())
    waiting = server.disk.waiting.pop()
    server.disk.at_once = True
    result_of(ownership.delete(server.registry, server.game()))
    work, fired = waiting
    work().chainDeferred(fired)
    driven(server, doing)
    assert server.store.read(stored_snapshots.turns, 1) == []


@pytest.mark.thorough
def test_nodes_of_a_cluster_thin_what_is_there(make_server: Callable[..., Server], cleared_postgres: str):
    """Each of them also thins games of another lease holder. A player who views such turns sees the same as before."""
    one = make_server(cluster=cleared_postgres)
    played(one, 8)
    before = {turn: seen(one, turn) for turn in range(9)}
    other = make_server(cluster=cleared_postgres)
    thinning = Thinning(one.registry, one.clock, KeepRule(8, 2))
    doing = Deferred.fromCoroutine(thinning.thin())
    thin(other, KeepRule(8, 2))
    driven(one, doing)
    assert kept(one) == [0, 7, 8]
    assert {turn: seen(one, turn) for turn in range(9)} == before
