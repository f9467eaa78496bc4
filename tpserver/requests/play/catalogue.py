"""Requests for descriptions that never change in a game.

They describe types of orders and objects, resources, categories, designs, components and properties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.paging import Ids, Source, after, get_ids
from tpserver.requests.session.refusals import CATEGORY
from tpserver.requests.session.responses import Answer, Frames
from tpserver.requests.session.session import Session
from tpserver.rules.descriptions import Description

Section = Callable[[Description], Mapping[int, Any]]


def ids_of(section: Section) -> Source:
    """Return the source of ids for one section of the game's description."""

    def source(session: Session, fromtime: int) -> tuple[Ids, int]:
        game = session.seeing()
        time = game.modtime
        return after([(number, time) for number in sorted(section(game.description))], fromtime), time

    return source


def things(answer: str, section: Section, what: str, kind: int) -> Callable[[Session, tp.GetWithID], Frames]:
    """Return the handler of a GetWithID request for a section. For an unknown id the response has a Fail frame."""
    number_of_frame = BY_NAME[answer].number

    def handler(session: Session, message: tp.GetWithID) -> Frames:
        game = session.seeing()
        found = section(game.description)
        encoded = game.descriptions.setdefault((session.dialect.name, number_of_frame), {})

        def one(number: int) -> bytes:
            payload = encoded.get(number)
            if payload is None:
                if number not in found:
                    return session.fail_payload(refusals.no_such(what, number, kind))
                described = type(found[number])()
                described.CopyFrom(found[number])
                described.modtime = game.modtime
                payload = encoded[number] = session.payload(number_of_frame, described)
            return payload

        return Frames(session.dialect, len(message.ids), map(one, message.ids))

    return handler


@handles("add_category")
def add_category(session: Session, message: tp.Category) -> Answer:
    raise refusals.fixed("categories")


@handles("add_design")
@handles("modify_design")
def add_design(session: Session, message: tp.Design) -> Answer:
    game, _ = session.playing()
    for number in message.categories:
        if number not in game.description.categories:
            raise refusals.no_such("category", number, CATEGORY)
    raise refusals.fixed("designs")


def refuse_each(what: str) -> Callable[[Session, tp.GetWithID], Frames]:
    """Return the handler of a request to remove such things: each id gets a Fail frame."""

    def handler(session: Session, message: tp.GetWithID) -> Frames:
        count = len(message.ids)
        return Frames(session.dialect, count, repeat(session.fail_payload(refusals.fixed(what)), count))

    return handler


handles("remove_category")(refuse_each("categories"))
handles("remove_design")(refuse_each("designs"))

_CATALOGUE: tuple[tuple[str, str, Section, str, int], ...] = (
    ("get_order_desc", "order_desc", lambda described: described.order_descs, "order type", refusals.ORDER_TYPE),
    ("get_object_desc", "object_desc", lambda described: described.object_descs, "object type", refusals.OBJECT_TYPE),
    ("get_resource", "resource", lambda described: described.resources, "resource", refusals.RESOURCE),
    ("get_category", "category", lambda described: described.categories, "category", refusals.CATEGORY),
    ("get_design", "design", lambda described: described.designs, "design", refusals.DESIGN),
    ("get_component", "component", lambda described: described.components, "component", refusals.COMPONENT),
    ("get_property", "property", lambda described: described.properties, "property", refusals.PROPERTY),
)

for _request, _answer, _section, _what, _kind in _CATALOGUE:
    handles(_request)(things(_answer, _section, _what, _kind))
    handles(f"{_request}_ids")(get_ids(f"{_answer}_ids", ids_of(_section)))
