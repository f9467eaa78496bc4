"""Encoding of documents (worlds, options, order bodies) in columns: JSON; worlds canonical and compressed with zlib."""

import json
import unicodedata
import zlib
from typing import Any

from sqlalchemy import Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

# Three to four times faster than the default level, and worlds get only some tenths larger.
COMPRESSION_LEVEL = 1

# ASCII only: then any text that a client can send, a NUL character included, is legal in the text columns of every
# database. check_circular would cost a third of the encoding; without it a circle raises RecursionError.
_plain = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False)
_canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
)


def encode(document: Any) -> str:
    """Return ``document`` as ASCII JSON without spaces, keys in their given order.

    Raises TypeError, ValueError or RecursionError for what JSON cannot represent (sets, bytes, NaN, circles).
    """
    return _plain.encode(document)


def decode(text: str) -> Any:
    """Return the document that ``encode`` was given, with lists for tuples."""
    return json.loads(text)


def pack(document: Any) -> bytes:
    """Return ``document`` as canonical JSON (sorted keys), compressed with zlib: equal documents give equal bytes."""
    return zlib.compress(_canonical.encode(document).encode("ascii"), COMPRESSION_LEVEL)


def unpack(data: bytes) -> Any:
    """Return the document that ``pack`` was given."""
    return json.loads(zlib.decompress(data))


def name_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case or in Unicode composition."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


class Document(TypeDecorator[Any]):
    """A text column of JSON. None is stored as ``null``, so the column itself is never NULL."""

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
