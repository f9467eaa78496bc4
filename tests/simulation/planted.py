"""Faults planted in a copy of the server: the simulation must find each.

`python -m tests.simulation.planted [NAME]...` prints the number of worlds until each was found. Faults of IN_A_CLUSTER
are searched for in clusters, those of IN_TWINS in twins.
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
        ("tpserver/requests/session/pipeline.py", "    if waiting is None:\n        return ready\n    return waiting.",
         "    if ready:\n        return ready\n    return waiting."),
    ],
    "those who wait are told that it was saved when it was not": [
        ("tpserver/store/database.py", "            if job.error is None:\n                job.deferred",
         "            if True:\n                job.deferred"),
    ],
    "what was given before a failure was known is saved without what had failed": [
        ("tpserver/store/database.py", "if fault and group and group[0]", "if False and group and group[0]"),
    ],
    "of a large group the last rows are not written": [
        ("tpserver/store/writer.py", "rows = [job.row for job in jobs]", "rows = [job.row for job in jobs][:2]"),
    ],
    "a game goes on with what could not be saved": [
        ("tpserver/games/core/saving.py", "        self.stale = True\n        # If", "        # If"),
    ],
    "a removal is not in the journal": [
        ("tpserver/games/turns/order_intake.py", "    game.append(game.entry(change.made_by, order.seat, body, now))\n",
         "    if change.made_by != stored_journal.REMOVE:\n"
         "        game.append(game.entry(change.made_by, order.seat, body, now))\n"),
    ],
    "the journal has another slot": [
        ("tpserver/games/turns/order_intake.py", "stored.draft, change.slot]", "stored.draft, 0]"),
    ],
    "orders are taken while the turn is computed": [
        ("tpserver/games/turns/order_intake.py", "    if game.closing:\n        raise Refusal", "    if False:\n        raise Refusal"),
    ],
    "a mark that is taken back stays": [
        ("tpserver/games/turns/order_intake.py", "    game.finished -= {seat}\n", "    pass\n"),
    ],
    "the last order after a snapshot is not restored": [
        ("tpserver/games/stored/loader.py", "    for entry in entries:\n        if entry.kind in ORDER_KINDS:",
         "    for entry in entries[:-1]:\n        if entry.kind in ORDER_KINDS:"),
    ],
    "who has finished is not restored": [
        ("tpserver/games/stored/loader.py", "            game.finished |= {entry.seat}\n", "            pass\n"),
    ],
    "a shortened journal lacks a queue": [
        ("tpserver/games/turns/compaction.py", "    queues = dict(game.state.queues)  #",
         "    queues = dict(list(game.state.queues.items())[:-1])  #"),
    ],
    "a new turn is shown before it is saved": [
        ("tpserver/games/turns/turn_service.py", '        reached("closing: given")\n        await durable(game)\n',
         '        reached("closing: given")\n'),
    ],
    "the row keeps the number of the turn before": [
        ("tpserver/games/turns/closing.py", '        "turn": state.turn,\n', '        "turn": game.state.turn,\n'),
    ],
    "a turn is closed with a seat that has not finished": [
        ("tpserver/games/turns/turn_end.py", "    if attendance.awaited(game):\n        return False\n",
         "    if len(attendance.awaited(game)) > 1:\n        return False\n"),
    ],
    "intervals are three seconds short": [
        ("tpserver/games/terms/clock.py", "            return now + self.seconds\n        if self.calendar",
         "            return now + self.seconds - 3\n        if self.calendar"),
    ],
    "a threshold is reached by one less": [
        ("tpserver/games/terms/clock.py", "done * 100 >= self.percent * awaited", "(done + 1) * 100 >= self.percent * awaited"),
    ],
    "that the system's clock was set is not noticed": [
        ("tpserver/games/turns/turn_timers.py", "        if abs(offset - before) > TOLERANCE:\n", "        if False:\n"),
    ],
    "time in which there was no server is taken away": [
        ("tpserver/games/turns/timekeeper.py", "moved(row, lost or shift, self._now())", "moved(row, -lost or shift, self._now())"),
    ],
    "orders of other seats can be read": [
        ("tpserver/requests/play/orders.py", "if _commands(view, message.id) else []", "if True else []"),
        ("tpserver/requests/play/orders.py", "    if not seen.has_queue:\n", "    if False:\n"),
    ],
    "letters on other boards can be read": [
        ("tpserver/requests/talk/boards.py",
         "    board = _own_board(session, message.id)\n    refusals.limit_slots(len(message.slots), BOARD_MESSAGES)\n    there =",
         "    board = game.boards.get(message.id) or _own_board(session, message.id)\n    refusals.limit_slots(len(message.slots), BOARD_MESSAGES)\n    there ="),
    ],
    "a connection that is gone leaves its session": [
        ("tpserver/requests/session/session.py", "        self.host.sessions.discard(self)\n", ""),
    ],
    "a connection that is gone follows its game": [
        ("tpserver/requests/session/session.py", "            self.game.subscribers.discard(self)\n", "            pass\n"),
    ],
}  # fmt: skip
IN_A_CLUSTER: dict[str, Sequence[Change]] = {
    "a node always says what it has in memory": [
        ("tpserver/cluster/lease.py", "        return self._boot() < self._until\n", '        return self.node != ""\n'),
    ],
    "a node whose lease has run out keeps its games": [
        ("tpserver/cluster/node.py", "lambda: self.bus.publish(LeaseLost())", "lambda: None"),
    ],
    "the writer does not look who holds a game": [
        ("tpserver/store/writer.py", "if job.fence not in held or job.fence in self._broken:", "if False:"),
    ],
    "a game is taken that somebody holds": [
        ("tpserver/store/games/nodes.py", "    free = _is_nobodys() | (games.c.node == node)\n    return free |", "    free = true()\n    return free |"),
    ],
    "a game that is handed over stays in memory": [
        ("tpserver/games/hall/cluster_games.py", "            self._registry.drop(game)\n            await self._node.release(saves)\n",
         "            await self._node.release(saves)\n"),
    ],
    "a COMMIT that was not answered counts as done": [
        ("tpserver/store/writer.py", "                return committed == self._group\n", "                return True\n"),
    ],
    "a COMMIT that was not answered counts as not done": [
        ("tpserver/store/writer.py", "                return committed == self._group\n", "                return False\n"),
    ],
    "what is answered does not wait for the COMMIT": [
        ("tpserver/requests/session/pipeline.py", "    if waiting is None:\n        return ready\n    return waiting.",
         "    if ready:\n        return ready\n    return waiting."),
    ],
    "a request that comes again is done again": [
        ("tpserver/portal/idempotency.py", "                changes = self._store.read(idempotency.changes_of, request)\n", "                changes = 0\n"),
    ],
    "a session asks again only the newest of what is not answered": [
        ("tpserver/portal/portal_session.py", "        waiting = list(self.unanswered)\n", "        waiting = list(self.unanswered)[-1:]\n"),
    ],
    "that the database has gone back is not noticed": [
        ("tpserver/cluster/node.py", "            raise self._store.has_gone_back()\n        return failure\n", "            return failure\n        return failure\n"),
        ("tpserver/cluster/node.py", "        elif not await later(nodes.remembers, *self.life, self._store.saved):\n", "        elif False:\n"),
        ("tpserver/store/games/nodes.py", "    alive = update(nodes).where(nodes.c.id == node, nodes.c.until > CLOCK, nodes.c.beats >= seen, there)\n",
         "    alive = update(nodes).where(nodes.c.id == node, nodes.c.until > CLOCK)\n"),
    ],
    "a connection between nodes that is gone leaves its sessions": [
        ("tpserver/portal/engine_link.py", "            for relay in list(self.relays.values()):\n                relay.lose()\n            self.relays.clear()\n            if self.is_leaving:",
         "            if self.is_leaving:"),
    ],
    "a lease is relied on for all of its seconds": [
        ("tpserver/cluster/lease.py", "MARGIN = 0.1\n", "MARGIN = 0.0\n"),
    ],
    "what was asked first is done after what was asked later": [
        ("tpserver/portal/idempotency.py", "        return any(one in self.running for one in later) or (\n", "        return False and (\n"),
    ],
    "a node that is drained lets games go that it has in memory again": [
        ("tpserver/games/hall/cluster_games.py", "(await node.release_all() if node.draining else 0)", "await node.release_all()"),
    ],
    "who asked for what nobody knows to be saved is told that nothing was changed": [
        ("tpserver/store/errors.py", "    if is_unknown:\n", "    if False:\n"),
    ],
}  # fmt: skip
NOT_FOUND_YET: dict[str, Sequence[Change]] = {
    # Who reads the game next would move its end back again, as until when it ran was noted by the same wrong clock.
    "a node whose clock is set far moves the ends of its turns": [
        ("tpserver/cluster/node.py", "        if abs(seconds) <= CLOCK_SECONDS:\n            return False\n", "        if True:\n            return False\n"),
        ("tpserver/games/turns/timekeeper.py", "    lost = now - row.ran\n", "    lost = max(0.0, now - row.ran)\n"),
    ],
}  # fmt: skip
"""Faults of a cluster that were not found in some 60 worlds."""
IN_TWINS: dict[str, Sequence[Change]] = {
    "how long the orders of others are shows in a refusal": [
        ("tpserver/requests/play/orders.py", "        own_queue(view, message.id)\n    refusals.limit",
         "        if message.id in view.objects and not _commands(view, message.id):\n"
         "            size = len(repr(game.state.queues.get(message.id)))\n"
         "            raise Refused(FailCode.PERMISSION_DENIED, f'its {size} letters of orders are secret', [])\n"
         "        own_queue(view, message.id)\n    refusals.limit"),
    ],
    "orders of others can be read that have no secret word": [
        ("tpserver/requests/play/orders.py", "if _commands(view, message.id) else []",
         "if _commands(view, message.id) or 'words' not in str(game.state.queues.get(message.id)) else []"),
        ("tpserver/requests/play/orders.py", "    if not seen.has_queue:\n", "    if False:\n"),
    ],
}  # fmt: skip
ALL = {**PLANTED, **IN_A_CLUSTER, **IN_TWINS, **NOT_FOUND_YET}


def planted(name: str, directory: Path) -> None:
    """Make a copy of the server with a fault in it."""
    for part in COPIED:
        shutil.copytree(ROOT / part, directory / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file, text, instead in ALL[name]:
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
        command += ["--kind", "server" if name in PLANTED else "twins" if name in IN_TWINS else "cluster"]
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    counted = re.search(r"^(\d+) worlds, .*; (\d+) faults found", done.stdout, re.MULTILINE)
    if counted is None:
        raise RuntimeError(done.stdout + done.stderr)
    return (int(counted[1]) if int(counted[2]) else 0), done.stdout.partition("\n")[0]


def main() -> None:
    for name in sys.argv[1:] or ALL:
        worlds, said = worlds_until_found(name, 60)
        print(f"{worlds or 'NOT':>4}  {name}  ({said})", flush=True)


if __name__ == "__main__":
    main()
