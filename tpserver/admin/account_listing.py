"""Accounts, and the audit, as text for the operator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tpserver.admin.columns import table
from tpserver.admin.game_listing import when
from tpserver.store.accounts import Account
from tpserver.store.audit import AuditEntry


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
    return " ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in details.items())
