"""Reliability of accounts: due turns and kept turns in all their games."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, Table, delete, insert, select, update

from tpserver.store.tables import hidden_turns, reliability


def count(c: Connection, turns: Mapping[int, bool]) -> None:
    """Count a due turn of each of these accounts; the values are True if it was kept."""
    for account, kept in turns.items():
        _add(c, reliability, {"account": account}, 1, int(kept))


def count_at_end(c: Connection, game: int, turns: Mapping[int, bool]) -> None:
    """Record the same for an anonymous game. It counts once ``count_hidden`` is called at its end."""
    for account, kept in turns.items():
        _add(c, hidden_turns, {"game": game, "account": account}, 1, int(kept))


def count_hidden(c: Connection, game: int) -> None:
    """Count the turns of a game that is over and was anonymous."""
    mine = hidden_turns.c.game == game
    for row in c.execute(select(hidden_turns).where(mine)).all():
        _add(c, reliability, {"account": row.account}, row.due, row.kept)
    c.execute(delete(hidden_turns).where(mine))


def _add(c: Connection, table: Table, key: Mapping[str, int], due: int, kept: int) -> None:
    more = {"due": table.c.due + due, "kept": table.c.kept + kept}
    found = update(table).where(*(table.c[name] == value for name, value in key.items()))
    if not c.execute(found.values(more)).rowcount:
        c.execute(insert(table).values(**key, due=due, kept=kept))


def of_accounts(c: Connection, accounts: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return the due and kept turns of accounts. A missing account has no due turns."""
    query = select(reliability).where(reliability.c.account.in_(accounts))
    return {row.account: (row.due, row.kept) for row in c.execute(query)}


def hidden_of(c: Connection, account: int) -> dict[int, tuple[int, int]]:
    """Return the turns of an account that do not count yet, by anonymous game."""
    query = select(hidden_turns).where(hidden_turns.c.account == account)
    return {row.game: (row.due, row.kept) for row in c.execute(query)}
