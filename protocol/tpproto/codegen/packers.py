"""Packers for the TP03 and TP04 layouts, generated from the schema.

Like the unpackers, they are plain Python functions over struct.
"""

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from tpproto.codegen.layout import FunctionWriter, Layout, Many, Number, Padding, Part, Step, Text, Typed
from tpproto.errors import FrameError

Pack = Callable[[Any], bytes]
"""Encodes a message, or for a `RowPacker` a row."""
Row = tuple[Any, ...]
"""The values of a message (`RowPacker`)."""

_SEMISIGNED_32_LIMIT = 0xFFFFFFFE


class Packer(FunctionWriter):
    """Writes the function that encodes one message as a body.

    `pending` are the numbers that the next struct will write. `pieces` are the byte strings so far at this depth of
    lists. Repeated fields are read as slices, which takes half the time of iterating over protobuf's containers.
    """

    def __init__(self, layout: Layout, padded: bool = False, parts: Sequence[Part] = ()) -> None:
        super().__init__(layout, padded, parts)
        self.depth = 1
        self.pending: list[tuple[str, str]] = []
        self.pieces: list[str] = []

    def function(self) -> Pack:
        """Return the compiled function. It raises FrameError for values that the layout cannot express."""
        self.names.update(
            pack=struct.pack,
            join=b"".join,
            zeros=(b"", b"\0", b"\0\0", b"\0\0\0"),
            unsemisigned=_unsemisigned,
            miscounted=_miscounted,
            misplaced=_misplaced,
        )
        self.lines.append("def write(m):")
        self._message("m", self.layout, "")
        self.emit(f"return {self._joined()}")
        function: Pack = self.compile("write")
        return function

    def _flush(self) -> None:
        if self.pending:
            pack = self.constant("s", struct.Struct(">" + "".join(code for code, _ in self.pending)).pack)
            self.pieces.append(f"{pack}({', '.join(value for _, value in self.pending if value)})")
            self.pending = []

    def _joined(self) -> str:
        """Return the expression for all bytes so far."""
        self._flush()
        pieces, self.pieces = self.pieces, []
        if not pieces:
            return "b''"
        return pieces[0] if len(pieces) == 1 else f"join(({', '.join(pieces)}))"

    def _message(self, variable: str, layout: Layout, path: str, bound: bool = False) -> list[str]:
        """Write a message, and return the local variables with its values. With `bound`, all numbers have variables."""
        values: list[str] = []
        for step, expression in self._fields(variable, layout):
            values += self._step(variable, expression, step, path, bound)
        return values

    def _fields(self, variable: str, layout: Layout) -> Iterable[tuple[Step, str]]:
        """Return the steps of a message, each with the expression for its value."""
        return [(step, "" if isinstance(step, Padding) else f"{variable}.{step.name}") for step in layout.steps]

    def _step(self, variable: str, expression: str, step: Step, path: str, bound: bool) -> list[str]:
        if isinstance(step, Number):
            return self._number(expression, step, path + step.name, bound)
        if isinstance(step, Text):
            return self._text(expression)
        if isinstance(step, Padding):
            self.pending.append((f"{step.size}x", ""))
            return []
        if isinstance(step, Part):
            return self._part(expression, step, path)
        if isinstance(step, Many):
            return self._many(expression, step, path)
        if step.single:
            return self._detail(variable, expression, step, path)
        return self._parameters(expression, step, path)

    def _number(self, expression: str, step: Number, place: str, bound: bool) -> list[str]:
        if not step.semisigned and not bound:
            self.pending.append((step.code, expression))
            return []
        value = self.fresh("v")
        self.emit(f"{value} = {expression}")
        if not step.semisigned:
            self.pending.append((step.code, value))
        elif step.code == "I":
            self.emit(f"if not -1 <= {value} <= {_SEMISIGNED_32_LIMIT}: unsemisigned({place!r}, {value})")
            self.pending.append(("I", f"{value} & 0xFFFFFFFF"))
        else:
            self.emit(f"if {value} < -1: unsemisigned({place!r}, {value})")
            self.pending.append((step.code, value))
        return [value]

    def _text(self, expression: str) -> list[str]:
        value = self.fresh("t")
        self.emit(f"{value} = {expression}.encode()")
        self.pending.append(("I", f"len({value})"))
        self._flush()
        self.pieces.append(value)
        if self.padded:
            self.pieces.append(f"zeros[-len({value}) & 3]")
        return [value]

    def _part(self, expression: str, step: Part, path: str) -> list[str]:
        if not step.layout.steps:
            return []
        inner = self.fresh("p")
        self.emit(f"{inner} = {expression}")
        return self._message(inner, step.layout, f"{path}{step.name}.", bound=True)

    def _detail(self, variable: str, expression: str, step: Typed, path: str) -> list[str]:
        """Write the detail of a message."""
        return self._chosen(variable, step, self.parts[0], path)

    def _chosen(self, variable: str, step: Typed, part: Part, path: str) -> list[str]:
        """Write the alternative for the type, and check that the message has this one.

        A value other than 0 proves it, which is faster than `HasField`.
        """
        values = self._part(f"{variable}.{part.name}", part, path)
        found = "".join(f"{value} or " for value in values)
        self.emit(f"if not ({found}{variable}.HasField({part.name!r})):")
        self.emit(f"    misplaced({path!r}, {part.name!r}, {variable}.WhichOneof({step.oneof!r}))")
        return values

    def _parameters(self, expression: str, step: Typed, path: str) -> list[str]:
        given = self.fresh("l")
        self.emit(f"{given} = {expression}")
        self.emit(f"if len({given}) != {len(self.parts)}:")
        self.emit(f"    miscounted({path + step.name!r}, len({given}), {len(self.parts)})")
        names = [self.fresh("p") for _ in self.parts]
        if len(names) == 1:
            self.emit(f"{names[0]} = {given}[0]")
        elif names:
            self.emit(f"{', '.join(names)} = {given}[:]")
        for position, (name, part) in enumerate(zip(names, self.parts, strict=True)):
            self._chosen(name, step, part, f"{path}{step.name}[{position}].")
        return []

    def _many(self, expression: str, step: Many, path: str) -> list[str]:
        given, count, piece = self.fresh("l"), self.fresh("n"), self.fresh("t")
        self.emit(f"{given} = {expression}")
        self.emit(f"{count} = len({given})")
        self.pending.append(("I", count))
        self._flush()
        item = step.item
        if isinstance(item, Number):
            self.emit(f"{piece} = pack('>%d{item.code}' % {count}, *{given}[:]) if {count} else b''")
        elif isinstance(item, Layout) and all(
            isinstance(field, Number) and not field.semisigned for field in item.steps
        ):
            fields = [field for field in item.steps if isinstance(field, Number)]
            write = self.constant("s", struct.Struct(">" + "".join(field.code for field in fields)).pack)
            self.emit(
                f"{piece} = join([{write}({self._numbers('i', fields)}) for i in {given}[:]]) if {count} else b''"
            )
        else:
            self._items(given, piece, item, path + step.name)
        self.pieces.append(piece)
        return [count]

    def _numbers(self, variable: str, fields: Sequence[Number]) -> str:
        """Return the arguments for the values of a message of numbers."""
        return ", ".join(f"{variable}.{field.name}" for field in fields)

    def _items(self, given: str, piece: str, item: Text | Layout, place: str) -> None:
        """Write items of different sizes, with a loop."""
        outer, self.pieces = self.pieces, []
        inner, written = self.fresh("p"), self.fresh("l")
        self.emit(f"{written} = []")
        self.emit(f"for {inner} in {given}[:]:")
        self.depth += 1
        if isinstance(item, Text):
            self._text(inner)
        else:
            self._message(inner, item, f"{place}.")
        self.emit(f"{written}.append({self._joined()})")
        self.depth -= 1
        self.emit(f"{piece} = join({written})")
        self.pieces = outer


class RowPacker(Packer):
    """Writes the function that encodes a row: the values of a message as a tuple, in the order of the layout.

    The value of a nested message or of a detail is its row. The value of typed parameters is the rows of all of them. A
    program that has the values does not need a message then, which would cost several times as much as the encoding.
    """

    def _fields(self, variable: str, layout: Layout) -> Iterable[tuple[Step, str]]:
        names = [(step, "" if isinstance(step, Padding) else self.fresh("f")) for step in layout.steps]
        given = [name for _, name in names if name]
        if given:
            self.emit(f"{', '.join(given)}, = {variable}")
        return names

    def _number(self, expression: str, step: Number, place: str, bound: bool) -> list[str]:
        return super()._number(expression, step, place, bound=False)

    def _part(self, expression: str, step: Part, path: str) -> list[str]:
        return self._message(expression, step.layout, f"{path}{step.name}.") if step.layout.steps else []

    def _detail(self, variable: str, expression: str, step: Typed, path: str) -> list[str]:
        return self._part(expression, self.parts[0], path)

    def _chosen(self, variable: str, step: Typed, part: Part, path: str) -> list[str]:
        return self._part(variable, part, path)

    def _numbers(self, variable: str, fields: Sequence[Number]) -> str:
        return f"*{variable}"


def _unsemisigned(place: str, value: int) -> NoReturn:
    raise FrameError(f"{place} is {value}; it may be -1 or a number that fits its unsigned width.")


def _miscounted(place: str, given: int, due: int) -> NoReturn:
    raise FrameError(f"{place} has {given} parameters; its type is described with {due}.")


def _misplaced(path: str, due: str, given: str | None) -> NoReturn:
    where = path.removesuffix(".") or "the detail"
    raise FrameError(f"{where} has to be of kind {due}; it is {given or 'empty'}.")
