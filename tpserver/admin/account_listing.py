"""Accounts, the audit and abuse reports as text for the operator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tprules.printable import printable
from tpserver.admin.columns import when
from tpserver.admin.listing import Listing, Row
from tpserver.store.audit import AuditEntry
from tpserver.store.people.abuse_reports import ReportedLetter
from tpserver.store.people.accounts import Account


def account_list(accounts: Iterable[Account], seats: Mapping[int, int]) -> Listing:
    """Return a row for each account; ``seats`` are their numbers of seats."""
    empty = "There are no accounts yet; make one with: tpserver account add NAME"
    rows = [_account(one, seats.get(one.id, 0)) for one in accounts]
    return Listing(("name",), rows, ("NAME", "ROLE", "STATE", "SEATS", "MADE"), empty)


def _account(account: Account, seats: int) -> Row:
    state, reason = "active", ""
    if account.removed is not None:
        state = "removed"
    elif account.disabled is not None:
        state, reason = "disabled", account.disabled_reason or ""
    shown = f"{state}: {reason}" if reason else state
    return Row(
        {
            "name": account.name,
            "role": account.role,
            "state": state,
            "reason": reason,
            "seats": seats,
            "created": account.created,
        },
        (account.name, account.role, shown, seats, when(account.created)),
    )


def audit_list(entries: Iterable[AuditEntry], empty: str) -> Listing:
    """Return a row for each entry."""
    head = ("WHEN", "WHO", "WHAT", "WHOM", "HOW", "WHY")
    return Listing(("actor", "operation", "subject"), [_entry(one) for one in entries], head, empty)


def _entry(entry: AuditEntry) -> Row:
    details = {name: value for name, value in entry.details.items() if name != "seed"}  # in entries of earlier versions
    shown = " ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in details.items())
    return Row(
        {
            "at": entry.at,
            "actor": entry.actor,
            "operation": entry.operation,
            "subject": entry.subject,
            "details": details,
            "reason": entry.reason,
        },
        (when(entry.at), entry.actor, entry.operation, entry.subject, shown, entry.reason),
    )


def report_list(
    reports: Iterable[ReportedLetter], names: Mapping[int, str], games: Mapping[int, str], empty: str
) -> Listing:
    """Return a row for each abuse report; ``names`` and ``games`` are by id."""
    rows = []
    for one in reports:
        writer, reader = names.get(one.writer or 0, "somebody"), names.get(one.account, "somebody")
        where = games.get(one.game, "a game that no longer exists")
        lines = [
            f"{one.id}. {writer} to {reader} in {where}, turn {one.turn}, {when(one.written)}",
            f"  subject   {printable(one.subject)}",
            *(f"  text      {printable(line)}" for line in one.body.splitlines()),
            f"  reported  {when(one.at)}: {one.reason}",
        ]
        if one.closed is not None:
            lines.append(f"  decided   {one.decision} by {one.closed_by}, {when(one.closed)}: {one.answer}")
        data = {
            "number": one.id,
            "writer": names.get(one.writer or 0),
            "reporter": names.get(one.account),
            "game": games.get(one.game),
            "turn": one.turn,
            "written": one.written,
            "subject": one.subject,
            "body": one.body,
            "reported": one.at,
            "reason": one.reason,
            "decision": one.decision,
            "closed": one.closed,
            "closed_by": one.closed_by,
            "answer": one.answer,
        }
        rows.append(Row(data, below=lines))
    return Listing(("writer", "reporter", "game"), rows, empty=empty)
