"""Hostile texts of rules and clients.

They try to steer a terminal, forge a line of the log, or fill a disk.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping

import pytest
from test_games.auction import Auction, Bid, World, sell
from twisted.logger import globalLogPublisher

from tests.support.server_in_memory import Server, result_of
from tprules.api import Code, Oid, Order, Phase, Plan, Refusal, Shown, Turn
from tprules.api.faults import LONGEST_REASON
from tprules.printable import LONGEST_LINE, printable
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.cli.log import Lines
from tpserver.cli.output import say
from tpserver.games.core.errors import GameError
from tpserver.rules.discovery import Rulesets

STEERING = "\x1b]0;owned\x07\x1b[2J\r\n2026-01-01T00:00:00Z info     a forged line\u2028\u202e\x00\x9b2J"
NASTY = f"{STEERING}\ud800"
HUGE = STEERING + "x" * 1_000_000 + STEERING
LONGEST_PREFIX = 40
"""Characters that a line of the log has before its text: time and level."""


class Mute(Exception):
    """Its text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError(NASTY)


class Numb(Exception):
    """Its text is none."""

    def __str__(self) -> str:
        return 5  # type: ignore[return-value] # noqa: PLE0307 - on purpose


ERRORS: Mapping[str, Callable[[], Exception]] = {
    "nasty": lambda: ValueError(NASTY),
    "huge": lambda: ValueError(HUGE),
    "many words": lambda: ValueError("a\n" * 1_000_000),
    "a key": lambda: KeyError(HUGE),
    "its name": lambda: type(f"\x1b[2J\n{'x' * 10_000}", (Exception,), {})("why"),
    "mute": Mute,
    "numb": Numb,
}

RAISES: list[Callable[[], Exception]] = []
"""Errors that the end of a turn raises."""


def _end(turn: Turn[World]) -> None:
    if RAISES:
        raise RAISES[0]()
    turn.report(None, STEERING, HUGE)
    turn.event(STEERING, what=STEERING)
    sell(turn)


class LoudBid(Bid):
    def check(self, plan: Plan[World], order: Order) -> None:
        raise Refusal(NASTY + HUGE, reason="loud", code=Code.PERMISSION_DENIED)


class Loud(Auction):
    """All that it says is nasty."""

    name = "loud"
    version = 1
    title = STEERING
    orders = (LoudBid, *Auction.orders[1:])
    phases = (
        Phase(
            "bidding",
            active=lambda world: range(len(world.gold)),
            orders=(LoudBid, *Auction.orders[1:]),
            stages=(_end,),
            next_phase=lambda world: "bidding",
            title=lambda world: NASTY + HUGE,
        ),
    )

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(name=NASTY, description=NASTY + HUGE)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log as it is written, with tracebacks."""
    out = io.StringIO()
    lines = Lines(out, tracebacks=True)
    globalLogPublisher.addObserver(lines)
    yield out
    globalLogPublisher.removeObserver(lines)


@pytest.fixture
def loud(make_server: Callable[..., Server]) -> Iterator[Server]:
    """A server with a game of the loud ruleset, which two play."""
    server = make_server(found=Rulesets({"loud": Loud()}, {}))
    server.create(ruleset="loud", clock="manual")
    server.players()
    yield server
    RAISES.clear()


def all_fit(text: str) -> bool:
    return all(line.isprintable() and len(line) <= LONGEST_LINE + LONGEST_PREFIX for line in text.split("\n"))


def told(server: Server, operation: str, **arguments: str) -> str:
    """Return what the command line prints of an operation."""
    out = io.StringIO()
    say(*result_of(perform(AdminContext(server.registry, server.accounts), operation, arguments)), out=out)
    return out.getvalue()


@pytest.mark.parametrize("kind", ERRORS)
def test_what_rules_raise(loud: Server, log: io.StringIO, kind: str):
    """It is bounded and escaped in the log, in the store and in messages to the operator."""
    RAISES.append(ERRORS[kind])
    loud.close_turn()
    row = loud.registry.directory.rows()[0]
    assert row.state == "held"
    assert row.held_reason.isprintable()
    assert 0 < len(row.held_reason) <= LONGEST_REASON
    assert "is held: ruleset loud failed" in log.getvalue()
    assert all_fit(log.getvalue())
    for operation in ("game list", "game show"):
        assert all_fit(told(loud, operation, name="first"))
    with pytest.raises(GameError) as caught:
        loud.close_turn()
    assert str(caught.value).isprintable()


def test_what_rules_say(loud: Server, log: io.StringIO):
    """Titles, names, reports and refusals reach players without what steers terminals, and nobody is cut off."""
    loud.close_turn()
    assert loud.registry.directory.rows()[0].state == "running"
    client = loud.player("ann")
    answer = client.ask("get_time_remaining").message
    assert 0 < len(answer.turn_name) <= 200
    assert answer.turn_name.isprintable()
    refused = client.bid(1)
    assert refused.name == "fail"
    assert refused.message.result.isprintable()
    assert len(refused.message.result) <= 1001
    assert client.object(client.home).name.isprintable()
    messages = client.messages()
    assert messages
    for message in messages:
        assert message.subject.isprintable()
        assert message.body.replace("\n", "").isprintable()
    for operation in ("game list", "game show"):
        assert all_fit(told(loud, operation, name="first"))
    assert all_fit(log.getvalue())


@pytest.mark.parametrize("text", [STEERING, HUGE[:2000]], ids=["steering", "long"])
def test_what_clients_say(loud: Server, log: io.StringIO, text: str):
    """Names of programs, of accounts and of games; what is answered is fit to be shown, too."""
    for kind, asked in (
        ("connect", {"client": text}),
        ("login", {"username": text, "password": text}),
        ("login", {"username": f"ann@{text}", "password": "ann's word"}),
        ("login", {"username": f"ann@first/{text}", "password": "ann's word"}),
    ):
        answer = loud.connect().ask(kind, **asked)
        assert answer.message.result.isprintable()
        assert len(answer.message.result) <= 1001
    assert all_fit(log.getvalue())


@pytest.mark.parametrize("text", [NASTY, HUGE, "", "plain", "ünïcode 漢字 🙂", "x" * 3000], ids=lambda text: text[-9:])
def test_printable(text: str):
    for longest in (10, 100, LONGEST_LINE):
        shown = printable(text, longest)
        assert shown.isprintable()
        assert len(shown) <= longest
    if text.isprintable() and len(text) <= LONGEST_LINE:
        assert printable(text) == text
