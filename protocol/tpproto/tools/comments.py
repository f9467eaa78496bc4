"""Read the comments of tp.proto, which the generated descriptors lack.

The reader accepts only the forms that tp.proto uses, and its result must agree with the descriptors. Only tools that
run in the source tree need it, as tp.proto is not part of the installed package.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tpproto import tp_pb2
from tpproto.tools.transcript import InputError

SCHEMA = Path(__file__).parents[2] / "tp.proto"
"""The path of tp.proto in the source tree."""


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of each message, by its name, and of each field, by the names of message and field; "" for none."""

    messages: Mapping[str, str]
    fields: Mapping[tuple[str, str], str]


_COMMENT = re.compile(r"\s*// ?(.*)")
_SECTION = re.compile(r"// --- .* -+")
_OPENING = re.compile(r"(message|enum|oneof|extend) ([\w.]+) \{")
_EMPTY = re.compile(r"message (\w+) \{\}")
_STATEMENT = re.compile(r'((?:[^;"/]|"[^"]*")*;)(?:\s*// ?(.*))?')
_UNFINISHED = re.compile(r'[^;{}/["]*(?:\[(?:[^;"/]|"[^"]*")*)?')
_FIELD = re.compile(r"(?:repeated |optional )?[\w.]+ (\w+) = \d+(?: \[.*\])?;")
_OTHER = re.compile(r"(?:syntax = |package |import |option )[^;]*;|\w+ = \d+;")


def read_schema(path: Path = SCHEMA) -> Comments:
    """Return the comments in tp.proto. Raises InputError if it is missing or does not match the descriptors."""
    try:
        text = path.read_text("utf-8")
    except OSError as problem:
        raise InputError(
            f"{path.name} cannot be read ({problem.strerror}); its comments are needed, so this works in the source "
            f"tree only."
        ) from None
    comments = read_comments(text)
    described = {
        name: [field.name for field in sorted(message.fields, key=lambda field: field.index)]
        for name, message in tp_pb2.DESCRIPTOR.message_types_by_name.items()
    }
    found: dict[str, list[str]] = {name: [] for name in comments.messages}
    for message, field in comments.fields:
        found[message].append(field)
    if found != described:
        raise InputError("tp.proto has other messages or fields than tp_pb2.py; say make proto.")
    return comments


def read_comments(text: str) -> Comments:
    """Return the comments in a schema: in the lines before a message or field, and after a field.

    A comment after a field continues in the next lines, in the same column. Raises InputError for a line of another
    form.
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if not reader.take(line):
            raise InputError(f"tp.proto, line {number}: this form is unknown: {line.strip()}")
    if reader.scopes or reader.unfinished:
        raise InputError("tp.proto ends in the middle of a definition.")
    return Comments(
        {name: " ".join(words) for name, words in reader.messages.items()},
        {name: " ".join(words) for name, words in reader.fields.items()},
    )


class _Reader:
    """A reader of single lines. `scopes` are the definitions around the line: kind and name, the outermost first."""

    def __init__(self) -> None:
        self.messages: dict[str, list[str]] = {}
        self.fields: dict[tuple[str, str], list[str]] = {}
        self.scopes: list[tuple[str, str]] = []
        self.unfinished = ""
        self._before: list[str] = []
        self._after: list[str] = []
        self._column = -1

    def take(self, line: str) -> bool:
        """Return whether the line has a known form."""
        stripped = line.strip()
        comment = _COMMENT.fullmatch(line)
        if comment and not self.unfinished:
            if line.index("//") == self._column:
                self._after.append(comment[1])
            else:
                self._column = -1
                if not _SECTION.fullmatch(stripped):
                    self._before.append(comment[1])
            return True
        self._column = -1
        if not stripped:
            self._before = []
            return not self.unfinished
        before, self._before = self._before, []
        if self.unfinished or not (known := self._definition(stripped, before)):
            known = self._statement(line, before)
        return known

    def _definition(self, stripped: str, before: list[str]) -> bool:
        if empty := _EMPTY.fullmatch(stripped):
            self.messages[empty[1]] = before
        elif opening := _OPENING.fullmatch(stripped):
            self.scopes.append((opening[1], opening[2]))
            if opening[1] == "message":
                self.messages[opening[2]] = before
        elif stripped == "}" and self.scopes:
            self.scopes.pop()
        else:
            return False
        return True

    def _statement(self, line: str, before: list[str]) -> bool:
        """Read a statement up to its semicolon, which may be in a later line, and the comment after it."""
        statement = f"{self.unfinished} {line.strip()}".strip()
        self.unfinished = ""
        whole = _STATEMENT.fullmatch(statement)
        if whole is None:
            self.unfinished, self._before = statement, before
            return _UNFINISHED.fullmatch(statement) is not None
        if _OTHER.fullmatch(whole[1]):
            self._follow(line, whole[2], [])
            return True
        field = _FIELD.fullmatch(whole[1])
        if field is None or not self.scopes:
            return False
        words = list(before)
        kinds = [kind for kind, _ in self.scopes]
        if "extend" not in kinds:
            message = next(name for kind, name in reversed(self.scopes) if kind == "message")
            self.fields[message, field[1]] = words
        self._follow(line, whole[2], words)
        return True

    def _follow(self, line: str, comment: str | None, words: list[str]) -> None:
        """Collect the comment after a statement, and its next lines, in `words`."""
        if comment is not None:
            words.append(comment)
            self._after, self._column = words, line.index("//")
