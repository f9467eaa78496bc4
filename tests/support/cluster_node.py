"""Nodes of a cluster in processes of their own."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Engine, create_engine

from tests.support.process import SECONDS
from tests.support.server import ServerProcess, free_port
from tests.support.wire import Client, Failed, Gone
from tpproto import tp_pb2 as tp


class Node(ServerProcess):
    """A server of a cluster, whose database is at ``url``; ``lease`` seconds long it lives without it.

    ``lines`` are added to the section ``cluster`` of its configuration. If ``alone``, it has no supervisor, and begins
    with its modules loaded.
    """

    def __init__(
        self,
        place: Path,
        url: str,
        lease: int,
        *arguments: str,
        lines: Sequence[str] = (),
        web: bool = False,
        alone: bool = False,
    ) -> None:
        self.config = place.with_suffix(".toml")
        self.address = f"127.0.0.1:{free_port()}"
        section = [f'address = "{self.address}"', f"lease_seconds = {lease}", *lines]
        self.config.write_text("\n".join([f'[server]\nstore = "{url}"', "[cluster]", *section]))
        words = [*([] if web else ["--web", "off"]), *(["--no-parent"] if alone else []), *arguments]
        super().__init__(place, "--config", str(self.config), *words, preloaded=alone)

    def kill(self) -> None:
        """End the server and its supervisor at once."""
        serving = self.children() if self.is_running and "--no-parent" not in self.command_line else []
        super().kill()
        for one in serving:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGCONT)  # a frozen one could not end with its parent
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
    """The number of the turn, from the server."""
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
    """Connect to the database apart from all servers, and commit at once."""
    made = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        yield made
    finally:
        made.dispose()
