"""Kills between the closing of a turn and delivery of its notifications.

A real `tpserver run` sends to a real HTTP receiver, a real SMTP server, and a stand-in for the browsers' Web Push. All
kinds of notifications go by each channel: turn begins, turn ends soon, daily digest, game over. Each arrives at least
once, always under the same id.

The server has no supervisor, so that the kill hits the process that delivers, at the right moment.
"""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.notices.postman import Postman, smtp_server
from tests.notices.push_browser import Browser
from tests.support.receivers import Received, Receiver, receiver
from tests.support.server import ServerProcess
from tests.support.wire import Line
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB
from tpserver.admin.socket_client import ask_running

GAME = "killed"
WANTED = {"ann": ("turn", 0), "ben": ("turn", 1), "cora": ("digest", 0)}
"""Wishes of players for notifications, and their hours before the end of a turn."""
KINDS = {"ann": ("turn",), "ben": ("turn", "deadline"), "cora": ("digest",)}
"""The kinds of notices of each turn that come to each."""
CHANNELS = ("json", "mail", "push")
SUBJECTS = {"Your turn": "turn", " left in": "deadline", "awaits you": "digest", "is over": "over"}
SECONDS = 240.0


class Key(NamedTuple):
    """A notice at an address; ``round`` is counted from 1, and 0 that of the end of the game."""

    person: str
    channel: str
    kind: str
    round: int


class Ledger:
    """Received notifications: their number, and their ids."""

    def __init__(self, hook: Receiver, postman: Postman) -> None:
        self.hook, self.postman = hook, postman
        self.browsers = {name: Browser() for name in WANTED}
        self.codes: dict[tuple[str, str], str] = {}
        self.ids: defaultdict[Key, set[str]] = defaultdict(set)
        self.often: Counter[Key] = Counter()
        self.round = 1
        """That which was closed last."""
        self._story: list[tuple[int, str]] = []
        self._begun = time.monotonic()
        self._read = {"hook": 0, "mail": 0}

    def requests(self) -> bool:
        """Read what has come to the hook since; to be called where nothing more comes meanwhile."""
        for one in self.hook.received[self._read["hook"] :]:
            channel, person = one.path.split("/")[-2:]
            self._read_push(person, one) if channel == "push" else self._read_json(person, one)
        self._read["hook"] = len(self.hook.received)
        return True

    def mails(self, came: list[EmailMessage]) -> bool:
        """Read what has come by mail since."""
        for one in came[self._read["mail"] :]:
            self._note(str(one["To"]).split("@")[0], "mail", str(one["Subject"]), one.get_content(), one["Message-ID"])
        self._read["mail"] = len(came)
        return True

    def tell(self, what: str) -> None:
        """Keep what has happened; a mail has when it is read."""
        self._story.append((self.round, f"{time.monotonic() - self._begun:9.3f} round {self.round}: {what}"))

    def told_of(self, keys: set[Key]) -> str:
        """Return what has happened in the rounds in which these notices came, or now, and in those around them."""
        ids = {identity for key in keys for identity in self.ids.get(key, ())}
        rounds = {at for at, line in self._story if any(identity in line for identity in ids)} or {self.round}
        return "\n".join(line for at, line in self._story if {at - 1, at, at + 1} & rounds)

    def wait_for(self, wanted: set[Key]) -> None:
        """Wait until all this has come."""
        by_mail = {key for key in wanted if key.channel == "mail"}
        with self.hook.came:
            self.hook.came.wait_for(lambda: self.requests() and wanted - by_mail <= set(self.ids), SECONDS)
        with self.postman.arrived:
            self.postman.arrived.wait_for(lambda: self.mails(self.postman.came) and wanted <= set(self.ids), SECONDS)
        lacking = wanted - set(self.ids)
        assert not lacking, f"did not come: {sorted(lacking)}\n{self.told_of(lacking)}"

    def code(self, person: str, channel: str) -> str:
        """Wait for the code that shows whose an address is, and return it."""
        if channel == "mail":
            with self.postman.arrived:
                read = self.postman.arrived.wait_for(
                    lambda: self.mails(self.postman.came) and (person, channel) in self.codes, SECONDS
                )
        else:
            with self.hook.came:
                read = self.hook.came.wait_for(lambda: self.requests() and (person, channel) in self.codes, SECONDS)
        assert read, f"no code for {person} by {channel}"
        return self.codes[person, channel]

    def _read_json(self, person: str, came: Received) -> None:
        data = came.json["data"]
        self._note(person, "json", data["subject"], data["text"], came.headers["webhook-id"])

    def _read_push(self, person: str, came: Received) -> None:
        told = self.browsers[person].read(came)
        self._note(person, "push", told["title"], told["body"], told["id"])

    def _note(self, person: str, channel: str, subject: str, text: str, identity: str) -> None:
        if code := re.match(r"\d{8}\b", subject):
            self.codes[person, channel] = code[0]
            return
        if subject.startswith("Your account "):  # tells of the addresses that are added here
            return
        (kind,) = (kind for words, kind in SUBJECTS.items() if words in subject)
        key = Key(person, channel, kind, 0 if kind == "over" else int(re.findall(r"Round (\d+)", text)[0]))
        self.ids[key].add(identity)
        self.often[key] += 1
        self.tell(f"{person} got {kind} of {key.round} by {channel} as {identity}")


def config_of(directory: Path, port: int) -> Path:
    path = directory / "tpserver.toml"
    path.write_text(f"""[notices]
webhooks = "on"
push = "on"
own_network = "allowed"
mail_server = "127.0.0.1:{port}"
mail_tls = "off"
mail_from = "games@example.org"
""")
    return path


async def say_where(server: ServerProcess, ledger: Ledger) -> None:
    """Everybody sits down, gives an address of each kind, brings the codes that come there, and says what is wanted."""
    for name, (mode, hours) in WANTED.items():
        line = await Line.open(server.port, PB, lambda clock: None)
        await line.enter(name, game=GAME)
        targets = {
            "json": (f"{ledger.hook.url}/json/{name}", ""),
            "mail": (f"{name}@example.org", ""),
            "push": (f"{ledger.hook.url}/push/{name}", ledger.browsers[name].token),
        }
        for channel in CHANNELS:
            target, token = targets[channel]
            wanted = tp.AddNoticeAddress(kind=channel, target=target, token=token)
            added = await line.one("add_notice_address", wanted, tp.NoticeAddress)
            code = tp.VerifyNoticeAddress(id=added.id, code=ledger.code(name, channel))
            await line.one("verify_notice_address", code, tp.Okay)
        wish = tp.SetNoticeWish(wish=tp.NoticeWish(mode=mode, hours=hours))
        await line.one("set_notice_wish", wish, tp.Okay)
        line.close()


def let_a_day_pass(server: ServerProcess) -> None:
    """Have what is due in an hour, and tomorrow, due when the server starts, which is dead now; no address rests.

    Half an hour of the turn is left: one that starts late gives time back, and then looks when to tell of its end.
    """
    ends = time.time() + 1800
    with closing(sqlite3.connect(server.database)) as base, base:
        base.execute("UPDATE games SET due = ?, deadline = ? WHERE state = 'running'", (ends, ends))
        base.execute("UPDATE outbox SET next_try = 0 WHERE kind IN ('deadline', 'digest') AND next_try IS NOT NULL")
        base.execute("UPDATE notice_addresses SET rest = 0")


def nothing_is_on_its_way(server: ServerProcess) -> bool:
    """Return True if the server has marked each due or tried notification as delivered."""
    now = time.time()
    with closing(sqlite3.connect(server.database)) as base:
        late = "next_try IS NOT NULL AND (tries > 0 OR next_try <= ? OR created <= ?)"
        return base.execute(f"SELECT count(*) FROM outbox WHERE {late}", (now, now)).fetchone() == (0,)


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param(3, marks=pytest.mark.thorough),
        pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(20_000)]),
    ],
)
def test_notices_come_once_each_across_kills(directory: Path, hook: Receiver, rounds: int) -> None:
    """A turn that was closed and acknowledged is announced, for any moment of the kill.

    In each round the server is killed after the closing. It is killed again when a day is over, while it delivers what
    is due by then.
    """
    chance = random.Random(rounds)

    def a_moment() -> float:
        return chance.choice((0.0, chance.uniform(0.0, 0.02), chance.uniform(0.0, 0.2)))

    with smtp_server() as (postman, port), ServerProcess(
        directory / "data", "--no-parent", "--config", str(config_of(directory, port)), preloaded=True
    ) as server:  # fmt: skip
        ledger = Ledger(hook, postman)
        server.start()
        server.create_game(GAME, "auction", len(WANTED), clock="interval:7200", rounds=rounds + 1)
        asyncio.run(say_where(server, ledger))
        expected: set[Key] = set()
        for number in range(2, rounds + 3):
            closed = ask_running(server.data, "game close-turn", {"name": GAME})
            assert closed is not None
            ledger.round = number
            ledger.tell("closed")
            hook.ended.wait(a_moment())
            server.kill()
            ledger.tell("killed, and a day passes")
            let_a_day_pass(server)
            server.start()
            hook.ended.wait(a_moment())
            server.kill()
            ledger.tell("killed in the delivery")
            server.start()
            kinds = dict.fromkeys(WANTED, ("over",)) if number > rounds + 1 else KINDS
            now = {
                Key(name, channel, kind, 0 if kind == "over" else number)
                for name, each in kinds.items()
                for kind in each
                for channel in CHANNELS
            }
            ledger.wait_for(now)
            # What came before the kill comes again: not in a later round, whose digest would be another one.
            server.wait_until(lambda: nothing_is_on_its_way(server), "has something on its way")
            expected |= now
        assert server.stop() == 0
    ledger.requests()
    ledger.mails(postman.came)
    wrong = {key for key in expected | set(ledger.ids) if key not in expected or len(ledger.ids[key]) != 1}
    assert not wrong, f"not one id: {sorted((*key, *ledger.ids[key]) for key in wrong)}\n{ledger.told_of(wrong)}"
    for kind in ("turn", "deadline", "digest", "over"):
        for channel in CHANNELS:
            often = [number for key, number in ledger.often.items() if (key.kind, key.channel) == (kind, channel)]
            print(f"{kind:<9}{channel:<5}{len(often):>5} notices, an id each, came {sum(often)} times")
    print(f"{2 * (rounds + 1)} kills, half of them between a closing and its notices, half in the delivery")
