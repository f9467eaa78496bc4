"""Requests for what never changes in a game: descriptions of orders and objects, resources, categories, designs,
components, properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.requests import refusals
from tpserver.requests.paging import Ids, Source, after
from tpserver.requests.refusals import CATEGORY
from tpserver.requests.responses import Frames
from tpserver.requests.session import Answer, Session
from tpserver.rules.descriptions import Description

Section = Callable[[Description], Mapping[int, Any]]


def ids_of(title: str, section: Section) -> Source:
    """Return the source of ids for one section of the game's description."""

    def source(session: Session, fromtime: int) -> tuple[Ids, int]:
        game = session.seeing(title)
        time = game.modtime
        return after([(number, time) for number in sorted(section(game.description))], fromtime), time

    return source


def things(
    title: str, answer: str, section: Section, what: str, kind: int
) -> Callable[[Session, tp.GetWithID], Frames]:
    """Return the handler of a GetWithID request for a section; an unknown id gets a Fail frame in its place."""
    number_of_frame = BY_NAME[answer].number

    def handler(session: Session, message: tp.GetWithID) -> Frames:
        game = session.seeing(title)
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


def add_category(session: Session, message: tp.Category) -> Answer:
    raise refusals.fixed("categories")


def add_design(session: Session, message: tp.Design) -> Answer:
    game, _ = session.playing("AddDesign")
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
