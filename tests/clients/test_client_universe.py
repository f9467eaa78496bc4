"""The universe cache: its requests, its contents, its reading of objects."""

import asyncio
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, listing
from tests.support.server_in_memory import Client, text
from tests.support.workshop import ALL, BOAT, PLACE, PLAIN, POST, SMALL_YARD, YARD, Wish
from tpclient.errors import RequestFailed, UnexpectedAnswer
from tpclient.objects import Amount, read_classic, read_object
from tpclient.session import Answer, Reply, Request
from tpclient.universe import PASSING, TABLES, Changes, Universe
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = pytest.mark.parametrize("dialect", [TP03, PB], ids=lambda dialect: dialect.name)
MODERN = pytest.mark.parametrize("dialect", [TP04, PB], ids=lambda dialect: dialect.name)


async def visited(server: MemoryServer, dialect: Dialect) -> tuple[list[Client], Any, Universe]:
    """Ann's and ben's connections in the tests' own words, one of ann in the library's, and its universe."""
    players = server.begin("ann", "ben")
    connection = await server.join("ann", dialect)
    universe = connection.universe()
    await connection.refresh(universe)
    server.asked.clear()
    return players, connection, universe


def kinds(server: MemoryServer) -> list[str]:
    return [kind for _, kind in server.asked]


@DIALECTS
def test_the_first_refresh_downloads_everything(server: MemoryServer, dialect: Dialect) -> None:
    """Every object with owner, place, contents and parent; the player's number; the description of every order."""

    async def run() -> None:
        _, _, universe = await visited(server, dialect)
        assert universe.me == 1
        assert {number: player.name for number, player in universe.players.items()} == {1: "ann", 2: "ben"}
        assert sorted(universe.objects) == [ALL, PLAIN, PLACE, SMALL_YARD, YARD, POST, BOAT]
        assert sorted(one.name for one in universe.order_descriptions.values()) == [
            "Bid",
            "Build",
            "Move",
            "Send",
            "Tune",
            "Wish",
        ]
        place = universe.objects[PLACE]
        assert (place.role, place.name, place.position, place.parent) == (2, "5, 3", (50, 2, 3), PLAIN)
        (boat,) = universe.children(place.id)
        assert (boat.role, boat.owner, boat.queue, dict(boat.ships)) == (4, 1, BOAT, {1: 2})
        assert [thing.name for thing in universe.ancestors(BOAT)] == ["5, 3", "Plain", "All"]
        port = universe.objects[YARD]
        assert (port.role, port.owner, port.queue, port.resources) == (3, 1, YARD, {1: Amount(5, 6, 7)})
        assert [order.name for order in universe.offers(port)] == ["Build", "Send", "Tune", "Wish", "Bid"]
        assert [order.name for order in universe.offers(boat)] == ["Move"]
        assert universe.turn == 0

    asyncio.run(run())


@MODERN
def test_described_numbers_are_found_by_name(server: MemoryServer, dialect: Dialect) -> None:
    """Status of a place by the names of its group and of itself."""

    async def run() -> None:
        _, _, universe = await visited(server, dialect)
        water, strange = universe.objects[PLACE], universe.objects[SMALL_YARD]
        assert (water.kind, water.numbers["Status", "Ground"], water.numbers["Status", "Depth"]) == (
            "Star System",
            4,
            PLACE,
        )
        assert (strange.numbers["Status", "Ground"], strange.numbers["Status", "Depth"]) == (9, SMALL_YARD)

    asyncio.run(run())


@DIALECTS
def test_nothing_new_means_nothing_fetched(server: MemoryServer, dialect: Dialect) -> None:
    """The second refresh asks for ids only, and says that nothing changed."""

    async def run() -> None:
        _, connection, universe = await visited(server, dialect)
        assert not await connection.refresh(universe)
        assert all(kind.endswith("_ids") for kind in kinds(server))

    asyncio.run(run())


@DIALECTS
def test_only_what_is_newer_is_fetched(server: MemoryServer, dialect: Dialect) -> None:
    """One request downloads the changes of a turn, in their new form: here a place, and the year."""

    async def run() -> None:
        (_, ben), connection, universe = await visited(server, dialect)
        server.carry_out(ben, f"name {PLACE} Newtown")
        changes = await connection.refresh(universe, PASSING)
        assert changes.fetched["objects"] == (ALL, PLACE)
        assert not changes.gone
        assert universe.objects[PLACE].name == "Newtown"
        assert kinds(server).count("get_objects_by_id") == 1

    asyncio.run(run())


@DIALECTS
def test_what_has_gone_is_dropped(server: MemoryServer, dialect: Dialect) -> None:
    """TP03 no longer lists the object; TP04 lists it as changed and then says that it is gone.

    This server does not list its queue, but others may.
    """

    async def run() -> None:
        (_, ben), connection, universe = await visited(server, dialect)
        server.carry_out(ben, f"hide {YARD}")
        server.scripts["get_order_queue_ids"] = listing(YARD)
        changes = await connection.refresh(universe, PASSING)
        assert changes.gone["objects"] == (YARD,)
        assert YARD not in universe.objects
        assert YARD not in universe.queues
        server.scripts.clear()
        assert not await connection.refresh(universe, PASSING)

    asyncio.run(run())


@DIALECTS
def test_a_thing_that_comes_back_is_fetched_again(server: MemoryServer, dialect: Dialect) -> None:
    """Gone and there again under the same id, with a newer time."""

    async def run() -> None:
        (_, ben), connection, universe = await visited(server, dialect)
        server.carry_out(ben, f"hide {YARD}")
        await connection.refresh(universe, PASSING)
        server.carry_out(ben, f"show {YARD}")
        changes = await connection.refresh(universe, PASSING)
        assert YARD in changes.fetched["objects"]
        assert universe.objects[YARD].name == "Yard"

    asyncio.run(run())


@DIALECTS
def test_a_changed_order_queue_is_noticed(server: MemoryServer, dialect: Dialect) -> None:
    """The number of orders and the accepted types come from the queue, or in TP03 from the object."""

    async def run() -> None:
        (ann, _), connection, universe = await visited(server, dialect)
        server.close_turn()
        server.close_turn()
        assert ann.insert(YARD, Wish.number, text("a hat")).name == "order"
        await connection.refresh(universe, PASSING)
        queue = universe.queue_of(universe.objects[YARD])
        assert queue is not None
        assert (queue.num_orders, list(queue.order_types)) == (1, [2, 3, 4, 6])
        assert [one.name for one in universe.offers(universe.objects[YARD])] == ["Send", "Tune", "Wish", "Bid"]

    asyncio.run(run())


@DIALECTS
def test_long_lists_are_paged(server: MemoryServer, dialect: Dialect) -> None:
    """A server may give fewer ids than asked for; the rest is asked for under the same key."""

    async def run() -> None:
        server.scripts["get_object_ids"] = lambda request: request.answered(amount=2)
        _, _, universe = await visited(server, dialect)
        assert sorted(universe.objects) == [ALL, PLAIN, PLACE, SMALL_YARD, YARD, POST, BOAT]

    asyncio.run(run())


def test_other_players_queues_are_nothing_to_us(server: MemoryServer) -> None:
    """An object whose queue is 0 offers nothing, and `own` are ours alone."""

    async def run() -> None:
        _, _, universe = await visited(server, TP04)
        theirs = universe.objects[POST]
        assert (theirs.owner, theirs.queue, universe.offers(theirs)) == (2, 0, [])
        assert {thing.owner for thing in universe.own()} == {1}

    asyncio.run(run())


def test_a_refused_list_is_an_error(server: MemoryServer) -> None:
    """Before login the server refuses; nothing is taken for empty."""

    async def run() -> None:
        connection = server.link()
        with pytest.raises(RequestFailed, match=r"Log in to see the players\.? \(code 3\)"):
            await connection.refresh(connection.universe())

    asyncio.run(run())


def answer(request: Request, *messages: Any) -> Answer:
    return Answer(1, request, tuple(Reply("", message) for message in messages))


def started(universe: Universe) -> tuple[Any, list[Request]]:
    """A refresh of the objects whose list has been answered with two ids; the fetching request is next."""
    steps = universe.refresh(["objects"])
    requests = next(steps)
    assert [request.kind for request in requests] == ["get_object_ids", "get_player"]
    ids = [tp.IdAndTime(id=number, modtime=5) for number in (0, 9)]
    listed = answer(requests[0], tp.IDSequence(key=1, ids=ids, fromtime=5))
    return steps, steps.send([listed, answer(requests[1], tp.Player(id=3))])


def test_refusals_that_do_not_mean_gone_are_raised() -> None:
    """A server that is busy must not empty our map."""
    steps, (request,) = started(Universe(TP04, Descriptions()))
    assert list(request.message.ids) == [0, 9]  # type: ignore[attr-defined] # GetWithID
    with pytest.raises(RequestFailed, match="Busy"):
        steps.send([answer(request, tp.Object(id=0), tp.Fail(code=3, result="Busy"))])


def test_a_refusal_of_the_whole_request_is_raised() -> None:
    steps, (request,) = started(Universe(TP04, Descriptions()))
    with pytest.raises(RequestFailed, match="Busy"):
        steps.send([answer(request, tp.Fail(code=3, result="Busy"))])


def test_an_answer_of_the_wrong_length_is_an_error() -> None:
    steps, (request,) = started(Universe(TP04, Descriptions()))
    with pytest.raises(UnexpectedAnswer, match="2 ids with 3 frames"):
        steps.send([answer(request, tp.Object(id=0), tp.Object(id=9), tp.Object(id=9))])


def test_the_time_to_ask_from_is_kept_only_when_all_is_fetched() -> None:
    """If a download fails the next refresh lists everything again. Otherwise it asks from the last time."""
    universe = Universe(TP04, Descriptions())
    steps, (request,) = started(universe)
    steps.close()
    (again,) = next(universe.refresh(["objects"]))
    assert again.message.fromtime == -1  # type: ignore[attr-defined] # GetIDSequence
    steps, (request,) = started(Universe(TP04, Descriptions()))
    universe = Universe(TP04, Descriptions())
    steps, (request,) = started(universe)
    with pytest.raises(StopIteration):
        steps.send([answer(request, tp.Object(id=0), tp.Object(id=9))])
    (next_time,) = next(universe.refresh(["objects"]))
    assert next_time.message.fromtime == 5  # type: ignore[attr-defined] # GetIDSequence


def test_tp03_asks_only_for_what_tp03_has() -> None:
    """No order queues, object descriptions or lists of players there."""
    steps = Universe(TP03, Descriptions()).refresh()
    asked = {request.kind for request in next(steps)}
    missing = {table.listed_by for table in TABLES} - asked
    assert missing == {"get_order_queue_ids", "get_object_desc_ids", "get_player_ids"}


def test_owner_zero_and_all_ones_are_nobody() -> None:
    """Players' ids start at 1; old servers say -1, which is all bits set in an unsigned number."""
    descriptions = Descriptions()
    owner = tp.PropertyGroup(name="Ownership", parameters=[tp.ParameterDesc(name="Owner", type=6)])
    descriptions.learn_object(tp.ObjectDesc(id=3, name="Planet", property_groups=[owner]))
    for wire, read in ((0, 0), (0xFFFFFFFF, 0), (2, 2)):
        value = tp.ObjectParameter(reference=tp.Reference(type=7, id=wire))
        assert read_object(tp.Object(otype=3, parameters=[value]), descriptions).owner == read
    classic = tp.ClassicObject(otype=4, fleet=tp.ClassicFleet(owner=-1, ships=[tp.ShipCount(type=4, count=2)]))
    assert (read_classic(classic).owner, dict(read_classic(classic).ships)) == (0, {4: 2})


def test_the_first_position_and_the_first_player_count() -> None:
    """An object with a destination and a former owner is where its first position is, and its first player's."""
    parameters = [tp.ParameterDesc(name=name, type=kind) for name, kind in (("a", 0), ("b", 0), ("c", 6), ("d", 6))]
    descriptions = Descriptions()
    group = tp.PropertyGroup(name="All", parameters=parameters)
    descriptions.learn_object(tp.ObjectDesc(id=3, name="Ship", property_groups=[group]))
    places = [tp.ObjectParameter(position=tp.RelativeVector(vector=tp.Vector(x=x))) for x in (4, 5)]
    owners = [tp.ObjectParameter(reference=tp.Reference(type=7, id=number)) for number in (1, 2)]
    thing = read_object(tp.Object(otype=3, parameters=[*places, *owners]), descriptions)
    assert (thing.position, thing.owner) == ((4, 0, 0), 1)


def test_an_object_that_contains_itself_does_not_hang_us() -> None:
    """A broken server's circle of parents ends."""
    universe = Universe(TP04, Descriptions())
    universe.objects[1] = read_object(tp.Object(id=1, parent=2), Descriptions())
    universe.objects[2] = read_object(tp.Object(id=2, parent=1), Descriptions())
    assert [thing.id for thing in universe.ancestors(1)] == [2]


def test_what_was_found_in_several_looks_is_told_as_one() -> None:
    """The last word about each thing counts."""
    universe = Universe(TP04, Descriptions())
    universe.me = 1
    universe.tell_again(Changes({"objects": (1, 2), "boards": (4,)}, {"objects": (3,)}))
    universe.tell_again(Changes({"objects": (3, 5)}, {"objects": (1,)}))
    for told in (Changes({"objects": (2, 3, 5), "boards": (4,)}, {"objects": (1,)}), Changes()):
        steps = universe.refresh(())
        assert next(steps) == []
        with pytest.raises(StopIteration) as end:
            steps.send([])
        assert end.value.value == told
