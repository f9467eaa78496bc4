"""The layout of messages in TP03 and TP04, from the schema's options.

`layout_of(descriptor, version)` returns the fields in their order in the body. A field that the version lacks is in
`absent` if its decoded value is not 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, OneofDescriptor

from tpproto import tp_pb2

TP03 = int(tp_pb2.TP03)
TP04 = int(tp_pb2.TP04)


@dataclass(frozen=True, slots=True)
class Number:
    """An integer. `code` is the letter of the struct module. Semisigned numbers have -1 for all bits set."""

    name: str
    code: str
    size: int
    semisigned: bool


@dataclass(frozen=True, slots=True)
class Text:
    """A string: length in bytes, then UTF-8."""

    name: str
    size: int = 4


@dataclass(frozen=True, slots=True)
class Padding:
    """Bytes without a meaning."""

    size: int


@dataclass(frozen=True, slots=True)
class Part:
    """A message within a message."""

    name: str
    layout: "Layout"

    @property
    def size(self) -> int:
        return self.layout.size


@dataclass(frozen=True, slots=True)
class Many:
    """A count, then that many items."""

    name: str
    item: "Number | Text | Layout"
    size: int = 4


@dataclass(frozen=True, slots=True)
class Typed:
    """Typed parameters (`single` False: a list) or one detail (`single` True), whose types are not in the body.

    `alternatives` gives the name of the oneof's field and the layout of its message for each parameter type id.
    """

    name: str
    rule: int
    oneof: str
    alternatives: Mapping[int, Part]
    single: bool
    size: int = 0


Step = Number | Text | Padding | Part | Many | Typed


@dataclass(frozen=True, slots=True)
class Layout:
    """The steps in which a message is written. `size` is its minimum length in bytes."""

    name: str
    steps: tuple[Step, ...]
    absent: tuple[tuple[str, int], ...]
    size: int


_NUMBERS: dict[int, tuple[str, int, bool]] = {
    tp_pb2.U32: ("I", 4, False),
    tp_pb2.I32: ("i", 4, False),
    tp_pb2.SEMI32: ("I", 4, True),
    tp_pb2.U64: ("Q", 8, False),
    tp_pb2.I64: ("q", 8, False),
    # Read and written as signed: unsigned values from 2**63 to 2**64 - 2 do not fit the message anyway.
    tp_pb2.SEMI64: ("q", 8, True),
}

_NATURAL: dict[int, int] = {
    FieldDescriptor.TYPE_UINT32: tp_pb2.U32,
    FieldDescriptor.TYPE_INT32: tp_pb2.I32,
    FieldDescriptor.TYPE_UINT64: tp_pb2.U64,
    FieldDescriptor.TYPE_INT64: tp_pb2.I64,
    FieldDescriptor.TYPE_BOOL: tp_pb2.U32,
}


def option(field: Any, extension: FieldDescriptor) -> Any:
    """Return the value of one of the schema's own options on a field or oneof. The type stubs lack these options."""
    return field.GetOptions().Extensions[extension]


def alternatives_with(field: FieldDescriptor) -> OneofDescriptor | None:
    """Return the oneof of which a field is an alternative.

    Returns None for an `optional` field, which is alone in its oneof.
    """
    oneof = field.containing_oneof
    return None if oneof is None or oneof.name == f"_{field.name}" else oneof


@cache
def layout_of(descriptor: Descriptor, version: int) -> Layout:
    """Return the layout of a message in TP03 (3) or TP04 (4)."""
    steps: list[Step] = []
    absent: list[tuple[str, int]] = []
    for field in sorted(descriptor.fields, key=lambda field: field.number):
        oneof = alternatives_with(field)
        if oneof is not None:
            if field is oneof.fields[0]:
                rule = option(oneof, tp_pb2.detail_types)
                steps.append(Typed("", rule, oneof.name, _alternatives(oneof, version), single=True))
            continue
        if option(field, tp_pb2.only) not in (tp_pb2.EVERY, version):
            if option(field, tp_pb2.otherwise):
                absent.append((field.name, option(field, tp_pb2.otherwise)))
            continue
        steps.append(_step(field, version))
        if option(field, tp_pb2.padding):
            steps.append(Padding(option(field, tp_pb2.padding)))
    return Layout(descriptor.name, tuple(steps), tuple(absent), sum(step.size for step in steps))


def _step(field: FieldDescriptor, version: int) -> Step:
    item: Number | Text | Layout
    if field.type == FieldDescriptor.TYPE_STRING:
        item = Text(field.name)
    elif field.message_type is not None:
        rule = option(field, tp_pb2.parameter_types)
        if rule:
            (oneof,) = field.message_type.oneofs
            return Typed(field.name, rule, oneof.name, _alternatives(oneof, version), single=False)
        item = layout_of(field.message_type, version)
    else:
        width = option(field, tp_pb2.integer) or _NATURAL[field.type]
        item = Number(field.name, *_NUMBERS[width])
    if field.is_repeated:
        return Many(field.name, item)
    return Part(field.name, item) if isinstance(item, Layout) else item


def _alternatives(oneof: OneofDescriptor, version: int) -> dict[int, Part]:
    alternatives = {}
    for field in oneof.fields:
        if option(field, tp_pb2.only) not in (tp_pb2.EVERY, version):
            continue
        assert field.message_type is not None, "typed parameters are messages"
        alternatives[option(field, tp_pb2.parameter)] = Part(field.name, layout_of(field.message_type, version))
    return alternatives


def typed_step(layout: Layout) -> Typed:
    """Return the typed parameters of a message, which are always its last step."""
    step = layout.steps[-1]
    assert isinstance(step, Typed)
    return step


def has_types(layout: Layout) -> bool:
    """Return whether a message has typed parameters."""
    return bool(layout.steps) and isinstance(layout.steps[-1], Typed)


def is_plain(layout: Layout) -> bool:
    """Return whether a message and its parts have numbers only."""
    return all(isinstance(step, Number) or (isinstance(step, Part) and is_plain(step.layout)) for step in layout.steps)


class FunctionWriter:
    """Writes the source of a function that writes or reads one message, with the objects that it refers to.

    `parts` are the layouts of the typed parameters. With `padded`, strings are padded to a multiple of 4 bytes. `depth`
    is that of the next line.
    """

    def __init__(self, layout: Layout, padded: bool, parts: Sequence[Part]) -> None:
        self.layout = layout
        self.padded = padded
        self.parts = parts
        self.lines: list[str] = []
        self.depth = 2
        self.names: dict[str, Any] = {}
        self.serial = 0

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, letter: str) -> str:
        self.serial += 1
        return f"{letter}{self.serial}"

    def constant(self, letter: str, value: object) -> str:
        name = self.fresh(letter)
        self.names[name] = value
        return name

    def compile(self, function: str) -> Any:
        code = compile("\n".join(self.lines) + "\n", f"<generated {function} of {self.layout.name}>", "exec")
        exec(code, self.names)
        return self.names[function]
