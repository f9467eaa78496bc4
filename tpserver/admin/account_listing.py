"""Accounts, and the audit, as text for the operator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tprules.printable import printable
from tpserver.admin.columns import table
from tpserver.admin.game_listing import when
from tpserver.store.accounts import Account
from tpserver.store.audit import AuditEntry
from tpserver.store.reported_letters import ReportedLetter


def account_list(accounts: Iterable[Account], seats: Mapping[int, int]) -> list[str]:
    """Return one line per account; ``seats`` are their numbers of seats."""
    head = ("NAME", "ROLE", "STATE", "SEATS", "MADE")
    return table(head, [(one.name, one.role, _state(one), seats.get(one.id, 0), when(one.created)) for one in accounts])


def _state(account: Account) -> str:
    if account.removed is not None:
        return "removed"
    if account.disabled is not None:
        return f"disabled: {account.disabled_reason}" if account.disabled_reason else "disabled"
    return "active"


def audit_list(entries: Iterable[AuditEntry]) -> list[str]:
    """Return one line per entry."""
    head = ("WHEN", "WHO", "WHAT", "WHOM", "HOW", "WHY")
    return table(
        head,
        [(when(one.at), one.actor, one.operation, one.subject, _details(one.details), one.reason) for one in entries],
    )


def _details(details: Mapping[str, object]) -> str:
    """Return the arguments of an operation; entries of earlier versions have the seed of a game among them."""
    shown = {name: value for name, value in details.items() if name != "seed"}
    return " ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in shown.items())


def report_list(reports: Iterable[ReportedLetter], names: Mapping[int, str], games: Mapping[int, str]) -> list[str]:
    """Return letters that were reported, as they were stored; ``names`` and ``games`` are by their ids."""
    lines: list[str] = []
    for one in reports:
        writer, reader = names.get(one.writer or 0, "somebody"), names.get(one.account, "somebody")
        where = games.get(one.game, "a game that is not there any more")
        lines += [
            f"{one.id}. {writer} to {reader} in {where}, turn {one.turn}, {when(one.written)}",
            f"  subject   {printable(one.subject)}",
            *(f"  text      {printable(line)}" for line in one.body.splitlines()),
            f"  reported  {when(one.at)}: {one.reason}",
        ]
        if one.closed is not None:
            lines.append(f"  decided   {one.decision} by {one.closed_by}, {when(one.closed)}: {one.answer}")
    return lines
