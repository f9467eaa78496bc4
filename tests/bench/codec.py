"""Benchmark: encode and decode one Order and one Object in every dialect."""

from __future__ import annotations

from google.protobuf.message import Message

from tests.bench.figures import Figure, cpu_per_call
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB, TP03, TP04, Dialect

ORDER, OBJECT = 11, 7


def lookup() -> Descriptions:
    known = Descriptions()
    known.learn_order(tp.OrderDesc(id=2, name="Move", parameters=[tp.ParameterDesc(name="Star System", type=2)]))
    types = (0, 1, 9, 6, 4, 5)
    parameters = [tp.ParameterDesc(name=f"p{number}", type=number) for number in types]
    known.learn_object(tp.ObjectDesc(id=3, name="Planet", property_groups=[tp.PropertyGroup(parameters=parameters)]))
    return known


def an_order() -> tp.Order:
    return tp.Order(
        id=184, slot=0, otype=2, turns=1, parameters=[tp.OrderParameter(object=tp.OrderObject(object_id=34))]
    )


def an_object() -> tp.Object:
    at = tp.RelativeVector(vector=tp.Vector(x=80001, y=160001))
    resources = [tp.ObjectResource(id=number, stored=1) for number in (3, 5)]
    return tp.Object(
        id=35,
        otype=3,
        name="Planet 1, 1",
        parent=34,
        contains=[401],
        modtime=1_800_000_000,
        parameters=[
            tp.ObjectParameter(position=at),
            tp.ObjectParameter(velocity=tp.RelativeVector(vector=tp.Vector())),
            tp.ObjectParameter(size=tp.ObjectSize(size=2)),
            tp.ObjectParameter(reference=tp.Reference(type=7, id=0)),
            tp.ObjectParameter(order_queue=tp.ObjectOrderQueue(queue_id=0)),
            tp.ObjectParameter(resource_list=tp.ObjectResourceList(resources=resources)),
        ],
    )


def a_classic_object() -> tp.ClassicObject:
    resources = [tp.ObjectResource(id=number, stored=1) for number in (3, 5)]
    return tp.ClassicObject(
        id=35,
        otype=3,
        name="Planet 1, 1",
        size=2,
        position=tp.Vector(x=80001, y=160001),
        velocity=tp.Vector(),
        contains=[401],
        modtime=1_800_000_000,
        planet=tp.ClassicPlanet(owner=-1, resources=resources),
    )


def measure(quick: bool) -> list[Figure]:
    known = lookup()
    figures = []
    for dialect in (TP03, TP04, PB):
        thing: Message = a_classic_object() if dialect is TP03 else an_object()
        for name, kind, message in (("Order", ORDER, an_order()), ("Object", OBJECT, thing)):
            figures += _both_ways(dialect, name, kind, message, known, quick)
    return figures


def _both_ways(
    dialect: Dialect, name: str, kind: int, message: Message, known: Descriptions, quick: bool
) -> list[Figure]:
    body = dialect.encode_body(kind, message, known)
    if dialect.decode_body(kind, body, known) != message:
        raise AssertionError(f"{name} in {dialect.name} does not survive the codec")
    encode = cpu_per_call(lambda: dialect.encode_body(kind, message, known), quick)
    decode = cpu_per_call(lambda: dialect.decode_body(kind, body, known), quick)
    return [
        Figure(f"{dialect.name} {name}, encode", encode, "us CPU"),
        Figure(f"{dialect.name} {name}, decode", decode, "us CPU"),
    ]
