"""Operator's commands about the server: its audit, process and node."""

from __future__ import annotations

from typing import Annotated

from tprules.printable import quoted
from tpserver.admin.commands.declaration import command, option, word
from tpserver.admin.context import AdminContext
from tpserver.admin.listing import Listing
from tpserver.admin.socket_protocol import OperationError

MOST_ENTRIES = 10_000
"""Maximum entries of the audit in one output."""


@command("audit", "show what operators and moderators have done", console=20, role="moderator", audit="never")
async def audit(
    context: AdminContext,
    name: Annotated[str | None, word("NAME", "only with this account or game", console=True)] = None,
    most: Annotated[
        int | None, option("only the newest N (default 100)", "N", bounds=("entries", 1, MOST_ENTRIES), console=True)
    ] = None,
) -> Listing:
    """Show at most ``most`` entries of the audit, about one account or game or about all."""
    from tpserver.admin.account_listing import audit_list
    from tpserver.store import audit as stored_audit

    most = 100 if most is None else most
    if not 1 <= most <= MOST_ENTRIES:
        raise OperationError(f"1 to {MOST_ENTRIES} entries are shown, not {most}")
    entries = context.registry.store.read(stored_audit.newest, most, name or "")
    return audit_list(entries, f"There is nothing in the audit {f'about {quoted(name)}' if name else 'yet'}.")


@command("reload", "have the running server read its configuration and certificates again", console=11, process="all")
async def reload(context: AdminContext) -> list[str]:
    return await context.reload()


@command("restart", "replace the process of the running server, by one of the present release; connections are kept")
async def restart(context: AdminContext) -> list[str]:
    return await context.restart()


@command(
    "node drain", "have this node hand its games over to the others, and take none; connections stay", process="all"
)
async def node_drain(context: AdminContext) -> list[str]:
    return await context.drain(True)


@command("node undrain", "have this node take games again", process="all")
async def node_undrain(context: AdminContext) -> list[str]:
    return await context.drain(False)
