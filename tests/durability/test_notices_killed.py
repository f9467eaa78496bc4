"""A server that is killed between the closing of a turn and the delivery of its notices, again and again.

A real `tpserver run`, a real HTTP receiver, a real SMTP server. After each kill and restart the notice of every turn
comes to both, under one id however often it comes.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.notices.postman import Postman, smtp_server
from tests.support.receivers import Received, Receiver, receiver
from tests.support.server import ServerProcess
from tests.support.wire import Line
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB
from tpserver.admin.socket_client import ask_running

GAME = "killed"


def config_of(directory: Path, port: int) -> Path:
    path = directory / "tpserver.toml"
    path.write_text(f"""[notices]
webhooks = "on"
own_network = "allowed"
mail_server = "127.0.0.1:{port}"
mail_tls = "off"
mail_from = "games@example.org"
""")
    return path


async def say_where(server: ServerProcess, hook: Receiver, postman: Postman) -> None:
    """Ann and ben sit down; ann gives two addresses and brings the codes that come there."""
    for name in ("ann", "ben"):
        line = await Line.open(server.port, PB, lambda clock: None)
        await line.enter(name, game=GAME)
        if name == "ann":
            wanted = (("json", hook.url), ("mail", "ann@example.org"))
            for kind, target in wanted:
                added = await line.one(
                    "add_notice_address", tp.AddNoticeAddress(kind=kind, target=target), tp.NoticeAddress
                )
                if kind == "json":
                    code = hook.wait_for(1)[0].json["data"]["code"]
                else:
                    (code,) = re.findall(r"\b\d{8}\b", str(postman.wait_for(1)[0]["Subject"]))
                await line.one("verify_notice_address", tp.VerifyNoticeAddress(id=added.id, code=code), tp.Okay)
        line.close()


def turns_of_hook(received: list[Received]) -> dict[int, set[str]]:
    """The ids under which the notice of each turn came."""
    found: dict[int, set[str]] = defaultdict(set)
    for one in received:
        if one.json["type"] == "game.turn":
            found[one.json["data"]["turn"]].add(one.headers["webhook-id"])
    return found


def turns_of_mail(came: list[Any]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for one in came:
        if str(one["Subject"]).startswith("Your turn"):
            (turn,) = re.findall(r"Round (\d+)", one.get_content())
            found[int(turn) - 1].add(str(one["Message-ID"]))
    return found


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(3, marks=pytest.mark.thorough),
        pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(20_000)]),
    ],
)
def test_notices_come_once_each_across_kills(directory: Path, hook: Receiver, kills: int) -> None:
    """Whatever the moment: a turn that was closed, and acknowledged, is told."""
    chance = random.Random(kills)
    with smtp_server() as (postman, port), ServerProcess(
        directory / "data", "--config", str(config_of(directory, port))
    ) as server:  # fmt: skip
        server.start()
        server.create_game(GAME, "auction", 2, clock="manual", rounds=1000)
        asyncio.run(say_where(server, hook, postman))
        for turn in range(1, kills + 1):
            closed = ask_running(server.data, "game close-turn", {"name": GAME})
            assert closed is not None
            hook.ended.wait(chance.choice((0.0, chance.uniform(0.0, 0.02), chance.uniform(0.0, 0.2))))
            server.kill()
            server.start()
            postman.wait_until(lambda came, now=turn: now in turns_of_mail(came))
            with hook.came:
                assert hook.came.wait_for(lambda now=turn: now in turns_of_hook(hook.received), 120), f"turn {turn}"
        assert server.stop() == 0
    by_hook, by_mail = turns_of_hook(hook.received), turns_of_mail(postman.came)
    expected = dict.fromkeys(range(1, kills + 1), 1)
    assert {turn: len(ids) for turn, ids in by_hook.items()} == expected
    assert {turn: len(ids) for turn, ids in by_mail.items()} == expected
    every = sum(one.json["type"] == "game.turn" for one in hook.received)
    print(f"{kills} kills: {every} requests and {len(postman.came) - 1} mails for {kills} notices each, an id a notice")
