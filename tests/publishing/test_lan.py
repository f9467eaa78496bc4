"""Announcements on the local network, heard by a listener or recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.logger import LogEvent, formatEvent

from tests.support.mdns import KNOWN_TYPES, packets, services
from tests.support.server import ServerProcess
from tests.support.server_in_memory import Server
from tpserver.publishing.lan import (
    LONGEST_NAME,
    LOOK_SECONDS,
    STOP_SECONDS,
    AnnouncedEndpoint,
    Lan,
    NoZeroconf,
    Service,
    services_of,
)
from tpserver.publishing.listing import LONGEST_FACT, MOST_GAMES, PublicGame, public_games

GAME = PublicGame("friday", (("tp", "0.3,0.4"),))


def told(server: Server) -> dict[str, dict[str, str]]:
    return {game.name: dict(game.facts) for game in public_games(server.registry, "1.2.3", "Friends")}


def test_a_game_is_told_of_in_the_words_of_the_metaserver(server: Server) -> None:
    """It has all fields that old browsers read, and nothing that GetGames does not show to anybody."""
    server.create("friday", clock="interval:3600")
    server.players()
    facts = told(server)["friday"]
    assert {"tp", "server", "sertype", "rule", "rulever"} <= set(facts)
    assert facts == {
        "tp": "0.3,0.4",
        "server": "1.2.3",
        "sertype": "tpserver",
        "rule": "auction",
        "rulever": "1",
        "ln": "friday at Friends",
        "sn": "friday",
        "plys": "2",
        "cons": "2",
        "turn": facts["turn"],
        "prd": "3600",
        "next": facts["next"],
        "cmt": "running, 2 of 2 seats taken",
    }
    assert int(facts["next"]) == int(server.registry.named("friday").row.deadline)


def test_games_for_invited_players_are_not_told_of(server: Server) -> None:
    server.create("secret", join="invited")
    server.create("open")
    assert list(told(server)) == ["open"]


def test_what_is_told_is_bounded(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest games, and of each what fits into a record."""
    for number in range(MOST_GAMES + 3):
        server.create(f"game{number}")
    names = list(told(server))
    assert len(names) == MOST_GAMES
    assert names[-1] == f"game{MOST_GAMES + 2}"
    long = public_games(server.registry, "é" * 500, "x" * 500)[0]
    assert all(len(f"{key}={value}".encode()) <= LONGEST_FACT + 10 for key, value in long.facts)
    assert dict(long.facts)["server"] == "é" * (LONGEST_FACT // 2)


@pytest.mark.parametrize(
    ("listeners", "interface", "found"),
    [
        (
            [AnnouncedEndpoint("tp", "0.0.0.0", 6923), AnnouncedEndpoint("tps", "::", 6924)],
            "",
            [("_tp._tcp", 6923), ("_tps._tcp", 6924)],
        ),
        (
            [AnnouncedEndpoint("tp", "192.0.2.1", 1), AnnouncedEndpoint("tp+http", "192.0.2.1", 2)],
            "",
            [("_tp._tcp", 1), ("_tp-http._tcp", 2)],
        ),
        ([AnnouncedEndpoint("tp", "127.0.0.1", 1), AnnouncedEndpoint("tp", "192.0.2.1", 2)], "", [("_tp._tcp", 2)]),
        ([AnnouncedEndpoint("tp", "127.0.0.1", 1), AnnouncedEndpoint("tp+https", "::1", 2)], "", []),
        ([AnnouncedEndpoint("tp", "127.0.0.1", 1)], "127.0.0.1", [("_tp._tcp", 1)]),
        (
            [AnnouncedEndpoint("tp", "192.0.2.1", 1), AnnouncedEndpoint("tps", "0.0.0.0", 2)],
            "192.0.2.7",
            [("_tps._tcp", 2)],
        ),
        ([AnnouncedEndpoint("tp", "0.0.0.0", 1), AnnouncedEndpoint("tp", "0.0.0.0", 2)], "", [("_tp._tcp", 1)]),
    ],
)
def test_only_what_the_network_reaches_is_announced(
    listeners: list[AnnouncedEndpoint], interface: str, found: list[tuple[str, int]]
) -> None:
    """One service of each type, of listeners that others than this machine reach."""
    assert [(one.type, one.port) for one in services_of([GAME], listeners, interface)] == found


def test_names_fit_into_dns() -> None:
    names = ["a.b", "é" * 60, "." * 3, " "]
    made = services_of([PublicGame(name, ()) for name in names], [AnnouncedEndpoint("tp", "0.0.0.0", 1)], "")
    assert [one.name for one in made] == ["a-b", "é" * (LONGEST_NAME // 2), "---", "tpserver"]


class Thread:
    """The one thread of an announcer, in which work is done when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    def __call__(self, work: Callable[[], Any]) -> Deferred[Any]:
        self.waiting.append((work, Deferred()))
        return self.waiting[-1][1]


def test_a_network_that_is_missing_is_told_once_and_tried_again(logged: list[LogEvent]) -> None:
    """It harms nobody: no traceback, no end of the looks."""
    clock, tries = Clock(), [0]

    def run(work: Callable[[], Any]) -> Deferred[Any]:
        tries[0] += 1
        return fail(OSError("no such device")) if tries[0] < 4 else succeed(None)

    lan = Lan(clock, run, lambda: succeed([]))
    lan.start()
    for _ in range(5):
        clock.advance(LOOK_SECONDS)
    assert tries == [6]
    (line,) = map(formatEvent, logged)
    assert line == "the games cannot be announced on the network: no such device"


def test_what_cannot_be_read_ends_no_look(logged: list[LogEvent]) -> None:
    clock, looks = Clock(), [0]

    def wanted() -> Deferred[list[Service]]:
        looks[0] += 1
        raise RuntimeError("the database is gone")

    lan = Lan(clock, Thread(), wanted)
    lan.start()
    clock.advance(LOOK_SECONDS)
    assert looks == [2]


def test_a_server_that_stops_waits_for_the_network_no_longer_than_that() -> None:
    clock, thread, ended = Clock(), Thread(), [False]
    lan = Lan(clock, thread, lambda: succeed([]))
    lan.start()
    lan.stop().addCallback(lambda _: ended.__setitem__(0, True))
    assert ended == [False]
    clock.advance(STOP_SECONDS)
    assert ended == [True]


def test_a_server_that_stops_begins_to_announce_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each service takes a second, and there may be many: what is announced until then is taken back."""
    clock, thread = Clock(), Thread()
    lan = Lan(
        clock,
        thread,
        lambda: succeed(services_of([GAME], [AnnouncedEndpoint("tp", "127.0.0.1", 1)], "127.0.0.1")),
        "127.0.0.1",
    )
    begun: list[object] = []
    monkeypatch.setattr("zeroconf.Zeroconf.register_service", lambda *given, **more: begun.append(given))
    lan.start()
    lan.stop()
    for work, _ in thread.waiting:
        work()
    assert len(thread.waiting) == 2
    assert begun == []


def test_without_the_package_the_operator_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    with pytest.raises(NoZeroconf, match=r"pip install 'tpserver\[lan\]'"):
        Lan(Clock(), Thread(), lambda: succeed([]))


@pytest.mark.thorough
@pytest.mark.waits
def test_a_browser_of_servers_sees_games_come_change_and_go(directory: Path) -> None:
    """Over multicast on the loopback interface, by a server as its operator runs it.

    No response has a record that the client library of 2008 cannot skip.
    """
    name = f"game-{uuid4().hex[:8]}"
    config = directory / "tpserver.toml"
    config.write_text('[lan]\nannounce = "on"\ninterface = "127.0.0.1"\n')
    with packets() as received, services() as found:
        with ServerProcess(directory / "data", "--no-parent", "--config", str(config), preloaded=True) as server:
            server.start()
            server.create_game(name, "tae", 2)
            plain, tunnel = ("_tp._tcp.local.", name), ("_tp-http._tcp.local.", name)
            found.wait(lambda there: {plain, tunnel} <= set(there))
            port, addresses, facts = found.there[plain]
            assert (port, addresses) == (server.port, ["127.0.0.1"])
            assert (facts["tp"], facts["rule"], facts["sn"], facts["plys"]) == ("0.3,0.4", "tae", name, "0")
            assert found.there[tunnel][0] == server.web_port
            server.command("account", "add", "ann", "--password", "secret-of-ann")
            server.command("game", "invite", name, "ann")
            found.wait(lambda there: there[plain][2]["plys"] == "1")
            server.stop()
        found.wait(lambda there: not {plain, tunnel} & set(there))
        responses = received.responses(name)
        assert responses
        assert {kind for types in responses for kind in types} <= set(KNOWN_TYPES)


def test_nothing_is_announced_unless_the_operator_says_so(server: Server) -> None:
    """The default is off; see `tpserver.server.publishing`."""
    from tpserver.config import load

    assert load().lan.announce == "off"
