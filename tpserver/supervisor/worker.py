"""Server process slot of the supervisor, with data for the successor."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tpserver.supervisor.child import Child


@dataclass
class Worker:
    """A server process by its ``number`` from 0; when it has ended another one takes its place."""

    number: int
    child: Child | None = None
    sockets: dict[str, int] = field(default_factory=dict)
    """Listening sockets of the latest process, by ``EndpointSpec.key``."""
    shared: frozenset[str] = frozenset()
    """The keys of those at which all processes listen."""
    has_served: bool = False
    fails: int = 0
    """Number of quick ends in a row."""
    next: float = 0.0
    """Time when the next process may begin, by the monotonic clock."""
    kill_at: float = float("inf")
    """Time when a process that was asked to stop is killed."""
    reload: bool = False
    """True to notify it of a changed configuration, as soon as it serves."""
    successor_by: float | None = None
    """Latest end of the process that has asked for a successor, while that loads its modules."""
    is_replaced: bool = False
    """True if the process was stopped to be replaced."""

    @property
    def serves(self) -> bool:
        return self.child is not None and self.child.serves

    def keep(self, sockets: Mapping[str, int], shared: frozenset[str]) -> None:
        """Keep the sockets of a process that serves, in place of those of the one before."""
        self.close_doors()
        self.sockets, self.shared = dict(sockets), shared

    def close_doors(self) -> None:
        for number in self.sockets.values():
            os.close(number)
        self.sockets = {}
