"""The universe cache: what it asks for, what it keeps, and how it reads objects."""

import asyncio
from typing import Any

import pytest

from tpclient.errors import RequestFailed, UnexpectedAnswer
from tpclient.objects import Amount, read_classic, read_object
from tpclient.session import Answer, Reply, Request
from tpclient.universe import PASSING, TABLES, Universe
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = pytest.mark.parametrize("dialect", [TP03, TP04, PB], ids=lambda dialect: dialect.name)
MODERN = pytest.mark.parametrize("dialect", [TP04, PB], ids=lambda dialect: dialect.name)

ROWS = "0S s . / # m* x"


async def visited(fake_server: Any, game: Any, dialect: Dialect) -> tuple[Any, Any, Universe]:
    """A server, a connection of the first player, and its universe after the first refresh."""
    server = fake_server(game)
    connection = await server.connect("player0", dialect)
    universe = connection.universe()
    await connection.refresh(universe)
    server.asked.clear()
    return server, connection, universe


def kinds(server: Any) -> list[str]:
    return [kind for _, kind in server.asked]


@DIALECTS
def test_the_first_refresh_downloads_everything(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """Every object with owner, place, contents and parent; the own number; the description of every order."""

    async def run() -> None:
        game = tae_game(ROWS, "mr", "s")
        _, _, universe = await visited(fake_server, game, dialect)
        assert universe.me == 1
        assert {number: player.name for number, player in universe.players.items()} == {1: "player0", 2: "player1"}
        assert universe.objects.keys() == game.tables["objects"].keys()
        assert sorted(one.name for one in universe.order_descriptions.values()) == sorted(
            ["Attack", "Colonize", "ColonizeMining", "Exchange", "Move", "Reinforce"]
        )
        system = universe.objects[game.systems[1, 1]]
        (planet,) = universe.children(system.id)
        assert (system.kind, system.name, system.position, system.parent) == (
            "Star System",
            "1, 1",
            (80001, 160001, 0),
            1,
        )
        assert (planet.kind, planet.parent, planet.owner) == ("Planet", system.id, 0)
        assert planet.resources == {5: Amount(1, 0, 0)}
        fleet = universe.objects[game.hands[0][0]]
        assert (fleet.kind, fleet.owner, fleet.queue, dict(fleet.ships)) == ("Fleet", 1, fleet.id, {1: 1})
        assert [thing.name for thing in universe.ancestors(fleet.id)] == [
            "player0's Home Planet",
            "player0's System",
            "The Fertile Galaxy",
            "The Universe",
        ]
        assert [order.name for order in universe.offers(fleet)] == ["Colonize"]
        assert universe.turn == 1

    asyncio.run(run())


@MODERN
def test_described_numbers_are_found_by_name(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """Status of a star system by name, with or without its group; None for what there is not."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        _, _, universe = await visited(fake_server, game, dialect)
        wall, ruin = universe.objects[game.systems[0, 0]], universe.objects[game.systems[2, 0]]
        assert (wall.number("Inhabitable"), wall.number("Destroyed", "Status")) == (0, 0)
        assert (ruin.number("Inhabitable"), ruin.number("Destroyed", "Status")) == (1, 1)
        assert wall.number("Destroyed", "Ships") is None
        assert wall.number("Weather") is None

    asyncio.run(run())


@DIALECTS
def test_nothing_new_means_nothing_fetched(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """The second refresh asks for ids only, and says that nothing changed."""

    async def run() -> None:
        server, connection, universe = await visited(fake_server, tae_game(ROWS, "mr"), dialect)
        assert not await connection.refresh(universe)
        assert all(kind.endswith("_ids") for kind in kinds(server))

    asyncio.run(run())


@DIALECTS
def test_only_what_is_newer_is_fetched(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """A changed object is fetched alone, and in its new form."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        server, connection, universe = await visited(fake_server, game, dialect)
        number = game.systems[2, 1]
        changed = tp.Object()
        changed.CopyFrom(game.tables["objects"][number])
        changed.name = "Newtown"
        game.put("objects", changed)
        changes = await connection.refresh(universe, PASSING)
        assert changes.fetched["objects"] == (number,)
        assert not changes.gone
        assert universe.objects[number].name == "Newtown"
        assert kinds(server).count("get_objects_by_id") == 1

    asyncio.run(run())


@DIALECTS
def test_what_has_gone_is_dropped(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """TP03 lists it no more; TP04 lists it as changed and then says that it is gone."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        _, connection, universe = await visited(fake_server, game, dialect)
        ship = game.hands[0][0]
        game.drop("objects", ship)
        game.drop("queues", ship)
        changes = await connection.refresh(universe, PASSING)
        assert changes.gone["objects"] == (ship,)
        assert ship not in universe.objects
        assert ship not in universe.queues
        assert not await connection.refresh(universe, PASSING)

    asyncio.run(run())


@DIALECTS
def test_a_thing_that_comes_back_is_fetched_again(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """Gone and there again under the same id, with a newer time."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        _, connection, universe = await visited(fake_server, game, dialect)
        ship = game.hands[0][0]
        kept = game.tables["objects"][ship]
        game.drop("objects", ship)
        await connection.refresh(universe, PASSING)
        game.put("objects", kept)
        changes = await connection.refresh(universe, PASSING)
        assert changes.fetched["objects"] == (ship,)
        assert universe.objects[ship].id == ship

    asyncio.run(run())


@DIALECTS
def test_a_changed_order_queue_is_noticed(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """How many orders there are, and which types are taken now: from the queue, or in TP03 from the object."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        _, connection, universe = await visited(fake_server, game, dialect)
        ship = game.hands[0][0]
        game.put("queues", tp.OrderQueue(id=ship, max_slots=100, num_orders=1, order_types=[1, 4]))
        game.put("objects", game.tables["objects"][ship])
        await connection.refresh(universe, PASSING)
        queue = universe.queue_of(universe.objects[ship])
        assert queue is not None
        assert (queue.num_orders, list(queue.order_types)) == (1, [1, 4])
        assert [one.name for one in universe.offers(universe.objects[ship])] == ["Colonize", "Reinforce"]

    asyncio.run(run())


@DIALECTS
def test_long_lists_are_paged(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """A server may give fewer ids than asked for; the rest is asked for under the same key."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        server = fake_server(game)
        server.page = 5
        connection = await server.connect("player0", dialect)
        universe = connection.universe()
        await connection.refresh(universe)
        assert universe.objects.keys() == game.tables["objects"].keys()

    asyncio.run(run())


def test_other_players_queues_are_nothing_to_us(fake_server: Any, tae_game: Any) -> None:
    """An object whose queue is 0 offers nothing, and `own` are ours alone."""

    async def run() -> None:
        game = tae_game(ROWS, "mr", "s")
        _, _, universe = await visited(fake_server, game, TP04)
        theirs = universe.objects[game.hands[1][0]]
        assert (theirs.owner, theirs.queue, universe.offers(theirs)) == (2, 0, [])
        assert {thing.owner for thing in universe.own()} == {1}

    asyncio.run(run())


def test_a_refused_list_is_an_error(fake_server: Any, fake_game: Any) -> None:
    """Before login the server refuses; nothing is taken for empty."""

    async def run() -> None:
        connection = fake_server(fake_game("player0")).link(TP04)
        with pytest.raises(RequestFailed, match=r"Log in first\. \(code 3\)"):
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
    """If fetching fails the next refresh lists everything again; if it works it asks from the time it was told."""
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


def test_an_object_that_contains_itself_does_not_hang_us(fake_server: Any, fake_game: Any) -> None:
    """A broken server's circle of parents ends."""
    universe = Universe(TP04, Descriptions())
    universe.objects[1] = read_object(tp.Object(id=1, parent=2), Descriptions())
    universe.objects[2] = read_object(tp.Object(id=2, parent=1), Descriptions())
    assert [thing.id for thing in universe.ancestors(1)] == [2]
