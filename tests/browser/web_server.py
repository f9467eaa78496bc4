"""A server as its operator runs it, with its page for browsers."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "endtoend"))

from live_server import HOST, LiveServer, free_port


class WebServer(LiveServer):
    """A server that gives browsers their page; `url` is where.

    One process: its parent, which these tests are not about, and a spare server cost as much again.
    """

    def __init__(self, data: Path, *arguments: str) -> None:
        self.web_port = free_port()
        super().__init__(data, "--web-port", str(self.web_port), "--no-parent", *arguments)
        self.url = f"http://{HOST}:{self.web_port}/"
