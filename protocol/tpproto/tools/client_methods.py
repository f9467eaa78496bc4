"""Write the methods of the clients for single requests, in Python and JavaScript.

A request has one if its message is its own and the server answers it. Names, defaults and results come from the options
of tp.proto, and texts from its comments. So this works in the source tree only. Python leaves out the requests that
`Connection` has by hand, and those whose answer comes in parts.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tpproto import tp_pb2
from tpproto.codegen.layout import option
from tpproto.frames import KINDS, FrameKind
from tpproto.tools.answers import answers_each, answers_to
from tpproto.tools.comments import Comments
from tpproto.tools.transcript import InputError

WIDTH = 120
"""Maximum characters of a line, the same as for the formatter."""

BY_HAND = frozenset(
    (
        *("connect", "login", "enter_game", "ping"),  # they store or drop the server's text
        "set_filters",  # it changes the bytes of all later frames
        *(
            "finished_turn",
            "unfinish_turn",
            "set_autopilot",
            "propose",
        ),  # the turn comes from the clock, or is not the last argument
        *("create_game", "set_notice_wish", "administer", "get_rules"),  # arguments other than the fields
        *("set_block", "set_watch_delay"),  # arguments in another order, or with other names
    )
)
"""Requests with handwritten methods in `Connection`."""

_WORDS = "Return the server's words."

_PYTHON = '''\
"""Methods for requests that are one question and its answer.

`make proto` writes this module from tp.proto.
"""

from abc import ABC, abstractmethod

from google.protobuf.message import Message

from tpclient.session import M
from tpproto import tp_pb2


class Requests(ABC):
    """The requests of the protocol as methods.

    Arguments are the fields of the request, which protocol/FRAMES.md explains; `number` is the field `id`. Raises what
    `Connection` says, and BadArgument if the dialect lacks the request: TP03 and TP04 lack most.
    """

    @abstractmethod
    async def _one(self, kind: str, message: Message, wanted: type[M]) -> M:
        """Send a request and return the only message of its answer."""

    @abstractmethod
    async def _all(self, kind: str, message: Message, wanted: type[M]) -> list[M]:
        """Send a request and return the messages of its answer."""
'''

_JAVASCRIPT = """\
// Requests as methods, by their names in JSON. `make proto` writes this module from tp.proto.
//
// `fields` are those of the request, as protocol/FRAMES.md explains them; those that are left out are 0, "" or empty.

import { text } from "./values.js";

/** The requests of a visitor, a player or a conversation. Methods reject as `askOne` does. */
export class Requests {
  #asker;

  /** @param {{ask: Function, askOne: Function}} asker */
  constructor(asker) {
    this.#asker = asker;
  }

  #one(kind, fields, wanted) {
    return this.#asker.askOne(kind, fields, wanted);
  }

  async #all(kind, fields, wanted) {
    return (await this.#asker.ask(kind, fields)).filter((frame) => frame.kind === wanted).map((frame) => frame.body);
  }

  async #words(kind, fields) {
    return text((await this.#asker.askOne(kind, fields, "okay")).result);
  }
"""


class Argument(NamedTuple):
    """An argument of a method in Python: its name and type, the field, and the default as source, "" for none."""

    name: str
    type: str
    field: FieldDescriptor
    default: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


def write(path: Path, comments: Comments) -> None:
    """Write the methods to a file, in the language of its suffix. Raises InputError, OSError."""
    languages = {".py": python_methods, ".js": javascript_methods}
    if path.suffix not in languages:
        raise InputError(f"{path.name} is neither a .py nor a .js file.")
    path.write_text(languages[path.suffix](comments), "utf-8")


def requests() -> Iterator[FrameKind]:
    """Yield the requests with methods, by rising number. Other requests share a message, or are always refused."""
    for kind in KINDS:
        if kind.request and kind.title == _descriptor(kind).name and answers_to(kind):
            yield kind


def _descriptor(kind: FrameKind) -> Descriptor:
    return cast(Descriptor, kind.message.DESCRIPTOR)


def _text(kind: FrameKind, comments: Comments) -> tuple[str, str]:
    """Return the comment of a request: its first sentence, and the rest. Raises InputError without a comment."""
    text = comments.messages[kind.title]
    if not text:
        raise InputError(f"{kind} has no comment in tp.proto; its methods need one.")
    first = re.match(r".*?\.(?= |$)", text)
    summary = first[0] if first else text
    return summary, text[len(summary) :].strip()


# --- Python -----------------------------------------------------------------------------------------------------------


def python_methods(comments: Comments) -> str:
    """Return the module `tpclient.requests`."""
    kinds = (kind for kind in requests() if kind.field not in BY_HAND and not _is_in_parts(kind))
    return "\n".join((_PYTHON, *("\n".join(_python(kind, comments)) + "\n" for kind in kinds)))


def _is_in_parts(kind: FrameKind) -> bool:
    return "start" in _descriptor(kind).fields_by_name


def _python(kind: FrameKind, comments: Comments) -> Iterator[str]:
    (answer,) = answers_to(kind)
    arguments = [_argument(field) for field in _descriptor(kind).fields]
    result = next((field for field in _descriptor(answer).fields if option(field, tp_pb2.returned)), None)
    if answers_each(kind):
        returned = f"list[tp_pb2.{_descriptor(answer).name}]"
    else:
        returned = f"tp_pb2.{_descriptor(answer).name}" if result is None else _type(result)
    name = option(_descriptor(kind), tp_pb2.method) or kind.field.removeprefix("get_")
    yield from _call(f"async def {name}", ["self", *_parameters(arguments)], f" -> {returned}:", 4)
    yield from _docstring(*_text(kind, comments), _WORDS if answer.field == "okay" else "")
    given = [f"{argument.field.name}={argument.name}" for argument in arguments]
    message = f"tp_pb2.{kind.title}({', '.join(given)})"
    asked = (
        f'await self._{"all" if answers_each(kind) else "one"}("{kind.field}", {{}}, tp_pb2.{_descriptor(answer).name})'
    )
    if result is not None:
        asked = f"({asked}).{result.name}"
        asked = f"list({asked})" if result.is_repeated else asked
    line = f"        return {asked.format(message)}"
    if len(line) > WIDTH:
        yield from _call(f"request = tp_pb2.{kind.title}", given, "", 8)
        line = f"        return {asked.format('request')}"
    yield line


def _argument(field: FieldDescriptor) -> Argument:
    kind, default = _type(field), ""
    options: Any = field.GetOptions()
    if field.is_repeated or field.containing_oneof is not None:  # a list, or an `optional` field
        kind, default = f"{kind} | None", "None"
    elif options.HasExtension(tp_pb2.usual):
        usual = options.Extensions[tp_pb2.usual]
        default = f'"{usual}"' if kind == "str" else usual or ("False" if kind == "bool" else "0")
    return Argument("number" if field.name == "id" else field.name, kind, field, default)


def _type(field: FieldDescriptor) -> str:
    scalars = {FieldDescriptor.TYPE_STRING: "str", FieldDescriptor.TYPE_BOOL: "bool"}
    kind = scalars.get(field.type, "int") if field.message_type is None else f"tp_pb2.{field.message_type.name}"
    return f"list[{kind}]" if field.is_repeated else kind


def _parameters(arguments: Sequence[Argument]) -> Iterator[str]:
    """Yield the parameters in order.

    Flags, passwords and the parameters after them are keyword-only if they have a default.
    """
    is_named = False
    for argument in sorted(arguments, key=lambda argument: bool(argument.default)):
        if argument.default and not is_named and (argument.type == "bool" or argument.name == "password"):
            is_named = True
            yield "*"
        yield str(argument)


def _call(before: str, arguments: Sequence[str], after: str, indent: int) -> Iterator[str]:
    """Yield a definition or call, with the line breaks of the formatter."""
    line = f"{' ' * indent}{before}({', '.join(arguments)}){after}"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{' ' * indent}{before}("
    inner = f"{' ' * (indent + 4)}{', '.join(arguments)}"
    if len(inner) <= WIDTH:
        yield inner
    else:
        yield from (f"{' ' * (indent + 4)}{argument}," for argument in arguments)
    yield f"{' ' * indent}){after}"


def _docstring(summary: str, rest: str, words: str) -> Iterator[str]:
    more = " ".join(filter(None, (rest, words)))
    line = f'        """{f"{summary} {more}".strip()}"""'
    if len(line) <= WIDTH:
        yield line
        return
    yield from (f'        """{summary}', "")
    yield from (f"        {line}" for line in textwrap.wrap(more, WIDTH - 8, break_on_hyphens=False))
    yield '        """'


# --- JavaScript -------------------------------------------------------------------------------------------------------


def javascript_methods(comments: Comments) -> str:
    """Return the module `core/requests.js`."""
    return "\n".join((_JAVASCRIPT, *(_javascript(kind, comments) for kind in requests()))) + "}\n"


def _javascript(kind: FrameKind, comments: Comments) -> str:
    (answer,) = answers_to(kind)
    name, wanted = _json_name(kind), _json_name(answer)
    fields = list(_descriptor(kind).fields)
    usual = {field.json_name: option(field, tp_pb2.usual) for field in fields if option(field, tp_pb2.usual)}
    values = ", ".join(f"{field}: {value}" for field, value in usual.items())
    given = f"{{ {values}, ...fields }}" if usual else "fields" if fields else "{}"
    body = _shape(_descriptor(answer))
    if answer.field == "okay":
        asked, result = f'this.#words("{name}", {given})', "string"
    else:
        asked = f'this.#{"all" if answers_each(kind) else "one"}("{name}", {given}, "{wanted}")'
        result = f"({body})[]" if answers_each(kind) else body
    about = " ".join(_text(kind, comments)).strip()
    words = " the server's words" if answer.field == "okay" else ""
    optional = all(_argument(field).default for field in fields)
    takes = (
        f" @param {{{_shape(_descriptor(kind), of_request=True)}}} {'[fields]' if optional else 'fields'}"
        if fields
        else ""
    )
    return (
        f"  /** {about}{takes} @returns {{Promise<{result}>}}{words} */\n"
        f"  {name}({'fields' if fields else ''}) {{ return {asked}; }}\n"
    )


def _json_name(kind: FrameKind) -> str:
    return str(tp_pb2.Frame.DESCRIPTOR.fields_by_name[kind.field].json_name)


def _shape(message: Descriptor, of_request: bool = False) -> str:
    """Return the type of a message in JSDoc. In a request, fields without a default are required."""
    return f"{{{', '.join(_member(field, of_request) for field in message.fields)}}}"


def _member(field: FieldDescriptor, of_request: bool) -> str:
    is_needed = of_request and not _argument(field).default
    scalars = {FieldDescriptor.TYPE_STRING: "string", FieldDescriptor.TYPE_BOOL: "boolean"}
    large = "number|string" if of_request else "string"
    integer = large if field.type in (FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_INT64) else "number"
    kind = "Object" if field.message_type else scalars.get(field.type, integer)
    return f"{field.json_name}{'' if is_needed else '?'}: {kind}{'[]' if field.is_repeated else ''}"
