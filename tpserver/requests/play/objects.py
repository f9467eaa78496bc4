"""Requests about objects: their ids, and the objects."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import cache, partial

from tpproto import tp_pb2 as tp
from tpproto.codegen.packers import Row
from tpproto.dialects import TP03, TP04
from tpproto.dialects.binary import BinaryDialect
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tprules.api import Oid, Role, Shown
from tprules.api.objects import shows_resources
from tpserver.games.core.views import View, VisibleObject
from tpserver.games.service.live_view import live_view
from tpserver.requests.session import refusals
from tpserver.requests.session.decode_limits import CLASSIC
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.paging import Ids, after, get_ids, id_payload
from tpserver.requests.session.refusals import DESIGN, PLAYER, RequestError
from tpserver.requests.session.responses import Answer, Frames, sequence_of
from tpserver.requests.session.session import Session
from tpserver.rules.descriptions import Description

OBJECT, OBJECT_IDS = BY_NAME["object"].number, BY_NAME["object_ids"].number

MOST_QUICK = 512
"""Maximum ids per request that is answered without decoding, and thus in one step."""

_STILL = (0, 0, 0)
_NOWHERE = (_STILL, 0)


def view_of(session: Session) -> View:
    """Return the view of the session's seat, or of spectators. Raises RequestError."""
    game = session.seeing()
    view = game.views.get(session.seat)
    return live_view(game, session.host.registry.now()) if view is None else view


# --- ids ------------------------------------------------------------------------------------------------------------


def object_ids(session: Session, fromtime: int) -> tuple[Ids, int]:
    """Return ids and times of the visible objects; for a time of 0 or later, those changed or vanished since."""
    view = view_of(session)
    ids = [(oid, view.time(oid)) for oid in sorted(view.objects)]
    if fromtime >= 0:
        ids = after(ids, fromtime) + after(sorted(view.gone.items()), fromtime)
    _listed(session, view, ids)
    session.reads().saw_all(session.seeing().state.turn, session.host.registry.now())
    return ids, view.newest()


handles("get_object_ids")(get_ids("object_ids", object_ids))


def _listed(session: Session, view: View, ids: Ids) -> None:
    """Record that these objects were listed: each can be fetched once as it is in this view."""
    reading = session.reads()
    reading.list_ids(reading.objects, view, (oid for oid, _ in ids), session.host.registry.now())


@handles("get_object_ids_by_pos")
def get_object_ids_by_pos(session: Session, message: tp.GetObjectIDsByPos) -> Answer:
    view = view_of(session)
    x, y, z, radius = message.pos.x, message.pos.y, message.pos.z, message.r
    ids = []
    for oid, seen in sorted(view.objects.items()):
        at = seen.shown.at
        if (at[0] - x) ** 2 + (at[1] - y) ** 2 + (at[2] - z) ** 2 <= radius**2:
            ids.append(oid)
    return _whole_list(session, view, ids)


@handles("get_object_ids_by_container")
def get_object_ids_by_container(session: Session, message: tp.GetObjectIDsByContainer) -> Answer:
    """The contents of a listed object that has vanished can be requested until it has been fetched."""
    view = view_of(session)
    if message.id not in view.objects and session.reading is not None:
        (view,) = session.reading.sources(session.reading.objects, [message.id], view, session.host.registry.now())
    seen = view.objects.get(message.id)
    if seen is None:
        raise missing(view, message.id)
    return _whole_list(session, view, seen.contains)


def _whole_list(session: Session, view: View, oids: Iterable[Oid]) -> Answer:
    """Return the response to a request without paging: all ids at once."""
    ids = [(oid, view.time(oid)) for oid in oids]
    _listed(session, view, ids)
    latest = view.newest()
    return [id_payload(session, OBJECT_IDS, session.lists.keep(ids, latest), 0, ids, latest)]


# --- objects ----------------------------------------------------------------------------------------------------------


def get_objects_by_id(session: Session, message: tp.GetWithID) -> Frames:
    view = view_of(session)
    reading, now = session.reading, session.host.registry.now()
    ids = list(message.ids)
    sources = [view] * len(ids) if reading is None else reading.sources(reading.objects, ids, view, now)
    if reading is not None:
        reading.fetched(reading.objects, ids)
    if session.dialect is TP03:  # TP03 Object frames tell the number of orders
        for oid, source in zip(ids, sources, strict=True):
            session.tell(oid, source.queues.get(oid))

    def one(oid: Oid, source: View) -> bytes:
        try:
            return object_payload(session, _same(source, view, oid), oid)
        except RequestError as refused:
            return session.fail_payload(refused)

    return Frames(session.dialect, len(ids), map(one, ids, sources), always=True)


def _same(source: View, present: View, oid: Oid) -> View:
    """Return the present view if the object is the same in both, so that it is encoded only once."""
    if source is present or source.objects.get(oid) is not present.objects.get(oid):
        return source
    return present if source.time(oid) == present.time(oid) else source


def quick_objects(session: Session, frame: RawFrame) -> bytes | None:
    """Answer a valid GetObjectsByID whose objects are all visible and already encoded; else return None."""
    body, dialect = frame.body, frame.dialect
    length = len(body)
    if length < 8 or length & 3 or dialect not in CLASSIC or session.seat is None or session.game is None:
        return None
    count = (length >> 2) - 1
    if count > MOST_QUICK:
        return None
    ids = _UNPACKERS[count](body)
    if ids[0] != count:
        return None
    wanted, view, reading = ids[1:], session.game.views[session.seat], session.reading
    if reading is not None and reading.objects:
        source = reading.only_source(wanted, view, session.host.registry.now())
        if source is None:
            return None
        view = source
    encoded = view.encoded.get(dialect.name)
    if encoded is None:
        return None
    try:
        payloads = [encoded[oid] for oid in wanted]
    except KeyError:
        return None
    if reading is not None:
        reading.fetched(reading.objects, wanted)
    if dialect is TP03:
        _tell_queues(session, wanted, view)
    head = dialect.header(frame.sequence, 0, 0)[:8]
    return head + _sequence_payload(count) + head + head.join(payloads)


handles("get_objects_by_id", quick=quick_objects)(get_objects_by_id)


def _tell_queues(session: Session, ids: Sequence[Oid], view: View) -> None:
    """Record that the client got the numbers of orders of these objects, as `Session.tell` does for one."""
    reading, queues = session.reading, view.queues
    if reading is not None and reading.told:
        for oid in reading.told.keys() & ids:
            del reading.told[oid]
    if queues:
        for oid in queues.keys() & ids:
            session.tell(oid, queues[oid])


_UNPACKERS = [struct.Struct(f">{count + 1}I").unpack for count in range(MOST_QUICK + 1)]
_sequence_payload = cache(partial(sequence_of, TP03))


def object_payload(session: Session, view: View, oid: Oid) -> bytes:
    """Return the payload of an Object frame, encoded at most once per change and dialect."""
    dialect = session.dialect
    encoded = view.encoded.get(dialect.name)
    if encoded is None:
        encoded = view.encoded[dialect.name] = {}
    found = encoded.get(oid)
    if found is None:
        seen = view.objects.get(oid)
        if seen is None:
            raise missing(view, oid)
        game, time = session.seeing(), view.time(oid)
        for other in game.views.values():  # what looks the same to two seats is encoded once
            if other.objects.get(oid) is seen and other.time(oid) == time:
                alike = other.encoded.get(dialect.name, {}).get(oid)
                if alike is not None:
                    encoded[oid] = alike
                    return alike
        name = game.text(seen.shown.name)
        text = "" if dialect is TP03 else game.text(seen.shown.description)
        if isinstance(dialect, BinaryDialect):
            found = dialect.payload_of(OBJECT, object_body(dialect, game.description, oid, seen, time, name, text))
        else:
            body = object_body(TP04, game.description, oid, seen, time, name, text)
            found = session.payload(OBJECT, TP04.decode_body(OBJECT, body, game.description.lookup))
        encoded[oid] = found
    return found


def object_body(
    dialect: BinaryDialect, description: Description, oid: Oid, seen: VisibleObject, time: int, name: str, text: str
) -> bytes:
    """Return the body of an Object frame in TP03 or TP04."""
    if dialect is TP03:
        role = description.rules.kinds[seen.shown.kind].role
        return dialect.encode_row(OBJECT, classic_row(role, oid, seen, time, name), (int(role),))
    row = described_row(description, oid, seen, time, name, text)
    return dialect.encode_row(OBJECT, row, description.lookup.object_parameters[row[1]])


def compile_encoders(description: Description) -> None:
    """Encode an object of each type, which compiles the encoders.

    So the first download after a start does not wait for that.
    """
    for name, kind in description.rules.kinds.items():
        shown = Shown(name, "", numbers=(0,) * sum(len(group.fields) for group in kind.groups))
        seen = VisibleObject(shown, 0, (), (), 0, False, 0)
        for dialect in (TP03, TP04):
            object_body(dialect, description, 1, seen, 0, "", "")


def missing(view: View, oid: Oid) -> RequestError:
    """Return the refusal for an object that is not visible: "gone" if it once was."""
    if oid in view.gone:
        return RequestError(FailCode.GONE, f"object {oid} no longer exists", [(refusals.OBJECT, oid)])
    return refusals.no_such("object", oid, refusals.OBJECT)


def described_row(description: Description, oid: Oid, seen: VisibleObject, time: int, name: str, text: str) -> Row:
    """Return the values of a tp.Object (TP04, Object frame).

    Its parameters are in the order of its ObjectDesc.
    """
    shown = seen.shown
    kind = description.rules.kinds[shown.kind]
    role = kind.role
    parameters: list[Row] = [(shown.at, 0), _NOWHERE, (shown.size,)]
    if role is Role.UNIVERSE:
        parameters.append((seen.turn,))
    if role is Role.PLANET or role is Role.FLEET:
        parameters.append((PLAYER, 0 if shown.owner is None else shown.owner + 1))
        parameters.append((oid if seen.has_queue else 0,))
    elif shown.kind in description.carriers:
        parameters.append((oid if seen.has_queue else 0,))
    if shows_resources(kind):
        parameters.append((shown.resources,))
    if role is Role.FLEET:
        parameters.append(([(DESIGN, ship.design, ship.number) for ship in shown.ships],))
        parameters.append((shown.damage,))
    parameters += [(number & 0xFFFFFFFF,) for number in shown.numbers]
    return oid, description.type_of[shown.kind], name, text, seen.parent, seen.contains, time, parameters


def classic_row(role: Role, oid: Oid, seen: VisibleObject, time: int, name: str) -> Row:
    """Return the values of a tp.ClassicObject, which is one of six fixed types (TP03, Object frame)."""
    shown = seen.shown
    detail: Row = ()
    if role is Role.UNIVERSE:
        detail = (seen.turn,)
    elif role is Role.PLANET:
        detail = (_owner(shown), shown.resources)
    elif role is Role.FLEET:
        detail = (_owner(shown), shown.ships, shown.damage)
    elif role is Role.WORMHOLE:
        detail = (shown.at,)
    return (
        oid, int(role), name, shown.size, shown.at, _STILL, seen.contains, seen.order_types, seen.orders, time, detail,
    )  # fmt: skip


def _owner(shown: Shown) -> int:
    return -1 if shown.owner is None else shown.owner + 1


@handles("modify_object")
def modify_object(session: Session, message: tp.Object) -> Answer:
    raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, "objects can be changed only by orders")


@handles("get_objects_by_pos")
def get_objects_by_pos(session: Session, message: tp.GetObjectsByPos) -> Answer:
    text = "GetObjectsByPos is of TP02; ask for ids with GetObjectIDsByPos"
    raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, text)
