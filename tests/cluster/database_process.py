"""Nodes as their operator runs them, on a database that has troubles of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, create_engine

from tests.support.process import SECONDS
from tests.support.server import ServerProcess, free_port
from tests.support.wire import Client, Failed, Gone
from tpproto import tp_pb2 as tp


class Node(ServerProcess):
    """A server of a cluster, whose database is at ``url``; ``lease`` seconds long it lives without it."""

    def __init__(self, place: Path, url: str, lease: int, *arguments: str, prefix: Sequence[str] = ()) -> None:
        self.config = place.with_suffix(".toml")
        self.address = f"127.0.0.1:{free_port()}"
        self.config.write_text(
            f'[server]\nstore = "{url}"\n[cluster]\naddress = "{self.address}"\nlease_seconds = {lease}\n'
        )
        super().__init__(place, "--web", "off", "--config", str(self.config), *arguments)
        self.command_line[:0] = prefix

    def kill(self) -> None:
        """End the server and its parent at once."""
        serving = self.children() if self.is_running and "--no-parent" not in self.command_line else []
        super().kill()
        give_up = time.monotonic() + SECONDS
        while any(Path(f"/proc/{one}/exe").exists() for one in serving):  # it ends with its parent
            assert time.monotonic() < give_up
            time.sleep(0.01)

    def connected(self, user: str) -> Client:
        """A connection that is logged in, as soon as the server lets it."""
        give_up = time.monotonic() + SECONDS
        while True:
            try:
                return Client(self.port, user=user)
            except (Failed, Gone, OSError):  # the game is held elsewhere, or the database is away
                assert time.monotonic() < give_up, self.tail()
                time.sleep(0.05)

    def play_a_turn(self, game: str, *players: str) -> None:
        """Have players finish the turn, asking again while that is refused, until there is the next one."""
        give_up = time.monotonic() + SECONDS
        before = None
        for player in players:
            while True:
                client = self.connected(f"{player}@{game}")
                try:
                    before = turn(client) if before is None else before
                    finish(client)
                    break
                except (Failed, Gone, OSError):
                    assert time.monotonic() < give_up, self.tail()
                    time.sleep(0.05)
                finally:
                    client.close()
        client = self.connected(f"{players[0]}@{game}")
        self.wait_until(lambda: turn(client) == (before or 0) + 1, "closes no turn")
        client.close()


def turn(client: Client) -> int:
    """The turn of the game, as a server tells it."""
    return client.one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining).turn


def finish(client: Client) -> None:
    """Finish the turn; raises Failed if that is refused."""
    client.one("finished_turn", tp.FinishedTurn(), tp.Okay)


def refused(ask: Callable[[], object]) -> str:
    """Why something is refused, or an empty text if the connection is ended."""
    try:
        ask()
    except Failed as error:
        return str(error)
    except (Gone, OSError):
        return ""
    raise AssertionError("it was not refused")


@contextmanager
def engine(url: str) -> Iterator[Engine]:
    """What asks the database, apart from all servers, and commits at once."""
    made = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        yield made
    finally:
        made.dispose()
