"""Data that operator's commands use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tpserver.admin.socket_protocol import OperationError

if TYPE_CHECKING:
    from tpserver.accounts.accounts import Accounts
    from tpserver.admin.other_processes import OtherProcesses
    from tpserver.games.core.game import Game
    from tpserver.games.hall.registry import GameRegistry

OPERATOR = "the operator"
"""Actor in the audit for actions from the command line."""


async def _no_server() -> list[str]:
    raise OperationError("no server runs on this data, so there is none to read a configuration")


async def _no_server_to_restart() -> list[str]:
    raise OperationError("no server runs on this data; tpserver run starts one")


async def _no_node(draining: bool) -> list[str]:
    raise OperationError("no server runs on this data that is a node of a cluster; tpserver run starts one")


@dataclass
class AdminContext:
    """Data that operations use."""

    registry: GameRegistry
    accounts: Accounts
    clock: str = "all-done"
    """The default clock of a new game."""
    join: Literal["open", "invited"] = "open"
    bring_bots: Callable[[Game], object] = lambda game: None
    """Called with a game that is new or resumed; a running server starts its bots."""
    reload: Callable[[], Awaitable[list[str]]] = _no_server
    """Has a running server read its configuration and certificates again."""
    restart: Callable[[], Awaitable[list[str]]] = _no_server_to_restart
    """Has a running server replaced by another process."""
    drain: Callable[[bool], Awaitable[list[str]]] = _no_node
    """Has a node of a cluster hand over its games, or take games again."""
    takes_guests: Callable[[], bool] = lambda: True
    """Returns whether the server accepts guests."""
    others: OtherProcesses | None = None
    """The other processes of a running server, if it has several."""
    ask_node: Callable[[str, str, Mapping[str, Any], str], Awaitable[list[str]]] | None = None
    """Lets the cluster node at an address perform an operation for an actor.

    It is like `OtherProcesses.ask`. None: this server is no node, or does not run.
    """
