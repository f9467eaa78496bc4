"""TP03's fixed objects and TP04's described ones: the same objects, as far as TP03 goes."""

from pathlib import Path

import pytest

from tpproto import FrameError, tp_pb2
from tpproto.stream import RawFrame
from tpproto.tools.transcript import Transcript, conversation, read_input, recorded
from tpproto.tp03_objects import DESIGN, NOBODY, PLAYER, Role, from_classic, to_classic

GOLDEN = Path(__file__).parent / "golden"


def messages(name: str) -> tuple[dict[int, object], Transcript]:
    """The last state of every object in a recording, and what was learnt."""
    transcript, found = Transcript(), {}
    for said in conversation(recorded(name, read_input(str(GOLDEN / f"{name}.jsonl.gz")))):
        assert isinstance(said.event, RawFrame)
        try:
            _, message = transcript.decode(said.event, said.piece.connection)
        except FrameError:
            continue
        if isinstance(message, tp_pb2.Object | tp_pb2.ClassicObject):
            found[message.id] = message
    return found, transcript


@pytest.mark.parametrize("ruleset", ["tae", "minisec"])
def test_recorded_objects_of_tp04_become_the_recorded_objects_of_tp03(ruleset: str) -> None:
    """The same game, downloaded in both versions: what the old server says in TP03 is what we make of TP04."""
    classic, _ = messages(f"{ruleset}-tp03-download")
    described, transcript = messages(f"{ruleset}-tp04-download")
    assert set(classic) == set(described)
    for number, thing in described.items():
        theirs = classic[number]
        ours = to_classic(thing, transcript.known.objects[thing.otype], thing.otype)
        # Orders come from the queue, and the two downloads were not made in the same second.
        ours.orders, ours.modtime = theirs.orders, theirs.modtime
        ours.order_types.extend(theirs.order_types)
        assert ours == theirs, number


def test_classic_objects_survive_the_way_there_and_back() -> None:
    """Everything that TP03 says about an object is kept by a TP04 description with a place for it."""
    classic, _ = messages("tae-tp03-download")
    _, transcript = messages("tae-tp04-download")
    for thing in classic.values():
        description = transcript.known.objects[thing.otype]
        queue = tp_pb2.OrderQueue(id=thing.id, num_orders=thing.orders, order_types=thing.order_types)
        assert to_classic(from_classic(thing, description), description, thing.otype, queue) == thing


def description(*parameters: tuple[str, int], group: str = "Group") -> tp_pb2.ObjectDesc:
    rows = [tp_pb2.ParameterDesc(name=name, type=type_id) for name, type_id in parameters]
    return tp_pb2.ObjectDesc(id=70, property_groups=[tp_pb2.PropertyGroup(name=group, parameters=rows)])


def reference(kind: int, number: int) -> tp_pb2.ObjectParameter:
    return tp_pb2.ObjectParameter(reference=tp_pb2.Reference(type=kind, id=number))


@pytest.mark.parametrize(
    ("kind", "number", "owner"),
    [(PLAYER, 4, 4), (PLAYER, 0, NOBODY), (PLAYER, 0xFFFFFFFF, NOBODY), (DESIGN, 4, NOBODY)],
)
def test_the_owner_is_the_reference_of_that_name(kind: int, number: int, owner: int) -> None:
    """The parameter named Owner counts, in any spelling, also behind other references; only players own."""
    described = description(("Leader", 6), ("OWNER", 6))
    thing = tp_pb2.Object(otype=70, parameters=[reference(PLAYER, 9), reference(kind, number)])
    assert to_classic(thing, described, Role.PLANET).planet.owner == owner


def test_without_that_name_the_first_reference_counts() -> None:
    described = description(("Side", 6), ("Rival", 6))
    thing = tp_pb2.Object(otype=70, parameters=[reference(PLAYER, 9), reference(PLAYER, 8)])
    assert to_classic(thing, described, Role.FLEET).fleet.owner == 9


def test_ships_are_the_designs_among_the_references() -> None:
    described = description(("Ships", 7), ("Damage", 8))
    ships = tp_pb2.ReferenceQuantityList()
    ships.references.add(type=DESIGN, id=3, number=2)
    ships.references.add(type=1, id=4, number=5)
    parameters = [
        tp_pb2.ObjectParameter(reference_quantity_list=ships),
        tp_pb2.ObjectParameter(integer=tp_pb2.ObjectInteger(value=6)),
    ]
    fleet = to_classic(tp_pb2.Object(parameters=parameters), described, Role.FLEET).fleet
    assert fleet == tp_pb2.ClassicFleet(owner=NOBODY, ships=[tp_pb2.ShipCount(type=3, count=2)], damage=6)


def test_the_turn_is_the_age_of_the_universe() -> None:
    described = description(("Turn", 8), ("Other", 8), group="Informational")
    numbers = [tp_pb2.ObjectParameter(integer=tp_pb2.ObjectInteger(value=value)) for value in (12, 13)]
    assert to_classic(tp_pb2.Object(parameters=numbers), described, Role.UNIVERSE).universe.age == 12


def test_a_wormhole_has_two_positions_and_its_queue_counts() -> None:
    described = description(("End", 0), ("Position", 0))
    places = [tp_pb2.ObjectParameter(position=tp_pb2.RelativeVector(vector=tp_pb2.Vector(x=x, y=-x))) for x in (5, 6)]
    queue = tp_pb2.OrderQueue(id=1, num_orders=2, order_types=[7])
    classic = to_classic(tp_pb2.Object(id=1, parameters=places), described, Role.WORMHOLE, queue)
    assert (classic.wormhole.end.x, classic.position.y) == (5, -6)
    assert (classic.orders, list(classic.order_types)) == (2, [7])
    again = from_classic(classic, described, parent=0)
    assert again.parameters[0].position.vector == places[0].position.vector
    assert again.parameters[1].position.vector == places[1].position.vector


def test_what_tp03_cannot_say_is_refused() -> None:
    described = description(("Position", 0))
    relative = tp_pb2.ObjectParameter(position=tp_pb2.RelativeVector(relative=3))
    with pytest.raises(ValueError, match="relative to object 3"):
        to_classic(tp_pb2.Object(id=1, parameters=[relative]), described, Role.FLEET)
    with pytest.raises(ValueError, match="described with"):
        to_classic(tp_pb2.Object(id=1), described, Role.FLEET)
    with pytest.raises(ValueError, match="6 is not a valid Role"):
        to_classic(tp_pb2.Object(id=1, parameters=[relative]), described, 6)
    with pytest.raises(ValueError, match="has type 77"):
        from_classic(tp_pb2.ClassicObject(), description(("Odd", 77)))
