"""Vacations of accounts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, insert, select, update

from tpserver.store.games.rows import LACKING
from tpserver.store.tables import vacations


@dataclass(frozen=True, slots=True)
class Vacation:
    """An absence of an account from ``begins`` to ``ends``, declared at ``made``.

    All are in UTC unix seconds.
    """

    id: int
    account: int
    begins: float
    ends: float
    made: float


_SELECT = select(*(vacations.c[each.name] for each in fields(Vacation))).order_by(vacations.c.begins, vacations.c.id)


def add(c: Connection, account: int, begins: float, ends: float, now: float) -> Vacation:
    """Add a vacation of an account."""
    values = {"account": account, "begins": begins, "ends": ends, "made": now}
    added = c.execute(insert(vacations).values(values).returning(vacations.c.id)).scalar_one()
    return Vacation(added, account, begins, ends, now)


def end(c: Connection, vacation: int, ends: float) -> None:
    """Set another end of a vacation."""
    c.execute(update(vacations).where(vacations.c.id == vacation).values(ends=ends))


def forget(c: Connection, account: int, before: float) -> None:
    """Remove the vacations of an account that had ended before a time."""
    c.execute(delete(vacations).where(vacations.c.account == account, vacations.c.ends < before))


def of_accounts(c: Connection, accounts: Collection[int]) -> list[Vacation]:
    """Return all vacations of these accounts, the earliest first."""
    if not accounts or f"{vacations.name}.id" in c.info.get(LACKING, ()):  # the tables are of an older version
        return []
    return [Vacation(*row) for row in c.execute(_SELECT.where(vacations.c.account.in_(accounts)))]
