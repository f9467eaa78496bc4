"""Packers and unpackers for the TP03 and TP04 layouts, generated as plain Python functions over the struct module.

For each message, and for messages with typed parameters each sequence of parameter types, source text is written and
compiled on first use. Neighbouring numbers, also those of neighbouring parts and parameters, become one struct, so an
order or object takes a handful of calls. Counts and lengths are compared with the bytes that are there before
anything is allocated.
"""

import struct
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, NoReturn

from google.protobuf.message import Message

from .errors import FrameError
from .layout import Layout, Many, Number, Padding, Part, Text, Typed

Unpack = Callable[[bytes | bytearray | memoryview], Message]
Pack = Callable[[Message], bytes]

MOST_PARAMETERS = 256
"""A description with more parameters is refused, because a function is compiled for each sequence of types."""

MOST_VARIANTS = 512
"""So many compiled functions are kept for the parameter sequences of one message; beyond it all are compiled anew."""

_SEMISIGNED_32_LIMIT = 0xFFFFFFFE


class _Source:
    """Source text under construction, with the objects that it refers to."""

    def __init__(self, name: str) -> None:
        self.name = name
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
        code = compile("\n".join(self.lines) + "\n", f"<generated {function} of {self.name}>", "exec")
        exec(code, self.names)
        return self.names[function]


def chosen(layout: Layout, types: Sequence[int]) -> list[Part]:
    """The layouts of the typed parameters for a sequence of type ids. Raises FrameError for unknown ones."""
    if len(types) > MOST_PARAMETERS:
        raise FrameError(f"A type with {len(types)} parameters is not supported; {MOST_PARAMETERS} are the most.")
    alternatives = typed_step(layout).alternatives
    for position, type_id in enumerate(types):
        if type_id not in alternatives:
            raise FrameError(
                f"Parameter {position} of this {layout.name} is described with type {type_id}; there are types 0 to "
                f"{max(alternatives)} only."
            )
    return [alternatives[type_id] for type_id in types]


def typed_step(layout: Layout) -> Typed:
    """The typed parameters of a message that has them: always its last step."""
    step = layout.steps[-1]
    assert isinstance(step, Typed)
    return step


def has_types(layout: Layout) -> bool:
    """Whether a message has typed parameters."""
    return bool(layout.steps) and isinstance(layout.steps[-1], Typed)


def _is_plain(layout: Layout) -> bool:
    """Whether a message is numbers only, also in its parts."""
    return all(isinstance(step, Number) or (isinstance(step, Part) and _is_plain(step.layout)) for step in layout.steps)


# --- reading --------------------------------------------------------------------------------------------------------


class _Unpacker:
    """Writes the function that reads one message.

    The position is either a number known beforehand or the variable `o` plus a number. `pending` are numbers that the
    next struct will read, `after` the statements that use them. The message starts as a copy of a prototype in which
    all parts and parameters are present, so that only what is not 0 has to be assigned.
    """

    def __init__(self, layout: Layout, parts: list[Part], padded: bool) -> None:
        self.layout = layout
        self.parts = parts
        self.padded = padded
        self.source = _Source(layout.name)
        self.moving = False
        self.offset = 0
        self.pending: list[tuple[str, int, str, str]] = []
        self.after: list[str] = []
        self.places: dict[int, tuple[int, list[tuple[str, int]]]] = {}

    def function(self, message: type[Message]) -> Unpack:
        source = self.source
        prototype = self._prototype(message).SerializeToString()
        source.names.update(
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
        source.lines += [
            "def read(b):",
            "    if type(b) is not bytes:",
            "        b = bytes(b)",
            "    m = new(prototype)" if prototype else "    m = new()",
            "    end = len(b)",
            "    try:",
        ]
        self._message("m", self.layout, "")
        self._flush()
        source.emit(f"if end != {self._position()}:")
        source.emit(f"    trailing(end, {self._position()})")
        source.emit("return m")
        source.lines += ["    except wrong as problem:", "        explain(problem)"]
        function: Unpack = source.compile("read")
        return function

    def _prototype(self, new: type[Message]) -> Message:
        """A message in which every part and every typed parameter is present and 0."""
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
        """From here on the position is the variable alone."""
        if not self.moving:
            self.source.emit(f"o = {self.offset}")
        elif self.offset:
            self.source.emit(f"o += {self.offset}")
        self.moving, self.offset = True, 0

    def _number(self, code: str, size: int, place: str) -> str:
        name = self.source.fresh("v")
        self.pending.append((code, size, name, place))
        return name

    def _flush(self) -> None:
        """Read what is pending, then do what comes after."""
        if self.pending:
            pack = struct.Struct(">" + "".join(code for code, _, _, _ in self.pending))
            names = [name for _, _, name, _ in self.pending if name]
            reader = self.source.constant("u", pack.unpack_from)
            target = ", ".join(names) + ("," if len(names) == 1 else "")
            self.source.emit(
                f"{target} = {reader}(b, {self._position()})" if names else f"{reader}(b, {self._position()})"
            )
            self.places[len(self.source.lines)] = (
                self.offset,
                [(place, size) for _, size, _, place in self.pending],
            )
            self.offset += pack.size
            self.pending = []
        for line in self.after:
            self.source.emit(line)
        self.after = []

    # The fields.

    def _message(self, variable: str, layout: Layout, path: str) -> None:
        for name, value in layout.absent:
            self.after.append(f"{variable}.{name} = {value}")
        for step in layout.steps:
            self._step(variable, step, path)

    def _step(self, variable: str, step: Number | Text | Padding | Part | Many | Typed, path: str) -> None:
        if isinstance(step, Number):
            self._assign(f"{variable}.{step.name}", step, path + step.name)
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

    def _assign(self, target: str, step: Number, place: str) -> None:
        value = self._number(step.code, step.size, place)
        self.after += _assignments(target, value, step, place)

    def _part(self, variable: str, step: Part, path: str) -> None:
        where, place = f"{variable}.{step.name}", f"{path}{step.name}."
        if _is_plain(step.layout):
            _, lines = self._plain(where, step.layout, place)
            self.after += lines
        else:
            self._message(where, step.layout, place)

    def _plain(self, where: str, layout: Layout, path: str) -> tuple[list[str], list[str]]:
        """Read a part of numbers only. The result is the values and the lines that assign those which are not 0."""
        values: list[str] = []
        lines: list[str] = []
        inner = self.source.fresh("p")
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
            parameters = self.source.fresh("l")
            self.after.append(f"{parameters} = {variable}.{step.name}")
            for position, part in enumerate(self.parts):
                self._part(f"{parameters}[{position}]", part, f"{path}{step.name}[{position}].")

    def _text(self, place: str, before: str, behind: str) -> None:
        length = self._number("I", 4, place)
        self._flush()
        self._move()
        source = self.source
        taken = f"({length} + 3 & ~3)" if self.padded else length
        source.emit(f"if {length}:")
        source.emit(f"    e = o + {length}")
        source.emit(f"    if o + {taken} > end: overlong({place!r}, {length}, end - o)")
        source.emit(f"    {before}(b[o:e] if b[e - 1] else b[o:e - 1]).decode(){behind}")
        self.places[len(source.lines)] = (0, [(place, 0)])
        source.emit(f"    o += {taken}" if self.padded else "    o = e")
        if behind:
            source.emit("else:")
            source.emit(f"    {before}''{behind}")

    def _many(self, variable: str, step: Many, path: str) -> None:
        source = self.source
        place = path + step.name
        count = self._number("I", 4, place)
        self._flush()
        self._move()
        item = step.item
        source.emit(f"if {count}:")
        source.depth += 1
        source.emit(f"if {count} * {item.size} > end - o: overcount({place!r}, {count}, {item.size}, end - o)")
        if isinstance(item, Number):
            source.emit(f"{variable}.{step.name}.extend(unpack_from('>%d{item.code}' % {count}, b, o))")
            source.emit(f"o += {count} * {item.size}")
        elif isinstance(item, Text):
            add = source.fresh("a")
            source.emit(f"{add} = {variable}.{step.name}.append")
            source.emit(f"for _ in range({count}):")
            source.depth += 1
            self._text(place, f"{add}(", ")")
            source.depth -= 1
        elif all(isinstance(field, Number) for field in item.steps):
            self._rows(variable, step, item, count, place)
        else:
            assert not any(isinstance(field, Part) for field in item.steps), "the prototype has no items of lists"
            add, inner = source.fresh("a"), source.fresh("p")
            source.emit(f"{add} = {variable}.{step.name}.add")
            source.emit(f"for _ in range({count}):")
            source.depth += 1
            source.emit(f"{inner} = {add}()")
            self._message(inner, item, f"{place}.")
            self._flush()
            self._move()
            source.depth -= 1
        source.depth -= 1

    def _rows(self, variable: str, step: Many, item: Layout, count: str, place: str) -> None:
        """Items of nothing but numbers: one struct, many times."""
        source = self.source
        fields = [field for field in item.steps if isinstance(field, Number)]
        rows = source.constant("r", struct.Struct(">" + "".join(field.code for field in fields)).iter_unpack)
        add, inner = source.fresh("a"), source.fresh("p")
        names = [source.fresh("v") for _ in fields]
        source.emit(f"e = o + {count} * {item.size}")
        source.emit(f"{add} = {variable}.{step.name}.add")
        source.emit(f"for {', '.join(names)} in {rows}(b[o:e]):")
        source.emit(f"    {inner} = {add}()")
        for field, name in zip(fields, names, strict=True):
            for line in _assignments(f"{inner}.{field.name}", name, field, f"{place}.{field.name}"):
                source.emit(f"    {line}")
        source.emit("o = e")

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
    """The lines that assign a number which is not 0, as every number is to begin with."""
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


# --- writing --------------------------------------------------------------------------------------------------------


class _Packer:
    """Writes the function that writes one message.

    `pending` are numbers that the next struct will write, `pieces` the byte strings so far at this depth of lists.
    Repeated fields are read as slices, which takes protobuf's containers half the time of iteration.
    """

    def __init__(self, layout: Layout, parts: list[Part], padded: bool) -> None:
        self.layout = layout
        self.parts = parts
        self.padded = padded
        self.source = _Source(layout.name)
        self.source.depth = 1
        self.pending: list[tuple[str, str]] = []
        self.pieces: list[str] = []

    def function(self) -> Pack:
        source = self.source
        source.names.update(
            pack=struct.pack,
            join=b"".join,
            zeros=(b"", b"\0", b"\0\0", b"\0\0\0"),
            unsemisigned=_unsemisigned,
            miscounted=_miscounted,
            misplaced=_misplaced,
        )
        source.lines.append("def write(m):")
        self._message("m", self.layout, "")
        source.emit(f"return {self._joined()}")
        function: Pack = source.compile("write")
        return function

    def _flush(self) -> None:
        if self.pending:
            pack = self.source.constant("s", struct.Struct(">" + "".join(code for code, _ in self.pending)).pack)
            self.pieces.append(f"{pack}({', '.join(value for _, value in self.pending if value)})")
            self.pending = []

    def _joined(self) -> str:
        """The expression for everything so far."""
        self._flush()
        pieces, self.pieces = self.pieces, []
        if not pieces:
            return "b''"
        return pieces[0] if len(pieces) == 1 else f"join(({', '.join(pieces)}))"

    def _message(self, variable: str, layout: Layout, path: str, bound: bool = False) -> list[str]:
        """Write a message. The result is the local variables that hold its values; `bound` asks for all numbers."""
        values: list[str] = []
        for step in layout.steps:
            values += self._step(variable, step, path, bound)
        return values

    def _step(
        self, variable: str, step: Number | Text | Padding | Part | Many | Typed, path: str, bound: bool
    ) -> list[str]:
        if isinstance(step, Number):
            return self._number(f"{variable}.{step.name}", step, path + step.name, bound)
        if isinstance(step, Text):
            return self._text(f"{variable}.{step.name}")
        if isinstance(step, Padding):
            self.pending.append((f"{step.size}x", ""))
            return []
        if isinstance(step, Part):
            return self._part(variable, step, path)
        if isinstance(step, Many):
            return self._many(variable, step, path)
        if step.single:
            return self._chosen(variable, step, self.parts[0], path)
        return self._parameters(variable, step, path)

    def _number(self, expression: str, step: Number, place: str, bound: bool) -> list[str]:
        if not step.semisigned and not bound:
            self.pending.append((step.code, expression))
            return []
        value = self.source.fresh("v")
        self.source.emit(f"{value} = {expression}")
        if not step.semisigned:
            self.pending.append((step.code, value))
        elif step.code == "I":
            self.source.emit(f"if not -1 <= {value} <= {_SEMISIGNED_32_LIMIT}: unsemisigned({place!r}, {value})")
            self.pending.append(("I", f"{value} & 0xFFFFFFFF"))
        else:
            self.source.emit(f"if {value} < -1: unsemisigned({place!r}, {value})")
            self.pending.append((step.code, value))
        return [value]

    def _text(self, expression: str) -> list[str]:
        value = self.source.fresh("t")
        self.source.emit(f"{value} = {expression}.encode()")
        self.pending.append(("I", f"len({value})"))
        self._flush()
        self.pieces.append(value)
        if self.padded:
            self.pieces.append(f"zeros[-len({value}) & 3]")
        return [value]

    def _part(self, variable: str, step: Part, path: str) -> list[str]:
        if not step.layout.steps:
            return []
        inner = self.source.fresh("p")
        self.source.emit(f"{inner} = {variable}.{step.name}")
        return self._message(inner, step.layout, f"{path}{step.name}.", bound=True)

    def _chosen(self, variable: str, step: Typed, part: Part, path: str) -> list[str]:
        """Write the one alternative that is due, and make sure that it is the one that is there.

        A value that is not 0 is proof enough of that, and asking takes longer.
        """
        values = self._part(variable, part, path)
        found = "".join(f"{value} or " for value in values)
        self.source.emit(f"if not ({found}{variable}.HasField({part.name!r})):")
        self.source.emit(f"    misplaced({path!r}, {part.name!r}, {variable}.WhichOneof({step.oneof!r}))")
        return values

    def _parameters(self, variable: str, step: Typed, path: str) -> list[str]:
        source = self.source
        given = source.fresh("l")
        source.emit(f"{given} = {variable}.{step.name}")
        source.emit(f"if len({given}) != {len(self.parts)}:")
        source.emit(f"    miscounted({path + step.name!r}, len({given}), {len(self.parts)})")
        names = [source.fresh("p") for _ in self.parts]
        if len(names) == 1:
            source.emit(f"{names[0]} = {given}[0]")
        elif names:
            source.emit(f"{', '.join(names)} = {given}[:]")
        for position, (name, part) in enumerate(zip(names, self.parts, strict=True)):
            self._chosen(name, step, part, f"{path}{step.name}[{position}].")
        return []

    def _many(self, variable: str, step: Many, path: str) -> list[str]:
        source = self.source
        given, count, piece = source.fresh("l"), source.fresh("n"), source.fresh("t")
        source.emit(f"{given} = {variable}.{step.name}")
        source.emit(f"{count} = len({given})")
        self.pending.append(("I", count))
        self._flush()
        item = step.item
        if isinstance(item, Number):
            source.emit(f"{piece} = pack('>%d{item.code}' % {count}, *{given}[:]) if {count} else b''")
        elif isinstance(item, Layout) and all(
            isinstance(field, Number) and not field.semisigned for field in item.steps
        ):
            fields = [field for field in item.steps if isinstance(field, Number)]
            write = source.constant("s", struct.Struct(">" + "".join(field.code for field in fields)).pack)
            values = ", ".join(f"i.{field.name}" for field in fields)
            source.emit(f"{piece} = join([{write}({values}) for i in {given}[:]]) if {count} else b''")
        else:
            self._items(given, piece, item, path + step.name)
        self.pieces.append(piece)
        return [count]

    def _items(self, given: str, piece: str, item: Text | Layout, place: str) -> None:
        """Items that do not all have the same size: a loop."""
        source = self.source
        outer, self.pieces = self.pieces, []
        inner, written = source.fresh("p"), source.fresh("l")
        source.emit(f"{written} = []")
        source.emit(f"for {inner} in {given}[:]:")
        source.depth += 1
        if isinstance(item, Text):
            self._text(inner)
        else:
            self._message(inner, item, f"{place}.")
        source.emit(f"{written}.append({self._joined()})")
        source.depth -= 1
        source.emit(f"{piece} = join({written})")
        self.pieces = outer


def _unsemisigned(place: str, value: int) -> NoReturn:
    raise FrameError(f"{place} is {value}; it may be -1 or a number that fits its unsigned width.")


def _miscounted(place: str, given: int, due: int) -> NoReturn:
    raise FrameError(f"{place} has {given} parameters; its type is described with {due}.")


def _misplaced(path: str, due: str, given: str | None) -> NoReturn:
    where = path.removesuffix(".") or "the detail"
    raise FrameError(f"{where} has to be of kind {due}; it is {given or 'empty'}.")


# --- the functions for one message -----------------------------------------------------------------------------------


def unpacker(layout: Layout, message: type[Message], padded: bool = False, types: Sequence[int] = ()) -> Unpack:
    """The function that reads a whole body of bytes into a new message. It raises FrameError for anything wrong.

    `types` are the type ids of the typed parameters, `padded` says that strings fill up to a multiple of 4 bytes.
    """
    return _Unpacker(layout, chosen(layout, types) if has_types(layout) else [], padded).function(message)


def packer(layout: Layout, padded: bool = False, types: Sequence[int] = ()) -> Pack:
    """The function that writes a message as a body. It raises FrameError for what the layout cannot express."""
    return _Packer(layout, chosen(layout, types) if has_types(layout) else [], padded).function()


class Variants:
    """The packers and unpackers of a message with typed parameters, one pair for each sequence of types."""

    def __init__(self, layout: Layout, message: type[Message], padded: bool) -> None:
        self.layout = layout
        self.message = message
        self.padded = padded
        self.offset = self._offset_of_type(layout)
        self.rule = typed_step(layout).rule
        self.alternatives = typed_step(layout).alternatives
        self.unpackers: dict[tuple[int, ...], Unpack] = {}
        self.packers: dict[tuple[int, ...], Pack] = {}

    @staticmethod
    def _offset_of_type(layout: Layout) -> int:
        offset = 0
        for step in layout.steps:
            assert isinstance(step, Number), "only numbers may come before the type of typed parameters"
            if step.name == "otype":
                return offset
            offset += step.size
        raise AssertionError(f"{layout.name} has typed parameters but no field otype")

    def unpacker(self, types: tuple[int, ...]) -> Unpack:
        """The function that reads a message with these parameter types. Raises FrameError for unknown ones."""
        function = self.unpackers.get(types)
        if function is None:
            function = unpacker(self.layout, self.message, self.padded, types)
            if len(self.unpackers) >= MOST_VARIANTS:
                self.unpackers.clear()
            self.unpackers[types] = function
        return function

    def packer(self, types: tuple[int, ...]) -> Pack:
        """The function that writes a message with these parameter types. Raises FrameError for unknown ones."""
        function = self.packers.get(types)
        if function is None:
            function = packer(self.layout, self.padded, types)
            if len(self.packers) >= MOST_VARIANTS:
                self.packers.clear()
            self.packers[types] = function
        return function
