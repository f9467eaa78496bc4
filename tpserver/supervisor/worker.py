"""Server process slot of the supervisor, with data for the successor."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tpserver.supervisor.child import Child


@dataclass
class Worker:
    """A server process by its ``number`` from 0. After its end another one replaces it."""

    number: int
    child: Child | None = None
    sockets: dict[str, int] = field(default_factory=dict)
    """Listening sockets of the latest process, by ``EndpointSpec.key``."""
    shared: frozenset[str] = frozenset()
    """The keys of the sockets that all processes share."""
    has_served: bool = False
    fails: int = 0
    """Number of consecutive quick ends."""
    next: float = 0.0
    """Time when the next process may begin, by the monotonic clock."""
    kill_at: float = float("inf")
    """Time when a process that was asked to stop is killed."""
    reload: bool = False
    """True to notify the process of a changed configuration as soon as it serves."""
    successor_by: float | None = None
    """Latest end of the process that has requested a successor, while the successor loads its modules."""
    is_replaced: bool = False
    """True if the process was stopped to be replaced."""

    @property
    def serves(self) -> bool:
        return self.child is not None and self.child.serves

    def keep(self, sockets: Mapping[str, int], shared: frozenset[str]) -> None:
        """Keep the sockets of a process that serves, in place of those of its predecessor."""
        self.close_doors()
        self.sockets, self.shared = dict(sockets), shared

    def close_doors(self) -> None:
        for number in self.sockets.values():
            os.close(number)
        self.sockets = {}
