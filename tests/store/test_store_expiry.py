"""Expiry of accounts and games starts with the upgrade that introduces it."""

import time

from alembic import command
from sqlalchemy import create_engine

from tpserver.store import Store
from tpserver.store.schema import configuration


def test_the_time_of_what_is_there_begins_at_the_upgrade(url, make_first_tables):
    """Of an account without a trace of use, and a game with one player, however old they are."""
    engine = create_engine(url)
    games = (
        'INSERT INTO games (name, name_key, ruleset, ruleset_version, options, seed, clock, "join", state, '
        "held_reason, turn, created, bots)"
    )
    with engine.begin() as connection:
        make_first_tables(connection)
        run = connection.exec_driver_sql
        for name in ("unused", "player", "maker", "other"):
            words = "INSERT INTO accounts (name, name_key, password_hash, email, comment, created, bot)"
            run(f"{words} VALUES ('{name}', '{name}', '', '\"\"', '\"\"', 1, FALSE)")
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
        for game in (1, 2):
            run(
                f"{games} VALUES ('g{game}', 'g{game}', 'tae', 1, '{{}}', '', 'manual', 'open', 'waiting', '', 0, 1, 0)"
            )
            run(f"INSERT INTO creations (game, account) VALUES ({game}, 3)")
            run(f"INSERT INTO seats (game, seat, account, name, bot) VALUES ({game}, 0, 3, 'maker', FALSE)")
        run("INSERT INTO seats (game, seat, account, name, bot) VALUES (1, 1, NULL, '', FALSE)")
        run("INSERT INTO seats (game, seat, account, name, bot) VALUES (2, 1, 2, 'player', FALSE)")
        command.upgrade(config, "head")
    engine.dispose()
    store = Store.open(url, reactor=None)
    unused = store.read(lambda c: c.exec_driver_sql("SELECT name, unused_since FROM accounts ORDER BY id").all())
    alone = store.read(lambda c: c.exec_driver_sql("SELECT game, alone_since FROM creations ORDER BY game").all())
    store.close()
    assert [name for name, since in unused if since is not None] == ["unused", "other"]
    assert time.time() - unused[0][1] < 600
    assert [game for game, since in alone if since is not None] == [1]
    assert time.time() - alone[0][1] < 600
