"""A network namespace for a test program, behind a cable to pull out."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest


def _not_here(why: str) -> NoReturn:
    pytest.skip(
        f"a partition needs network namespaces, so root and the program ip (Debian: apt install iproute2): {why}"
    )


class Cable:
    """The way to a network namespace; ``address`` is that of the other end, ``prefix`` what runs a program there."""

    def __init__(self) -> None:
        number = os.getpid()
        self._space, self._here, self._there = f"tp{number}", f"tph{number % 10**8}", f"tpt{number % 10**8}"
        network = f"10.{77 + number % 100}.{number // 100 % 256}"
        self._near, self.address = f"{network}.1", f"{network}.2"
        self.prefix = ("ip", "netns", "exec", self._space)

    def __enter__(self) -> Cable:
        if os.geteuid() != 0:
            _not_here("this is no root")
        if shutil.which("ip") is None or shutil.which("setpriv") is None:
            _not_here("there is none")
        try:
            _ip("netns", "add", self._space)
            _ip("link", "add", self._here, "type", "veth", "peer", "name", self._there, "netns", self._space)
            _ip("address", "add", f"{self._near}/24", "dev", self._here)
            _ip("-n", self._space, "address", "add", f"{self.address}/24", "dev", self._there)
            _ip("link", "set", self._here, "up")
            self.plug_in()
        except subprocess.CalledProcessError as error:
            self.__exit__()
            _not_here(error.stderr.strip())
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["ip", "link", "delete", self._here], check=False, capture_output=True)
        subprocess.run(["ip", "netns", "delete", self._space], check=False, capture_output=True)

    def pull_out(self) -> None:
        """Let nothing through any longer, without a notice."""
        _ip("-n", self._space, "link", "set", self._there, "down")

    def plug_in(self) -> None:
        """Let everything through."""
        _ip("-n", self._space, "link", "set", self._there, "up")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@contextmanager
def cable() -> Iterator[Cable]:
    """A cable that is plugged in. Skips the test where there can be none, and says why."""
    with Cable() as made:
        yield made
