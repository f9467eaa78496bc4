"""A database file removed or overwritten under a running server.

The server notices and reports it, and acknowledges nothing more.
"""

import shutil
from pathlib import Path

import pytest

from tpserver.store import Store, StoreError
from tpserver.store.backends.sqlite import has_been_made
from tpserver.store.games import rows as games


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.sqlite"


@pytest.fixture
def opened(path: Path):
    store = Store.open(f"sqlite:///{path}", reactor=None)
    yield store
    store.close()


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def replaced_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


def truncated(path: Path) -> None:
    path.write_bytes(b"")


def overwritten(path: Path) -> None:
    path.write_bytes(b"something else\n" * 1000)


LOSSES = {
    "removed": Path.unlink,
    "moved": lambda path: path.rename(path.with_name("elsewhere")),
    "replaced": replaced_by_a_copy,
    "truncated": truncated,
    "overwritten": overwritten,
    "its log removed": lambda path: beside(path, "-wal").unlink(),
    "its log's index removed": lambda path: beside(path, "-shm").unlink(),
}


@pytest.fixture(params=list(LOSSES))
def lose(request: pytest.FixtureRequest):
    return LOSSES[request.param]


def failure_of(deferred) -> StoreError:
    failures: list = []
    deferred.addBoth(failures.append)
    (failure,) = failures
    assert isinstance(failure.value, StoreError), failure
    return failure.value


def test_nothing_is_acknowledged_once_the_file_is_gone(opened, path, lose, new_game):
    opened.write(lambda c: new_game(c, "Rome"))
    assert opened.gone is None
    lose(path)
    error = failure_of(opened.write(lambda c: new_game(c, "Carthage")))
    assert error.code == "gone"
    assert str(path) in error.sentence
    assert "nothing is saved now" in error.sentence
    assert opened.gone is not None


def test_a_server_that_is_killed_has_had_a_database_too(opened, path):
    path.unlink()
    assert has_been_made(path), "said as soon as it is open, not only when it is closed"


def test_a_look_finds_it_without_anything_to_save(opened, path, lose, new_game):
    opened.write(lambda c: new_game(c, "Rome"))
    opened.look()
    assert opened.gone is None
    lose(path)
    opened.look()
    assert opened.gone is not None
    with pytest.raises(StoreError) as refused:
        opened.read(games.all)
    assert refused.value.code == "gone"


def test_what_is_committed_into_a_file_that_goes_meanwhile_is_not_acknowledged(opened, path, lose, new_game):
    """The file goes between the beginning of the transaction and its COMMIT."""

    def unit(connection):
        made = new_game(connection, "Rome")
        lose(path)
        return made

    assert failure_of(opened.write(unit)).code in ("gone", "damaged", "foreign", "unavailable")
    assert failure_of(opened.write(lambda c: None)).code == "gone"


def test_a_file_that_is_put_back_does_not_bring_the_server_back(opened, path, new_game):
    """Memory may be ahead of what an operator puts back; only a new start knows that it is not."""
    opened.write(lambda c: new_game(c, "Rome"))
    path.rename(path.with_name("elsewhere"))
    opened.look()
    path.with_name("elsewhere").rename(path)
    opened.look()
    assert failure_of(opened.write(lambda c: new_game(c, "Carthage"))).code == "gone"
    opened.close()
    again = Store.open(f"sqlite:///{path}", reactor=None)
    assert [game.name for game in again.read(games.all)] == ["Rome"]
    again.close()


def test_the_writer_thread_tells_and_goes_on_refusing(tmp_path, reactor, new_game):
    path = tmp_path / "file.sqlite"
    store = Store.open(f"sqlite:///{path}", reactor=reactor)
    reactor.result_of(store.write(lambda c: new_game(c, "Rome")))
    path.unlink()
    with pytest.raises(StoreError) as refused:
        reactor.result_of(store.write(lambda c: new_game(c, "Carthage")))
    assert refused.value.code == "gone"
    assert store.gone is not None
    assert failure_of(store.write(lambda c: None)).code == "gone"
    assert failure_of(store.read_later(games.all)).code == "gone"
    reactor.result_of(store.close())
    assert not path.exists(), "nothing empty stands in its place"


def test_nobody_reads_an_empty_file_into_being(opened, path):
    path.unlink()
    with pytest.raises(StoreError):
        opened.read(games.all)
    assert not path.exists()


@pytest.mark.parametrize("what", [Path.unlink, truncated])
def test_a_server_does_not_begin_anew_where_a_database_has_been(path, what):
    """It would look like a loss of everything; an operator asks for it by --new."""
    url = f"sqlite:///{path}"
    Store.open(url, reactor=None).close()
    what(path)
    for _ in range(2):
        with pytest.raises(StoreError) as refused:
            Store.open(url, reactor=None)
        assert refused.value.code == "gone"
        assert "--new" in refused.value.sentence
    Store.open(url, reactor=None, is_new=True).close()
    Store.open(url, reactor=None).close()


def test_an_overwritten_file_is_named_for_what_it_is_at_the_next_start(path):
    url = f"sqlite:///{path}"
    Store.open(url, reactor=None).close()
    overwritten(path)
    with pytest.raises(StoreError, match="is not a database of tpserver") as refused:
        Store.open(url, reactor=None)
    assert refused.value.code == "foreign"
    assert path.read_bytes().startswith(b"something else")


def test_a_connection_made_anew_has_a_log_of_its_own(opened, path, new_game):
    """SQLite removes its log with the last connection; that is no loss."""
    opened.write(lambda c: new_game(c, "Rome"))
    opened.release()
    opened.look()
    opened.write(lambda c: new_game(c, "Carthage"))
    opened.look()
    assert [game.name for game in opened.read(games.all)] == ["Rome", "Carthage"]
