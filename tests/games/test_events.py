"""Events of games are delivered in order and after the commit, and a failing subscriber stops no other."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_games.auction import Auction
from twisted.internet.defer import Deferred

from tests.support.server_in_memory import Server
from tpserver import bus as buses
from tpserver.bus import Bus
from tpserver.games.core import events
from tpserver.games.service import ownership
from tpserver.rules.discovery import Rulesets

PRODUCT = Path(buses.__file__).parent
EVENTS = [one for one in vars(events).values() if is_dataclass(one) and one.__module__ == events.__name__]
SUBSCRIBING = {"cli/playing.py", "games/hall/registry.py", "subscriptions.py"}
"""The modules of the server that subscribe."""


def test_subscribers_are_called_in_the_order_of_their_subscriptions() -> None:
    bus, called = Bus(), []
    bus.subscribe(int, lambda event: called.append(("first", event)))
    bus.subscribe(str, lambda event: called.append(("another class", event)))
    bus.subscribe(int, lambda event: called.append(("second", event)))
    bus.publish(1)
    assert called == [("first", 1), ("second", 1)]
    bus.publish(2.0)
    assert len(called) == 2


def test_a_failing_subscriber_is_logged_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    bus, called, logged = Bus(), [], []
    monkeypatch.setattr(buses.log, "failure", lambda text, **more: logged.append(text.format(**more)))
    bus.subscribe(int, lambda event: event // 0)
    bus.subscribe(int, called.append)
    bus.publish(1)
    assert (called, logged) == ([1], ["a subscriber of int has failed"])


def _closed(server: Server) -> None:
    server.registry.turns.close_turn(server.game()).addErrback(lambda failure: None)


def _suspended(server: Server) -> None:
    server.registry.suspensions.broke(server.game(), RuntimeError("broken"), "go on")


def _aborted(server: Server) -> None:
    _begin(ownership.abort(server.registry, server.game(), "nobody plays", "The operator"))


def _limited(server: Server) -> None:
    _begin(ownership.set_join(server.registry, server.game(), "invited", "The operator"))


def _removed_player(server: Server) -> None:
    _begin(server.registry.seat_changes.remove_player(server.game(), 0, "The operator"))


def _removed(server: Server) -> None:
    _begin(ownership.delete(server.registry, server.game("waiting")))


def _begin(work: Any) -> None:
    Deferred.fromCoroutine(work).addErrback(lambda failure: None)


@pytest.mark.parametrize(
    ("change", "published"),
    [
        (_closed, {events.TurnClosed, events.TurnBegan}),
        (_suspended, {events.GameSuspended}),
        (_aborted, {events.GameAborted}),
        (_limited, {events.SpectatorsLimited}),
        (_removed_player, {events.PlayerChanged, events.AwaitedSeatsChanged}),
        (_removed, {events.GameRemoved}),
    ],
)
@pytest.mark.parametrize("is_saved", [True, False], ids=["saved", "not saved"])
def test_events_are_published_after_the_commit(
    make_server: Callable[..., Server], change: Callable[[Server], None], published: set[type], is_saved: bool
) -> None:
    """A change that cannot be saved publishes no event."""
    server = make_server(found=Rulesets({"auction": Auction()}), delayed=True)
    server.create("first", clock="manual")
    server.create("waiting")
    server.players(2, game="first")
    seen: set[type] = set()
    for event in EVENTS:
        server.registry.bus.subscribe(event, lambda event: seen.add(type(event)))
    server.disk.at_once = False
    change(server)
    assert seen == set()
    if is_saved:
        server.disk.at_once = True
        server.disk.commit()
        server.settle()
        assert seen == published
    else:
        server.disk.fail()
        assert seen & published <= {events.TurnBegan}, "only the game that is read again continues"


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_the_page_of_events_names_who_publishes_and_who_subscribes(event: type) -> None:
    """Each event is published in the named modules, and subscribed to as often as subscribers are listed."""
    text = " ".join((event.__doc__ or "").split())
    found = re.fullmatch(r".*Publishers?: (?P<publishers>.*?)\. Subscribers?: (?P<subscribers>.*?)\.", text)
    assert found is not None
    published, subscribed = _calls()
    assert published[event.__name__] == {MODULES[name] for name in re.findall(r"`([\w.]+)`", found["publishers"])}
    assert subscribed[event.__name__] == len(found["subscribers"].split(", "))


@cache
def _calls() -> tuple[dict[str, set[str]], Counter[str]]:
    """Return by name of an event the modules of the server that publish it, and how often it is subscribed to."""
    published: dict[str, set[str]] = {event.__name__: set() for event in EVENTS}
    subscribed: Counter[str] = Counter()
    for path in sorted(PRODUCT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in published):
            continue
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in published:
                    published[name].add(path.stem)
                case ast.Call(func=ast.Attribute(attr="subscribe"), args=[ast.Name(id=name), _]) if name in published:
                    assert str(path.relative_to(PRODUCT)) in SUBSCRIBING
                    subscribed[name] += 1
    return published, subscribed


MODULES = {
    "TurnService": "turn_service",
    "SuspensionService": "suspension",
    "GameControl": "game_control",
    "TurnTimers": "turn_timers",
    "ClockChanges": "clock_changes",
    "GameRegistry": "registry",
    "StaleGames": "stale_games",
    "SeatChanges": "seat_service",
    "Accounts": "accounts",
    "PasswordResets": "resets",
    "NoticeBook": "contacts",
    "tpserver.games.service.ownership": "ownership",
    "tpserver.requests.lobby.agreements": "agreements",
}
"""By name on the page: the module."""
