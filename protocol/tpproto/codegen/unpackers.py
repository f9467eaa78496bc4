"""Unpackers for the TP03 and TP04 layouts, generated from the schema.

They are plain Python functions over the struct module. Source text is written and compiled on first use, for each
message. In messages with typed parameters there is one function for each sequence of types. Adjacent numbers, also
those of adjacent parts and parameters, are read with one struct. So an order or object takes only a few calls. Counts
and lengths are compared with the remaining bytes before anything is allocated.
"""

import struct
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import NoReturn

from google.protobuf.message import Message

from tpproto.codegen.layout import FunctionWriter, Layout, Many, Number, Padding, Part, Step, Text, Typed, is_plain
from tpproto.errors import FrameError

Unpack = Callable[[bytes | bytearray | memoryview], Message]


class Unpacker(FunctionWriter):
    """Writes the function that reads one message from a whole body.

    The position is either a number known in advance or the variable `o` plus a number. `pending` are the numbers that
    the next struct will read, `after` the statements that use them. The message starts as a copy of a prototype in
    which all parts and parameters are present. So only values other than 0 must be assigned.
    """

    def __init__(self, layout: Layout, padded: bool = False, parts: Sequence[Part] = ()) -> None:
        super().__init__(layout, padded, parts)
        self.moving = False
        self.offset = 0
        self.pending: list[tuple[str, int, str, str]] = []
        self.after: list[str] = []
        self.places: dict[int, tuple[int, list[tuple[str, int]]]] = {}

    def function(self, message: type[Message]) -> Unpack:
        """Return the compiled function. It raises FrameError for an invalid body."""
        prototype = self._prototype(message).SerializeToString()
        self.names.update(
            new=message.FromString if prototype else message,
            prototype=prototype,
            wrong=(struct.error, UnicodeDecodeError),
            explain=self._explain,
            unpack_from=struct.unpack_from,
            overlong=_overlong,
            overcount=_overcount,
            trailing=_trailing,
            unrepresentable=_unrepresentable,
        )
        self.lines += [
            "def read(b):",
            "    if type(b) is not bytes:",
            "        b = bytes(b)",
            "    m = new(prototype)" if prototype else "    m = new()",
            "    end = len(b)",
            "    try:",
        ]
        self._message("m", self.layout, "")
        self._flush()
        self.emit(f"if end != {self._position()}:")
        self.emit(f"    trailing(end, {self._position()})")
        self.emit("return m")
        self.lines += ["    except wrong as problem:", "        explain(problem)"]
        function: Unpack = self.compile("read")
        return function

    def _prototype(self, new: type[Message]) -> Message:
        """Return a message in which every part and every typed parameter is present and 0."""
        prototype = new()
        for step in self.layout.steps:
            if isinstance(step, Part):
                _present(prototype, step)
            elif isinstance(step, Typed) and step.single:
                _present(prototype, self.parts[0])
            elif isinstance(step, Typed):
                for part in self.parts:
                    _present(getattr(prototype, step.name).add(), part)
        return prototype

    # The position in the body.

    def _position(self) -> str:
        if not self.moving:
            return str(self.offset)
        return f"o + {self.offset}" if self.offset else "o"

    def _move(self) -> None:
        """Reduce the position to the variable."""
        if not self.moving:
            self.emit(f"o = {self.offset}")
        elif self.offset:
            self.emit(f"o += {self.offset}")
        self.moving, self.offset = True, 0

    def _number(self, code: str, size: int, place: str) -> str:
        name = self.fresh("v")
        self.pending.append((code, size, name, place))
        return name

    def _flush(self) -> None:
        """Write the lines that read the pending numbers, then the statements that use them."""
        if self.pending:
            pack = struct.Struct(">" + "".join(code for code, _, _, _ in self.pending))
            names = [name for _, _, name, _ in self.pending if name]
            reader = self.constant("u", pack.unpack_from)
            target = ", ".join(names) + ("," if len(names) == 1 else "")
            self.emit(f"{target} = {reader}(b, {self._position()})" if names else f"{reader}(b, {self._position()})")
            self.places[len(self.lines)] = (self.offset, [(place, size) for _, size, _, place in self.pending])
            self.offset += pack.size
            self.pending = []
        for line in self.after:
            self.emit(line)
        self.after = []

    # The fields.

    def _message(self, variable: str, layout: Layout, path: str) -> None:
        for name, value in layout.absent:
            self.after.append(f"{variable}.{name} = {value}")
        for step in layout.steps:
            self._step(variable, step, path)

    def _step(self, variable: str, step: Step, path: str) -> None:
        if isinstance(step, Number):
            value = self._number(step.code, step.size, path + step.name)
            self.after += _assignments(f"{variable}.{step.name}", value, step, path + step.name)
        elif isinstance(step, Text):
            self._text(path + step.name, f"{variable}.{step.name} = ", "")
        elif isinstance(step, Padding):
            self.pending.append((f"{step.size}x", step.size, "", path + "padding"))
        elif isinstance(step, Part):
            self._part(variable, step, path)
        elif isinstance(step, Many):
            self._many(variable, step, path)
        elif step.single:
            self._part(variable, self.parts[0], path)
        else:
            self._parameters(variable, step, path)

    def _part(self, variable: str, step: Part, path: str) -> None:
        where, place = f"{variable}.{step.name}", f"{path}{step.name}."
        if is_plain(step.layout):
            _, lines = self._plain(where, step.layout, place)
            self.after += lines
        else:
            self._message(where, step.layout, place)

    def _plain(self, where: str, layout: Layout, path: str) -> tuple[list[str], list[str]]:
        """Read a part of numbers only, and return the values and the lines that assign those that are not 0."""
        values: list[str] = []
        lines: list[str] = []
        inner = self.fresh("p")
        for step in layout.steps:
            if isinstance(step, Number):
                value = self._number(step.code, step.size, path + step.name)
                values.append(value)
                lines += _assignments(f"{inner}.{step.name}", value, step, path + step.name)
            elif isinstance(step, Part):
                nested, assignments = self._plain(f"{inner}.{step.name}", step.layout, f"{path}{step.name}.")
                values += nested
                lines += assignments
        if not values:
            return [], []
        if len(values) == 1 and len(lines) == 1:
            return values, [line.replace(f"{inner}.", f"{where}.") for line in lines]
        return values, [f"if {' or '.join(values)}:", f"    {inner} = {where}", *("    " + line for line in lines)]

    def _parameters(self, variable: str, step: Typed, path: str) -> None:
        if self.parts:
            parameters = self.fresh("l")
            self.after.append(f"{parameters} = {variable}.{step.name}")
            for position, part in enumerate(self.parts):
                self._part(f"{parameters}[{position}]", part, f"{path}{step.name}[{position}].")

    def _text(self, place: str, before: str, behind: str) -> None:
        length = self._number("I", 4, place)
        self._flush()
        self._move()
        taken = f"({length} + 3 & ~3)" if self.padded else length
        self.emit(f"if {length}:")
        self.emit(f"    e = o + {length}")
        self.emit(f"    if o + {taken} > end: overlong({place!r}, {length}, end - o)")
        self.emit(f"    {before}(b[o:e] if b[e - 1] else b[o:e - 1]).decode(){behind}")
        self.places[len(self.lines)] = (0, [(place, 0)])
        self.emit(f"    o += {taken}" if self.padded else "    o = e")
        if behind:
            self.emit("else:")
            self.emit(f"    {before}''{behind}")

    def _many(self, variable: str, step: Many, path: str) -> None:
        place = path + step.name
        count = self._number("I", 4, place)
        self._flush()
        self._move()
        item = step.item
        self.emit(f"if {count}:")
        self.depth += 1
        self.emit(f"if {count} * {item.size} > end - o: overcount({place!r}, {count}, {item.size}, end - o)")
        if isinstance(item, Number):
            self.emit(f"{variable}.{step.name}.extend(unpack_from('>%d{item.code}' % {count}, b, o))")
            self.emit(f"o += {count} * {item.size}")
        elif isinstance(item, Text):
            add = self.fresh("a")
            self.emit(f"{add} = {variable}.{step.name}.append")
            self.emit(f"for _ in range({count}):")
            self.depth += 1
            self._text(place, f"{add}(", ")")
            self.depth -= 1
        elif all(isinstance(field, Number) for field in item.steps):
            self._rows(variable, step, item, count, place)
        else:
            assert not any(isinstance(field, Part) for field in item.steps), "the prototype has no items of lists"
            add, inner = self.fresh("a"), self.fresh("p")
            self.emit(f"{add} = {variable}.{step.name}.add")
            self.emit(f"for _ in range({count}):")
            self.depth += 1
            self.emit(f"{inner} = {add}()")
            self._message(inner, item, f"{place}.")
            self._flush()
            self._move()
            self.depth -= 1
        self.depth -= 1

    def _rows(self, variable: str, step: Many, item: Layout, count: str, place: str) -> None:
        """Read items of numbers only, with one struct many times."""
        fields = [field for field in item.steps if isinstance(field, Number)]
        rows = self.constant("r", struct.Struct(">" + "".join(field.code for field in fields)).iter_unpack)
        add, inner = self.fresh("a"), self.fresh("p")
        names = [self.fresh("v") for _ in fields]
        self.emit(f"e = o + {count} * {item.size}")
        self.emit(f"{add} = {variable}.{step.name}.add")
        self.emit(f"for {', '.join(names)} in {rows}(b[o:e]):")
        self.emit(f"    {inner} = {add}()")
        for field, name in zip(fields, names, strict=True):
            for line in _assignments(f"{inner}.{field.name}", name, field, f"{place}.{field.name}"):
                self.emit(f"    {line}")
        self.emit("o = e")

    def _explain(self, problem: struct.error | UnicodeDecodeError) -> NoReturn:
        """Turn the exception of a generated line into a sentence that names the field."""
        trace = problem.__traceback__
        assert isinstance(trace, TracebackType)
        known = trace.tb_frame.f_locals
        offset, fields = self.places[trace.tb_lineno]
        if isinstance(problem, UnicodeDecodeError):
            raise FrameError(f"The text in {fields[0][0]} is not UTF-8: {problem.reason}.") from None
        end = known["end"]
        offset += known.get("o", 0)
        for place, size in fields:
            if offset + size > end:
                raise FrameError(
                    f"The body ends after {end} bytes, where {place} needs bytes {offset} to {offset + size - 1}."
                ) from None
            offset += size
        raise AssertionError(f"{self.layout.name}: {problem}")


def _assignments(target: str, value: str, step: Number, place: str) -> list[str]:
    """Return the lines that assign a number unless it is 0, its initial value."""
    if step.semisigned and step.code == "I":
        return [f"if {value}: {target} = {value} if {value} != 0xFFFFFFFF else -1"]
    if step.semisigned:
        return [f"if {value} < -1: unrepresentable({place!r})", f"{target} = {value}"]
    return [f"if {value}: {target} = {value}"]


def _present(message: Message, part: Part) -> None:
    inner: Message = getattr(message, part.name)
    inner.SetInParent()
    for step in part.layout.steps:
        if isinstance(step, Part):
            _present(inner, step)


def _overlong(place: str, length: int, left: int) -> NoReturn:
    raise FrameError(f"The text in {place} claims {length} bytes, but {max(left, 0)} are left in the body.")


def _overcount(place: str, count: int, size: int, left: int) -> NoReturn:
    raise FrameError(
        f"The list {place} claims {count} items of at least {size} bytes, but {max(left, 0)} bytes are left."
    )


def _trailing(end: int, position: int) -> NoReturn:
    raise FrameError(f"The body has {end - position} bytes more than its {position} bytes of content.")


def _unrepresentable(place: str) -> NoReturn:
    raise FrameError(f"The number in {place} is beyond 9223372036854775807, the largest that is understood.")
