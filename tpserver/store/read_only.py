"""Reading a database that another process may be writing: no lock, no migration, no change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from tpserver.store.backend import backend_of
from tpserver.store.schema import check_readable

T = TypeVar("T")
P = ParamSpec("P")


class Reader(Protocol):
    """Anything that can be read: a `Store`, or a database without its lock."""

    def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T: ...

    def close(self) -> object: ...


class ReadOnly:
    """A database opened for reading only.  Raises StoreError if there is none, or its tables are not known."""

    def __init__(self, url: str) -> None:
        self._backend = backend_of(url)
        self._engine = self._backend.reader()
        label = self._backend.label
        try:
            self.read(check_readable, label)
        except BaseException:
            self.close()
            raise

    def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``fn(connection, *args)``, which sees one state.  Raises StoreError, or what ``fn`` raises."""
        try:
            with self._engine.connect() as connection:
                return fn(connection, *args, **kwargs)
        except DBAPIError as error:
            if fault := self._backend.translate_error(error):
                raise fault from error
            raise

    def close(self) -> None:
        self._engine.dispose()
