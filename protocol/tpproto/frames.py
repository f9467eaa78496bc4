"""Frame types from the schema: number, name, message class and direction.

`CLASSIC` maps numbers to the frames of TP03, and `TP04_FRAMES` to those of TP04. `BY_NUMBER` has those of Protocol
Buffers and JSON: the frames of TP04, and later ones from `FIRST_LATER` on. The sets differ in the frames that they
lack, and in frame 7: `classic_object` in TP03, `object` in the others. `BY_NAME` has all frames by the name of their
field in `Frame.body`. `ADMIN` has the frames of the administration protocol, whose additional frames start at 1000, and
`METASERVER` those of a metaserver's list.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.codegen.layout import option
from tpproto.errors import FrameError

FIRST_LATER = 1000
"""The lowest number of the frames that exist neither in TP03 nor in TP04."""


@dataclass(frozen=True, slots=True)
class FrameKind:
    """One frame type.

    `field` is its name in `Frame.body`, `title` the historical name. `request` is True if clients send it. `only` is 3
    for TP03, 4 for TP04 and later, 1 for later than TP04, and 0 for all.
    """

    number: int
    field: str
    title: str
    message: type[Message]
    request: bool
    only: int

    def __str__(self) -> str:
        return f"{self.title} ({self.number})"


def _kinds(
    envelope: type[tp_pb2.Frame] | type[tp_pb2.AdminFrame] | type[tp_pb2.MetaserverFrame],
) -> Iterator[FrameKind]:
    empty = envelope()
    for field in envelope.DESCRIPTOR.oneofs_by_name["body"].fields:
        layout = option(field, tp_pb2.frame)
        yield FrameKind(
            number=layout.number,
            field=field.name,
            title=layout.name,
            message=type(getattr(empty, field.name)),
            request=layout.direction == tp_pb2.REQUEST,
            only=layout.only,
        )


KINDS: tuple[FrameKind, ...] = tuple(sorted(_kinds(tp_pb2.Frame), key=lambda kind: (kind.number, kind.only)))
BY_NAME: Mapping[str, FrameKind] = MappingProxyType({kind.field: kind for kind in KINDS})


def _having(*versions: int) -> Mapping[int, FrameKind]:
    return MappingProxyType({kind.number: kind for kind in KINDS if kind.only in (tp_pb2.EVERY, *versions)})


CLASSIC = _having(tp_pb2.TP03)
TP04_FRAMES = _having(tp_pb2.TP04)
BY_NUMBER = _having(tp_pb2.TP04, tp_pb2.LATER)
ADMIN: Mapping[int, FrameKind] = MappingProxyType({kind.number: kind for kind in _kinds(tp_pb2.AdminFrame)})
METASERVER: Mapping[int, FrameKind] = MappingProxyType({kind.number: kind for kind in _kinds(tp_pb2.MetaserverFrame)})


def policy_of(request: FrameKind) -> tp_pb2.Policy:
    """Return the policy of a request of `BY_NAME`; the strictest one if the schema gives none."""
    policy: tp_pb2.Policy = option(tp_pb2.Frame.DESCRIPTOR.fields_by_name[request.field], tp_pb2.policy)
    return policy


def frame(sequence: int, name: str, message: Message) -> tp_pb2.Frame:
    """Return a frame with this sequence number (0 to 4294967295) and a copy of `message` in the body field `name`.

    Raises KeyError for an unknown name and TypeError for a message of another type.
    """
    envelope = tp_pb2.Frame(sequence=sequence)
    body = getattr(envelope, BY_NAME[name].field)
    body.CopyFrom(message)
    body.SetInParent()
    return envelope


def kind_of(envelope: tp_pb2.Frame) -> FrameKind:
    """Return the type of a frame. Raises FrameError for a frame without a body."""
    field = envelope.WhichOneof("body")
    if field is None:
        raise FrameError("The frame has no body that this version of the protocol knows.")
    return BY_NAME[field]


def body_of(envelope: tp_pb2.Frame) -> Message:
    """Return the message in a frame, not a copy. Raises FrameError for a frame without a body."""
    body: Message = getattr(envelope, kind_of(envelope).field)
    return body
