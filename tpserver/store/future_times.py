"""Correction of stored times that are too far in the future.

They result from a wrong system clock that was set back later. Such a time would have an effect for years. A login would
not expire, a limit would stay used up, a notification would wait. So each time is set to the latest value that it could
get now.
"""

from sqlalchemy import Connection, Table, func, select, update

from tpserver.store import tables

HOUR, DAY = 3600.0, 86400.0
SLACK = HOUR
"""Seconds of tolerance. Clocks of nodes differ, and small steps of a clock do no harm."""

LATEST: dict[Table, dict[str, float]] = {
    tables.accounts: {"created": 0.0, "guest": 0.0, "unused_since": 0.0},
    tables.creations: {"alone_since": 0.0},
    tables.logins: {"created": 0.0, "used": 0.0, "signed_in": 0.0},
    tables.identities: {"created": 0.0, "used": 0.0},
    tables.account_mails: {"at": 0.0, "next_try": 7 * DAY},
    tables.resets: {"at": 0.0, "next_try": HOUR},
    tables.tokens: {"created": 0.0, "used": 0.0, "ends": 366 * DAY},
    tables.proposals: {"made": 0.0, "until": 3 * DAY},
    tables.vacations: {"made": 0.0, "begins": 366 * DAY, "ends": 366 * DAY},
    tables.silences: {"until": 366 * DAY},
    tables.notice_addresses: {"created": 0.0, "rest": 7 * DAY},
    tables.notice_codes: {"at": 0.0},
    tables.outbox: {"created": 0.0, "next_try": 366 * DAY},
    tables.done_requests: {"at": 0.0},
}
"""Maximum seconds between now and a time to store, by table and column."""

_SOON = 7 * DAY
"""The same for the next try of a notification without a deadline."""


def count_all(connection: Connection, now: float) -> dict[str, int]:
    """Return the number of rows with a time that is too late, by table name."""
    found = {}
    for table, columns in LATEST.items():
        too_late = sum(
            connection.scalar(select(func.count()).where(table.c[name] > now + seconds + SLACK)) or 0
            for name, seconds in columns.items()
        )
        if too_late:
            found[table.name] = too_late
    return found


def bound_all(connection: Connection, now: float) -> dict[str, int]:
    """Set times that are too late to the latest possible, and return the result of `count_all` before that."""
    found = count_all(connection, now)
    if "proposals" in found:  # their games are loaded sooner, which does no harm
        late = select(tables.proposals.c.game).where(tables.proposals.c.until > now + 3 * DAY + SLACK)
        connection.execute(update(tables.games).where(tables.games.c.id.in_(late)).values(wake=now))
    for table, columns in LATEST.items():
        for name, seconds in columns.items() if table.name in found else ():
            column = table.c[name]
            connection.execute(update(table).where(column > now + seconds + SLACK).values({name: now + seconds}))
    outbox = tables.outbox.c
    is_late = (outbox.kind != "deadline") & (outbox.next_try > now + _SOON + SLACK)
    connection.execute(update(tables.outbox).where(is_late).values(next_try=now))
    return found
