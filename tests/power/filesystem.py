"""The file system process: requests of the kernel, and commands of tests.

`python -m tests.power.filesystem PLACE DESCRIPTOR` serves until the connection of that descriptor ends.
"""

from __future__ import annotations

import errno
import itertools
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.power.disk import Directory, Disk, File, Left, State, Trouble
from tests.power.unmounting import unmount


class FileSystem:
    """Requests of the kernel, and commands of the tests meanwhile, one after the other."""

    use_ns = True

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.disks: dict[str, Disk] = {}
        self.ready: Callable[[], None] = lambda: None
        self._open: dict[int, tuple[Disk, File, str]] = {}
        self._handles = itertools.count(1)
        self._serial = itertools.count(1)
        self._serials: dict[Disk, int] = {}
        self._began = int(time.time()) * 10**9

    # --- what the tests say

    def make(self, name: str, seed: str, source: Path | None, forgets_names: bool) -> None:
        disk = Disk(seed)
        disk.forgets_names = forgets_names
        if source is not None:
            disk.take_from(source)
        self._add(name, disk)

    def _add(self, name: str, disk: Disk) -> None:
        assert name not in self.disks, f"there is a disk {name}"
        self._serials[disk] = next(self._serial)
        self.disks[name] = disk

    def arm(self, name: str, group: int, cut_at: int, cut_after: bool, troubles: tuple[Trouble, ...]) -> None:
        disk = self.disks[name]

        def kill() -> None:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

        disk.told = kill if group else (lambda: None)
        disk.cut_at = disk.steps + cut_at if cut_at else 0
        disk.cut_after = cut_after
        disk.begin(troubles)

    def state(self, name: str) -> State:
        disk = self.disks[name]
        return State(disk.steps, disk.off, disk.failed, disk.trace[-40:])

    def cut(self, name: str, to: str, seed: str, keeps: str) -> Left:
        disk = self.disks[name]
        if not disk.off:
            disk.off = True
            disk.told()
        after, left = disk.after_cut(seed, keeps)
        self._add(to, after)
        return left

    def put_into(self, name: str, target: Path) -> None:
        self.disks[name].put_into(target)

    def forget(self, name: str) -> None:
        del self._serials[self.disks.pop(name)]

    def forget_all(self, begins: str) -> None:
        for name in [name for name in self.disks if name.startswith(begins)]:
            self.forget(name)

    # --- what the kernel asks

    def _at(self, path: str) -> tuple[Disk, str]:
        name, _, rest = path.lstrip("/").partition("/")
        disk = self.disks.get(name)
        if disk is None:
            raise OSError(errno.ENOENT, path)
        return disk, rest

    def _file(self, path: str) -> tuple[Disk, File, str]:
        disk, rest = self._at(path)
        found = disk.find(rest)
        if not isinstance(found, File):
            raise OSError(errno.EISDIR, path)
        return disk, found, rest

    def _handle(self, disk: Disk, file: File, path: str) -> int:
        handle = next(self._handles)
        self._open[handle] = disk, file, path
        return handle

    def init(self, path: str) -> None:
        self.ready()

    def getattr(self, path: str | None, fh: int | None = None) -> dict[str, int]:
        if path is not None and path.count("/") == 1 and path == "/":
            return {"st_mode": stat.S_IFDIR | 0o755, "st_nlink": 2, "st_ino": 1}
        if fh is not None and fh in self._open:
            disk, node = self._open[fh][:2]
            found: File | Directory = node
        else:
            assert path is not None
            disk, rest = self._at(path)
            found = disk.find(rest)
        size = len(found.now) if isinstance(found, File) else 0
        return {
            "st_mode": found.mode,
            "st_nlink": 1 if isinstance(found, File) else 2,
            "st_size": size,
            "st_blocks": -(-size // 512),
            "st_ino": self._serial_of(disk, found),
            "st_uid": os.getuid(),
            "st_gid": os.getgid(),
            "st_mtime": self._began,
            "st_ctime": self._began,
            "st_atime": self._began,
        }

    def readdir(self, path: str, fh: int) -> list[tuple[str, dict[str, int], int]]:
        # With a number each: names without one are left out by the C library.
        if path == "/":
            inside = {name: disk.root for name, disk in self.disks.items()}
            return [(name, {"st_ino": 1, "st_mode": one.mode}, 0) for name, one in inside.items()]
        disk, rest = self._at(path)
        found = disk.find(rest)
        if not isinstance(found, Directory):
            raise OSError(errno.ENOTDIR, path)
        names = {".": found, "..": found, **found.now}
        return [(name, {"st_ino": self._serial_of(disk, one), "st_mode": one.mode}, 0) for name, one in names.items()]

    def _serial_of(self, disk: Disk, node: File | Directory) -> int:
        return (self._serials.get(disk, 0) << 32) + node.number

    def statfs(self, path: str) -> dict[str, int]:
        size = {"f_bsize": 4096, "f_frsize": 4096, "f_namemax": 255}
        return {**size, "f_blocks": 1 << 24, "f_bfree": 1 << 23, "f_bavail": 1 << 23}

    def create(self, path: str, mode: int, flags: int = 0) -> int:
        disk, rest = self._at(path)
        return self._handle(disk, disk.create(rest, mode), rest)

    def mknod(self, path: str, mode: int, device: int) -> int:
        disk, rest = self._at(path)
        disk.create(rest, mode)
        return 0

    def open(self, path: str, flags: int) -> int:
        disk, file, rest = self._file(path)
        disk.opens(rest)
        if flags & os.O_TRUNC and file.now:
            disk.truncate(file, rest, 0)
        return self._handle(disk, file, rest)

    def release(self, path: str, fh: int) -> int:
        self._open.pop(fh, None)
        return 0

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        disk, file, _ = self._open[fh]
        return disk.read(file, size, offset)

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        disk, file, rest = self._open[fh]
        disk.write(file, rest, data, offset)
        return len(data)

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        disk, file, rest = self._file(path) if fh is None else self._open[fh]
        disk.truncate(file, rest, length)
        return 0

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        disk, file, rest = self._open[fh]
        disk.sync(file, rest)
        return 0

    def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
        if path == "/":
            return 0
        disk, rest = self._at(path)
        found = disk.find(rest)
        assert isinstance(found, Directory)
        disk.sync_names(found, rest)
        return 0

    def mkdir(self, path: str, mode: int) -> int:
        disk, rest = self._at(path)
        disk.mkdir(rest, mode)
        return 0

    def unlink(self, path: str) -> int:
        disk, rest = self._at(path)
        disk.remove(rest)
        return 0

    rmdir = unlink

    def rename(self, old: str, new: str) -> int:
        disk, rest = self._at(old)
        other, target = self._at(new)
        if other is not disk:
            raise OSError(errno.EXDEV, new)
        disk.rename(rest, target)
        return 0

    def chmod(self, path: str, mode: int) -> int:
        disk, rest = self._at(path)
        node = disk.find(rest)
        node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)
        return 0

    def chown(self, path: str, uid: int, gid: int) -> int:
        return 0

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        return 0


ASKED = (
    "getattr readdir statfs create mknod open release read write truncate fsync fsyncdir mkdir unlink rmdir rename"
    " chmod chown utimens init"
)


def serve(place: str, connection: Connection) -> None:
    """Be a file system at a place until the connection ends."""
    import mfusepy  # type: ignore[import-untyped] # it has no annotations of types

    system = FileSystem()

    class Asked(mfusepy.Operations):  # type: ignore[misc]
        use_ns = True

    def locked(name: str) -> Callable[..., Any]:
        method = getattr(system, name)

        def call(self: Any, *arguments: Any) -> Any:
            with system.lock:
                return method(*arguments)

        return call

    for name in ASKED.split():
        if name != "create":
            setattr(Asked, name, locked(name))

    def create(self: Any, path: str, mode: int, flags: int) -> int:
        with system.lock:
            return system.create(path, mode)

    Asked.create = create

    def listen() -> None:
        try:
            while True:
                what, arguments = connection.recv()
                try:
                    with system.lock:
                        answer = True, getattr(system, what)(*arguments)
                except Exception as error:
                    answer = False, repr(error)
                connection.send(answer)
        except (EOFError, OSError):
            unmount(place)
            os._exit(0)

    def ready() -> None:
        connection.send("mounted")
        threading.Thread(target=listen, daemon=True).start()

    system.ready = ready
    long = 10**6
    mfusepy.FUSE(
        Asked(), place, foreground=True, nothreads=True, use_ino=True, hard_remove=True, kernel_cache=True,
        default_permissions=True, fsname="forgetful", attr_timeout=long, entry_timeout=long,
    )  # fmt: skip


if __name__ == "__main__":
    serve(sys.argv[1], Connection(int(sys.argv[2])))
