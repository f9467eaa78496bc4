"""A simulated disk that forgets what was not synced.

It has the files and directories as programs see them, and the state that would survive a power cut. Every reader sees
what a program writes, but that stays pending. `sync` of a file makes its bytes and its size durable, and nothing else.
`sync` of a directory makes its list of names durable.

`after_cut` returns another disk with everything durable, and a random part of what was pending. Bytes survive in units
of a sector or a page, later ones perhaps without earlier ones, and sizes without their bytes. Names that were created,
removed or moved survive or not. Changes of one name stay in their order. A moved name is never in both places, nor in
neither.

Each change is a step, and steps are counted. At a step the power can be cut, or an error can begin. The same seed and
the same steps leave the same disk.
"""

from __future__ import annotations

import errno
import os
import random
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

SECTOR, PAGE = 512, 4096
"""Bytes that are written whole or not at all."""

UNCOUNTED = ("-shm", "rules.page")
"""Ends of the names of files that are memory for their programs: the kernel writes them whenever it wants to."""


@dataclass(slots=True, eq=False)
class Pending:
    """Bytes that were written at an offset, or a size that was set (then there are none)."""

    at: int
    data: bytes | None


@dataclass(slots=True, eq=False)
class File:
    """A file or the name of a socket; `now` is what a program reads, `lasting` what is on the disk."""

    number: int
    mode: int
    now: bytearray = field(default_factory=bytearray)
    lasting: bytearray = field(default_factory=bytearray)
    pending: list[Pending] = field(default_factory=list)

    def settle(self) -> None:
        """Make lasting what is pending."""
        for one in self.pending:
            _apply(self.lasting, one)
        self.pending.clear()


@dataclass(slots=True, eq=False)
class Directory:
    """Names, and what has them."""

    number: int
    mode: int
    now: dict[str, File | Directory] = field(default_factory=dict)
    lasting: dict[str, File | Directory] = field(default_factory=dict)


Place = tuple[Directory, str]


@dataclass(slots=True, eq=False)
class NameChange:
    """A name that was given or taken, or both at once."""

    removed: Place | None
    added: Place | None
    what: File | Directory

    def places(self) -> list[Place]:
        return [place for place in (self.removed, self.added) if place is not None]

    def settle(self) -> None:
        if self.removed is not None:
            directory, name = self.removed
            if directory.lasting.get(name) is self.what:
                del directory.lasting[name]
        if self.added is not None:
            directory, name = self.added
            directory.lasting[name] = self.what


@dataclass(frozen=True, slots=True)
class Trouble:
    """Errors of a disk: from the `first` change of these kinds on, `times` of them fail with `error`.

    The kinds are write, sync, sync directory, truncate, create, open, unlink, rename and mkdir.
    """

    kinds: frozenset[str]
    error: int
    first: int
    times: int


@dataclass(slots=True)
class Left:
    """The part of the pending changes that a cut has left."""

    pieces: int = 0
    """Sectors and pages, or parts of them, that were written and not synced."""
    kept: int = 0
    torn: int = 0
    """Writes of which one part is there and another is not."""
    names: int = 0
    """Changes of names that were not synced."""
    names_kept: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """The progress of a disk."""

    steps: int
    off: bool
    failed: int
    trace: list[str]


class Disk:
    """One disk; `told` is called when the power is cut at a step, before the step is answered."""

    def __init__(self, seed: str, told: Callable[[], None] = lambda: None) -> None:
        self.root = Directory(1, stat.S_IFDIR | 0o755)
        self.chance = random.Random(seed)
        self.told = told
        self.steps = 0
        self.cut_at = 0
        """The number of the step at which the power is cut; 0: at none."""
        self.cut_after = False
        """If true, that step is done, too, and no program learns of it."""
        self.off = False
        self.troubles: list[Trouble] = []
        self.failed = 0
        """The number of steps that failed by a trouble."""
        self.forgets_names = False
        """If true, a sync of a directory does nothing, to show the effect."""
        self.trace: list[str] = []
        """The steps so far, for people."""
        self._changes: list[NameChange] = []
        self._numbers = 1
        self._seen: dict[int, int] = {}

    # --- looking

    def find(self, path: str) -> File | Directory:
        """Return what has a path. Raises OSError."""
        found: File | Directory = self.root
        for name in filter(None, path.split("/")):
            if not isinstance(found, Directory):
                raise OSError(errno.ENOTDIR, path)
            inside = found.now.get(name)
            if inside is None:
                raise OSError(errno.ENOENT, path)
            found = inside
        return found

    def _place(self, path: str) -> Place:
        above, _, name = path.rpartition("/")
        directory = self.find(above)
        if not isinstance(directory, Directory):
            raise OSError(errno.ENOTDIR, path)
        return directory, name

    def read(self, file: File, size: int, at: int) -> bytes:
        """Return bytes of a file as they are now."""
        self._check_power()
        return bytes(file.now[at : at + size])

    # --- changes

    def write(self, file: File, path: str, data: bytes, at: int) -> None:
        """Write bytes; with a trouble perhaps the first of them."""
        with self._step("write", path) as fails:
            if fails:
                data = data[: self.chance.choice((0, 0, len(data) // 2))]
            if data:
                change = Pending(at, data)
                _apply(file.now, change)
                file.pending.append(change)
            if fails:
                raise OSError(fails, path)

    def opens(self, path: str) -> None:
        """Fail where an opened file is to fail: that is no step."""
        self._check_power()
        if fails := self._fails("open"):
            raise OSError(fails, path)

    def truncate(self, file: File, path: str, size: int) -> None:
        """Set the size."""
        with self._step("truncate", path) as fails:
            if fails:
                raise OSError(fails, path)
            change = Pending(size, None)
            _apply(file.now, change)
            file.pending.append(change)

    def sync(self, file: File, path: str) -> None:
        """Make the bytes of a file durable.

        With a trouble only a random part becomes durable. The rest is forgotten, although it can be read: the next sync
        does not include it, as with the page cache of Linux.
        """
        with self._step("sync", path) as fails:
            if fails:
                _leave(file, self.chance, Left())
                file.pending.clear()
                raise OSError(fails, path)
            file.settle()

    def sync_names(self, directory: Directory, path: str) -> None:
        """Make lasting which names are in a directory, and what else was done with those before."""
        with self._step("sync directory", path) as fails:
            if fails:
                raise OSError(fails, path)
            if self.forgets_names:
                return
            chosen: list[NameChange] = []
            names: set[tuple[int, str]] = set()
            for change in reversed(self._changes):
                places = change.places()
                if any(at is directory or (id(at), name) in names for at, name in places):
                    chosen.append(change)
                    names |= {(id(at), name) for at, name in places}
            for change in reversed(chosen):
                change.settle()
            self._changes = [change for change in self._changes if change not in chosen]

    def create(self, path: str, mode: int) -> File:
        """Make an empty file, or the name of a socket."""
        directory, name = self._place(path)
        with self._step("create", path) as fails:
            if fails:
                raise OSError(fails, path)
            if name in directory.now:
                raise OSError(errno.EEXIST, path)
            file = File(self._number(), mode if stat.S_IFMT(mode) else stat.S_IFREG | mode)
            self._change(NameChange(None, (directory, name), file))
            return file

    def mkdir(self, path: str, mode: int) -> None:
        """Make an empty directory."""
        directory, name = self._place(path)
        with self._step("mkdir", path) as fails:
            if fails:
                raise OSError(fails, path)
            if name in directory.now:
                raise OSError(errno.EEXIST, path)
            made = Directory(self._number(), stat.S_IFDIR | stat.S_IMODE(mode))
            self._change(NameChange(None, (directory, name), made))

    def remove(self, path: str) -> None:
        """Remove a file or an empty directory."""
        place, what = self._place(path), self.find(path)
        with self._step("unlink", path) as fails:
            if fails:
                raise OSError(fails, path)
            if isinstance(what, Directory) and what.now:
                raise OSError(errno.ENOTEMPTY, path)
            self._change(NameChange(place, None, what))

    def rename(self, old: str, new: str) -> None:
        """Give what has one name another, which something else may have had."""
        source, target, what = self._place(old), self._place(new), self.find(old)
        with self._step("rename", f"{old} {new}") as fails:
            if fails:
                raise OSError(fails, new)
            self._change(NameChange(source, target, what))

    def _change(self, change: NameChange) -> None:
        if change.removed is not None:
            directory, name = change.removed
            del directory.now[name]
        if change.added is not None:
            directory, name = change.added
            directory.now[name] = change.what
        self._changes.append(change)

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _check_power(self) -> None:
        if self.off:
            raise OSError(errno.EIO, "there is no power")

    @contextmanager
    def _step(self, kind: str, path: str) -> Iterator[int]:
        """Count a change, and give the error with which it is to fail, 0 for none; cut the power before or after it."""
        self._check_power()
        if path.endswith(UNCOUNTED):
            yield 0
            return
        self.steps += 1
        if self.steps == self.cut_at and not self.cut_after:
            self._cut(f"{kind} {path}, not done")
        fails = self._fails(kind)
        self.trace.append(f"{kind} {path}{f' fails with {os.strerror(fails)}' if fails else ''}")
        yield fails
        if self.steps == self.cut_at:
            self._cut(f"{kind} {path}, done")

    def begin(self, troubles: Sequence[Trouble]) -> None:
        """Have these troubles, counted from now on, and no others."""
        self.troubles = list(troubles)
        self._seen.clear()

    def _fails(self, kind: str) -> int:
        fails = 0
        for number, trouble in enumerate(self.troubles):
            if kind in trouble.kinds:
                seen = self._seen[number] = self._seen.get(number, 0) + 1
                if trouble.first <= seen < trouble.first + trouble.times:
                    fails = trouble.error
        self.failed += bool(fails)
        return fails

    def _cut(self, at: str) -> None:
        self.trace.append(f"the power is cut: {at}")
        self.off = True
        self.told()
        self._check_power()

    # --- the cut

    def after_cut(self, seed: str, keeps: str = "") -> tuple[Disk, Left]:
        """Return the disk that a program finds when there is power again; this one has none from now on.

        What it keeps of what was not synced follows from the seed, or is "nothing", or the "names" without the bytes.
        """
        self.off = True
        chance = random.Random(seed)
        left = Left()
        share = chance.choice((0.0, 0.1, 0.5, 0.5, 0.9, 1.0))
        stuck: set[tuple[int, str]] = set()
        for change in self._changes:
            names = {(id(at), name) for at, name in change.places()}
            left.names += 1
            if names & stuck or (chance.random() >= share if not keeps else keeps == "nothing"):
                stuck |= names
            else:
                change.settle()
                left.names_kept += 1
        fresh = Disk(seed)
        fresh.forgets_names = self.forgets_names

        def copied(node: File | Directory) -> File | Directory:
            if isinstance(node, File):
                if not keeps:
                    _leave(node, chance, left)
                return File(fresh._number(), node.mode, node.lasting, bytearray(node.lasting))
            names = {name: copied(inside) for name, inside in sorted(node.lasting.items())}
            return Directory(fresh._number(), node.mode, names, dict(names))

        root = copied(self.root)
        assert isinstance(root, Directory)
        fresh.root = root
        return fresh, left

    # --- outside

    def take_from(self, source: Path) -> None:
        """Put what is in a directory of the machine on the disk, lasting."""

        def taken(path: Path) -> File | Directory:
            mode = path.stat().st_mode
            if not path.is_dir():
                data = path.read_bytes()
                return File(self._number(), mode, bytearray(data), bytearray(data))
            names = {inside.name: taken(inside) for inside in sorted(path.iterdir())}
            return Directory(self._number(), mode, names, dict(names))

        root = taken(source)
        assert isinstance(root, Directory)
        self.root = root

    def put_into(self, target: Path) -> None:
        """Write all that can be read on the disk now into a directory of the machine, which is there."""

        def put(directory: Directory, path: Path) -> None:
            for name, inside in directory.now.items():
                if isinstance(inside, Directory):
                    (path / name).mkdir()
                    put(inside, path / name)
                elif stat.S_ISREG(inside.mode):
                    (path / name).write_bytes(inside.now)

        put(self.root, target)


def _apply(content: bytearray, change: Pending) -> None:
    if change.data is None:
        if change.at < len(content):
            del content[change.at :]
        else:
            content.extend(bytes(change.at - len(content)))
        return
    if change.at > len(content):
        content.extend(bytes(change.at - len(content)))
    content[change.at : change.at + len(change.data)] = change.data


def _leave(file: File, chance: random.Random, left: Left) -> None:
    """Make a random part of what is pending of a file lasting."""
    if not file.pending:
        return
    unit = chance.choice((SECTOR, PAGE))
    pieces: list[tuple[int, Pending]] = []
    for number, change in enumerate(file.pending):
        pieces += [(number, piece) for piece in _pieces(change, unit)]
    keep = _choice(len(pieces), chance)
    filler = chance.random() < 0.2
    fates: dict[int, set[bool]] = {}
    for (number, piece), kept in zip(pieces, keep, strict=True):
        fates.setdefault(number, set()).add(kept)
        if kept:
            if filler and piece.data is not None and piece.at > len(file.lasting):
                # What is between was never written there: what another file had left.
                file.lasting.extend(chance.randbytes(piece.at - len(file.lasting)))
            _apply(file.lasting, piece)
    if len(file.now) > len(file.lasting) and chance.random() < 0.2:
        # The size is on the disk before the bytes are.
        gap = len(file.now) - len(file.lasting)
        file.lasting.extend(chance.randbytes(gap) if filler else bytes(gap))
    left.pieces += len(pieces)
    left.kept += sum(keep)
    left.torn += sum(len(fate) == 2 for fate in fates.values())


def _pieces(change: Pending, unit: int) -> Iterator[Pending]:
    """Cut what was written where units of the disk begin."""
    if change.data is None:
        yield change
        return
    begin, end = change.at, change.at + len(change.data)
    while begin < end:
        until = min(end, begin - begin % unit + unit)
        yield Pending(begin, change.data[begin - change.at : until - change.at])
        begin = until


def _choice(number: int, chance: random.Random) -> list[bool]:
    """Choose which of so many pieces are kept: each alone, the first, the last, all but one, one, all or none."""
    way = chance.choice(("each", "each", "each", "first", "last", "all but one", "one", "all", "none"))
    one = chance.randrange(number)
    if way == "each":
        share = chance.choice((0.1, 0.5, 0.5, 0.9))
        return [chance.random() < share for _ in range(number)]
    rule: dict[str, Callable[[int], bool]] = {
        "first": lambda at: at < one,
        "last": lambda at: at > one,
        "all but one": lambda at: at != one,
        "one": lambda at: at == one,
        "all": lambda at: True,
        "none": lambda at: False,
    }
    return [rule[way](at) for at in range(number)]
