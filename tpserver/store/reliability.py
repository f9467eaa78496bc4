"""How many turns were due from accounts in all their games, and how many of them they kept."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, insert, select, update

from tpserver.store.tables import reliability


def count(c: Connection, turns: Mapping[int, bool]) -> None:
    """Count a turn that was due from each of these accounts; the values tell whether it was kept."""
    for account, kept in turns.items():
        more = {"due": reliability.c.due + 1, "kept": reliability.c.kept + int(kept)}
        if not c.execute(update(reliability).where(reliability.c.account == account).values(more)).rowcount:
            c.execute(insert(reliability).values(account=account, due=1, kept=int(kept)))


def of_accounts(c: Connection, accounts: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return the turns due from accounts and kept by them; of one that is missing, none were due."""
    query = select(reliability).where(reliability.c.account.in_(accounts))
    return {row.account: (row.due, row.kept) for row in c.execute(query)}
