"""Write FRAMES.md, the page of all frames for authors of clients.

Layouts come from `codegen.layout`, which reads the schema's options, and examples from the golden vectors. Comments
come from tp.proto, so this works in the source tree only. `answers` has the additions to the schema.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tpproto import tp_pb2
from tpproto.codegen.layout import (
    Layout,
    Many,
    Number,
    Padding,
    Part,
    Step,
    Text,
    Typed,
    alternatives_with,
    layout_of,
    option,
    typed_step,
)
from tpproto.descriptions import Descriptions
from tpproto.dialects import JSON, PB, TP03, TP04, Dialect
from tpproto.errors import FailCode
from tpproto.frames import ADMIN, BY_NAME, FIRST_LATER, KINDS, METASERVER, FrameKind
from tpproto.tools.answers import (
    CODES,
    GROUPS,
    IN_TP03,
    NOTES,
    answered_by,
    answers_each,
    answers_to,
    counts_always,
    group_of,
    refusals_of,
)
from tpproto.tools.comments import Comments
from tpproto.tools.vectors import has_values, samples

WIDTH = 100
"""Maximum characters of a line in an example."""

_INTRODUCTION = """\
# All frames

`python -m tpproto frames protocol/FRAMES.md` writes this page from `tp.proto`, in the source tree; do not edit it.
[README.md](README.md) has a quick start, and links to pages about the use of frames.

## Requests and answers

A request has a sequence number of the client's choice, from 1 on; whatever answers it repeats that number. Requests are
answered in their order, so a client need not wait for one answer before it sends the next request. A frame with
sequence number 0 was not asked for: TimeRemaining, which may come between any two others, or a Fail that closes the
connection.

Most requests are answered by one frame. One that asks for several things is answered by [2 Sequence](#2-sequence),
which says how many frames follow, and these: one for each thing in the order of the request, or [1 Fail](#1-fail) in
its place. If only one would follow, it comes alone, without Sequence; only GetObjectsByID has always a Sequence, unless
the whole request is refused. None at all is a Sequence of 0.

## How a frame looks

[Encodings](README.md#encodings) has the bytes around a body in each encoding. In short, with all numbers big-endian:

| encoding | a frame is |
|---|---|
| TP03 | `TP03`, sequence number (u32), frame number (u32), length of the body in bytes (u32), body |
| TP04 | `54 50 04 00`, then as in TP03 |
| Protocol Buffers | `TPPB` once from the client; then, both ways, length (u32) and a serialized `Frame` each time |
| JSON | the canonical JSON of `Frame`, one a WebSocket message |

**Later** in this page means Protocol Buffers and JSON. A body in TP03 or TP04 is its fields in the order of the
tables, with nothing between them:

| type | on the wire of TP03 and TP04 |
|---|---|
| u32, u64 | an unsigned number of 4 or 8 bytes |
| i32, i64 | a signed number of 4 or 8 bytes |
| semi32, semi64 | semisigned: an unsigned number of 4 or 8 bytes, where all bits set mean -1 |
| string | length in bytes (u32), then UTF-8; after the filter 0x1D00 filled up with zero bytes to a multiple of 4 |
| list of ... | count (u32), then the items |
| parts | the rows below, whose names begin with this one, and nothing around them |
| padding | bytes that are sent as zeros and ignored when read |
| typed | [typed parameters](#typed-parameters), without count and without types |
| *none: V* | this version lacks the field; who reads a frame takes V |

The last column but one is the type in `tp.proto`, after the number of the field. In JSON names are in lowerCamelCase,
and numbers of 64 bits are strings. A field that is left out is 0, `""` or empty.

Examples are [golden vectors](vectors): one message in each encoding. Their values count up, so that no two fields are
alike, and mean nothing. Lines of hexadecimal digits can be given to `python -m tpproto dump` as they are.
"""

_TYPED = """\
## Typed parameters

An Order, and an Object in TP04 and later, ends in parameters. How many there are, and the type of each, tells the
description of its `otype`: [9 OrderDesc](#9-orderdesc) or [68 ObjectDesc](#68-objectdesc), whose groups follow each
other. On the wire of TP03 and TP04 there are only the fields of each parameter; later, each item says itself which
one it has. The Object frame of TP03 ends in the fields of one of six kinds, which `otype` tells.
"""

_REFUSALS = """\
## Refusals

A request that is refused is answered by [1 Fail](#1-fail): a code and a sentence for people. It changes nothing, or the
sentence says that the outcome is unknown. Of a request for several things each thing that is refused has a Fail in
its place; Sequence counts it.

### Codes
"""

_REQUESTS = """\

### Requests and their refusals

Faults of the frame itself, before it is clear what it asks for, are in
[Frames that cannot be read](docs/errors.md#frames-that-cannot-be-read).

Any request may be answered with 1 (its body is wrong), 8 (it is too long, or names too much), 3 (the server could not
save it, or failed on it), and, if it holds an order or object in TP03 or TP04, with 4: there is no such type, so that
it cannot be read. Without a game no type is known. A frame that only servers send is answered with 1. The first three
columns have the code where a client has not logged in, has logged in without a game, or watches a game without a
seat; `-`: the request is answered. What is wrong with the request itself comes after these. The rules of a game can
refuse an order with any code from 1 to 6.
"""

_ADMINISTRATION = """\
## Administration

The administration protocol of 2008 has a port of its own, 6925, and frames of its own; Protocol Buffers and JSON do
not have it, and none of what stands above but the header is true of it. A program sends Connect and Login, asks for
the ids of the commands and for their descriptions (one alone comes without Sequence), and sends commands, which are
performed one after the other. After Login lines of the log come as well. Before it all but Connect, Ping and Login is
refused with 3. The layouts are those of TP04; in TP03 the frames 1004 and 1005 have no `fromtime`.
[consoles.md](../tpserver/docs/consoles.md) says how to switch it on.
"""

_METASERVER = """\
## Metaserver

A metaserver answers an HTTP request for `/?action=get` (a GET, or a POST with `action=get` as a form) with frames in
the form of TP03: a Sequence, then as many Game frames with number 66, each a server's game and the ways to it.
[publishing.md](../tpserver/docs/publishing.md#a-metaserver) says how a server gets there.
"""

_NUMBERS = {
    ("I", False): "u32",
    ("i", False): "i32",
    ("I", True): "semi32",
    ("Q", False): "u64",
    ("q", False): "i64",
    ("q", True): "semi64",
}

_SCALARS = {
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_UINT64: "uint64",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BOOL: "bool",
}

_SECTIONS = {
    "Order": ("Parameters of orders", tp_pb2.Order.DESCRIPTOR),
    "Object": ("Parameters of objects", tp_pb2.Object.DESCRIPTOR),
    "ClassicObject": ("Kinds of objects in TP03", tp_pb2.ClassicObject.DESCRIPTOR),
}
"""The messages with typed parameters, and the section that explains them."""

_TYPES_SHOWN = {
    tp_pb2.OrderDesc: "types [2]",
    tp_pb2.Order: "types [2]",
    tp_pb2.ObjectDesc: "types [0]",
    tp_pb2.Object: "types [0]",
    tp_pb2.ClassicObject: "planet",
}
"""The vectors to show of messages with types.

An order or object, and the description that it follows.
"""


def page(comments: Comments) -> str:
    """Return the text of FRAMES.md. Raises InputError for a frame that `answers` does not cover."""
    known, examples = _examples()
    frames = (_frame(kind, comments, examples[kind.field], known) for kind in KINDS)
    parts = [_INTRODUCTION, _contents(comments), "## Frames", *frames, _TYPED, _typed(comments), _shared(comments)]
    parts += [_refusals(), _administration(comments), _metaserver(comments)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


# --- frames -----------------------------------------------------------------------------------------------------------


def _heading(kind: FrameKind) -> str:
    """Return number and name. Number 7 is two frames, and the heading of the older one names TP03."""
    other = kind.only == tp_pb2.TP03 and any(one.number == kind.number and one is not kind for one in KINDS)
    return f"{kind.number} {kind.title}{' of TP03' if other else ''}"


def _link(heading: str) -> str:
    """Return a link to a heading of the page. Headings consist of letters, digits and spaces."""
    return f"[{heading}](#{heading.lower().replace(' ', '-')})"


def _links(kinds: Iterable[FrameKind]) -> str:
    return ", ".join(_link(_heading(kind)) for kind in kinds)


def _contents(comments: Comments) -> str:
    lines = ["## Contents", ""]
    for group in GROUPS:
        lines.append(f"- {group}: {_links(kind for kind in KINDS if group_of(kind) == group)}")
    sections = [heading for heading, _ in _SECTIONS.values()]
    lines += [
        f"- {_link('Typed parameters')}: {', '.join(map(_link, sections))}",
        f"- {_link('Parts')}: {', '.join(map(_link, _parts(comments)))}",
        f"- {_link('Refusals')}: {_link('Codes')}, {_link('Requests and their refusals')}",
        f"- {_link('Administration')}",
        f"- {_link('Metaserver')}",
    ]
    return "\n".join(lines)


def _frame(kind: FrameKind, comments: Comments, example: tp_pb2.Frame, known: Descriptions) -> str:
    descriptor: Any = kind.message.DESCRIPTOR
    binary, later = [dialect for dialect in (TP03, TP04) if _has(dialect, kind)], _has(PB, kind)
    lines = [f"### {_heading(kind)}", "", *_facts(kind, [dialect.name for dialect in binary], later)]
    about = [comments.fields["Frame", kind.field], comments.messages[descriptor.name], NOTES.get(kind.field, "")]
    if any(about):
        lines += ["", " ".join(text for text in about if text)]
    layouts = [layout_of(descriptor, dialect.version) for dialect in binary]
    table = list(_rows(descriptor, layouts, later, comments))
    columns = ["field", *(dialect.name for dialect in binary), *(["later"] if later else []), "meaning"]
    lines += ["", *(_table(columns, table) if table else ["It has no fields."])]
    for dialect in (*binary, *((PB, JSON) if later else ())):
        title = "Protocol Buffers" if dialect is PB else dialect.name
        lines += ["", f"{title}:", "", *_block(dialect, dialect.encode(example, known))]
    return "\n".join(lines)


def _has(dialect: Dialect, kind: FrameKind) -> bool:
    return dialect.kinds.get(kind.number) is kind


def _facts(kind: FrameKind, versions: list[str], later: bool) -> list[str]:
    """Return a frame's direction, request or responses, dialects and field.

    The field is that of the envelope.
    """
    where = ", ".join((*versions, *(("later",) if later else ())))
    field = tp_pb2.Frame.DESCRIPTOR.fields_by_name[kind.field]
    place = f"`{kind.field}`, field {field.number} of `Frame`, message `{kind.message.DESCRIPTOR.name}`"
    if not later:
        place += "; Protocol Buffers and JSON do not use it"
    elif field.json_name != kind.field:
        place += f"; in JSON `{field.json_name}`"
    return [
        f"- {'The client asks' if kind.request else 'The server answers'}. Versions: {where}.",
        f"- {_question(kind) if kind.request else _answer(kind)}",
        f"- {place}.",
    ]


def _question(request: FrameKind) -> str:
    fail = "[1 Fail](#requests-and-their-refusals)"
    answers = answers_to(request)
    each = ""
    if answers_each(request):
        each = f" for each, after {_link('2 Sequence')}{'' if counts_always(request) else ' unless it is one'}"
    if not answers:
        return f"Answered by {fail}{each}: always refused."
    return f"Answered by {_links(answers)}{each}, or {fail}."


def _answer(response: FrameKind) -> str:
    if response.message is tp_pb2.Fail:
        return f"Answers any request: {_link('Refusals')}."
    if response.message is tp_pb2.Sequence:
        return f"Goes before the answers to {_links(answered_by(response))}."
    requests = answered_by(response)
    return f"Answers {_links(requests)}." if requests else "Answers no request."


# --- fields -----------------------------------------------------------------------------------------------------------


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(columns)
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def _rows(
    message: Descriptor, layouts: Sequence[Layout | None], later: bool, comments: Comments, prefix: str = ""
) -> Iterator[list[str]]:
    """Yield the rows for the fields of a message, each followed by those of its nested messages.

    `layouts` are those of the shown binary versions, None for one that lacks the message.
    """
    steps = [{} if layout is None else _steps(layout) for layout in layouts]
    for field in sorted(message.fields, key=lambda field: field.number):
        oneof = alternatives_with(field)
        if oneof is not None:
            if field is oneof.fields[0]:
                typed = _link(_SECTIONS[message.name][0])
                yield [f"`{prefix}{oneof.name}`", *["typed"] * len(layouts), *(["oneof"] if later else []), typed]
            continue
        name = f"{prefix}{field.name}{'[]' if field.is_repeated else ''}"
        found = [known.get(field.name) for known in steps]
        cells = [
            _cell(step) if step is not None else _nothing(field, layout)
            for step, layout in zip(found, layouts, strict=True)
        ]
        of_orders = field.message_type is tp_pb2.OrderParameter.DESCRIPTOR  # not only in an Order
        typed_here = of_orders or bool(option(field, tp_pb2.parameter_types))
        section = _SECTIONS["Order" if of_orders else message.name][0] if typed_here else ""
        more = _link(section) if section else _part(field, comments)
        meaning = ": ".join(text for text in (comments.fields[message.name, field.name], more) if text)
        yield [f"`{name}`", *cells, *([_type(field)] if later else []), meaning.replace("|", "\\|")]
        if field.message_type is not None and not typed_here:
            inner = [_inner(step) for step in found]
            yield from _rows(field.message_type, inner, later, comments, f"{name}.")
        padding = [known.get(f"{field.name} padding") for known in steps]
        if any(padding):
            sizes = [f"{step.size} bytes" if step is not None else "" for step in padding]
            yield ["padding", *sizes, *([""] if later else []), ""]


def _steps(layout: Layout) -> dict[str, Step]:
    """Return the steps of a layout by the names of their fields. Padding has the name of the field before it."""
    steps: dict[str, Step] = {}
    last = ""
    for step in layout.steps:
        if isinstance(step, Padding):
            steps[f"{last} padding"] = step
        else:
            last = step.name
            steps[last] = step
    return steps


def _cell(step: Step) -> str:
    """Return the type on the wire."""
    if isinstance(step, Number):
        return _NUMBERS[step.code, step.semisigned]
    if isinstance(step, Text):
        return "string"
    if isinstance(step, Many):
        return f"list of {'parts' if isinstance(step.item, Layout) else _cell(step.item)}"
    return "typed" if isinstance(step, Typed) else "parts"


def _nothing(field: FieldDescriptor, layout: Layout | None) -> str:
    """Return the substitute for a field that a version lacks, with its value."""
    if layout is None:
        return "*none*"
    if field.is_repeated:
        return "*none: empty*"
    if field.type == FieldDescriptor.TYPE_STRING:
        return '*none: ""*'
    return f"*none: {dict(layout.absent).get(field.name, 0)}*"


def _inner(step: Step | None) -> Layout | None:
    """Return the layout of the message in a step."""
    if isinstance(step, Many):
        return step.item if isinstance(step.item, Layout) else None
    return step.layout if isinstance(step, Part) else None


def _type(field: FieldDescriptor) -> str:
    kind = _SCALARS[field.type] if field.message_type is None else field.message_type.name
    return f"{field.number} {'repeated ' if field.is_repeated else ''}{kind}"


def _part(field: FieldDescriptor, comments: Comments) -> str:
    """Return a link to the section on the message in a field; "" if there is none."""
    message = field.message_type
    return _link(message.name) if message is not None and message.name in _parts(comments) else ""


def _parts(comments: Comments) -> dict[str, str]:
    """Return the comments of the messages that are only parts of others."""
    kinds = (*KINDS, *ADMIN.values(), *METASERVER.values())
    whole = {"Frame", "AdminFrame", "MetaserverFrame", *(kind.message.DESCRIPTOR.name for kind in kinds)}
    return {name: about for name, about in comments.messages.items() if about and name not in whole}


def _shared(comments: Comments) -> str:
    """Return the section about parts of messages."""
    return "\n\n".join(("## Parts", *(f"### {name}\n\n{about}" for name, about in _parts(comments).items())))


def _typed(comments: Comments) -> str:
    """Return the sections that explain typed parameters."""
    lines: list[str] = []
    for heading, descriptor in _SECTIONS.values():
        parameters = descriptor.fields_by_name.get("parameters")
        message: Any = descriptor if parameters is None else parameters.message_type
        kinds = [kind for kind in KINDS if kind.message.DESCRIPTOR is descriptor]
        binary = [dialect for dialect in (TP03, TP04) if any(_has(dialect, kind) for kind in kinds)]
        later = any(_has(PB, kind) for kind in kinds)
        known = [typed_step(layout_of(descriptor, dialect.version)).alternatives for dialect in binary]
        rows: list[list[str]] = []
        (oneof,) = message.oneofs
        for field in sorted(oneof.fields, key=lambda field: option(field, tp_pb2.parameter)):
            assert field.message_type is not None, "typed parameters are messages"
            parts = [one.get(option(field, tp_pb2.parameter)) for one in known]
            number = str(option(field, tp_pb2.parameter))
            cells = ["*none*" if part is None else "parts" if part.layout.steps else "nothing" for part in parts]
            rows.append([number, f"`{field.name}`", *cells, *([_type(field)] if later else []), _part(field, comments)])
            inner = [None if part is None else part.layout for part in parts]
            rows += [["", *row] for row in _rows(field.message_type, inner, later, comments, f"{field.name}.")]
        columns = ["type", "field", *(dialect.name for dialect in binary), *(["later"] if later else []), "meaning"]
        lines += [f"### {heading}", "", *_table(columns, rows), ""]
    return "\n".join(lines)


# --- examples ---------------------------------------------------------------------------------------------------------


def _examples() -> tuple[Descriptions, dict[str, tp_pb2.Frame]]:
    """Return descriptions for all vectors, and one vector for each frame: with values if it has fields."""
    known, examples = Descriptions(), {}
    for name, sample in samples():
        known.learn(sample)
        field, _, variant = name.partition(": ")
        kind = BY_NAME.get(field)
        if kind is not None:
            usual = "full" if has_values(kind.message) else "empty"
            if variant == _TYPES_SHOWN.get(kind.message, usual):
                examples[field] = sample
    return known, examples


def _block(dialect: Dialect, data: bytes) -> list[str]:
    """Return a frame as a code block: JSON with breaks in long lines, other bytes hexadecimal.

    TP03 and TP04 have their header in the first line, and groups of 4 bytes, the size of most numbers.
    """
    if dialect is JSON:
        return ["```json", _broken(json.loads(data)), "```"]
    if dialect is PB:
        lines = [data[start : start + 32].hex(" ") for start in range(0, len(data), 32)]
    else:
        lines = [data[:16].hex(" ", -4)]
        lines += [data[start : start + 32].hex(" ", -4) for start in range(16, len(data), 32)]
    return ["```text", *lines, "```"]


def _broken(value: Any, indent: int = 0, before: int = 0) -> str:
    """Return JSON in one line if it fits after `before` characters. Otherwise each item has a line, recursively."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or indent + before + len(line) < WIDTH:
        return line
    if isinstance(value, dict):
        brackets, items = "{}", [(f"{json.dumps(key)}: ", item) for key, item in value.items()]
    else:
        brackets, items = "[]", [("", item) for item in value]
    margin = " " * (indent + 2)
    inner = ",\n".join(f"{margin}{key}{_broken(item, indent + 2, len(key))}" for key, item in items)
    return f"{brackets[0]}\n{inner}\n{' ' * indent}{brackets[1]}"


# --- refusals ---------------------------------------------------------------------------------------------------------


def _refusals() -> str:
    codes = (
        [str(int(code)), str(int(IN_TP03.get(code, code))), f"{_name(code)}. {meaning}"]
        for code, meaning in CODES.items()
    )
    requests = []
    for kind in KINDS:
        if kind.request:
            refusals = refusals_of(kind)
            missed = (refusals.before_login(), refusals.without_game(), refusals.watching())
            cells = ["-" if code is None else str(int(code)) for code in missed]
            more = "<br>".join(f"{int(code)}: {when}" for code, when in sorted(refusals.codes.items()))
            requests.append([_link(_heading(kind)), *cells, more])
    return "\n".join(
        (
            _REFUSALS,
            *_table(("code", "in TP03", "meaning"), codes),
            _REQUESTS,
            *_table(("request", "before login", "without a game", "watching", "otherwise"), requests),
        )
    )


# --- administration ---------------------------------------------------------------------------------------------------


def _administration(comments: Comments) -> str:
    """Return the section about the frames of the administration protocol."""
    lines = [_ADMINISTRATION]
    for kind in ADMIN.values():
        heading = f"{kind.number} {kind.title}"
        if kind.number < FIRST_LATER:
            lines.append(f"- {_link(heading)}: as in games.")
    for kind in ADMIN.values():
        if kind.number >= FIRST_LATER:
            about = " ".join(filter(None, (comments.fields["AdminFrame", kind.field], _admin_answer(kind))))
            lines += ["", f"### Administration {kind.number} {kind.title}", "", *([about, ""] if about else [])]
            rows = list(_admin_rows(kind.message.DESCRIPTOR, comments))
            lines += _table(("field", "TP04", "meaning"), rows) if rows else ["It has no fields."]
    return "\n".join(lines)


def _metaserver(comments: Comments) -> str:
    """Return the section about the response of a metaserver."""
    rows = _admin_rows(METASERVER[66].message.DESCRIPTOR, comments)
    return "\n".join([_METASERVER, *_table(("field", "TP03", "meaning"), rows)])


def _admin_answer(kind: FrameKind) -> str:
    if not kind.request:
        return ""
    answer = {"Command": "CommandResult"}.get(kind.title, kind.title.removeprefix("Get"))
    return f"It is a request, answered by {answer}."


def _admin_rows(message: Any, comments: Comments, prefix: str = "") -> Iterator[list[str]]:
    steps = _steps(layout_of(message, TP04.version))
    for field in message.fields:
        name, about = (
            f"{prefix}{field.name}{'[]' if field.is_repeated else ''}",
            comments.fields[message.name, field.name],
        )
        if option(field, tp_pb2.parameter_types):
            kinds = layout_of(message, TP04.version)
            for number, part in typed_step(kinds).alternatives.items():
                (inner,) = part.layout.steps
                yield [f"`{name}` of type {number}", _cell(inner), comments.fields[part.layout.name, part.name]]
            continue
        yield [f"`{name}`", _cell(steps[field.name]), about]
        if field.message_type is not None:
            yield from _admin_rows(field.message_type, comments, f"{name}.")


def _name(code: FailCode) -> str:
    return code.name.replace("_", " ").capitalize()
