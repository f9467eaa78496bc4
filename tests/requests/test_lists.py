"""Lists of ids over time: changes, removals, and stable pages."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_games.auction import Auction

from tests.requests.odd_rulesets import CAT, ODD, PURSE
from tests.support.server_in_memory import Client, Server
from tprules.api import Group, Kind, Role
from tpserver.requests.session.cursors import ALWAYS_KEPT, MOST_KEPT_IDS, MOST_LISTS, KeptLists
from tpserver.requests.session.refusals import RequestError
from tpserver.rules.discovery import Rulesets

FRAME, NO_SUCH_THING, GONE = 1, 4, 6


@pytest.fixture
def fading(make_server: Any, dialect: str) -> list[Client]:
    """Two players of a game with a cat that is seen in every other round."""
    server = make_server(found=ODD)
    server.create("first", "fading", 2, clock="manual")
    return server.players(2, dialect)


def changes(client: Client, fromtime: int) -> dict[int, int]:
    answer = client.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=fromtime).message
    return {pair.id: pair.modtime for pair in answer.ids}


def latest(client: Client) -> int:
    return int(client.ask("get_object_ids", key=-1, start=0, amount=0, fromtime=-1).message.fromtime)


def test_a_list_stays_the_same_for_its_key_also_across_a_turn(fading: list[Client]):
    """Half is read before the turn and half after it: together they are the old list, with the old times."""
    ann, _ = fading
    whole = list(ann.ids().items())
    first = ann.ask("get_object_ids", key=-1, start=0, amount=3, fromtime=-1).message
    ann.server.close_turn()
    rest = ann.ask("get_object_ids", key=first.key, start=3, amount=-1, fromtime=-1).message
    assert [(pair.id, pair.modtime) for pair in [*first.ids, *rest.ids]] == whole
    assert rest.remaining == 0
    assert CAT in {pair.id for pair in rest.ids}
    assert CAT not in ann.ids()
    assert ann.object(CAT).id == CAT, "it was listed, and is fetched for the first time"
    assert ann.object(CAT).code == (NO_SUCH_THING if ann.classic else GONE)


def test_a_list_can_be_begun_anywhere(fading: list[Client]):
    """All that is left from there on, without having asked for what is before it."""
    ann, _ = fading
    if not ann.classic:  # lists whole
        whole = list(ann.ids().items())
        rest = ann.ask("get_object_ids", key=-1, start=2, amount=-1, fromtime=-1).message
        assert [(pair.id, pair.modtime) for pair in rest.ids] == whole[2:]
        assert rest.remaining == 0


def test_a_fleet_tells_its_ships(fading: list[Client]):
    ann, _ = fading
    cat = ann.object(CAT)
    if ann.classic:
        assert [(ship.type, ship.count) for ship in cat.fleet.ships] == [(1, 1)]
    else:
        (ships,) = (one.reference_quantity_list for one in cat.parameters if one.HasField("reference_quantity_list"))
        assert [(ship.id, ship.number) for ship in ships.references] == [(1, 1)]


def test_what_vanished_is_listed_as_changed_and_is_gone(fading: list[Client]):
    """TP04: a list from a time on has it with a newer time; fetching it says that it has gone."""
    ann, _ = fading
    if ann.classic:  # has no fromtime: what has gone is just not listed any more
        ann.server.close_turn()
        assert CAT not in ann.ids()
        return
    before, asked = ann.ids(), latest(ann)
    assert changes(ann, asked) == {}
    ann.server.close_turn()
    changed = changes(ann, asked)
    assert set(changed) == {0, 1, CAT}, "the turn number in the root, the contents of the house, and the cat"
    assert all(changed[number] > before[number] for number in changed)
    (fail,) = ann.objects(CAT)
    assert fail.code == GONE
    assert str(CAT) in fail.result
    assert changes(ann, latest(ann)) == {}


def test_what_comes_back_is_newer_than_when_it_went(fading: list[Client]):
    ann, _ = fading
    ann.server.close_turn()
    asked = latest(ann) if not ann.classic else 0
    gone = ann.session.game.views[0].gone[CAT]
    ann.server.close_turn()
    assert ann.ids()[CAT] > gone
    assert ann.object(CAT).modtime == ann.ids()[CAT]
    if not ann.classic:
        assert CAT in changes(ann, asked)
        assert CAT not in ann.session.game.views[0].gone


def test_an_object_that_was_never_there_is_not_gone(fading: list[Client]):
    """Gone says that it once was; what one never saw does not exist."""
    ann, _ = fading
    assert ann.objects(999)[0].code == NO_SUCH_THING


def test_times_rise_with_every_change_and_never_go_back(fading: list[Client]):
    """Through orders, turns and a restart in the same second: clients fetch again what is newer than theirs."""
    ann, _ = fading
    seen: dict[int, int] = {}
    server = ann.server
    for step in range(4):
        for action in ("bid", "turn"):
            if action == "bid":
                ann.bid(1)
            else:
                server.close_turn()
            now = ann.ids()
            for number in set(now) & set(seen):
                assert now[number] >= seen[number], number
            changed = ann.home if action == "bid" else 0
            assert now[changed] > seen.get(changed, 0)
            seen.update(now)
        if step == 1:
            server = server.restarted()
            ann = server.player("ann", ann.title)
    server.stop()


def test_everything_fits_together(fading: list[Client]):
    """All that is listed can be fetched, what contains lists is listed, parents contain their children (wire.md)."""
    for client in fading:
        for _ in range(2):
            ids = client.ids()
            objects = {thing.id: thing for thing in client.objects(*ids)}
            assert set(objects) == set(ids)
            for number, thing in objects.items():
                assert thing.modtime == ids[number]
                assert set(thing.contains) <= set(ids)
                if not client.classic:
                    assert number in (0, *objects[thing.parent].contains)
            everything = [0, *(child for thing in objects.values() for child in thing.contains)]
            assert sorted(everything) == sorted(ids), "each object is in one place"
            client.server.close_turn()


def test_each_sees_its_purse_at_home_and_the_others_in_the_house(fading: list[Client]):
    """Where a thing lies can be as secret as what it is: no seat's contents come from another's view."""
    ann, ben = fading
    assert list(ann.object(ann.home).contains) == [PURSE]
    assert list(ben.object(ben.home).contains) == [PURSE + 1]
    assert PURSE + 1 in ann.object(1).contains
    assert PURSE not in ann.object(1).contains
    assert PURSE in ben.object(1).contains
    assert PURSE + 1 not in ben.object(1).contains
    assert list(ann.object(ben.home).contains) == []
    assert list(ben.object(ann.home).contains) == []


def test_a_connection_keeps_so_many_lists_and_forgets_the_oldest(fading: list[Client]):
    """Otherwise a client could fill the server's memory with lists."""
    ann, _ = fading
    keys = [ann.ask("get_player_ids" if not ann.classic else "get_object_ids", key=-1).message.key for _ in range(40)]
    assert len(set(keys)) == 40
    name = "get_object_ids"
    assert ann.ask(name, key=keys[0], amount=-1).code == NO_SUCH_THING
    assert ann.ask(name, key=keys[-MOST_LISTS - 1], amount=-1).code == NO_SUCH_THING
    assert ann.ask(name, key=keys[-MOST_LISTS], amount=-1).name.endswith("_ids")
    assert len(ann.session.lists) == MOST_LISTS


@pytest.mark.thorough
@given(st.lists(st.integers(0, MOST_KEPT_IDS * 2 // 3), max_size=60))
@example([MOST_KEPT_IDS // 8] * 8)
@example([MOST_KEPT_IDS // 8] * 7 + [MOST_KEPT_IDS // 8 + 1])
def test_the_lists_of_a_connection_are_bounded_by_their_ids_too(lengths: list[int]):
    """Kept lists read as given. The newest few are kept at any length, so that paging never stops."""
    kept = KeptLists()
    given: dict[int, list[tuple[int, int]]] = {}
    for length in lengths:
        ids = [(number, 2**40 + number) for number in range(length)]
        given[kept.keep(ids, latest=length)] = ids
        there = []
        for key, ids in given.items():
            with suppress(RequestError):
                assert kept.get(key).part(0, len(ids)) == ids
                assert kept.get(key).part(1, 3) == ids[1:3]
                assert kept.get(key).latest == len(ids)
                there.append(key)
        newest = list(given)[-len(there) :]
        assert there == newest and len(there) == len(kept) <= MOST_LISTS
        assert len(there) >= min(len(given), ALWAYS_KEPT)
        total = sum(len(given[key]) for key in there)
        assert total <= MOST_KEPT_IDS or len(there) == ALWAYS_KEPT or len(given) <= ALWAYS_KEPT
        if len(there) < min(len(given), MOST_LISTS):
            assert total + len(given[list(given)[-len(there) - 1]]) > MOST_KEPT_IDS


def test_keys_are_of_one_connection_and_positive(fading: list[Client]):
    ann, ben = fading
    ann.session.lists.last_key = 0x7FFFFFFD
    keys = [ann.ask("get_object_ids", key=-1).message.key for _ in range(3)]
    assert keys == [0x7FFFFFFE, 1, 2]
    assert ben.ask("get_object_ids", key=keys[0], amount=-1).code == NO_SUCH_THING


def test_the_root_of_a_waiting_game_counts_nothing_yet(make_server: Any):
    """The numbers that its type describes are there anyway."""

    class Weather(Auction):
        name = "weather"
        kinds = {
            **Auction.kinds,
            "universe": Kind(Role.UNIVERSE, "Universe", groups=(Group("Sky", "", (("Rain", ""),)),)),
        }

    server = make_server(found=Rulesets({"weather": Weather()}, {}))
    server.create("first", "weather")
    root = server.player("ann").object(0)
    assert [one.integer.value for one in root.parameters[3:]] == [0, 0], "the turn, and the rain"


def test_a_waiting_game_has_its_root_alone(server: Server, dialect: str):
    """And the root is the same object afterwards, changed."""
    server.create("first", "tae", 2, options={"board": "A.A./.M../..A."})
    ann = server.player("ann", dialect)
    assert list(ann.ids()) == [0]
    root = ann.object(0)
    assert root.otype == 0
    assert list(root.contains) == []
    if not ann.classic:
        assert root.parameters[3].integer.value == 0
    server.player("ben", dialect)
    assert len(ann.ids()) > 20
    assert ann.ids()[0] > root.modtime
    assert list(ann.object(0).contains) == [1]


@pytest.mark.parametrize("dialect", ["tp03", "pb"])
def test_the_owner_of_pieces_nobody_owns_can_be_fetched_but_is_not_listed(server: Server, dialect: str) -> None:
    """Such pieces name player -1, and programs of 2010 fetch that player."""
    server.create()
    ann, _ = server.players(2, dialect)
    (neutral,) = ann.ask("get_player", ids=[2**32 - 1]).things
    assert (neutral.id, neutral.name, neutral.race) == (2**32 - 1, "Neutral", "")
    if dialect != "tp03":
        assert list(ann.ids("get_player_ids")) == [1, 2]
