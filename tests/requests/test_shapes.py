"""One test template per shape of request, for all requests.

Each is applied in a binary dialect and in JSON. A request without a shape is sent empty: its policy in the schema says
what may answer it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType
from typing import Any

import pytest

from tests.support.server_in_memory import DIALECTS, SMALL_BOARD, Client, Server, making_servers, state_of
from tpproto import tp_pb2 as tp
from tpproto.dialects import JSON, PB
from tpproto.frames import BY_NAME, KINDS, policy_of
from tpproto.tools.answers import answers_each, answers_to, refusals_of
from tpserver.requests.dispatch import REQUESTS as HANDLED

NOWHERE = 4_000_000_000
"""An id that nothing has."""

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED, FRAME = 2, 3, 4, 5, 1


@dataclass(frozen=True)
class ById:
    """A request for things by id: the frame that answers it, some ids that a player of TaE has, in that order."""

    answer: str
    ids: tuple[int, ...]
    always_sequence: bool = False
    """GetObjectsByID says how many come even if it is one."""


@dataclass(frozen=True)
class BySlot:
    """A request for what lies in slots: the frame that answers it, whose slots, and how many there are."""

    answer: str
    id: int
    slots: int


@dataclass(frozen=True)
class Ids:
    """A request for a list of ids: the frame that answers it, and ids that it has at least."""

    answer: str
    some: tuple[int, ...]


@dataclass(frozen=True)
class Other:
    """A request of its own shape: the frame that answers it when it is asked like this."""

    answer: str
    fields: dict[str, Any]
    code: int = -1
    """Of the Fail, where the answer is one."""


HOME, COLONIST, LEADER = 27, 34, 29
"""Ann's home planet, one of her colonist fleets, and her scientist leader, on the small board."""

MOVE = tp.Order(id=LEADER, slot=-1, otype=2, parameters=[tp.OrderParameter(object=tp.OrderObject(object_id=10))])

Shape = ById | BySlot | Ids | Other

SHAPES: dict[str, Shape] = {
    # sessions
    "connect": Other("okay", {"client": "a test"}),
    "login": Other("fail", {"username": "ann", "password": "ann's word"}, PERMANENTLY),  # she is in already
    "create_account": Other("okay", {"username": "new", "password": "word", "email": "a@b.c", "comment": "hello"}),
    "login_account": Other("fail", {"username": "ann", "password": "ann's word"}, PERMANENTLY),  # as with login
    "play_as_guest": Other("fail", {}, PERMANENTLY),  # likewise
    "connect_provider": Other("fail", {"provider": "x"}, NO_SUCH_THING),
    "disconnect_provider": Other("fail", {"provider": "x"}, NO_SUCH_THING),
    "become_account": Other("fail", {"username": "new", "password": "word"}, PERMANENTLY),  # she is no guest
    "enter_game": Other("fail", {"game": "game"}, PERMANENTLY),  # she is in it
    "keep_login": Other("ticket", {"label": "a test"}),
    "revoke_login": Other("okay", {}),
    "add_notice_address": Other("fail", {"kind": "mail", "target": "ann@example.org"}, FRAME),  # no channel is there
    "verify_notice_address": Other("fail", {"id": 9}, NO_SUCH_THING),
    "remove_notice_address": Other("fail", {"id": 9}, NO_SUCH_THING),
    "set_reset_address": Other("fail", {"id": 9}, NO_SUCH_THING),
    "set_notice_wish": Other("okay", {"wish": tp.NoticeWish(mode="off")}),
    "set_notice_times": Other("okay", {"zone": "UTC"}),
    "make_calendar": Other("fail", {}, TEMPORARILY),  # there is no page
    "revoke_calendar": Other("fail", {}, NO_SUCH_THING),
    "change_password": Other("okay", {"old": "ann's word", "new": "ann's word"}),
    "get_accounts": Other("fail", {}, DENIED),  # she is a player
    "administer": Other("fail", {"operation": "account list"}, DENIED),
    "request_reset": Other("fail", {"account": "ann"}, DENIED),  # no mail is sent there
    "reset_password": Other("fail", {"code": "x", "password": "word"}, DENIED),
    "create_token": Other("token", {"label": "a test", "days": 1}),
    "revoke_token": Other("fail", {"id": 9}, NO_SUCH_THING),
    "get_talk": Other("talk", {"game": "game"}),
    "set_mute": Other("okay", {"game": "game", "muted": True}),
    "set_block": Other("okay", {"name": "ben", "blocked": True}),
    "set_silence": Other("fail", {"name": "ben", "days": 1}, DENIED),
    "rename_game": Other("fail", {"game": "game", "name": "new"}, DENIED),  # the operator has made it
    "set_watch_delay": Other("fail", {"game": "game", "watch_delay": 2}, DENIED),
    "set_join": Other("fail", {"game": "game", "invited": True}, DENIED),
    "abort_game": Other("fail", {"game": "game", "reason": "a test"}, DENIED),
    "hand_over_game": Other("fail", {"game": "game", "account": "ben"}, DENIED),
    "report_message": Other("okay", {"slot": 1, "subject": "Ben", "reason": "a test"}),
    "get_message_reports": Other("fail", {}, DENIED),
    "close_report": Other("fail", {"id": 1, "decision": "dismissed", "answer": "a test"}, DENIED),
    "get_rulesets": Other("ruleset", {}),
    "create_game": Other("okay", {"name": "new", "ruleset": "auction", "seats": 2}),
    "get_invitation": Other("fail", {"game": "game"}, DENIED),  # the operator has made it
    "set_filters": Other("okay", {"filters": []}),
    "get_games": Other("game", {}),
    "get_rules": Other("rules", {"ruleset": "tae"}),
    "get_appearance": Other("appearance", {"ruleset": "tae"}),
    "get_scores": Other("scores", {}),
    "get_game_setup": Other("game_setup", {"game": "game"}),
    "get_clock": Other("clock", {"game": "game"}),
    "extend_turn": Other("fail", {"game": "game", "seconds": 60}, DENIED),  # the operator has made it
    "set_clock": Other("fail", {"game": "game", "clock": "interval:60"}, DENIED),
    "get_clock_groups": Other("clock_groups", {"ruleset": "tae"}),
    "get_seats": Other("seats", {"game": "game"}),
    "set_seat_policy": Other("fail", {"game": "game"}, DENIED),  # the operator has made it
    "say_here": Other("okay", {}),
    "set_autopilot": Other("okay", {"turns": 0}),
    "take_seat": Other("fail", {"game": "game", "player": 1}, PERMANENTLY),  # it seeks nobody
    "remove_player": Other("fail", {"game": "game", "player": 1}, DENIED),
    "get_proposals": Other("proposals", {"game": "game"}),
    "propose": Other("okay", {"game": "game", "kind": "pause"}),
    "add_vacation": Other("fail", {"ends": 1}, PERMANENTLY),
    "end_vacation": Other("fail", {"id": 9}, NO_SUCH_THING),
    "vote": Other("fail", {"game": "game", "id": 9, "vote": "agree"}, NO_SUCH_THING),
    # objects
    "get_objects_by_id": ById("object", (0, 1, HOME, COLONIST, LEADER), always_sequence=True),
    "get_object_ids": Ids("object_ids", (0, 1, 2, HOME, COLONIST)),
    "get_objects_by_pos": Other("fail", {}, PERMANENTLY),
    "get_object_ids_by_pos": Other("object_ids", {"pos": tp.Vector(), "r": 2**64 - 1}),
    "get_object_ids_by_container": Other("object_ids", {"id": 1}),
    "get_object_desc": ById("object_desc", (0, 1, 2, 3, 4)),
    "get_object_desc_ids": Ids("object_desc_ids", (0, 1, 2, 3, 4)),
    "modify_object": Other("fail", {"id": 0, "otype": NOWHERE}, PERMANENTLY),
    # orders
    "get_order_desc": ById("order_desc", (1, 2)),
    "get_order_desc_ids": Ids("order_desc_ids", (1, 2)),
    "order_insert": Other("order", {"id": NOWHERE, "slot": -1, "otype": 1}, NO_SUCH_THING),
    "order_probe": Other("order", {"id": NOWHERE, "slot": -1, "otype": 1}, NO_SUCH_THING),
    "order_replace": Other("order", {"id": NOWHERE, "slot": 0, "otype": 1}, NO_SUCH_THING),
    "get_legal_orders": Other("legal_orders", {}),
    "get_legal_values": Other("legal_values", {"id": LEADER, "otype": 2}),
    "get_order": BySlot("order", LEADER, 1),
    "remove_order": BySlot("okay", LEADER, 1),
    "get_order_queue": ById("order_queue", (HOME, COLONIST, LEADER)),
    "get_order_queue_ids": Ids("order_queue_ids", (HOME, COLONIST, LEADER)),
    # time, boards, players
    "finished_turn": Other("okay", {}),
    "unfinish_turn": Other("okay", {}),
    "get_turn_summaries": Other("turn_summary", {"first": 0, "amount": 1}),
    "show_turn": Other("fail", {"turn": 0}, PERMANENTLY),  # this is not the past
    "get_boards": ById("board", (0, 1, 2)),
    "get_board_ids": Ids("board_ids", (2,)),  # the own one is listed as 0 to old clients
    "get_message": BySlot("message", 0, 2),
    "post_message": Other("okay", {"id": 2, "slot": -1, "subject": "Hello", "body": "Ben"}),
    "remove_message": BySlot("okay", 0, 2),
    "get_player": ById("player", (0, 1, 2)),
    "get_player_ids": Ids("player_ids", (1, 2)),
    # the catalogue
    "get_resource": ById("resource", (1, 2, 8)),
    "get_resource_ids": Ids("resource_ids", (1, 2, 8)),
    "get_category": ById("category", (1,)),
    "get_category_ids": Ids("category_ids", (1,)),
    "add_category": Other("fail", {"id": -1, "name": "Mine"}, PERMANENTLY),
    "remove_category": ById("fail", (1,)),
    "get_design": ById("design", (1, 2, 10)),
    "get_design_ids": Ids("design_ids", (1, 2, 10)),
    "add_design": Other("fail", {"id": -1, "categories": [1], "name": "Death Star"}, PERMANENTLY),
    "modify_design": Other("fail", {"id": 1, "categories": [1], "name": "Death Star"}, PERMANENTLY),
    "remove_design": ById("fail", (1,)),
    "get_component": ById("component", (1, 2, 10)),
    "get_component_ids": Ids("component_ids", (1, 2, 10)),
    "get_property": ById("property", (1, 2)),
    "get_property_ids": Ids("property_ids", (1, 2)),
}

SPOKEN = {title: DIALECTS[title] for title in ("tp03", "json")}
"""`tests/protocol` proves that all dialects carry all messages."""

REQUESTS = [kind for kind in KINDS if kind.request]
NEED_A_GAME = {
    *(kind.field for kind in REQUESTS if policy_of(kind).needs <= tp.Policy.GAME or not answers_to(kind)),
    *("enter_game", "get_invitation"),
}
"""Requests that are refused on a server without games."""


def in_dialects(shape: type) -> list[Any]:
    """Return every pair of a request of this shape and a dialect that has it; NoneType: of no shape."""
    return [
        pytest.param(name, title, id=f"{name}-{title}")
        for name in (kind.field for kind in REQUESTS if isinstance(SHAPES.get(kind.field), shape))
        for title, dialect in SPOKEN.items()
        if dialect.kinds.get(BY_NAME[name].number) is BY_NAME[name]
    ]


@pytest.fixture
def ann(server: Server) -> Any:
    """Make Ann in any dialect: she plays TaE with Ben, has one order queued and two messages on her board."""
    return functools.partial(_ann_at, server)


@pytest.fixture(scope="module")
def reading_ann() -> Iterator[Any]:
    """Make the same, once for each dialect, for tests that only read."""
    with making_servers() as make:
        yield functools.cache(lambda dialect: _ann_at(make(), dialect))


def _ann_at(server: Server, dialect: str) -> Client:
    server.create("game", "tae", 2, options={"board": SMALL_BOARD}, clock="manual")
    ann = server.player("ann", dialect)
    ben = server.player("ben")
    assert ben.ask("post_message", id=1, slot=-1, subject="Ben", body="writes").name == "okay"
    assert ann.say("order_insert", MOVE).name in ("order", "okay")
    ann.pushed.clear()
    return ann


def answer_in(client: Client, name: str) -> str:
    """Return what an answer is called in the client's dialect: TP03 has objects of its own."""
    return "classic_object" if name == "object" and client.classic else name


# --- the table itself -----------------------------------------------------------------------------------------------


def test_every_request_of_the_protocol_has_a_function_that_answers_it():
    """No request of TP03 or TP04 is missing, and none is answered that clients cannot send."""
    assert set(HANDLED) == {kind.number for kind in REQUESTS}


def test_every_shape_is_that_of_a_request():
    assert set(SHAPES) <= {kind.field for kind in REQUESTS}


# --- before login ---------------------------------------------------------------------------------------------------


def test_logged_in_without_a_game_what_needs_one_is_refused(server: Server, dialect: str):
    """On a server without games, login works, and each refusal says what to do. Nothing else fails."""
    client = server.player("ann", dialect)
    for name in sorted(NEED_A_GAME):
        if not client.knows(name):
            continue
        shape = SHAPES.get(name)
        fields = shape.fields if isinstance(shape, Other) else {}
        if isinstance(shape, Ids):
            fields = {"key": -1, "amount": -1}
        if name in ("order_insert", "order_probe", "order_replace", "modify_object"):
            continue  # without a game no type is known, so that no such frame can be read; see the next test
        answer = client.ask(name, **fields)
        if answer.names[0] == "sequence_of":
            assert answer.things == []
        else:
            assert answer.code in (TEMPORARILY, PERMANENTLY), name


def test_orders_without_a_game_are_refused_without_looking_at_them(server: Server, dialect: str):
    client = server.player("ann", dialect)
    body = b"" if client.dialect is PB else b"{}" if client.dialect is JSON else bytes(20)
    assert client.raw(BY_NAME["order_insert"].number, body).code in (NO_SUCH_THING, TEMPORARILY)


# --- by id ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "title"), in_dialects(ById))
def test_things_by_id(reading_ann: Any, name: str, title: str):
    """None: Sequence(0). One: bare, but objects always after a Sequence. Several: in the order asked for."""
    client = reading_ann(title)
    shape = SHAPES[name]
    assert isinstance(shape, ById)
    expected = answer_in(client, shape.answer)
    none = client.ask(name, ids=[])
    assert none.names == ["sequence_of"]
    assert none.things == []
    for number in shape.ids:
        one = client.ask(name, ids=[number])
        assert one.names == (["sequence_of", expected] if shape.always_sequence else [expected])
    ids = [*reversed(shape.ids), shape.ids[0]]
    several = client.ask(name, ids=ids)
    assert several.names == ["sequence_of", *[expected] * len(ids)]
    if expected != "fail":
        real = [1 if number == 0 and name in ("get_boards", "get_player") else number for number in ids]
        assert [thing.id for thing in several.things] == real


@pytest.mark.parametrize(("name", "title"), in_dialects(ById))
def test_a_bad_id_has_its_fail_in_its_place(reading_ann: Any, name: str, title: str):
    """And is counted; TP04 says what it is about."""
    client = reading_ann(title)
    shape = SHAPES[name]
    assert isinstance(shape, ById)
    expected = answer_in(client, shape.answer)
    good = shape.ids[-1]
    alone = client.ask(name, ids=[NOWHERE])
    assert alone.names == (["sequence_of", "fail"] if shape.always_sequence else ["fail"])
    answer = client.ask(name, ids=[good, NOWHERE, good])
    assert answer.names == ["sequence_of", expected, "fail", expected]
    failed = answer.things[1]
    if shape.answer == "fail":
        assert failed.code == PERMANENTLY
        return
    assert failed.code == NO_SUCH_THING
    assert str(NOWHERE) in failed.result
    if not client.classic:
        assert [reference.id for reference in failed.references] == [NOWHERE]


# --- by slot --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "title"), in_dialects(BySlot))
def test_things_by_slot(ann: Any, name: str, title: str):
    """None: Sequence(0). One: bare. Several: after a Sequence; a slot beyond the end has its Fail in its place."""
    client = ann(title)
    shape = SHAPES[name]
    assert isinstance(shape, BySlot)
    assert client.ask(name, id=shape.id, slots=[]).names == ["sequence_of"]
    beyond = client.ask(name, id=shape.id, slots=[shape.slots])
    assert beyond.code == NO_SUCH_THING
    assert str(shape.slots) in beyond.text
    answer = client.ask(name, id=shape.id, slots=[NOWHERE, shape.slots - 1])
    assert answer.names == ["sequence_of", "fail", shape.answer]
    if shape.slots > 1:
        assert client.ask(name, id=shape.id, slots=[0]).names == [shape.answer]


@pytest.mark.parametrize(("name", "title"), in_dialects(BySlot))
def test_slots_of_what_is_not_there(reading_ann: Any, name: str, title: str):
    client = reading_ann(title)
    before = state_of(client.session.game)
    for slots in ([0], [0, 1]):
        answer = client.ask(name, id=NOWHERE, slots=slots)
        assert answer.code == NO_SUCH_THING
        assert str(NOWHERE) in answer.text
    assert state_of(client.session.game) == before


@pytest.mark.parametrize(("name", "title"), in_dialects(BySlot))
def test_slots_of_what_belongs_to_another(reading_ann: Any, name: str, title: str):
    """Orders and boards of others are refused. The refusal does not even reveal if a slot exists."""
    client = reading_ann(title)
    theirs = 2 if name.endswith("message") else 43  # Ben's board, Ben's scientist leader
    before = state_of(client.session.game)
    texts = {client.ask(name, id=theirs, slots=[slot]).text for slot in (0, 1, 999)}
    assert client.ask(name, id=theirs, slots=[0]).code == DENIED
    assert len(texts) == 1
    assert state_of(client.session.game) == before


# --- lists of ids ---------------------------------------------------------------------------------------------------


def page(client: Client, name: str, key: int, start: int, amount: int, fromtime: int = -1) -> Any:
    return client.ask(name, key=key, start=start, amount=amount, fromtime=fromtime)


@pytest.mark.parametrize(("name", "title"), in_dialects(Ids))
def test_a_list_of_ids(reading_ann: Any, name: str, title: str):
    """-1 or more than there are: whatever is left.  0: only how many. The key pages through one and the same list."""
    client = reading_ann(title)
    shape = SHAPES[name]
    assert isinstance(shape, Ids)
    everything = page(client, name, -1, 0, -1)
    assert everything.name == shape.answer
    whole = [(pair.id, pair.modtime) for pair in everything.message.ids]
    assert everything.message.remaining == 0
    assert everything.message.key > 0
    assert set(shape.some) <= {number for number, _ in whole}
    assert len({number for number, _ in whole}) == len(whole)
    assert all(1_600_000_000 < time < 4_000_000_000 for _, time in whole), "times are unix seconds"

    count = page(client, name, -1, 0, 0).message
    assert (list(count.ids), count.remaining) == ([], len(whole))
    beyond = page(client, name, -1, 0, len(whole) + 100).message
    assert [(pair.id, pair.modtime) for pair in beyond.ids] == whole
    assert beyond.remaining == 0

    paged: list[tuple[int, int]] = []
    key, left = count.key, count.remaining
    while left:
        answer = page(client, name, key, len(paged), 2).message
        paged += [(pair.id, pair.modtime) for pair in answer.ids]
        assert answer.key == key
        assert answer.remaining == len(whole) - len(paged)
        assert answer.fromtime == count.fromtime, "the time to ask from next is the same on every page"
        left = answer.remaining
    assert paged == whole
    rest = page(client, name, key, 1, -1).message
    assert [(pair.id, pair.modtime) for pair in rest.ids] == whole[1:]
    end = page(client, name, key, len(whole), -1).message
    assert (list(end.ids), end.remaining) == ([], 0)


@pytest.mark.parametrize(("name", "title"), in_dialects(Ids))
def test_lists_that_are_asked_for_wrongly(reading_ann: Any, name: str, title: str):
    """An unknown key, a position beyond the end, and an amount below -1 are refused with what is allowed."""
    client = reading_ann(title)
    key = page(client, name, -1, 0, 0).message.key
    assert page(client, name, 77_777, 0, -1).code == NO_SUCH_THING
    beyond = page(client, name, key, 100_000, 1)
    assert beyond.code == NO_SUCH_THING
    assert "100000" in beyond.text
    if client.dialect in (PB, JSON):
        # The classic layouts have no number below -1: what looks like one is a large one.
        asked = BY_NAME[name].message(key=-1, amount=-2)
        body = asked.SerializeToString() if client.dialect is PB else b'{"key":"-1","amount":"-2"}'
        assert client.raw(BY_NAME[name].number, body).code == FRAME


@pytest.mark.parametrize(("name", "title"), in_dialects(Ids))
def test_only_what_changed_since(reading_ann: Any, name: str, title: str):
    """``fromtime`` leaves out what the client has; nothing changed since the time that an answer names."""
    client = reading_ann(title)
    whole = page(client, name, -1, 0, -1).message
    if client.classic:
        assert whole.fromtime == -1
        return
    assert whole.fromtime >= max(pair.modtime for pair in whole.ids)
    assert list(page(client, name, -1, 0, -1, whole.fromtime).message.ids) == []
    times = sorted({pair.modtime for pair in whole.ids})
    newer = page(client, name, -1, 0, -1, times[0]).message
    assert {pair.id for pair in newer.ids} == {pair.id for pair in whole.ids if pair.modtime > times[0]}
    assert len(page(client, name, -1, 0, -1, 0).message.ids) == len(whole.ids)


# --- the others -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "title"), in_dialects(Other))
def test_requests_of_their_own_shape(ann: Any, reading_ann: Any, name: str, title: str):
    shape = SHAPES[name]
    assert isinstance(shape, Other)
    changes_nothing = shape.code >= 0 or name.startswith("get_")
    client = (reading_ann if changes_nothing else ann)(title)
    if name in ("order_insert", "order_probe", "order_replace"):
        # In the classic layouts an order has to have the parameters that its type asks for.
        order = tp.Order(slot=-1, otype=2, parameters=[tp.OrderParameter(object=tp.OrderObject(object_id=10))])
        order.id = NOWHERE
        assert client.say(name, order).code == shape.code
        return
    if name == "modify_object":
        kind = BY_NAME[name]
        shown = client.object(HOME)
        answer = client.post_message(kind, shown).reply
        assert answer.code == shape.code
        return
    answer = client.ask(name, **shape.fields)
    if shape.code < 0:
        assert {type(thing) for thing in answer.things} == {BY_NAME[shape.answer].message}, answer
    else:
        assert answer.code == shape.code, answer


@pytest.mark.parametrize(("name", "title"), in_dialects(NoneType))
def test_an_empty_request_is_answered_as_its_policy_says(ann: Any, reading_ann: Any, name: str, title: str):
    """By one of its frames, or by a Fail with one of its codes."""
    kind = BY_NAME[name]
    client = (reading_ann if name.startswith("get_") else ann)(title)
    answer = client.ask(name)
    if answer.name == "fail":
        assert answer.code in refusals_of(kind).codes, answer
        return
    frames = answer.names[1:] if answers_each(kind) and answer.name == "sequence_of" else answer.names
    assert answers_each(kind) or len(frames) == 1
    assert set(frames) <= {answer_in(client, response.field) for response in answers_to(kind)}, answer


def test_objects_at_a_place(reading_ann: Any, dialect: str):
    """A point and a radius; a radius of 0 is the point itself, and the largest radius is everything."""
    client = reading_ann(dialect)
    everything = client.ask("get_object_ids_by_pos", pos=tp.Vector(), r=2**64 - 1).message
    assert {pair.id for pair in everything.ids} == set(client.ids())
    point = tp.Vector(x=1, y=80001, z=0)
    at = client.ask("get_object_ids_by_pos", pos=point, r=0).message
    assert 2 in {pair.id for pair in at.ids}
    assert 4 not in {pair.id for pair in at.ids}
    assert at.remaining == 0
    far = client.ask("get_object_ids_by_pos", pos=tp.Vector(x=-(2**63), y=2**63 - 1, z=5), r=1).message
    assert list(far.ids) == []


def test_objects_in_a_container(reading_ann: Any, dialect: str):
    """The direct contents only; an unknown container is refused."""
    client = reading_ann(dialect)
    assert client.ask("get_object_ids_by_container", id=NOWHERE).code == NO_SUCH_THING, "before anything was listed"
    root = client.ask("get_object_ids_by_container", id=0).message
    assert [pair.id for pair in root.ids] == [1]
    home = client.ask("get_object_ids_by_container", id=HOME).message
    assert [pair.id for pair in home.ids] == list(client.object(HOME).contains)
    assert client.ask("get_object_ids_by_container", id=NOWHERE).code == NO_SUCH_THING
    assert list(client.ask("get_object_ids_by_container", id=COLONIST).message.ids) == []


# --- frames that are not requests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("title", list(DIALECTS))
def test_answers_sent_by_a_client_are_refused(reading_ann: Any, title: str):
    """Every frame of the other direction, before its body is looked at."""
    client = reading_ann(title)
    before = state_of(client.session.game)
    for kind in client.dialect.kinds.values():
        if not kind.request:
            answer = client.raw(kind.number, b"\xff\xff\xff")
            assert answer.code == FRAME
            assert kind.title in answer.text
    assert state_of(client.session.game) == before


@pytest.mark.parametrize("title", ["tp03", "tp04", "padded"])
@pytest.mark.parametrize("number", [78, 79, 1000, 2**31, 2**32 - 1])
def test_frames_of_unknown_numbers_are_refused(reading_ann: Any, title: str, number: int):
    client = reading_ann(title)
    answer = client.raw(number, b"")
    assert answer.code == FRAME
    assert str(number) in answer.text
    assert client.ask("ping").name == "okay"


def test_tp03_has_no_frames_of_tp04(reading_ann: Any):
    """64 to 77 came with TP04."""
    client = reading_ann("tp03")
    for number in range(64, 78):
        assert client.raw(number, bytes(4)).code == FRAME


@pytest.mark.parametrize("title", ["tp03", "tp04", "padded"])
def test_trailing_and_missing_bytes_are_refused(ann: Any, title: str):
    """A frame of any request has exactly its length; what is refused changes nothing."""
    client = ann(title)
    before = state_of(client.session.game)
    for kind in client.dialect.kinds.values():
        if not kind.request:
            continue
        if kind.field == "modify_object":
            body = client.dialect.encode_body(kind.number, client.object(0), client.lookup())
        elif kind.field in ("order_insert", "order_probe", "order_replace"):
            order = tp.Order(id=COLONIST, slot=-1, otype=2, parameters=MOVE.parameters)
            body = client.dialect.encode_body(kind.number, order, client.lookup())
        else:
            shape = SHAPES.get(kind.field)
            fields = shape.fields if isinstance(shape, Other) else {"id": 1} if isinstance(shape, BySlot) else {}
            body = client.dialect.encode_body(kind.number, kind.message(**fields), client.lookup())
        for wrong in {body + b"\0", body + bytes(4), body[:-1], body[:-4]} - {body}:
            answer = client.raw(kind.number, wrong)
            assert answer.code == FRAME, (kind, wrong, answer)
    assert state_of(client.session.game) == before
