"""The golden vectors: messages and their bytes, by frame and dialect.

Each file has one dialect and one JSON object per line. It has name, dialect, frame (the field in Frame.body), number,
hex (the whole frame), and json (the canonical JSON of the Frame). Descriptions precede the frames that they describe,
so the files can be read in order like a conversation, also by `dump`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.codegen.layout import Part, layout_of, option, typed_step
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.dialects.binary import BinaryDialect
from tpproto.frames import KINDS, FrameKind, body_of, frame, kind_of

FILES: dict[str, Dialect] = {"tp03.jsonl": TP03, "tp04.jsonl": TP04, "tp04-padded.jsonl": TP04.padded, "pb.jsonl": PB}
"""File name -> its dialect."""

ORDER_TYPES = 100
"""Order type 100 + n has one parameter, of type n."""

OBJECT_TYPES = 200
"""Object type 200 + n has one parameter, of type n."""

EVERY_TYPE = 50
"""Added to ORDER_TYPES or OBJECT_TYPES: the type with a parameter of each type of TP03."""

NO_PARAMETER = 51
"""Added to ORDER_TYPES or OBJECT_TYPES: the type without parameters."""


LATER_FIELDS: Mapping[str, tuple[str, ...]] = {
    "MyGame": ("new_turns", "new_letters", "anonymous"),
    "Appearance": ("orders",),
    "Look": ("words", "each", "nameless"),
    "GetLegalOrders": ("grouped",),
    "LegalOrders": ("groups",),
    "CreateGame": ("policy", "press", "master", "anonymous", "watch_delay", "unwatched", "guests"),
    "GameSetup": ("press", "anonymous", "watch_delay", "unwatched", "guests"),
    "BlockedAccount": ("player",),
    "SetBlock": ("game",),
    "HandOverGame": ("player",),
    "TimeRemaining": ("watch_delay", "present_turn"),
    "Message": ("writer",),
    "ReportMessage": ("spectators",),
    "KeepLogin": ("password",),
    "AddNoticeAddress": ("resets", "password"),
    "NoticeAddress": ("resets",),
    "MakeCalendar": ("password",),
    "ChangePassword": ("drop_addresses", "drop_providers", "drop_links"),
    "CreateToken": ("password",),
    "OwnAccount": ("email", "email_resets"),
    "ConnectProvider": ("password",),
    "Order": ("judged",),
    "ExtendTurn": ("take_back",),
    "Clock": ("given", "most"),
}
"""Message -> fields that are newer than its vectors.

These fields have separate vectors, so that older ones do not change.
"""


FIRST_OF_LATER_FIELDS = 2106
"""The first number in the vectors of later fields."""


LATER_BETWEEN = frozenset(
    ("calendar", "guest", "become_account", "providers", "connect_provider", "disconnect_provider")
)
"""Frames that are newer than others with a higher number. Their values are separate, so that no older line changes."""


class _Filler:
    """Fills messages so that no two fields have the same value: numbers count up, texts name their field."""

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def fill(self, message: Message, skip: tuple[str, ...] = ()) -> None:
        skip += LATER_FIELDS.get(message.DESCRIPTOR.name, ())
        for field in message.DESCRIPTOR.fields:
            if field.name in skip or field.containing_oneof is not None or option(field, tp_pb2.parameter_types):
                continue
            if field.message_type is not None:
                inner = getattr(message, field.name)
                for item in [inner.add(), inner.add()] if field.is_repeated else [inner]:
                    self.fill(item)
            elif field.is_repeated:
                getattr(message, field.name).extend([self.value(field), self.value(field)])
            else:
                setattr(message, field.name, self.value(field))

    def value(self, field: Any) -> int | str:
        self.last += 1
        if field.type == field.TYPE_STRING:
            return f"{field.name} {self.last} {'äß€🚀'[self.last % 4]}"
        if option(field, tp_pb2.integer):
            return self.last if self.last % 2 else -1
        large = 1 << (40 if field.type in (field.TYPE_UINT64, field.TYPE_INT64) else 20)
        signed = field.type in (field.TYPE_INT32, field.TYPE_INT64)
        return (large + self.last) * (-1 if signed and self.last % 2 else 1)


def has_values(message: type[Message]) -> bool:
    """Return whether a message has fields that the vectors fill.

    `optional` fields have separate vectors.
    """
    return any(field.containing_oneof is None for field in message.DESCRIPTOR.fields)


def samples() -> Iterator[tuple[str, tp_pb2.Frame]]:
    """Yield named frames: each type full and empty, each parameter type, and the limits of numbers and texts."""
    filler = _Filler()
    yield from _descriptions(filler)
    for kind in KINDS:
        if kind.message in (tp_pb2.Order, tp_pb2.Object):
            yield from _typed(kind, filler)
        elif kind.message is tp_pb2.ClassicObject:
            yield from _classic(kind, filler)
        else:
            message = kind.message()
            yield f"{kind.field}: empty", frame(kind.number, kind.field, message)
            if has_values(kind.message):
                (_Filler(100 * kind.number) if kind.field in LATER_BETWEEN else filler).fill(message)
                yield f"{kind.field}: full", frame(kind.number + 1000, kind.field, message)
    yield from _limits()
    # Its numbers are separate, so that later frames change no line.
    yield from _later_fields(_Filler(FIRST_OF_LATER_FIELDS))


def _alternatives(message: type[Message], dialect: BinaryDialect = TP04) -> Mapping[int, Part]:
    """Return the typed parameters of a message, by type id."""
    return typed_step(layout_of(message.DESCRIPTOR, dialect.version)).alternatives


def _variants(message: type[Message]) -> dict[int, list[int]]:
    """Return the parameter types of each variant, by the number that is added to the first type id."""
    types = sorted(_alternatives(message))
    common = [type_id for type_id in types if message is not tp_pb2.Order or type_id < 10]
    return {**{type_id: [type_id] for type_id in types}, EVERY_TYPE: common, NO_PARAMETER: []}


def _descriptions(filler: _Filler) -> Iterator[tuple[str, tp_pb2.Frame]]:
    for more, types in _variants(tp_pb2.Order).items():
        order = tp_pb2.OrderDesc()
        filler.fill(order, skip=("parameters",))
        order.id = ORDER_TYPES + more
        for type_id in types:
            order.parameters.add(name=f"Parameter {type_id}", type=type_id, description="One of each")
        yield f"order_desc: types {types}", frame(order.id, "order_desc", order)
    for more, types in _variants(tp_pb2.Object).items():
        thing = tp_pb2.ObjectDesc()
        filler.fill(thing, skip=("property_groups",))
        thing.id = OBJECT_TYPES + more
        for group_id, members in enumerate((types[:3], types[3:]), 1):
            group = thing.property_groups.add(id=group_id, name=f"Group {group_id}", description="A group")
            for type_id in members:
                group.parameters.add(name=f"Parameter {type_id}", type=type_id, description="One of each")
        yield f"object_desc: types {types}", frame(thing.id, "object_desc", thing)


def _typed(kind: FrameKind, filler: _Filler) -> Iterator[tuple[str, tp_pb2.Frame]]:
    first = ORDER_TYPES if kind.message is tp_pb2.Order else OBJECT_TYPES
    alternatives = _alternatives(kind.message)
    for more, types in _variants(kind.message).items():
        message: Any = kind.message()
        filler.fill(message)
        message.otype = first + more
        for type_id in types:
            part = getattr(message.parameters.add(), alternatives[type_id].name)
            part.SetInParent()
            filler.fill(part)
        yield f"{kind.field}: types {types}", frame(kind.number + more, kind.field, message)


def _classic(kind: FrameKind, filler: _Filler) -> Iterator[tuple[str, tp_pb2.Frame]]:
    for role, part in _alternatives(kind.message, TP03).items():
        message = tp_pb2.ClassicObject()
        filler.fill(message)
        message.otype = role
        detail = getattr(message, part.name)
        detail.SetInParent()
        filler.fill(detail)
        yield f"{kind.field}: {part.name}", frame(kind.number + role, kind.field, message)


def _limits() -> Iterator[tuple[str, tp_pb2.Frame]]:
    most, most_semisigned, most_64 = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFFFFFFFFFF
    ids = [tp_pb2.IdAndTime(id=most, modtime=most_64)]
    numbers = tp_pb2.IDSequence(key=most_semisigned, remaining=-1, ids=ids, fromtime=0x7FFFFFFFFFFFFFFF)
    yield "largest numbers", frame(most, "object_ids", numbers)
    far = tp_pb2.GetObjectIDsByPos(pos=tp_pb2.Vector(x=-(1 << 63), y=(1 << 63) - 1, z=-1), r=most_64)
    yield "farthest coordinates", frame(0, "get_object_ids_by_pos", far)
    texts = tp_pb2.CreateAccount(username="a", password="ab", email="€", comment="🚀a\0b")
    yield "texts of every length up to 4, beyond ASCII, and with a NUL within", frame(1, "create_account", texts)


def _later_fields(filler: _Filler) -> Iterator[tuple[str, tp_pb2.Frame]]:
    game = tp_pb2.MyGame(name="first", turn=9)
    for name in ("new_turns", "new_letters"):
        setattr(game, name, filler.value(game.DESCRIPTOR.fields_by_name[name]))
    yield "my_games: what is new", frame(2, "my_games", tp_pb2.MyGames(games=[game]))
    look, order = tp_pb2.Look(id=3), tp_pb2.OrderWords()
    for name in LATER_FIELDS["Look"]:
        setattr(look, name, filler.value(look.DESCRIPTOR.fields_by_name[name]))
    filler.fill(order)
    words = tp_pb2.Appearance(ruleset="tae", object_types=[look], orders=[order])
    yield "appearance: words for people", frame(3, "appearance", words)
    yield "get_legal_orders: grouped", frame(4, "get_legal_orders", tp_pb2.GetLegalOrders(grouped=True))
    many, named = (
        tp_pb2.LegalGroup(otype=1, ids=[4, 10]),
        tp_pb2.LegalGroup(otype=2, ids=[4], named=[5, 6], unsure=True),
    )
    yield "legal_orders: groups", frame(4, "legal_orders", tp_pb2.LegalOrders(groups=[many, named], following=9))
    made = tp_pb2.CreateGame(name="first")
    filler.fill(made.policy)
    yield "create_game: absent players", frame(4, "create_game", made)
    made, setup = (
        tp_pb2.CreateGame(name="first", press="none", master=True),
        tp_pb2.GameSetup(game="first", press="public"),
    )
    yield "create_game: what players may write", frame(4, "create_game", made)
    yield "game_setup: what players may write", frame(5, "game_setup", setup)
    yield "create_game: guests", frame(4, "create_game", tp_pb2.CreateGame(name="first", guests="silent"))
    yield "game_setup: guests", frame(5, "game_setup", tp_pb2.GameSetup(game="first", guests="yes"))
    yield from _anonymous()


def _anonymous() -> Iterator[tuple[str, tp_pb2.Frame]]:
    """Yield the vectors of additions for anonymous games."""
    seats = [tp_pb2.SeatOfGame(name="Player 1"), tp_pb2.SeatOfGame()]
    mine = tp_pb2.MyGame(name="first", state="waiting", player=1, seats=seats, anonymous=True)
    made, setup = tp_pb2.CreateGame(name="first", anonymous=True), tp_pb2.GameSetup(game="first", anonymous=True)
    blocked = tp_pb2.BlockedAccount(name="Player 2", game="first", player=2)
    yield "create_game: anonymous", frame(4, "create_game", made)
    yield "game_setup: anonymous", frame(5, "game_setup", setup)
    yield "my_games: anonymous", frame(6, "my_games", tp_pb2.MyGames(games=[mine]))
    yield "talk: a player of an anonymous game", frame(7, "talk", tp_pb2.Talk(blocked=[blocked]))
    yield "set_block: in a game", frame(8, "set_block", tp_pb2.SetBlock(player=2, blocked=True, game="first"))
    yield "hand_over_game: to a player", frame(9, "hand_over_game", tp_pb2.HandOverGame(game="first", player=2))
    later = tp_pb2.CreateGame(name="first", watch_delay=3)
    yield "create_game: what spectators see, and when", frame(6, "create_game", later)
    yield "game_setup: nobody watches", frame(7, "game_setup", tp_pb2.GameSetup(game="first", unwatched=True))
    late = tp_pb2.TimeRemaining(time=0x7FFFFFFF, turn=5, turn_name="Round 6", watch_delay=3, present_turn=8)
    yield "time_remaining: a turn that is shown later", frame(8, "time_remaining", late)
    talk = tp_pb2.Message(id=3, slot=0, subject="Well played", body="Both of them", turn=8, writer="eve")
    yield "message: what spectators write", frame(9, "message", talk)
    report = tp_pb2.ReportMessage(slot=1, subject="Well played", reason="a test", spectators=True)
    yield "report_message: of a spectator", frame(10, "report_message", report)
    yield from _about_turns()


def _about_turns() -> Iterator[tuple[str, tp_pb2.Frame]]:
    """Yield requests with the number of their turn, and a probe behind a queue."""
    yield "finished_turn: in turn 0", frame(11, "finished_turn", tp_pb2.FinishedTurn(turn=0))
    yield "unfinish_turn: in a turn", frame(12, "unfinish_turn", tp_pb2.UnfinishTurn(turn=7))
    removal = tp_pb2.GetWithIDSlot(id=5, slots=[1], turn=7)
    yield "remove_order: in a turn", frame(13, "remove_order", removal)
    yield "extend_turn: in a turn", frame(14, "extend_turn", tp_pb2.ExtendTurn(game="first", seconds=60, turn=7))
    yield "extend_turn: taken back", frame(14, "extend_turn", tp_pb2.ExtendTurn(game="first", take_back=True))
    yield "clock: more time", frame(14, "clock", tp_pb2.Clock(game="first", clock="interval:300", given=60, most=240))
    yield "propose: in a turn", frame(15, "propose", tp_pb2.Propose(game="first", kind="draw", turn=7))
    yield "set_autopilot: in a turn", frame(16, "set_autopilot", tp_pb2.SetAutopilot(turns=2, turn=7))
    order = tp_pb2.Order(id=5, slot=-1, otype=ORDER_TYPES + NO_PARAMETER)
    for name, turn, judged in (("order_insert", 7, 0), ("order_probe", None, 1)):
        sample = tp_pb2.Order(turn=turn, judged=judged)
        sample.MergeFrom(order)
        yield f"{name}: {'in a turn' if turn else 'behind the queue'}", frame(17, name, sample)


def rows(dialect: Dialect) -> Iterator[dict[str, Any]]:
    """Yield the vectors of one dialect."""
    known = Descriptions()
    for name, sample in samples():
        kind = kind_of(sample)
        if dialect.kinds.get(kind.number) is not kind or (dialect is TP03 and _beyond_tp03(sample)):
            continue
        data = dialect.encode(sample, known)
        body = dialect.encode_body(kind.number, body_of(sample), known)
        message = dialect.decode_body(kind.number, body, known)
        heard = frame(sample.sequence, kind.field, message)
        known.learn(heard)
        yield {
            "name": name,
            "dialect": dialect.name,
            "frame": kind.field,
            "number": kind.number,
            "hex": data.hex(),
            "json": json_format.MessageToDict(heard),
        }


def _beyond_tp03(sample: tp_pb2.Frame) -> bool:
    """Return whether an order has parameters that TP03 lacks.

    These are lists of resources and of quantities.
    """
    body = body_of(sample)
    return isinstance(body, tp_pb2.Order) and body.otype - ORDER_TYPES in (10, 11)


def contents(dialect: Dialect) -> str:
    """Return the text of one file of vectors."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(dialect))


def differences(directory: Path) -> list[str]:
    """Return the files in a directory that are missing, or differ from the files of `write`."""
    return [
        name
        for name, dialect in FILES.items()
        if not (directory / name).is_file() or (directory / name).read_text("utf-8") != contents(dialect)
    ]


def write(directory: Path) -> None:
    """Write all files of vectors."""
    for name, dialect in FILES.items():
        (directory / name).write_text(contents(dialect), "utf-8")
