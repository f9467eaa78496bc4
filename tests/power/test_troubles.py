"""A disk that fails for a while: the store refuses, then continues.

The refusals have a code.
"""

from __future__ import annotations

import errno
from contextlib import closing, suppress

import pytest

from tests.power.disk import Trouble
from tests.power.mounted import Disks
from tpserver.store import Store, StoreError
from tpserver.store.backends.sqlite import has_been_made
from tpserver.store.backends.urls import sqlite_url
from tpserver.store.people import accounts


def add(store: Store, name: str) -> str | None:
    """Add an account, and return the code with which that was refused; None: it was not."""
    codes: list[str | None] = []

    def refused(failure: object) -> None:
        error = failure.value  # type: ignore[attr-defined]
        assert isinstance(error, StoreError) and error.sentence.endswith("."), error
        codes.append(error.code)

    done = store.write(lambda c: accounts.add(c, name, "", now=0.0).id)
    done.addCallbacks(lambda _: codes.append(None), refused)
    (code,) = codes
    return code


def trouble(error: int, *kinds: str, first: int = 1, times: int = 1) -> Trouble:
    return Trouble(frozenset(kinds), error, first, times)


def test_a_disk_that_is_full_when_the_database_is_opened_is_said_so_and_opens_it_when_there_is_room(
    disks: Disks,
) -> None:
    """Refused with a sentence at the first write, which is to the lock file; the same process tries again.

    Nothing is forgotten meanwhile: that there was a database is what keeps an empty one from being made in its place.
    """
    file = disks.make("a") / "tpserver.sqlite"
    Store.open(sqlite_url(file), reactor=None).close()
    for _ in range(2):
        disks.arm("a", 0, troubles=(trouble(errno.ENOSPC, "write", times=20),))
        with pytest.raises(StoreError, match="is full: nothing more can be saved") as refused:
            Store.open(sqlite_url(file), reactor=None)
        assert refused.value.code == "full"
    disks.arm("a", 0)
    lock = file.with_name("tpserver.sqlite.lock")
    assert b"made" in lock.read_bytes() and has_been_made(file)
    with closing(Store.open(sqlite_url(file), reactor=None)) as store:
        assert add(store, "ann") is None


def test_a_first_start_that_fails_can_be_done_again(disks: Disks) -> None:
    """Also if the last thing fails, the note that there is a database: one that was undone must not be missed."""
    for kind, firsts in (("truncate", range(1, 5)), ("sync directory", range(1, 4)), ("create", range(1, 6))):
        for first in firsts:
            file = disks.make(f"{kind} {first}") / "tpserver.sqlite"
            disks.arm(f"{kind} {first}", 0, troubles=(trouble(errno.EIO, kind, first=first),))
            with suppress(StoreError):
                Store.open(sqlite_url(file), reactor=None).close()
            disks.arm(f"{kind} {first}", 0)
            with closing(Store.open(sqlite_url(file), reactor=None)) as store:
                assert add(store, "ann") is None


def test_a_file_that_cannot_be_opened_for_a_moment_does_not_keep_the_store_from_writing(disks: Disks) -> None:
    """Whichever it is: SQLite opens it for reading then, and a connection that has it so can never write."""
    refusals = 0
    for first in range(1, 13):
        file = disks.make(f"open {first}") / "tpserver.sqlite"
        Store.open(sqlite_url(file), reactor=None).close()
        disks.arm(f"open {first}", 0, troubles=(trouble(errno.EIO, "open", first=first),))
        try:
            store = Store.open(sqlite_url(file), reactor=None)
        except StoreError as error:
            assert error.code in ("directory", "unavailable"), error
            refusals += 1
            store = Store.open(sqlite_url(file), reactor=None)
        with closing(store):
            codes = [add(store, f"ann{number}") for number in range(3)]
            assert codes[1:] == [None, None], (first, codes)
            refusals += codes[0] is not None
    assert refusals >= 3


def test_of_a_commit_that_cannot_be_synced_nobody_says_that_it_has_changed_nothing(disks: Disks) -> None:
    """It is in the log then, or a part of it: after a cut it may be there. What comes next takes its place."""
    found = {"there": 0, "not there": 0}
    for number in range(16):
        name = f"a {number}"
        file = disks.make(name, name) / "tpserver.sqlite"
        with closing(Store.open(sqlite_url(file), reactor=None)) as store:
            disks.arm(name, 0, troubles=(trouble(errno.EIO, "sync"),))
            assert add(store, "ann") == "unknown"
            assert store.read(lambda c: accounts.by_name(c, "ann")) is None
            if number % 4 == 0:
                assert add(store, "ann") is None
            disks.cut(name, f"{name} after", name)
        with closing(Store.open(sqlite_url(disks.path(f"{name} after") / file.name), reactor=None)) as store:
            is_there = store.read(lambda c: accounts.by_name(c, "ann")) is not None
            assert is_there or number % 4
            found["there" if is_there else "not there"] += number % 4 > 0
    assert found["there"] and found["not there"], "the rig shows both"


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("kind", ["write", "sync"])
def test_what_fails_is_refused_and_what_was_acknowledged_is_there_after_a_cut(
    disks: Disks, kind: str, error: int
) -> None:
    """Also of a sync: what it has not made lasting is forgotten, and the next one does not save it.

    Nor is anything there of which it was said that it has changed nothing.
    """
    file = disks.make("a") / "tpserver.sqlite"
    acknowledged: list[str] = []
    unchanged: list[str] = []
    store = Store.open(sqlite_url(file), reactor=None)
    refused = 0
    for number in range(40):
        if number % 4 == 1:
            disks.arm("a", 0, troubles=(trouble(error, kind, first=1 + number % 3, times=1 + number % 2),))
        if number % 4 == 3:
            disks.arm("a", 0)
        code = add(store, f"ann{number}")
        if code is None:
            acknowledged.append(f"ann{number}")
        else:
            assert code == ("full" if error == errno.ENOSPC and kind == "write" else "unknown")
            unchanged += [f"ann{number}"] * (code == "full")
            refused += 1
    assert refused >= 5 and len(acknowledged) >= 20
    disks.cut("a", "b", "1")
    with closing(Store.open(sqlite_url(disks.path("b") / file.name), reactor=None)) as store:
        there = store.read(lambda c: [one for one in acknowledged + unchanged if accounts.by_name(c, one) is not None])
    assert there == acknowledged
