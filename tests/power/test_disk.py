"""The simulated disk after a cut: everything synced, parts of the rest."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from tests.power.disk import Directory, Disk, File, Trouble

SEEDS = 200


def made(disk: Disk, path: str, data: bytes = b"", *, synced: bool = False, named: bool = False) -> File:
    """Make a file, perhaps with its bytes and its name on the disk."""
    file = disk.create(path, 0o600)
    disk.write(file, path, data, 0)
    if synced:
        disk.sync(file, path)
    if named:
        disk.sync_names(disk.root, "")
    return file


def outcomes(prepare: Callable[[Disk], None]) -> set[tuple[tuple[str, bytes], ...]]:
    """Return all that is left of the same steps, by many seeds."""
    found = set()
    for seed in range(SEEDS):
        disk = Disk("")
        prepare(disk)
        after, _ = disk.after_cut(str(seed))
        files = {name: bytes(node.now) for name, node in after.root.now.items() if isinstance(node, File)}
        found.add(tuple(sorted(files.items())))
    return found


def test_a_file_is_there_for_sure_only_with_both_syncs() -> None:
    """Its bytes are not there without its own, nor its name without that of the directory."""
    assert outcomes(lambda disk: void(made(disk, "a", b"x", synced=True, named=True))) == {(("a", b"x"),)}
    assert outcomes(lambda disk: void(made(disk, "a", b"x", synced=True))) == {(("a", b"x"),), ()}
    assert {(("a", b"x"),), (("a", b""),)} <= outcomes(lambda disk: void(made(disk, "a", b"x", named=True)))


def void(_: object) -> None:
    """Nothing: for a step whose result is of no use."""


def test_a_name_that_was_moved_is_in_one_place() -> None:
    """Whatever had the new name before: that, or what was moved there, and no other."""

    def replace(disk: Disk) -> None:
        made(disk, "old", b"1", synced=True, named=True)
        made(disk, "new", b"2", synced=True, named=True)
        disk.rename("new", "old")

    assert outcomes(replace) == {(("new", b"2"), ("old", b"1")), (("old", b"2"),)}


def test_what_was_moved_before_its_bytes_were_synced_may_be_empty() -> None:
    def careless(disk: Disk) -> None:
        made(disk, "old", b"1", synced=True, named=True)
        made(disk, "new", b"2")
        disk.rename("new", "old")
        disk.sync_names(disk.root, "")

    assert {(("old", b""),), (("old", b"2"),)} <= outcomes(careless)


def test_later_sectors_may_be_there_without_earlier_ones_and_a_write_may_be_torn() -> None:
    def write(disk: Disk) -> None:
        file = made(disk, "a", bytes(2048), synced=True, named=True)
        disk.write(file, "a", b"1" * 1024, 0)
        disk.write(file, "a", b"2" * 1024, 1024)

    contents = {found[0][1] for found in outcomes(write)}
    assert bytes(1024) + b"2" * 1024 in contents, "the later one alone"
    assert b"1" * 512 + bytes(1536) in contents, "half of the first"
    assert all(
        set(one[at : at + 512]) in ({0}, {ord("1")}, {ord("2")}) for one in contents for at in range(0, 2048, 512)
    )


def test_after_a_sync_that_failed_the_next_one_knows_nothing_of_what_was_written_before() -> None:
    """The bytes can still be read, which is what makes the second sync so treacherous."""

    def write(disk: Disk) -> None:
        file = made(disk, "a", b"old", synced=True, named=True)
        disk.begin([Trouble(frozenset({"sync"}), errno.EIO, 1, 1)])
        disk.write(file, "a", b"new", 0)
        with pytest.raises(OSError, match="a"):
            disk.sync(file, "a")
        disk.sync(file, "a")
        assert disk.read(file, 3, 0) == b"new"

    assert (("a", b"old"),) in outcomes(write)


def test_a_directory_is_there_with_what_is_in_it_only_if_the_one_above_was_synced() -> None:
    def make(disk: Disk, above: bool) -> None:
        disk.mkdir("in", 0o700)
        file = disk.create("in/a", 0o600)
        disk.sync(file, "in/a")
        inside = disk.find("in")
        assert isinstance(inside, Directory)
        disk.sync_names(inside, "in")
        if above:
            disk.sync_names(disk.root, "")

    def lasts(above: bool) -> set[bool]:
        found = set()
        for seed in range(SEEDS):
            disk = Disk("")
            make(disk, above)
            after, _ = disk.after_cut(str(seed))
            found.add("in" in after.root.now)
        return found

    assert (lasts(True), lasts(False)) == ({True}, {True, False})


def test_the_power_is_cut_at_the_step_that_was_said_and_nothing_happens_after_it() -> None:
    for after, left in ((False, b""), (True, b"x")):
        told: list[int] = []
        disk = Disk("", lambda told=told: told.append(1))  # type: ignore[misc]
        disk.cut_at, disk.cut_after = 2, after
        file = disk.create("a", 0o600)
        with pytest.raises(OSError, match="no power"):
            disk.write(file, "a", b"x", 0)
        with pytest.raises(OSError, match="no power"):
            disk.create("b", 0o600)
        assert told == [1] and bytes(file.now) == left and list(disk.root.now) == ["a"]


def test_the_same_seed_leaves_the_same_disk() -> None:
    def left(seed: str) -> list[bytes]:
        disk = Disk("")
        for name in "abc":
            file = made(disk, name, bytes(4096), named=True)
            disk.write(file, name, b"1" * 4096, 512)
        after, _ = disk.after_cut(seed)
        return [bytes(node.now) for node in after.root.now.values() if isinstance(node, File)]

    assert [left(str(seed)) for seed in range(20)] == [left(str(seed)) for seed in range(20)]
