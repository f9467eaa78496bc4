"""A network namespace for a program that the kernel cuts off.

Packets are then lost, and no FIN arrives.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from contextlib import suppress

_numbers = itertools.count()


def may_be_made() -> bool:
    """Return True if this user may make network namespaces here."""
    try:
        with Namespace():
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


class Namespace:
    """A network namespace that reaches this machine over one pair of virtual interfaces, of which ours can be down."""

    def __init__(self) -> None:
        number = next(_numbers)
        self.name = f"tp{os.getpid()}-{number}"
        self._ours, self._theirs = f"{self.name}a", f"{self.name}b"
        network = f"10.213.{(os.getpid() + number) % 250 + 1}"
        self._addresses = f"{network}.1/30", f"{network}.2/30"
        self.host = f"{network}.2"
        """Where what runs in it is reached."""
        self.command = ["ip", "netns", "exec", self.name]
        """The prefix of a command that runs a program in it."""

    def __enter__(self) -> Namespace:
        ours, theirs = self._addresses
        _ip("netns", "add", self.name)
        try:
            _ip("link", "add", self._ours, "type", "veth", "peer", "name", self._theirs)
            _ip("link", "set", self._theirs, "netns", self.name)
            _ip("addr", "add", ours, "dev", self._ours)
            _ip("link", "set", self._ours, "up")
            _ip("-n", self.name, "addr", "add", theirs, "dev", self._theirs)
            _ip("-n", self.name, "link", "set", self._theirs, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for words in (("link", "del", self._ours), ("netns", "del", self.name)):
            with suppress(subprocess.CalledProcessError):
                _ip(*words)

    def hold(self) -> None:
        """Let nothing through."""
        _ip("link", "set", self._ours, "down")

    def let_pass(self) -> None:
        """Let everything through again."""
        _ip("link", "set", self._ours, "up")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
