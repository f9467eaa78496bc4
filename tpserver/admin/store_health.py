"""Database state for health checks, metrics and the operator.

It covers whether the database saves, and the games that cannot be read.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from twisted.logger import Logger

from tpserver.periodic import Repeated
from tpserver.store import Store, StoreError
from tpserver.store.games import readable

log = Logger()

LOOK_SECONDS = 10.0
"""Seconds between two checks of the database."""
GAMES_AT_ONCE = 10
"""Maximum stored games that a check reads, one after the other. The next check continues with the others."""
GAMES_OF_DAMAGED = 100
"""The same while a game cannot be read, to count the damaged games soon."""
MOST_NAMES = 10
"""Maximum games that the operator's message names."""
LEAST_FREE = 1024 * 1024
"""Free bytes below which a disk counts as full, as it has no room for a larger change."""

_WHY = {
    "full": "its disk is full",
    "damaged": "it is damaged",
    "in-use": "another program has locked it",
    "unavailable": "it cannot be reached or written",
}


def free_bytes(place: Path) -> int | None:
    """Return the bytes of a directory's disk that this process may still write; None without such a directory."""
    try:
        found = os.statvfs(place)
    except OSError:
        return None
    return found.f_frsize * (found.f_bfree if os.geteuid() == 0 else found.f_bavail)


class StoreHealth:
    """Checks the database of a running server. Used on the reactor's thread.

    ``tell`` notifies the operator, with the arguments of `OperatorNotices.tell`. ``is_cut_off`` returns whether this
    cluster node has lost its lease. Public texts name neither games nor files.
    """

    def __init__(
        self,
        reactor: Any,
        store: Store,
        tell: Callable[[str, str, str], object],
        is_cut_off: Callable[[], bool] = lambda: False,
        free: Callable[[Path], int | None] = free_bytes,
    ) -> None:
        self._store = store
        self._tell = tell
        self._is_cut_off = is_cut_off
        self._free = free
        self._names: dict[int, str] = {}
        self._last = 0
        self._unread: StoreError | None = None
        self._unreadable: dict[int, str] = {}
        self._looking = Repeated(reactor, LOOK_SECONDS, self.look)

    def start(self) -> None:
        self._looking.start()

    def stop(self) -> None:
        self._looking.stop()

    @property
    def unreadable(self) -> int:
        """The number of games that cannot be read from the database."""
        return len(self._unreadable)

    @property
    def saves_nothing(self) -> bool:
        """True if no changes are saved."""
        return bool(self._not_saved()) or self._is_cut_off()

    def failing(self) -> str:
        """Return the public reason why the server cannot work (no change is saved, or no game can be read), or ""."""
        if why := self._not_saved():
            return why
        if self._is_cut_off():
            return "this server has lost its place in the cluster, and nothing is saved"
        if self._unread is not None:
            return f"the database cannot be read: {_reason(self._unread)}"
        if self._names and self._unreadable.keys() >= self._names.keys():
            return "no game can be read from the database"
        return ""

    def problem(self) -> str:
        """Return the public description of a problem that does not stop the server, or ""."""
        if not self._unreadable:
            return ""
        return f"{len(self._unreadable)} of {len(self._names)} games cannot be read from the database"

    async def look(self) -> None:
        """Check whether a failing database saves again, read some games, and notify the operator of problems."""
        if self._store.closed:
            return
        self._store.try_again()
        if self._store.gone is None:
            await self._read_games()
        if not self._store.closed:
            self._tell_operator()

    def _not_saved(self) -> str:
        fault = self._store.fault
        if fault is not None and fault.code == "gone":
            return "the database is gone, and nothing is saved"
        if fault is not None:
            return f"the database takes no changes: {_reason(fault)}"
        if self._is_full():
            return f"the database takes no changes: {_WHY['full']}"
        return ""

    def _is_full(self) -> bool:
        file = self._store.file
        free = None if file is None else self._free(file.parent)
        return free is not None and free < LEAST_FREE

    async def _read_games(self) -> None:
        try:
            self._names = await self._store.read_later(readable.names)
            self._unread = None
        except StoreError as error:
            if error.code != "closed":
                self._unread = error
            return
        except Exception as error:  # the stored data differs from the saved data
            self._unread = StoreError(f"The games of the database cannot be read ({error!r}).", code="damaged")
            return
        self._unreadable = {number: why for number, why in self._unreadable.items() if number in self._names}
        numbers, done = list(self._names), 0
        while done < min(len(numbers), GAMES_OF_DAMAGED if self._unreadable else GAMES_AT_ONCE):
            place = bisect_right(numbers, self._last)
            self._last = numbers[place if place < len(numbers) else 0]
            await self._read_game(self._last)
            done += 1

    async def _read_game(self, number: int) -> None:
        try:
            await self._store.read_later(readable.check, number)
            why = ""
        except StoreError as error:
            why = "" if error.code == "closed" else error.sentence
        except Exception as error:  # the stored data differs from the saved data
            why = f"What is stored of it cannot be understood ({type(error).__name__})."
        name = self._names[number]
        if why and number not in self._unreadable:
            log.error("game {game} cannot be read from the database: {why}", game=name, why=why)
        elif not why and number in self._unreadable:
            log.info("game {game} can be read from the database again", game=name)
        self._unreadable.pop(number, None)
        if why:
            self._unreadable[number] = why

    def _tell_operator(self) -> None:
        fault = self._store.fault
        if fault is not None:
            self._tell("store", "nothing can be saved", fault.sentence)
        elif why := self._not_saved():
            self._tell("store", "nothing can be saved", f"{why[0].upper()}{why[1:]}. Free some space.")
        if self._unread is not None:
            self._tell("store unread", "the database cannot be read", self._unread.sentence)
        elif self._unreadable:
            names = ", ".join(self._names[number] for number in list(self._unreadable)[:MOST_NAMES])
            first = next(iter(self._unreadable.values()))
            text = f"{len(self._unreadable)} of {len(self._names)}: {names}. {first} Restore a backup."
            self._tell("unreadable games", "games cannot be read from the database", text)


def free_of(places: Mapping[str, Path]) -> dict[str, int]:
    """Return the free bytes of existing directories, by their content."""
    found = {name: free_bytes(place) for name, place in places.items()}
    return {name: free for name, free in found.items() if free is not None}


def _reason(fault: StoreError) -> str:
    return _WHY.get(fault.code, _WHY["unavailable"])
