"""Stored last-seen marks of accounts in their games."""

import pytest
from alembic import command
from sqlalchemy import create_engine

from tpserver.store import Store
from tpserver.store.games import boards
from tpserver.store.games.boards import StoredMessage
from tpserver.store.people import accounts, last_seen
from tpserver.store.people.last_seen import LastLook
from tpserver.store.schema import configuration


@pytest.fixture
def other(do):
    return do(lambda c: accounts.add(c, "Ben", "hash", now=999.5))


def message(game, number, sender, board=1):
    return StoredMessage(game.id, board, number, 0, 1000.0, sender, "subject", "body", [])


def test_the_last_look_is_kept_by_game_and_account(do, store, new_game, game, account, other):
    second = do(lambda c: new_game(c, "Second"))
    for seen in (
        {(game.id, account.id): LastLook(3, 7), (game.id, other.id): LastLook(9, 0)},
        {(game.id, account.id): LastLook(4, 7), (second.id, account.id): LastLook(-1, 2)},
        {},
    ):
        do(lambda c, seen=seen: last_seen.put_all(c, seen))
    assert store.read(last_seen.of_game, game.id) == {account.id: LastLook(4, 7), other.id: LastLook(9, 0)}
    both = [game.id, second.id]
    assert store.read(last_seen.of_account, account.id, both) == {game.id: LastLook(4, 7), second.id: LastLook(-1, 2)}
    assert store.read(last_seen.of_account, account.id, [second.id, 99]) == {second.id: LastLook(-1, 2)}
    assert store.read(last_seen.of_account, other.id, both) == {game.id: LastLook(9, 0)}


def test_letters_are_messages_of_others_on_that_board(do, store, game):
    """Reports, the writer's own copies, other boards and removed messages do not count."""
    senders = {1: None, 2: 2, 3: 1, 4: 2, 5: 3}
    do(lambda c: boards.post_all(c, [message(game, number, sender) for number, sender in senders.items()]))
    do(lambda c: boards.post_all(c, [message(game, 1, 1, board=2)]))
    found = [store.read(last_seen.letters_after, game.id, 1, read) for read in range(6)]
    assert found == [3, 3, 2, 2, 1, 0]
    do(lambda c: boards.remove(c, game.id, 1, [4]))
    assert store.read(last_seen.letters_after, game.id, 1, 0) == 2


def test_what_was_there_before_the_table_counts_as_seen(url, make_first_tables):
    """Of games that have started; in one that waits nobody has seen a turn."""
    engine = create_engine(url)
    words = "INSERT INTO accounts (name, name_key, password_hash, email, comment, created, bot)"
    games = (
        'INSERT INTO games (name, name_key, ruleset, ruleset_version, options, seed, clock, "join", state, '
        "held_reason, turn, created, started, bots)"
    )
    with engine.begin() as connection:
        make_first_tables(connection)
        run = connection.exec_driver_sql
        run(f"{words} VALUES ('ann', 'ann', '', '\"\"', '\"\"', 0, FALSE)")
        for name, started in (("old", "5"), ("new", "NULL")):
            values = f"'{name}', '{name}', 'tae', 1, '{{}}', '', 'manual', 'open', 'paused', '', 12, 0, {started}, 0"
            run(f"{games} VALUES ({values})")
        for game in (1, 2):
            run(f"INSERT INTO seats (game, seat, account, name, bot) VALUES ({game}, 0, NULL, '', FALSE)")
            run(f"INSERT INTO seats (game, seat, account, name, bot) VALUES ({game}, 1, 1, 'ann', FALSE)")
            run(f"INSERT INTO boards (game, board, last_number) VALUES ({game}, 2, 34)")
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    engine.dispose()
    store = Store.open(url, reactor=None)
    assert store.read(last_seen.of_game, 1) == {1: LastLook(12, 34)}
    assert store.read(last_seen.of_game, 2) == {}
    store.close()
