"""Audit: actions of operators and of accounts with a role.

Entries are added, and never changed or removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sqlalchemy import Connection, insert, select

from tpserver.store.tables import audit, values_of


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One operation: time, actor, name, account or game, and reason.

    The time is in UTC unix seconds. ``details`` are further arguments (JSON-able), never a password, a token or a code.
    """

    at: float
    actor: str
    operation: str
    subject: str
    details: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


_SELECT = select(*(audit.c[each.name] for each in fields(AuditEntry)))


def add(c: Connection, entry: AuditEntry) -> None:
    """Add an entry."""
    c.execute(insert(audit).values(values_of(entry)))


def newest(c: Connection, most: int, subject: str = "") -> list[AuditEntry]:
    """Return the newest entries in order, at most ``most``; with ``subject`` only those of that account or game."""
    query = _SELECT.order_by(audit.c.id.desc()).limit(most)
    if subject:
        query = query.where(audit.c.subject == subject)
    return [AuditEntry(*row) for row in reversed(c.execute(query).all())]
