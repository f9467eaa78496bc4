"""Fixtures for all tests: test rulesets, servers, and the server's log.

The rulesets are found like installed ones.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from twisted.logger import LogEvent, globalLogPublisher

from tests.support.cluster_node import Node
from tests.support.postgres import drop_tables, postgres_server, remove_rows
from tests.support.process import PLUGINS, run
from tests.support.server import ServerProcess, short_directory

# importlib.metadata finds the entry points of the .dist-info folder there; child processes inherit the path.
sys.path.insert(0, str(PLUGINS))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PLUGINS), os.environ.get("PYTHONPATH", "")]))

# A shell without job control starts background commands with SIGINT ignored, and so would all programs that the tests
# start; those that are interrupted on purpose would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples everywhere, so that whether a change is good does not depend on luck.
# HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("same", database=None, derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_configure(config: pytest.Config) -> None:
    """Rewrite the assertions of new test modules before there are workers, each of which would rewrite all of them."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        return
    stale = [str(module) for argument in config.args for module in _modules(argument) if _is_stale(module)]
    count = os.cpu_count() or 1
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider"]
    shares = [share for at in range(count) if (share := stale[at::count])]
    for process in [subprocess.Popen([*command, *share], stdout=subprocess.DEVNULL) for share in shares]:
        process.wait()  # an error of the collection is shown by the workers


def _modules(argument: str) -> Iterator[Path]:
    path = Path(argument.partition("::")[0])
    return path.rglob("test_*.py") if path.is_dir() else iter([path])


def _is_stale(module: Path) -> bool:
    saved = (module.parent / "__pycache__").glob(f"{module.stem}.*-pytest-*.pyc")
    return all(file.stat().st_mtime < module.stat().st_mtime for file in saved)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits longest: else all others would be done, and wait for it."""
    items.sort(key=lambda item: item.get_closest_marker("waits") is None)


def pytest_collection_finish() -> None:
    """Leave what is loaded by now out of every later collection: it stays, and looking at it again costs each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # the default of 700 costs a twelfth of the time of the tests


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a database on a PostgreSQL server that runs for all tests of this process."""
    with postgres_server() as url:
        yield url


@pytest.fixture
def emptied_postgres(postgres: str) -> Iterator[str]:
    """The URL of that database, without our tables before and after."""
    drop_tables(postgres)
    yield postgres
    drop_tables(postgres)


@pytest.fixture
def cleared_postgres(postgres: str) -> str:
    """The URL of that database, with our tables and no rows; a test that takes it leaves the tables as they are."""
    remove_rows(postgres)
    return postgres


EXAMPLE = Path(__file__).parent / "rulesets" / "example"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the example ruleset as pip installs it, without any network."""
    place = tmp_path_factory.mktemp("example")
    project = place / "project"  # a build writes beside its sources
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    alone = ["--no-index", "--no-deps", "--no-build-isolation"]
    command = [*pip, *alone, "--target", str(place / "site"), str(project)]
    done = run(*command)
    assert done.code == 0, done.err
    return place / "site"


@pytest.fixture
def directory() -> Iterator[Path]:
    """A directory with a short path: a control socket has to fit."""
    with short_directory() as made:
        yield made


@pytest.fixture
def live(directory: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Make servers that accept any name at login and are not started; killed at the end in any case.

    They have no supervisor, whose spare server costs as much again, and begin with their modules loaded.
    """
    with ExitStack() as stack:
        datas = (directory / f"data{number}" for number in range(100))
        yield lambda *arguments: stack.enter_context(
            ServerProcess(next(datas), "--no-parent", *arguments, preloaded=True)
        )


@pytest.fixture
def supervised(directory: Path) -> Iterator[Callable[..., ServerProcess]]:
    """The same, started as an operator does, with the supervisor that replaces them."""
    with ExitStack() as stack:
        datas = (directory / f"data{number}" for number in range(100))
        yield lambda *arguments: stack.enter_context(ServerProcess(next(datas), *arguments))


@pytest.fixture
def make_node(directory: Path) -> Iterator[Callable[..., Node]]:
    """make_node(name, url, lease): nodes of clusters, which are not started; killed at the end in any case."""
    with ExitStack() as stack:
        yield lambda name, *words, **more: stack.enter_context(Node(directory / name, *words, **more))


@pytest.fixture
def make_server() -> Iterator[Callable[..., Any]]:
    """Make servers in memory, each on a database of its own; all are stopped after the test."""
    from tests.support.server_in_memory import making_servers

    with making_servers() as make:
        yield make


@pytest.fixture
def server(make_server: Callable[..., Any]) -> Any:
    """A server in memory without games, where any name makes an account."""
    return make_server()


@pytest.fixture
def logged() -> Iterator[list[LogEvent]]:
    """The events that the server's own modules log during the test."""
    events: list[LogEvent] = []

    def observe(event: LogEvent) -> None:
        if str(event.get("log_namespace", "")).startswith("tpserver."):
            events.append(event)

    globalLogPublisher.addObserver(observe)
    yield events
    globalLogPublisher.removeObserver(observe)
