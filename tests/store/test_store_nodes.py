"""Nodes that share a PostgreSQL database: lives, leases, fenced writes.

Only the lease holder writes to a game.
"""

from __future__ import annotations

import re
import shutil
import threading
import time
from dataclasses import replace
from functools import partial

import pytest
from psycopg.errors import SerializationFailure
from sqlalchemy import Double, Engine, Text, cast, create_engine, event, func, literal, make_url, select
from sqlalchemy.exc import IntegrityError, ProgrammingError

from tests.support.postgres import PATIENT, Relay, end_when_idle
from tpserver.fault_points import interfering
from tpserver.store import Store, StoreError, Timeouts, schema
from tpserver.store.backends.backend import driver_connection
from tpserver.store.database import ReadOnly
from tpserver.store.games import journal, nodes
from tpserver.store.games import rows as games
from tpserver.store.games.nodes import HeldElsewhere
from tpserver.store.games.rows import clocks_run
from tpserver.store.idempotency import REQUEST
from tpserver.store.tables import clusters, done_requests, writers
from tpserver.store.tables import games as game_table
from tpserver.store.tables import nodes as node_table
from tpserver.store.writer import Writer

LEASE = 3600.0


@pytest.fixture
def url(cleared_postgres):
    """Only PostgreSQL here."""
    return cleared_postgres


@pytest.fixture
def open_node(url, reactor):
    """open_node(name): a store of its own on the same database, and a row for the node."""
    opened = []

    def open_node(name, address=None, timeouts=PATIENT, at=url, lease=LEASE):
        store = Store.open(at, reactor=reactor, timeouts=timeouts)
        opened.append(store)
        store.write_apart(nodes.register, name, address or f"{name}:6923", "1", lease)
        return store

    yield open_node
    for store in opened:
        reactor.result_of(store.close())


class Pause:
    """A call that blocks until the test ends the pause, such as in the writer of a node within a unit."""

    def __init__(self):
        self._reached, self._go_on = threading.Event(), threading.Event()

    def __call__(self, *_):
        self._reached.set()
        assert self._go_on.wait(60)

    def await_reached(self):
        assert self._reached.wait(60)

    def end(self):
        self._go_on.set()


@pytest.fixture
def pause(open_node):
    """A Pause, which ends with the test, also if that fails: the stores are closed afterwards."""
    made = Pause()
    yield made
    made.end()


@pytest.fixture
def one(open_node, reactor, new_game):
    """The store of node "one"; there is a game, number 1."""
    store = open_node("one")
    reactor.result_of(store.write(new_game))
    return store


@pytest.fixture
def two(one, open_node):
    """The store of node "two"."""
    return open_node("two")


@pytest.fixture
def query(url):
    """query(fn): its result with a connection that belongs to no store; what it changes is committed."""
    engine = create_engine(url)

    def query(fn):
        with engine.begin() as connection:
            return fn(connection)

    yield query
    engine.dispose()


@pytest.fixture
def kill(query):
    """kill(node): its life is over, as if it had been silent for its whole lease and ``ago`` seconds more."""

    def kill(node, ago=1.0):
        change = node_table.update().where(node_table.c.id == node)
        query(lambda c: c.execute(change.values(until=nodes.CLOCK - ago)))

    return kill


def refused(reactor, deferred):
    with pytest.raises(StoreError) as error:
        reactor.result_of(deferred)
    return error.value


def numbers(store, game=1):
    return [entry.number for entry in store.read(journal.after, game, 0)]


def await_a_lock(store, goes_on):
    """Wait until a transaction waits for a row of another one.

    ``goes_on`` returns whether the waiting side has not ended without that.
    """
    waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    give_up = time.monotonic() + 60
    while store.read(lambda c: c.exec_driver_sql(waits).scalar_one()) == 0:
        assert goes_on() and time.monotonic() < give_up, "nobody has waited"


# --- nodes ------------------------------------------------------------------------------------------------------------


def test_a_node_lives_as_long_as_it_is_heard_of_by_the_databases_clock(one, two, kill):
    found = one.read(nodes.all_nodes)
    assert [(node.id, node.address, node.version, node.games) for node in found] == [
        ("one", "one:6923", "1", 0),
        ("two", "two:6923", "1", 0),
    ]
    assert all(0 < node.left <= LEASE and node.until - node.started == pytest.approx(LEASE, abs=1) for node in found)
    assert one.write_apart(nodes.beat, "one", 2 * LEASE)
    assert LEASE < one.read(nodes.all_nodes)[0].left <= 2 * LEASE
    kill("two")
    assert [node.id for node in one.read(nodes.living)] == ["one"]
    assert one.read(nodes.living, "one") == []


def test_the_databases_clock_is_read_as_the_statement_runs_not_as_its_transaction_begins(one, query):
    """A node that was frozen within a transaction would else believe that no time has passed."""

    def clocks(c):
        there = "SELECT CAST(extract(epoch FROM {}()) AS double precision)"
        began = c.exec_driver_sql(there.format("now")).scalar_one()
        found = [nodes.clock(c), nodes.beat(c, "one", LEASE).clock]
        return began, *found, c.exec_driver_sql(there.format("clock_timestamp")).scalar_one()

    began, read, beaten, after = query(clocks)
    assert began < read < beaten < after < began + 60


@pytest.fixture
def at(monkeypatch):
    """at(seconds): from now on it is that time by the database's clock, as long as the test says so."""
    return lambda seconds: monkeypatch.setattr(nodes, "CLOCK", literal(seconds, Double))


@pytest.mark.thorough
def test_a_life_ends_at_the_moment_until_which_it_is(five_games, query, at):
    """Not after it: else two would hold a game at once. Until then it lives, however little is left."""
    at(1000.0)
    query(lambda c: nodes.register(c, "old", "old:1", "1", 50.0))
    query(lambda c: nodes.register(c, "next", "next:1", "1", 90.0))
    query(lambda c: nodes.take(c, 1, "old"))
    for moment, lives in ((1049.75, True), (1050.0, False)):
        at(moment)
        left = {node.id: node.left for node in query(nodes.all_nodes)}
        assert (left["old"], left["next"]) == (1050.0 - moment, 1090.0 - moment)
        assert ("old" in [node.id for node in query(nodes.living)]) is lives
        assert ("old:1" in query(nodes.living_addresses)) is lives
        assert query(lambda c: nodes.address_of(c, "old")) == ("old:1" if lives else "")
        assert query(lambda c: nodes.holders_of(c, [1], "next")) == ({1: "old:1"} if lives else {})
        assert query(lambda c: c.scalar(select(nodes.is_of_another(literal(1), "next")))) is lives
        assert query(lambda c: nodes.due(c, "next", 2e9, {"tae": 1})) == ([2, 3, 4, 5] if lives else [1, 2, 3, 4, 5])
        assert query(lambda c: nodes.due(c, "old", 2e9)) == ([1, 2, 3, 4, 5] if lives else [])
    assert query(lambda c: nodes.beat(c, "old", 50.0)) is None, "and no beat prolongs it"
    assert query(lambda c: nodes.take_due(c, "old", 99.0, 9)) == []
    for draining in (False, True):
        query(lambda c, draining=draining: nodes.drain(c, "old", draining))
        with pytest.raises(HeldElsewhere, match="no living node"):
            query(lambda c: nodes.take(c, 2, "old"))
    assert query(lambda c: nodes.take(c, 1, "next")) == 2


def test_what_is_kept_for_a_time_is_there_at_the_last_moment_of_it(one, query, at):
    """The row of a dead node, what its writer has saved, and until when that may not be missing."""
    for began, node, lease in ((1000.0, "first", 50.0), (1010.0, "second", 60.0)):
        at(began)
        query(lambda c, node=node, lease=lease: nodes.register(c, node, "same:1", "1", lease))
    query(lambda c: c.execute(writers.update().values(at=1050.0)))

    def kept(seconds):
        at(1050.0 + seconds)
        query(nodes.forget)
        groups = query(lambda c: c.scalar(select(func.count()).select_from(writers)))
        missed = not query(lambda c: nodes.remembers(c, "second", "same:1", 1010.0, 0, ("no writer", 1)))
        return ["first" in [node.id for node in query(nodes.all_nodes)], missed, groups == 1]

    assert [kept(nodes.KEPT_SECONDS + late) for late in (0.0, 0.25)] == [[True, True, True], [False, True, True]]
    half = 20 + nodes.WRITERS_KEPT_SECONDS / 2
    assert [kept(half + late) for late in (0.0, 0.25)] == [[False, True, True], [False, False, True]]
    assert [kept(nodes.WRITERS_KEPT_SECONDS + late)[2] for late in (0.0, 0.25)] == [True, False]


def test_a_life_that_was_over_ends_no_later_because_its_node_leaves(query, at):
    """By the end of it goes how long the row stays, and what may be missing of its writer."""
    at(1000.0)
    for node in ("over", "lives"):
        query(lambda c, node=node: nodes.register(c, node, f"{node}:1", "1", 50.0 if node == "over" else 500.0))
    at(1100.0)
    for node in ("over", "lives"):
        query(lambda c, node=node: nodes.leave(c, node))
    assert {node.id: node.until for node in query(nodes.all_nodes)} == {"over": 1050.0, "lives": 1100.0}


def test_the_oldest_of_the_nodes_that_live_comes_first(query, at):
    for node, began in (("young", 1200.0), ("old", 1100.0), ("twin b", 1300.0), ("twin a", 1300.0)):
        at(began)
        query(lambda c, node=node: nodes.register(c, node, f"{node}:1", "1", LEASE))
    assert query(nodes.living_addresses)[:2] == ["old:1", "young:1"]
    assert [node.id for node in query(nodes.living)] == ["old", "young", "twin a", "twin b"]


def test_a_life_that_is_over_stays_over_and_no_id_comes_twice(one, kill):
    kill("one")
    assert not one.write_apart(nodes.beat, "one", LEASE)
    assert one.read(nodes.living) == []
    with pytest.raises(IntegrityError):
        one.write_apart(nodes.register, "one", "elsewhere:1", "1", LEASE)


def test_the_row_of_a_dead_node_stays_for_a_day_and_while_a_game_points_to_it(one, two, kill, query):
    """The last row of each address also stays. By it a restarted server recognizes its database."""
    one.write_apart(nodes.take, 1, "one")
    for node in ("one", "two"):
        one.write_apart(nodes.register, f"{node} later", f"{node}:6923", "1", LEASE)
        kill(node, nodes.KEPT_SECONDS - 60)
    everybody = ["one", "two", "one later", "two later"]
    query(nodes.forget)
    assert [node.id for node in query(nodes.all_nodes)] == everybody
    for node in everybody:
        kill(node, nodes.KEPT_SECONDS + 60)
    query(nodes.forget)
    assert [node.id for node in query(nodes.all_nodes)] == ["one", "one later", "two later"]
    query(nodes.release_all)
    query(nodes.forget)
    assert [node.id for node in query(nodes.all_nodes)] == ["one later", "two later"]


def test_who_leaves_is_dead_and_holds_nothing(one, two):
    one.write_apart(nodes.take, 1, "one")
    one.write_apart(nodes.leave, "one")
    assert [node.id for node in two.read(nodes.living)] == ["two"]
    assert two.write_apart(nodes.take, 1, "two") == 3, "taken, released, taken"


def test_a_cluster_has_one_id_which_all_its_nodes_find(one, two, query):
    made = one.write_apart(nodes.cluster_id)
    assert re.fullmatch("[0-9a-f]{16}", made) and two.write_apart(nodes.cluster_id) == made
    assert query(lambda c: c.execute(select(clusters)).all()) == [(1, made, schema.oldest_version())], (
        "by its number all find the same row, also those of other versions"
    )


# --- games ------------------------------------------------------------------------------------------------------------


def test_a_game_has_one_holder_and_each_change_of_it_a_new_epoch(one, two, kill):
    assert one.write_apart(nodes.take, 1, "one") == 1
    with pytest.raises(HeldElsewhere, match="played on the node at one:6923"):
        two.write_apart(nodes.take, 1, "two")
    assert one.write_apart(nodes.take, 1, "one") == 2, "as it is read again"
    kill("one")
    assert two.write_apart(nodes.take, 1, "two") == 3
    assert not one.write_apart(nodes.release, 1, 2) and two.write_apart(nodes.release, 1, 3)


@pytest.fixture
def held(query):
    """held(): the lease holder of each game, and its epoch, by the game's number."""
    columns = select(game_table.c.id, game_table.c.node, game_table.c.epoch)
    return lambda: query(lambda c: {game: (node, epoch) for game, node, epoch in c.execute(columns)})


def test_a_game_that_is_let_go_is_nobodys_at_a_new_epoch_and_no_other_is(one, reactor, new_game, held):
    reactor.result_of(one.write(new_game, "Carthage"))
    for game in (1, 2):
        one.write_apart(nodes.take, game, "one")
    assert held() == {1: ("one", 1), 2: ("one", 1)}
    assert one.write_apart(nodes.release, 1, 1)
    assert held() == {1: (None, 2), 2: ("one", 1)}
    assert not one.write_apart(nodes.release, 1, 2), "it is nobody's already"
    assert not one.write_apart(nodes.release, 2, 1, "two") and not one.write_apart(nodes.release, 2, 0, "one")
    assert held() == {1: (None, 2), 2: ("one", 1)}
    assert one.write_apart(nodes.release, 2, 1, "one")
    assert held() == {1: (None, 2), 2: (None, 2)}


def test_a_node_that_is_dead_takes_nothing(one, kill):
    kill("one")
    with pytest.raises(HeldElsewhere, match="no living node"):
        one.write_apart(nodes.take, 1, "one")
    assert one.write_apart(nodes.take_due, "one", 1e9, 10) == []


@pytest.fixture
def five_games(one, reactor, new_game):
    """Games 1 to 5 with deadlines 10 to 50, the fourth paused."""
    for number in range(2, 6):
        reactor.result_of(one.write(new_game, f"Game {number}"))
    for number in range(1, 6):
        state = "paused" if number == 4 else "running"
        reactor.result_of(one.write(games.update, number, state=state, deadline=10.0 * number))


@pytest.mark.thorough
def test_due_games_of_nobody_and_of_the_dead_are_taken(five_games, one, two, kill):
    two.write_apart(nodes.take, 1, "two")
    one.write_apart(nodes.take, 2, "one")
    assert two.write_apart(nodes.take_due, "two", 45.0, 10) == [(3, 1)], "2 is another's, 4 paused, 5 not due"
    kill("one")
    assert two.write_apart(nodes.take_due, "two", 99.0, 1) == [(2, 2)], "what has waited longest"
    assert two.write_apart(nodes.take_due, "two", 99.0, 9) == [(5, 1)]


def test_what_has_waited_longest_is_taken_first_and_at_the_moment_at_which_it_is_due(five_games, one, reactor):
    """Of two that are due at the same moment the one with the lower number, as everywhere."""
    for game, deadline in ((3, 5.0), (5, 10.0), (1, 20.0)):
        reactor.result_of(one.write(games.update, game, deadline=deadline))
    assert one.write_apart(nodes.take_due, "one", 4.75, 9) == []
    assert one.write_apart(nodes.take_due, "one", 5.0, 9) == [(3, 1)]
    assert one.write_apart(nodes.take_due, "one", 20.0, 2) == [(5, 1), (1, 1)]
    assert one.write_apart(nodes.take_due, "one", 99.0, 9) == [(2, 1)]


def test_a_node_that_is_dead_is_in_nobodys_way(five_games, one, two, query, kill):
    """It locks no game of those that it may not take."""
    kill("one")

    def looked(connection):
        assert nodes.take_due(connection, "one", 99.0, 9) == []
        assert two.write_apart(nodes.take_due, "two", 99.0, 9) == [(1, 1), (2, 1), (3, 1), (5, 1)]

    query(looked)


def test_a_node_that_dies_while_it_takes_due_games_takes_none(five_games, one, url, kill):
    """It may have been frozen between its look and its change."""
    with create_engine(url).connect() as connection, connection.begin():

        @event.listens_for(connection, "after_cursor_execute", once=True)
        def looked(*_):
            kill("one")

        assert nodes.take_due(connection, "one", 99.0, 9) == []


def test_a_game_that_was_taken_meanwhile_is_not_taken_from_its_new_holder(
    five_games, one, two, query, url, monkeypatch, held
):
    """One statement sees the nodes as they were when it began, and the holder may be none of these."""
    waits = cast(func.pg_advisory_xact_lock_shared(7), Text) == ""
    monkeypatch.setattr(nodes, "_playable", lambda rulesets: waits)
    taken = []

    def take(c):
        c.exec_driver_sql("SET LOCAL lock_timeout = 0")
        taken.extend(nodes.take_due(c, "one", 99.0, 9))

    with create_engine(url).connect() as keeper, keeper.begin():
        keeper.exec_driver_sql("SELECT pg_advisory_xact_lock(7)")
        taking = threading.Thread(target=lambda: query(take))
        taking.start()
        await_a_lock(one, taking.is_alive)
        two.write_apart(nodes.register, "three", "three:6923", "1", LEASE)
        two.write_apart(nodes.take, 2, "three")
    taking.join(60)
    assert taken == [(1, 1), (3, 1), (5, 1)]
    assert held()[2] == ("three", 1)


@pytest.mark.thorough
def test_of_two_that_want_a_game_at_once_only_one_gets_it(one, two, url, query, held):
    """The second one sees the first one as lease holder, even if that was no node yet when the wait began."""
    refusals = []

    def second(c):
        with pytest.raises(HeldElsewhere) as refused:
            nodes.take(c, 1, "one")
        refusals.append(refused.value.address)

    with create_engine(url).connect() as other, other.begin():
        nodes.register(other, "three", "three:6923", "1", LEASE)
        nodes.take(other, 1, "three")
        taking = threading.Thread(target=lambda: query(second))
        taking.start()
        await_a_lock(two, taking.is_alive)
    taking.join(60)
    assert refusals == ["three:6923"] and held() == {1: ("three", 1)}


def test_games_are_let_go_in_their_order_and_only_those_that_were_held_as_it_began(
    five_games, one, two, query, url, held
):
    """As a writer locks them in that order, too: neither has a game for which the other waits while it waits itself."""
    for game in (2, 1):
        one.write_apart(nodes.take, game, "one")
    let_go = []
    with create_engine(url).connect() as other, other.begin():
        other.execute(select(game_table.c.id).where(game_table.c.id == 1).with_for_update())
        leaving = threading.Thread(target=lambda: let_go.append(query(lambda c: nodes.release_all(c, "one"))))
        leaving.start()
        await_a_lock(two, leaving.is_alive)
        two.write_apart(
            lambda c: c.execute(select(game_table.c.id).where(game_table.c.id == 2).with_for_update(nowait=True))
        )
        one.write_apart(nodes.take, 3, "one")
    leaving.join(60)
    assert let_go == [2] and held() == {1: (None, 2), 2: (None, 2), 3: ("one", 1), 4: (None, 0), 5: (None, 0)}


def test_who_only_refers_to_a_game_and_who_takes_it_are_not_in_each_others_way(five_games, one, query, held, url):
    """As whatever is saved for a player refers to a game, too."""
    with create_engine(url).connect() as other, other.begin():
        for game in (1, 2, 3):
            refers = "INSERT INTO journal (game, number, turn, at, seat, kind, body) VALUES ({}, 1, 0, 0, 0, '', '')"
            other.exec_driver_sql(refers.format(game))
        assert one.write_apart(nodes.take_due, "one", 15.0, 9) == [(1, 1)], "it is not skipped"
        assert one.write_apart(nodes.take, 2, "one", 5.0) == 1

        def at_once(c):
            c.exec_driver_sql("SET LOCAL lock_timeout = 5000")
            return nodes.release_all(c, "one")

        assert query(at_once) == 2
    assert held() == {1: (None, 2), 2: (None, 2), 3: (None, 0), 4: (None, 0), 5: (None, 0)}


def test_two_that_take_due_games_wait_for_nobody_and_never_take_the_same(five_games, one, two, url):
    with create_engine(url).connect() as first, first.begin():
        assert nodes.take_due(first, "one", 99.0, 2) == [(1, 1), (2, 1)]
        assert two.write_apart(nodes.take_due, "two", 99.0, 9) == [(3, 1), (5, 1)], "at once, of what is left"


def test_the_clocks_of_others_games_are_not_noted(five_games, one, two, reactor):
    one.write_apart(nodes.take, 1, "one")
    two.write_apart(nodes.take, 2, "two")
    reactor.result_of(one.write(clocks_run, 77.0, [1, 2, 3], "one"))
    assert {row.id: row.ran for row in one.read(games.all)} == {1: 77.0, 2: None, 3: None, 4: None, 5: None}


def test_a_game_rests_only_if_its_node_says_so(five_games, one, two, reactor):
    one.write_apart(nodes.take, 1, "one")
    two.write_apart(nodes.take, 2, "two")
    reactor.result_of(one.write(games.rest, [(1, "{}", 5.0), (2, "{}", 5.0), (3, "{}", 5.0)], "one"))
    assert {row.id: row.resting for row in one.read(games.all)} == {1: "{}", 2: None, 3: None, 4: None, 5: None}


def test_a_node_reads_what_is_due_of_its_own_games_and_of_nobodys(five_games, one, two, reactor, kill):
    """And of nobody's what went on in the memory of a node that has died; those of living ones are theirs."""
    for game, store, node in ((1, one, "one"), (2, two, "two"), (3, two, "two")):
        store.write_apart(nodes.take, game, node)
    reactor.result_of(one.write(games.rest, [(1, "{}", 3000.0)], "one"))
    reactor.result_of(two.write(games.rest, [(2, "{}", 1500.0)], "two"))
    reactor.result_of(two.write(games.update, 3, **games.AWAKE))
    assert one.read(nodes.due, "one", 2000.0) == [4, 5], "nobody has them"
    assert one.read(nodes.due, "one", 3000.0) == [4, 5, 1], "at the moment at which it is due"
    kill("two")
    assert one.read(nodes.due, "one", 4000.0) == [3, 4, 5, 2, 1]
    assert one.read(nodes.due, "one", 1060.25) == [], "whoever has made a game has a minute to load it"
    assert one.read(nodes.due, "one", 1060.5) == [3, 4, 5]


ROW = nodes.NodeRow("one", "one:6923", "1", 0.0, 9.0, 9.0, games=0)


def test_a_node_can_play_what_a_version_of_its_rulesets_has_saved_or_an_earlier_one():
    row = replace(ROW, rulesets='{"tae": 2}')
    assert [row.can_play("tae", version) for version in (1, 2, 3)] == [True, True, False]
    assert not row.can_play("swarm", 1) and not ROW.can_play("tae", 0)


def test_the_least_loaded_node_is_one_that_takes_games():
    busy, idle, drained = (
        replace(ROW, id=name, games=games, draining=draining)
        for name, games, draining in (("busy", 3, 0), ("idle", 1, 0), ("drained", 0, 1))
    )
    assert nodes.least_loaded([busy, idle, drained]) is idle
    assert nodes.least_loaded([drained]) is nodes.least_loaded([]) is None


def test_a_node_takes_what_its_rulesets_can_go_on_with(five_games, one, query):
    query(lambda c: c.execute(game_table.update().where(game_table.c.id == 2).values(ruleset="x", ruleset_version=3)))
    for rulesets, found in (
        (None, [1, 2, 3, 4, 5]),
        ({}, []),
        ({"tae": 0, "x": 2}, []),
        ({"tae": 1}, [1, 3, 4, 5]),
        ({"tae": 2, "x": 3}, [1, 2, 3, 4, 5]),
    ):
        assert one.read(nodes.due, "one", 2000.0, rulesets) == found
        taken = one.write_apart(nodes.take_due, "one", 99.0, 9, rulesets)
        assert [game for game, _ in taken] == [game for game in found if game != 4], "which is paused"
        assert one.write_apart(nodes.release_all, "one") == len(taken)


def test_a_node_that_is_drained_takes_no_game_and_says_where_it_can_be_had(five_games, one, two, kill):
    one.write_apart(nodes.register, "three", "three:6923", "1", LEASE, {"tae": 2, "swarm": 1})
    assert one.read(nodes.all_nodes)[-1].rulesets == '{"swarm": 1, "tae": 2}'
    two.write_apart(nodes.take, 1, "two")
    one.write_apart(nodes.drain, "one", True)
    assert [(node.draining, node.games) for node in one.read(nodes.all_nodes)] == [(1, 0), (0, 1), (0, 0)]
    for game, address, why in ((2, "three:6923", "hands its games over"), (1, "two:6923", "played on the node at two")):
        with pytest.raises(HeldElsewhere, match=why) as error:
            one.write_apart(nodes.take, game, "one")
        assert error.value.address == address
    assert one.write_apart(nodes.take_due, "one", 99.0, 9) == one.read(nodes.due, "one", 2000.0) == []
    kill("two")
    kill("three")
    with pytest.raises(HeldElsewhere, match="hands its games over") as error:
        one.write_apart(nodes.take, 2, "one")
    assert error.value.address == ""
    one.write_apart(nodes.drain, "one", False)
    assert one.write_apart(nodes.take, 3, "one") == 1
    one.write_apart(nodes.drain, "one", True)
    with pytest.raises(HeldElsewhere, match="hands its games over") as error:
        one.write_apart(nodes.take, 3, "one")
    assert error.value.address == "", "not its own, although it holds the game still"
    one.write_apart(nodes.drain, "one", False)
    assert one.write_apart(nodes.take, 2, "one") == 1
    kill("one")
    for draining in (False, True):
        one.write_apart(nodes.drain, "one", draining)
        with pytest.raises(HeldElsewhere, match="no living node of its cluster") as error:
            one.write_apart(nodes.take, 4, "one")
        assert error.value.address == ""


def test_a_node_that_hands_its_games_over_never_names_itself(five_games, one, two):
    """Its row may not say yet that it is drained."""
    two.write_apart(nodes.take, 1, "two")
    assert one.read(nodes.hands_over, "one").address == "two:6923", "although it holds fewer games itself"
    assert one.read(nodes.hands_over, "one", "elsewhere:1").address == "elsewhere:1"


def test_a_game_is_of_another_node_while_that_lives(five_games, one, two, kill):
    """Else whatever is to be done for a game is this node's, too: one that nobody holds, or that there is not."""
    one.write_apart(nodes.take, 1, "one")
    two.write_apart(nodes.take, 2, "two")

    def of_another():
        return [one.read(lambda c, n=n: c.scalar(select(nodes.is_of_another(literal(n), "one")))) for n in (1, 2, 3, 9)]

    assert of_another() == [False, True, False, False]
    kill("two")
    assert of_another() == [False] * 4


def test_it_is_known_where_games_and_nodes_are_that_live(five_games, one, two, kill, query):
    """An address may belong to several lives. A node that knows that earlier ones are over ends them."""
    for game, store, node in ((1, one, "one"), (2, two, "two")):
        store.write_apart(nodes.take, game, node)
    read, change = one.read, one.write_apart
    assert read(nodes.holders_of, [1, 2, 3], "") == {1: "one:6923", 2: "two:6923"}
    assert read(nodes.holders_of, [1], "") == {1: "one:6923"}
    assert read(nodes.holders_of, [1, 2, 3], "one") == {2: "two:6923"} and read(nodes.holders_of, [1], "two") != {}
    assert [read(nodes.holder_of, game, "one") for game in (1, 2, 3)] == ["", "two:6923", ""]
    assert [read(nodes.address_of, node) for node in ("one", "two", "never")] == ["one:6923", "two:6923", ""]
    assert read(nodes.living_addresses) == ["one:6923", "two:6923"]
    assert [node.id for node in read(nodes.living, "one")] == ["two"]
    change(nodes.register, "later", "one:6923", "1", LEASE)
    change(nodes.bury, "one:6923", "later")
    assert [node.id for node in read(nodes.living)] == ["two", "later"]
    assert read(nodes.holders_of, [1, 2], "") == {2: "two:6923"} and change(nodes.take, 1, "later") == 3
    with pytest.raises(HeldElsewhere, match="played on the node at two"):
        change(nodes.take, 2, "later", None, ["elsewhere:1", "one:6923"])
    assert change(nodes.take, 2, "later", None, ["elsewhere:1", "two:6923"]) == 2, "as whoever says so knows it is dead"
    assert change(nodes.release_all, "never") == 0 and change(nodes.release_all) == 2
    kill("two")
    assert read(nodes.address_of, "two") == "" and read(nodes.living_addresses) == ["one:6923"]


def test_games_of_nobody_whose_clocks_have_stood_are_woken(five_games, one, two, reactor, query, kill):
    """Those that run and have a deadline; the others have nothing that was late."""
    for game, node in ((1, "one"), (2, "two")):
        one.write_apart(nodes.take, game, node)
    resting = game_table.update().where(game_table.c.id != 5).values(resting="{}", wake=9.0, ran=7.0)
    query(lambda c: c.execute(resting))
    kill("two")

    def told():
        return query(lambda c: c.execute(select(game_table.c.resting, game_table.c.wake, game_table.c.ran)
                                         .order_by(game_table.c.id)).all())  # fmt: skip

    before = told()
    query(lambda c: nodes.wake_all(c, None))
    assert told() == before
    query(lambda c: nodes.wake_all(c, 500.0))
    woken, rests = (None, 0.0, 500.0), ("{}", 9.0, 7.0)
    assert told() == [rests, woken, woken, rests, before[4]]


# --- fences -----------------------------------------------------------------------------------------------------------


def test_who_holds_a_game_writes_to_it_and_nobody_else(one, two, reactor, kill, new_entry):
    one.write_apart(nodes.take, 1, "one")
    old = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    assert reactor.result_of(old.append(new_entry(1))) is None
    kill("one")
    new = two.fenced(1, two.write_apart(nodes.take, 1, "two"))
    error = refused(reactor, old.append(new_entry(2)))
    assert (error.code, error.is_fault) == ("fenced", False)
    assert error.sentence == "This node no longer holds game 1: nothing of it was saved."
    assert refused(reactor, old.write(games.update, 1, turn=9)).code == "fenced"
    assert reactor.result_of(new.append(new_entry(2))) is None
    assert numbers(one) == [1, 2] and one.read(games.by_id, 1).turn == 0
    two.write_apart(nodes.release, 1, new.fence[1])
    assert refused(reactor, new.append(new_entry(3))).code == "fenced", "nor who has let it go"


def test_a_broken_fence_fails_its_jobs_alone(one, two, reactor, new_game, new_entry, kill, pause):
    """Rows and units, in one group: those of game 1 fail, those of game 2 and of no game are saved, in order."""
    reactor.result_of(one.write(new_game, "Carthage"))
    lost, kept = (one.fenced(game, one.write_apart(nodes.take, game, "one")) for game in (1, 2))
    kill("one")
    two.write_apart(nodes.take, 1, "two")
    one.write(pause)
    pause.await_reached()
    for only_rows in (True, False):
        good, bad = [], []
        for number in (1, 2, 3):
            number += 0 if only_rows else 3
            bad.append(lost.append(new_entry(number)))
            good.append(kept.append(new_entry(number, game=2)))
            if not only_rows:
                bad.append(lost.write(games.update, 1, turn=number))
                good += [kept.write(games.update, 2, turn=number), one.write(lambda c: None)]
        broken = kept.write(lambda c: 1 / 0) if not only_rows else None
        pause.end()
        assert [refused(reactor, one_of_them).code for one_of_them in bad] == ["fenced"] * len(bad)
        assert [reactor.result_of(one_of_them) for one_of_them in good] == [None] * len(good)
        if broken is not None:
            with pytest.raises(ZeroDivisionError):
                reactor.result_of(broken)
    assert numbers(one) == [] and numbers(one, 2) == [1, 2, 3, 4, 5, 6]
    assert [one.read(games.by_id, game).turn for game in (1, 2)] == [0, 6]


def test_a_take_over_waits_for_the_group_that_is_being_written(one, two, reactor, kill, new_entry, pause):
    """And sees all of it."""
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    kill("one")
    taken = []

    def unit(connection):
        journal.append(connection, new_entry(1))
        pause()

    written = held.write(unit)
    pause.await_reached()
    taking = threading.Thread(target=lambda: taken.append(two.write_apart(nodes.take, 1, "two")))
    taking.start()
    await_a_lock(two, taking.is_alive)
    assert taken == []
    pause.end()
    taking.join(60)
    assert taken == [2] and numbers(two) == [1]
    assert reactor.result_of(written) is None


def test_who_holds_a_game_is_told_at_once_while_its_holder_writes_to_it(one, two, reactor, new_game):
    """The game is not locked for that, as its holder's writer would count it as lost."""
    reactor.result_of(one.write(new_game, "Carthage"))
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))

    def unit(connection):
        with pytest.raises(HeldElsewhere, match="played on the node at one"):
            two.write_apart(nodes.take, 1, "two", 0.01)
        return "written"

    assert reactor.result_of(held.write(unit)) == "written"


def test_a_take_over_that_waits_for_less_says_so(one, two, reactor, kill, pause):
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    kill("one")
    written = held.write(pause)
    pause.await_reached()
    with pytest.raises(HeldElsewhere, match="no longer responds, still holds it"):
        two.write_apart(nodes.take, 1, "two", 0.01)
    pause.end()
    assert reactor.result_of(written) is None
    assert two.write_apart(nodes.take, 1, "two", 5.0) == 2
    waits = two.write_apart(lambda c: nodes.take(c, 1, "two", 1.5) and c.exec_driver_sql("SHOW lock_timeout").scalar())
    assert waits == "1500ms"


def test_a_writer_skips_a_game_that_is_just_being_taken(one, reactor, new_game, new_entry, query):
    """It would keep all other games waiting. What follows in that game is not saved behind the gap either."""
    reactor.result_of(one.write(new_game, "Carthage"))
    fences = [one.fenced(game, one.write_apart(nodes.take, game, "one")) for game in (1, 2)]

    def locked(connection):
        connection.execute(select(game_table.c.id).where(game_table.c.id == 1).with_for_update())
        saved = [fence.append(new_entry(1, game=fence.fence[0])) for fence in fences]
        assert refused(reactor, saved[0]).code == "fenced"
        assert reactor.result_of(saved[1]) is None

    query(locked)
    assert refused(reactor, fences[0].append(new_entry(2, game=1))).code == "fenced"
    assert numbers(one, 1) == [] and numbers(one, 2) == [1]
    anew = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    reactor.result_of(anew.append(new_entry(1)))
    assert numbers(one, 1) == [1]


def test_what_comes_after_a_change_that_was_skipped_is_not_saved_either(one, reactor, new_entry, query):
    """Else the answer to the later one would be that nothing was changed, as the game is read again for the first."""
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))

    def locked(connection):
        connection.execute(select(game_table.c.id).where(game_table.c.id == 1).with_for_update())
        assert refused(reactor, held.write(games.update, 1, turn=9)).code == "fenced"

    query(locked)
    assert refused(reactor, held.append(new_entry(1))).code == "fenced" and one.read(journal.after, 1, 0) == []
    again = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    reactor.result_of(again.append(new_entry(1)))


def test_only_so_many_broken_fences_are_remembered_the_newest(five_games, one, reactor, new_entry, query, monkeypatch):
    monkeypatch.setattr("tpserver.store.writer.MOST_BROKEN", 2)
    fences = {game: one.fenced(game, one.write_apart(nodes.take, game, "one")) for game in (1, 2, 3)}

    def broken(*tried):
        written = {game: fences[game].write(lambda c: None) for game in tried}
        return [game for game in tried if reactor.result_of(written[game].addErrback(lambda f: f.value.code))]

    def skipped(connection, game):
        connection.execute(select(game_table.c.id).where(game_table.c.id == game).with_for_update())
        assert broken(1, 2, 3) == list(range(1, game + 1))

    for game in (1, 2):
        query(lambda c, game=game: skipped(c, game))
    assert broken(1, 2, 3) == [1, 2]
    query(lambda c: skipped(c, 3))
    assert broken(1, 2, 3) == [2, 3]


def test_the_groups_of_a_writer_are_numbered_from_1(open_node, reactor):
    store = open_node("one")
    numbered = [store.saved[1]]
    for _ in range(2):
        reactor.result_of(store.write(lambda c: None))
        numbered.append(store.saved[1])
    assert numbered == [0, 1, 2], "0: none was confirmed yet"


def test_a_group_passes_its_fault_points_once_and_notes_the_requests_that_it_has_done(
    one, two, reactor, kill, new_entry, query
):
    """Rows alone, and with units; of a game that is held by another nothing was done."""
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    points, (writer, before) = [], one.saved
    passed = [f"store: {point}" for point in ("begun", "written", "committed", "told")]
    began = time.time()

    def ask(request, number):
        token = REQUEST.set(request)
        try:
            with interfering(points.append):
                for give in (partial(held.append, new_entry(number)), partial(held.write, games.update, 1, turn=9)):
                    reactor.result_of(give().addErrback(lambda failure: codes.append(failure.value.code)))
        finally:
            REQUEST.reset(token)

    codes = []
    for number, request in enumerate(("", "c:1", "c:1"), 1):
        ask(request, number)
    assert codes == [] and one.saved == (writer, before + 6)
    kill("one")
    two.write_apart(nodes.take, 1, "two")
    ask("c:2", 4)
    assert codes == ["fenced"] * 2
    assert points == passed * 8
    ((request, at, changes),) = query(lambda c: c.execute(select(done_requests)).all())
    assert (request, changes) == ("c:1", 4) and began <= at <= time.time()
    assert query(lambda c: c.execute(select(writers.c.committed).where(writers.c.id == writer)).scalar()) == before + 8


def test_a_unit_that_goes_on_after_an_error_of_the_database_is_not_acknowledged(one, reactor):
    """PostgreSQL has undone it, and would say to the COMMIT that all is well."""

    def unit(connection):
        games.update(connection, 1, turn=3)
        with pytest.raises(ProgrammingError):
            connection.exec_driver_sql("SELECT nothing")

    error = refused(reactor, one.write(unit))
    assert error.code == "unavailable" and "ended a transaction before its time" in error.sentence
    assert reactor.result_of(one.write(lambda c: games.by_id(c, 1).turn)) == 0


@pytest.mark.thorough
def test_an_entry_of_another_game_is_no_business_of_a_fence(one, new_entry):
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    with pytest.raises(ValueError, match="game 2"):
        held.append(new_entry(1, game=2))


# --- COMMITs that nobody has answered ---------------------------------------------------------------------------------


@pytest.fixture
def commits(monkeypatch):
    """Functions called in place of the next COMMITs, in the writer's thread, with what commits."""
    planned = []
    really = Writer.commit

    def committing(writer, connection, commit):
        really(writer, connection, partial(planned.pop(0), commit) if planned else commit)

    monkeypatch.setattr(Writer, "commit", committing)
    return planned


def test_a_commit_whose_answer_is_lost_is_found_done(open_node, reactor, new_game, new_entry, url):
    """The connection is cut after the server has committed, before it is heard: nothing fails, nor is there twice."""
    with Relay(url) as relay:
        store = open_node("one", at=relay.url)
        reactor.result_of(store.write(new_game))
        held = store.fenced(1, store.write_apart(nodes.take, 1, "one"))
        relay.cut_after(b"COMMIT")
        assert reactor.result_of(held.append(new_entry(1))) is None
        assert relay.cuts == 1
        relay.cut_after(b"COMMIT")
        assert reactor.result_of(held.write(lambda c: journal.append(c, new_entry(2)) or "done")) == "done"
        assert relay.cuts == 2
        assert numbers(store) == [1, 2]


def test_a_commit_that_never_arrives_is_found_not_done(one, reactor, commits, query, new_entry):
    """The connection's process is ended between the last statement and the COMMIT."""
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    process = reactor.result_of(one.write(lambda c: c.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()))

    def ended(commit):
        query(lambda c: c.exec_driver_sql(f"SELECT pg_terminate_backend({process}, 10000)"))
        commit()

    commits.append(ended)
    error = refused(reactor, held.append(new_entry(1)))
    assert error.code == "unavailable" and numbers(one) == []
    assert reactor.result_of(held.append(new_entry(1))) is None and numbers(one) == [1]


def test_a_commit_that_is_still_on_its_way_is_waited_for(one, reactor, commits, new_entry, monkeypatch):
    """Its connection is given up here while the server is still busy with it. The check waits for its end."""
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    given_up, connection = [], one.writer.connection()

    def give_up(commit):
        given_up.append(commit)
        raise OSError("given up")

    def fail():
        raise OSError("it cannot be reached")

    monkeypatch.setattr(connection, "rollback", fail)
    for name in ("invalidate", "close"):  # its transaction goes on
        monkeypatch.setattr(connection, name, lambda: None)
    commits.append(give_up)
    written = held.append(new_entry(1))
    await_a_lock(one, reactor.calls.empty)
    given_up[0]()
    assert reactor.result_of(written) is None
    assert numbers(one) == [1]


def test_what_nobody_finds_out_is_not_acknowledged(open_node, reactor, new_game, new_entry, url):
    with Relay(url) as relay:
        store = open_node("one", at=relay.url, timeouts=replace(PATIENT, unknown=0.3, connect=2))
        reactor.result_of(store.write(new_game))
        held = store.fenced(1, store.write_apart(nodes.take, 1, "one"))
        relay.cut_after(b"COMMIT", refuse=True)
        error = refused(reactor, held.append(new_entry(1)))
        assert error.code == "unknown" and "has not said whether it has saved" in error.sentence
        relay.refuse = False
        assert numbers(store) == [1], "which is read again, with the game"


@pytest.fixture
def looks(commits):
    """looks(commit, said): lose the answer to the next COMMIT, after calling ``commit``.

    Each look for the result is preceded by the next of the statements ``said``, or by the last one. The returned list
    fills with the ids of the PostgreSQL processes that were asked.
    """
    asked, plans = [], []

    def looked(connection, cursor, statement, *_):
        if plans and "RETURNING committed" in statement:
            asked.append(cursor.connection.info.backend_pid)
            cursor.execute(f"DO $$ BEGIN {plans[0].pop(0) if len(plans[0]) > 1 else plans[0][0]}; END $$")

    def looks(commit, *said):
        def lost(really):
            commit(really)
            raise OSError("cut")

        plans[:] = [list(said)]
        commits.append(lost)
        return asked

    event.listen(Engine, "before_cursor_execute", looked)
    yield looks
    event.remove(Engine, "before_cursor_execute", looked)


BUSY, READ_ONLY, GIVEN_UP = (
    "RAISE EXCEPTION 'busy' USING ERRCODE = '40001'",
    "RAISE EXCEPTION 'read only' USING ERRCODE = '25006'",
    "RAISE WARNING 'canceling wait for synchronous replication'",
)


@pytest.mark.parametrize(
    ("said", "why"),
    [(BUSY, "busy"), (GIVEN_UP, "The look was not confirmed by the standbys of the database.")],
    ids=["busy", "not confirmed"],
)
def test_why_nobody_finds_out_is_told(open_node, reactor, looks, said, why):
    """Each look gets in the way of others, or is not confirmed, for the maximum wait."""
    store = open_node("one", timeouts=replace(PATIENT, unknown=0.3))
    asked = looks(lambda commit: commit(), said)
    error = refused(reactor, store.write(lambda c: None))
    assert error.code == "unknown" and f"({why}" in error.sentence
    assert "counts as not saved" in error.sentence and len(asked) > 1
    asked = looks(lambda commit: None, "NULL")
    assert refused(reactor, store.write(lambda c: None)).sentence.endswith("could not save what it was given (cut).")
    assert reactor.result_of(store.write(lambda c: "saved")) == "saved"


def test_a_look_that_meets_a_server_which_takes_no_changes_is_made_at_another(one, reactor, looks):
    asked = looks(lambda commit: commit(), READ_ONLY, "NULL")
    assert reactor.result_of(one.write(lambda c: "saved")) == "saved"
    assert len(asked) == len(set(asked)) == 2
    assert reactor.result_of(one.write(lambda c: "saved")) == "saved"
    assert len(asked) == 2, "a COMMIT that was answered is not looked for"


def test_a_transaction_that_the_server_has_lost_is_not_acknowledged(one, reactor, commits, new_entry):
    """The wait for standbys was given up, and one of them, which does not have it, is the server now."""

    def lose(commit):
        driver = commit.__self__
        driver.execute(f"DO $$ BEGIN {GIVEN_UP}; END $$")
        driver.rollback()

    commits.append(lose)
    error = refused(reactor, one.append(new_entry(1)))
    assert (error.code, error.is_fault) == ("unavailable", True)
    assert "has lost a transaction: nothing of it was saved" in error.sentence
    assert numbers(one) == [] and reactor.result_of(one.append(new_entry(1))) is None


def test_a_commit_whose_wait_for_standbys_was_given_up_is_not_acknowledged_before_they_have_it(
    one, reactor, query, url
):
    """After such a cancellation PostgreSQL reports success with a warning. A failover loses the commit."""
    process = reactor.result_of(one.write(lambda c: c.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()))
    waits = f"SELECT xact_start FROM pg_stat_activity WHERE pid = {process} AND wait_event = 'SyncRep'"
    operator = create_engine(url, isolation_level="AUTOCOMMIT")
    done = []
    with operator.connect() as connection:

        def configure(standbys):
            connection.exec_driver_sql(f"ALTER SYSTEM SET synchronous_standby_names = '{standbys}'")
            connection.exec_driver_sql("SELECT pg_reload_conf()")

        def write():
            return one.write(games.update, 1, turn=3).addCallback(done.append)

        def await_another(before):
            nonlocal written
            give_up = time.monotonic() + 60
            while (found := connection.exec_driver_sql(waits).scalar()) in (None, before):
                assert time.monotonic() < give_up, "no COMMIT waits"
                if not reactor.calls.empty():
                    assert before is None, "it is acknowledged already"
                    reactor.result_of(written)  # it was saved before the setting was in force
                    done.clear()
                    written = write()
            return found

        configure("nobody")
        written = write()
        try:
            first = await_another(None)
            assert connection.exec_driver_sql(f"SELECT pg_cancel_backend({process})").scalar_one()
            await_another(first)  # the look
            assert reactor.calls.empty() and done == []
        finally:
            configure("")
    operator.dispose()
    reactor.result_of(written)
    assert done == [None] and one.read(games.by_id, 1).turn == 3


# --- servers that take no changes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("only_rows", [True, False])
def test_a_connection_that_ends_within_a_group_is_told_as_what_it_is(one, reactor, query, new_entry, only_rows):
    """And the next group has another one."""
    process = reactor.result_of(one.write(lambda c: c.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()))

    def end(point):
        if point == "store: begun":
            query(lambda c: c.exec_driver_sql(f"SELECT pg_terminate_backend({process}, 10000)"))

    def give():
        return one.append(new_entry(1)) if only_rows else one.write(games.update, 1, turn=3)

    with interfering(end):
        error = refused(reactor, give())
    assert error.code == "unavailable" and "cannot be reached or used (terminating connection" in error.sentence
    assert numbers(one) == [] and one.read(games.by_id, 1).turn == 0
    assert reactor.result_of(give()) is None


def test_a_server_that_takes_no_changes_is_left_for_another(one, reactor, new_entry):
    """As a primary is that has become a standby: the next connection may be to its successor."""

    def backend(connection):
        return connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()

    def read_only(connection):
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        games.update(connection, 1, turn=3)

    before = reactor.result_of(one.write(backend)), one.write_apart(backend)
    error = refused(reactor, one.write(read_only))
    assert error.code == "unavailable" and error.is_fault and "takes no changes" in error.sentence
    with pytest.raises(StoreError, match="takes no changes"):
        one.write_apart(read_only)
    after = reactor.result_of(one.write(backend)), one.write_apart(backend)
    assert before[0] != after[0] and before[1] != after[1]


# --- a database that goes back ----------------------------------------------------------------------------------------


def test_an_epoch_that_was_given_twice_is_one_nodes_all_the_same(one, two, reactor, query, new_entry):
    """A standby has taken over that lacked the take-over of one, and another one has got the same epoch."""
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"), "one")
    assert reactor.result_of(held.append(new_entry(1))) is None
    query(lambda c: c.execute(game_table.update().values(node=None, epoch=0)))
    new = two.fenced(1, two.write_apart(nodes.take, 1, "two"), "two")
    assert new.fence[1] == held.fence[1]
    assert refused(reactor, held.append(new_entry(2))).code == "fenced"
    assert reactor.result_of(new.append(new_entry(2))) is None
    assert not one.write_apart(nodes.release, *held.fence) and two.write_apart(nodes.release, *new.fence)


@pytest.mark.parametrize("committed", [0, None])
def test_a_writer_saves_nothing_in_a_database_that_lacks_what_it_has_saved(
    one, reactor, query, new_entry, committed, url
):
    """Its newest group, or all of them: nothing is put behind a gap, and nothing more is saved by this process."""
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"), "one")
    assert reactor.result_of(held.append(new_entry(1))) is None
    change = writers.delete() if committed is None else writers.update().values(committed=one.saved[1] - 1)
    query(lambda c: c.execute(change))
    error = refused(reactor, held.append(new_entry(2)))
    assert error.code == "gone" and error.is_fault and f"The database {make_url(url)} has gone back" in error.sentence
    assert one.gone is not None and refused(reactor, one.write(lambda c: None)).code == "gone"
    with pytest.raises(StoreError, match="has gone back"):
        one.write_apart(nodes.beat, "one", LEASE)
    assert query(lambda c: journal.last_number(c, 1)) == 1


def test_a_group_whose_commit_is_unknown_is_no_sign_that_the_database_has_gone_back(one, reactor, commits):
    """It may be there or not; the next one is behind either."""

    def lost(commit):
        raise OSError("never sent")

    for unknown in (lost, lambda commit: commit() or lost(commit)):
        commits.append(unknown)
        reactor.result_of(one.write(lambda c: None).addErrback(lambda failure: None))
        assert reactor.result_of(one.write(lambda c: "saved")) == "saved"


def test_what_another_writer_has_saved_does_not_stand_for_what_is_missing(one, two, reactor):
    """Each numbers its groups by itself."""
    writer, group = one.saved
    for _ in range(group + 1):
        reactor.result_of(two.write(lambda c: None))
    assert two.saved[1] > group
    with pytest.raises(nodes.WentBack):
        one.write_apart(nodes.beat, "one", LEASE, 0, (writer, group + 1))
    started = one.read(nodes.all_nodes)[0].started
    assert not one.read(nodes.remembers, "one", "one:6923", started, 0, (writer, group + 1))


def test_a_beat_finds_out_that_the_database_has_gone_back(one, kill):
    saved = one.saved
    assert [one.write_apart(nodes.beat, "one", LEASE, seen, saved).beats for seen in (0, 1, 1)] == [1, 2, 3]
    with pytest.raises(nodes.WentBack):
        one.write_apart(nodes.beat, "one", LEASE, 4, saved)
    with pytest.raises(nodes.WentBack):
        one.write_apart(nodes.beat, "one", LEASE, 3, (saved[0], saved[1] + 1))
    with pytest.raises(nodes.WentBack):
        one.write_apart(nodes.beat, "never", LEASE, 0, saved)
    kill("one")
    with pytest.raises(nodes.WentBack):
        one.write_apart(nodes.beat, "one", LEASE, 4, saved)
    assert one.write_apart(nodes.beat, "one", LEASE, 3, saved) is None, "it is dead, and nothing else is wrong"


def test_a_server_that_was_stopped_knows_its_database_again(one, query, kill):
    """Also when the row of its last life is removed; not one that lacks that life, or the end of it."""
    started = one.read(nodes.all_nodes)[0].started
    for _ in range(2):
        one.write_apart(nodes.beat, "one", LEASE)
    assert one.read(nodes.remembers, "one", "one:6923", started, 2)
    assert not one.read(nodes.remembers, "one", "one:6923", started, 3), "the end of the life is missing"
    for later in (0, 1):
        assert not one.read(nodes.remembers, "before", "one:6923", started + later, 0), (
            "no later one of that address is there"
        )
    assert not one.read(nodes.remembers, "other", "other:6923", started - 1, 0), "later ones of others are"
    one.write_apart(nodes.register, "next", "one:6923", "1", LEASE)
    kill("one", nodes.KEPT_SECONDS + 60)
    query(nodes.forget)
    assert [node.id for node in query(nodes.all_nodes)] == ["next"]
    assert one.read(nodes.remembers, "one", "one:6923", started, 1)


def test_what_a_writer_has_saved_is_remembered_for_long_and_missed_when_it_is_gone(one, query, kill):
    started, (writer, group) = one.read(nodes.all_nodes)[0].started, one.saved
    assert group > 0

    def remembers(group):
        return one.read(nodes.remembers, "one", "one:6923", started, 0, (writer, group))

    assert remembers(group) and not remembers(group + 1)
    kill("one", nodes.WRITERS_KEPT_SECONDS / 2 - 60)
    assert not remembers(group + 1)
    kill("one", nodes.WRITERS_KEPT_SECONDS / 2 + 60)
    assert remembers(group + 1), "its row may have been removed"
    for ago, left in ((-60, 1), (60, 0)):
        long_ago = nodes.CLOCK - nodes.WRITERS_KEPT_SECONDS - ago
        query(lambda c, long_ago=long_ago: c.execute(writers.update().values(at=long_ago)))
        query(nodes.forget)
        assert query(lambda c: c.scalar(select(func.count()).select_from(writers))) == left


# --- conflicts --------------------------------------------------------------------------------------------------------


def test_a_group_that_gets_in_the_way_of_others_is_tried_again(one, reactor):
    """A serialization failure, as databases that spread over machines have them all the time, or a deadlock."""
    tries = []

    def unit(connection):
        tries.append(None)
        if len(tries) < 3:
            connection.exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = '40001'; END $$")
        return len(tries)

    assert reactor.result_of(one.write(unit)) == 3
    tries.clear()
    assert one.write_apart(unit) == 3


def test_entries_alone_are_tried_as_often_as_units(one, reactor, new_entry):
    """No more often, although it would be said that it was."""
    tries, fails = [], 2

    def get_in_the_way(point):
        if point == "store: begun":
            tries.append(None)
            if len(tries) <= fails:
                raise SerializationFailure("busy")

    with interfering(get_in_the_way):
        assert reactor.result_of(one.append(new_entry(1))) is None
        assert len(tries) == 3
        tries, fails = [], 99
        error = refused(reactor, one.append(new_entry(2)))
    assert len(tries) == 10 and "10 times it got in the way of other nodes (busy)" in error.sentence
    assert numbers(one) == [1]


def test_a_group_whose_commit_gets_in_the_way_of_others_is_tried_again(one, reactor, commits, new_entry):
    """It was undone then, and nobody has to look for it."""

    def get_in_the_way(commit):
        raise SerializationFailure("busy")

    for give in (partial(one.append, new_entry(1)), partial(one.write, lambda c: None)):
        commits += [get_in_the_way] * 2
        assert reactor.result_of(give()) is None and commits == []
    assert numbers(one) == [1]


def test_a_group_that_never_gets_through_fails(one, reactor):
    def unit(connection):
        connection.exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = '40P01'; END $$")

    error = refused(reactor, one.write(unit))
    assert error.code == "unavailable" and "10 times it got in the way of other nodes (busy" in error.sentence


# --- who has the database ---------------------------------------------------------------------------------------------


def test_a_server_of_its_own_and_nodes_keep_each_other_out(one, url, kill):
    with pytest.raises(StoreError, match=r"in use by a cluster \(its node at one:6923 lives\)") as error:
        Store.open(url, reactor=None)
    assert error.value.code == "in-use"
    held = one.write_apart(nodes.take, 1, "one")
    kill("one")
    alone = Store.open(url, reactor=None)
    try:
        with pytest.raises(StoreError, match=r"by a tpserver without \[cluster\]") as error:
            Store.open(url, reactor=None, timeouts=PATIENT)
        assert error.value.code == "in-use"
        assert one.read(nodes.single_server) is not None, "which one finds out as it registers anew"
        assert alone.read(lambda c: c.execute(select(game_table.c.node, game_table.c.epoch)).one()) == (None, held + 1)
    finally:
        alone.close()


def test_a_node_that_was_frozen_saves_nothing_after_a_server_of_its_own_was_there(one, url, kill, reactor, new_entry):
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    kill("one")
    Store.open(url, reactor=None).close()
    assert refused(reactor, held.append(new_entry(1))).code == "fenced"


def test_nodes_that_make_the_tables_at_the_same_moment_all_find_them(url):
    stores, wrong = [], []

    def start():
        try:
            stores.append(Store.open(url, reactor=None, timeouts=PATIENT))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for store in stores:
        store.close()
    assert wrong == [] and len(stores) == 4


def test_tables_are_not_brought_up_to_date_under_a_node_that_lives(one, url, query, kill):
    query(lambda c: c.exec_driver_sql("UPDATE tpserver_version SET version_num = '0001'"))
    with pytest.raises(StoreError, match=r"node at one:6923 needs\. Stop all nodes") as error:
        Store.open(url, reactor=None, timeouts=PATIENT)
    assert error.value.code == "in-use"


@pytest.fixture
def next_release(monkeypatch, tmp_path):
    """next_release(adds_only): turn the program into the next release, with one more migration.

    It returns the function that restores the present release.
    """

    def next_release(adds_only):
        there = tmp_path / "migrations"
        shutil.copytree(schema.MIGRATIONS, there, ignore=shutil.ignore_patterns("__pycache__"))
        (there / "versions" / "v0999_more.py").write_text(
            f"""from alembic import op
import sqlalchemy as sa
revision, down_revision, branch_labels, depends_on = "0999", "{schema.newest_version()}", None, None
ADDS_ONLY = {adds_only}
def upgrade():
    op.add_column("games", sa.Column("mood", sa.Text))
"""
        )
        monkeypatch.setattr(schema, "MIGRATIONS", there)
        return monkeypatch.undo

    return next_release


def version(c):
    return c.exec_driver_sql("SELECT version_num FROM tpserver_version").scalar_one()


def test_an_upgrade_that_only_adds_is_rolling(one, url, query, reactor, new_entry, next_release):
    """Nodes of the version before go on, also those that are started afterwards."""
    one.write_apart(nodes.cluster_id)
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    again = next_release(adds_only=True)
    newer = Store.open(url, reactor=reactor, timeouts=PATIENT)
    again()
    assert query(version) == "0999"
    reactor.result_of(held.append(new_entry(1)))
    older = Store.open(url, reactor=reactor, timeouts=PATIENT)
    assert older.read(games.by_id, 1).name == one.read(games.by_id, 1).name
    for store in (newer, older):
        reactor.result_of(store.close())


def test_an_upgrade_that_does_not_only_add_waits_for_all_nodes_to_stop(one, url, query, kill, reactor, next_release):
    """And a program of the version before is not a node of such tables."""
    one.write_apart(nodes.cluster_id)
    again = next_release(adds_only=False)
    with pytest.raises(StoreError, match=r"are of an older version, which the node at one:6923 needs\."):
        Store.open(url, reactor=None, timeouts=PATIENT)
    assert query(version) != "0999"
    kill("one")
    reactor.result_of(Store.open(url, reactor=reactor, timeouts=PATIENT).close())
    again()
    with pytest.raises(StoreError, match="was made by a newer tpserver") as refused:
        Store.open(url, reactor=None, timeouts=PATIENT)
    assert refused.value.code == "newer"


def test_nodes_are_listed_in_tables_of_an_older_version(one, url, query):
    """An operator checks during an upgrade which nodes live.

    The tables are from before nodes could be drained, and from before there were nodes.
    """

    def listed(version, change):
        query(lambda c: c.exec_driver_sql(change))
        query(lambda c: c.exec_driver_sql(f"UPDATE tpserver_version SET version_num = '{version}'"))
        database = ReadOnly(url)
        found = database.read(nodes.all_nodes)
        database.close()
        return [(node.id, node.rulesets, node.draining) for node in found]

    assert listed("0020", "ALTER TABLE nodes DROP COLUMN rulesets, DROP COLUMN draining") == [("one", "{}", 0)]
    assert listed("0018", "DROP TABLE nodes") == []


def test_sqlite_is_for_one_server(tmp_path):
    with pytest.raises(StoreError, match="SQLite is for one server: a cluster needs a database") as error:
        Store.open(f"sqlite:///{tmp_path}/game.sqlite", reactor=None, timeouts=PATIENT)
    assert error.value.code == "url" and list(tmp_path.iterdir()) == []


# --- limits of time ---------------------------------------------------------------------------------------------------


def test_every_connection_of_a_node_has_limits_of_time(open_node, reactor):
    one = open_node("one", timeouts=Timeouts(connect=5, statement=20, lock=10, idle=9, unanswered=5))
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")

    def limits(connection):
        return [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names]

    assert reactor.result_of(one.write(limits)) == ["20s", "10s", "9s"]
    assert one.read(limits) == ["20s", "10s", "9s"]
    assert one.write_apart(limits) == ["10s", "10s", "9s"]
    kept = one.read(lambda c: driver_connection(c).info.get_parameters())
    assert (kept["connect_timeout"], kept["tcp_user_timeout"]) == ("5", "5000")


def test_a_server_of_its_own_has_none_of_this(url, reactor, new_entry, new_game, statements):
    alone = Store.open(url, reactor=None)
    try:
        for limit in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
            assert alone.read(lambda c, limit=limit: c.exec_driver_sql(f"SHOW {limit}").scalar_one()) == "0"
        alone.write(new_game)
        alone.append(new_entry(1))
        assert alone.read(lambda c: c.scalar(select(func.count()).select_from(writers))) == 0
        with pytest.raises(ValueError, match="not that of a cluster"):
            alone.fenced(1, 1)
    finally:
        alone.close()


def test_a_frozen_transaction_is_ended_by_the_database(open_node, reactor, commits, kill, new_game, new_entry, pause):
    """Between its last statement and its COMMIT: the takeover waits for the limit, and the COMMIT fails."""
    one, two = open_node("one"), open_node("two")
    reactor.result_of(one.write(new_game))
    held = one.fenced(1, one.write_apart(nodes.take, 1, "one"))
    commits.append(lambda commit: end_when_idle(one.writer) or pause() or commit())
    written = held.append(new_entry(1))
    pause.await_reached()
    kill("one")
    new = two.fenced(1, two.write_apart(nodes.take, 1, "two"))
    pause.end()
    assert refused(reactor, written).code == "unavailable"
    assert reactor.result_of(new.append(new_entry(1))) is None
    assert refused(reactor, held.append(new_entry(2))).code == "fenced"
    assert numbers(two) == [1]
