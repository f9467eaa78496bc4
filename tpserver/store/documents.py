"""How documents (worlds, options, order bodies) lie in columns: JSON, worlds canonical and compressed with zlib."""

import json
import unicodedata
import zlib
from typing import Any

from sqlalchemy import Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

# Level 1 is three to four times faster than the default and a world is only some tenths larger.
COMPRESSION_LEVEL = 1

# ASCII only: then any text a client can send, a NUL character included, is legal in the text columns of every database.
# Without the check for circles, which costs as much as a third of the encoding, a circle ends in a RecursionError.
_plain = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False)
_canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
)


def encode(document: Any) -> str:
    """Return ``document`` as JSON without spaces, ASCII, its keys in the order in which they are.

    Raises TypeError, ValueError or RecursionError for what JSON cannot hold (sets, bytes, NaN, circles).
    """
    return _plain.encode(document)


def decode(text: str) -> Any:
    """Return the document that ``encode`` was given (tuples come back as lists)."""
    return json.loads(text)


def pack(document: Any) -> bytes:
    """Return ``document`` as canonical JSON (sorted keys), compressed with zlib: equal documents give equal bytes."""
    return zlib.compress(_canonical.encode(document).encode("ascii"), COMPRESSION_LEVEL)


def unpack(data: bytes) -> Any:
    """Return the document that ``pack`` was given."""
    return json.loads(zlib.decompress(data))


def name_key(name: str) -> str:
    """Return what two names share that only differ in case or in how Unicode composes their characters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


class Document(TypeDecorator[Any]):
    """A text column of JSON. None is the document ``null``, so the column itself is never NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        return encode(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else decode(value)


class PackedDocument(TypeDecorator[Any]):
    """A binary column of compressed canonical JSON."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes:
        return pack(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        return None if value is None else unpack(value)
