"""Faults that are put into a copy of the server on purpose: the simulation must find each.

``python -m tests.simulation.planted [NAME]...`` prints after how many worlds each was found.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
COPIED = (
    "tpserver",
    "protocol",
    "rulesets",
    "tests/durability",
    "tests/plugins",
    "tests/requests",
    "tests/simulation",
    "tests/support",
)

Change = tuple[str, str, str]
"""A file, a piece of its text, and what stands there instead."""

# ruff: noqa: E501, ISC004 - a line of the server is shown as it stands there
PLANTED: dict[str, Sequence[Change]] = {
    "answers do not wait for the commit": [
        ("tpserver/requests/session.py", "        if waiting is None:\n            return ready\n        return waiting.",
         "        if ready:\n            return ready\n        return waiting."),
    ],
    "those who wait are told that it was saved when it was not": [
        ("tpserver/store/database.py", "            if job.error is None:\n                job.deferred",
         "            if True:\n                job.deferred"),
    ],
    "what was given before a failure was known is saved without what had failed": [
        ("tpserver/store/database.py", "while fault and unaware < len(group)", "while False and unaware < len(group)"),
    ],
    "of a large group the last rows are not written": [
        ("tpserver/store/writer.py", "rows = [job.row for job in jobs]", "rows = [job.row for job in jobs][:2]"),
    ],
    "a game goes on with what could not be saved": [
        ("tpserver/games/game.py", "        self.stale = True\n        waiters", "        waiters"),
    ],
    "a removal is not in the journal": [
        ("tpserver/games/taking_orders.py", "    game.append(game.entry(change.made_by, order.seat, body, now))\n",
         "    if change.made_by != stored_journal.REMOVE:\n"
         "        game.append(game.entry(change.made_by, order.seat, body, now))\n"),
    ],
    "the journal has another slot": [
        ("tpserver/games/taking_orders.py", "stored.draft, change.slot]", "stored.draft, 0]"),
    ],
    "orders are taken while the turn is computed": [
        ("tpserver/games/taking_orders.py", "    if game.closing:\n        raise Refusal", "    if False:\n        raise Refusal"),
    ],
    "a mark that is taken back stays": [
        ("tpserver/games/taking_orders.py", "    game.finished -= {seat}\n", "    pass\n"),
    ],
    "the last order after a snapshot is not restored": [
        ("tpserver/games/restoring.py", "    for entry in entries:\n        if entry.kind in ORDER_KINDS:",
         "    for entry in entries[:-1]:\n        if entry.kind in ORDER_KINDS:"),
    ],
    "who has finished is not restored": [
        ("tpserver/games/restoring.py", "            game.finished |= {entry.seat}\n", "            pass\n"),
    ],
    "a shortened journal lacks a queue": [
        ("tpserver/games/compaction.py", "    queues = dict(game.state.queues)  #",
         "    queues = dict(list(game.state.queues.items())[:-1])  #"),
    ],
    "a new turn is shown before it is saved": [
        ("tpserver/games/lifecycle.py", '        reached("closing: given")\n        await durable(game)\n',
         '        reached("closing: given")\n'),
    ],
    "the row keeps the number of the turn before": [
        ("tpserver/games/lifecycle.py", '            "turn": advanced.state.turn,\n', '            "turn": game.state.turn,\n'),
    ],
    "a turn is closed with a seat that has not finished": [
        ("tpserver/games/lifecycle.py", "        if game.awaited():\n            return False\n",
         "        if len(game.awaited()) > 1:\n            return False\n"),
    ],
    "intervals are three seconds short": [
        ("tpserver/games/clock.py", "            return now + self.seconds\n        if self.calendar",
         "            return now + self.seconds - 3\n        if self.calendar"),
    ],
    "a threshold is reached by one less": [
        ("tpserver/games/clock.py", "done * 100 >= self.percent * awaited", "(done + 1) * 100 >= self.percent * awaited"),
    ],
    "that the system's clock was set is not noticed": [
        ("tpserver/games/turn_timers.py", "        if abs(offset - before) > TOLERANCE:\n", "        if False:\n"),
    ],
    "time in which there was no server is taken away": [
        ("tpserver/games/lifecycle.py", "        due = game.clock.moved(row.due, lost, now)\n        columns = _times(game, due, game.awaited(), now)\n        if lost < 0",
         "        due = game.clock.moved(row.due, -lost, now)\n        columns = _times(game, due, game.awaited(), now)\n        if lost < 0"),
    ],
    "orders of other seats can be read": [
        ("tpserver/requests/orders.py", "if _commands(view, message.id) else []", "if True else []"),
        ("tpserver/requests/orders.py", "    if not seen.has_queue:\n", "    if False:\n"),
    ],
    "letters on other boards can be read": [
        ("tpserver/requests/boards.py", '    board = _own_board(session, "GetMessage", message.id)\n',
         "    board = game.boards.get(message.id) or _own_board(session, \"GetMessage\", message.id)\n"),
    ],
    "a connection that is gone leaves its session": [
        ("tpserver/requests/session.py", "        self.host.sessions.discard(self)\n", ""),
    ],
    "a connection that is gone follows its game": [
        ("tpserver/requests/session.py", "            self.game.subscribers.discard(self)\n", "            pass\n"),
    ],
}  # fmt: skip


def planted(name: str, directory: Path) -> None:
    """Make a copy of the server with a fault in it."""
    for part in COPIED:
        shutil.copytree(ROOT / part, directory / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file, text, instead in PLANTED[name]:
        path = directory / file
        before = path.read_text()
        if before.count(text) != 1:
            raise ValueError(f"{file} has {before.count(text)} times what {name!r} replaces: {text!r}")
        path.write_text(before.replace(text, instead))


def worlds_until_found(name: str, most: int, steps: int = 400) -> tuple[int, str]:
    """Return how many worlds it took to find a fault, 0 if it was not, and what was found."""
    with TemporaryDirectory(prefix="tpserver-tests-") as made:
        directory = Path(made)
        planted(name, directory)
        ways = [str(directory / part) for part in ("", "protocol", "rulesets")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(ways)}
        command = [sys.executable, "-m", "tests.simulation", "--until-found", "--as-it-is"]
        command += ["--seeds", str(most), "--steps", str(steps)]
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    counted = re.search(r"^(\d+) worlds, .*; (\d+) faults found", done.stdout, re.MULTILINE)
    if counted is None:
        raise RuntimeError(done.stdout + done.stderr)
    return (int(counted[1]) if int(counted[2]) else 0), done.stdout.partition("\n")[0]


def main() -> None:
    for name in sys.argv[1:] or PLANTED:
        worlds, said = worlds_until_found(name, 60)
        print(f"{worlds or 'NOT':>4}  {name}  ({said})", flush=True)


if __name__ == "__main__":
    main()
