"""GetScores: the scores of each turn, and the final places.

Only Protocol Buffers and JSON have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from test_games.auction import Auction
from twisted.internet.defer import fail
from twisted.logger import LogEvent

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import Client, Server
from tprules import api
from tpserver.rules.discovery import Rulesets
from tpserver.store import StoreError
from tpserver.store.tables import scores as table

TEMPORARILY = 3


class Counted(Auction):
    """An auction in which a purse is known to its seat alone."""

    name = "counted"
    fault = ""

    def scores(self, world: Any, seat: api.Seat | None) -> Mapping[api.Seat, Mapping[str, int]]:
        while self.fault == "loops":
            pass
        if self.fault == "raises":
            raise ValueError("no")
        rows: dict[int, dict[str, int]] = {}
        for one, won in enumerate(world.won):
            rows[one] = {**({"Gold": world.gold[one]} if one == seat else {}), "Won": won}
        return rows


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def played(make_server: Callable[..., Server], rules: Auction, dialect: str = "pb") -> list[Client]:
    server = make_server(found=Rulesets({**ODD.usable, rules.name: rules}, {}))
    server.create("game", rules.name, 2, clock="all-done")
    return [server.player(name, dialect, "game") for name in ("ann", "ben")]


def finish(clients: list[Client]) -> None:
    for client in clients:
        assert client.ask("finished_turn").name == "okay"


def told(client: Client) -> dict[tuple[int, str], list[int]]:
    return {(line.id, line.name): list(line.numbers) for line in client.ask("get_scores").message.lines}


def to_the_end(clients: list[Client]) -> None:
    while not clients[0].session.game.over:
        finish(clients)


def test_each_seat_is_told_what_it_could_know_then_and_all_of_it_at_the_end(
    make_server: Callable[..., Server], dialect: str
):
    """Only its seat sees a purse as long as the game goes on. The places come with the end."""
    clients = ann, ben = played(make_server, Counted(), dialect)
    eve = ann.server.player("eve", dialect, "game/watch")
    ann.bid(3)
    finish(clients)
    found = ann.ask("get_scores").message
    assert (list(found.turns), list(found.places)) == ([0, 1], [])
    assert set(told(ann)) == {(1, "Gold"), (1, "Won"), (2, "Won")}
    assert set(told(ben)) == {(1, "Won"), (2, "Gold"), (2, "Won")}
    assert set(told(eve)) == {(1, "Won"), (2, "Won")}
    purse, *_ = told(ben)[2, "Gold"]
    gold = told(ann)[1, "Gold"]
    assert gold[0] - gold[1] == 3
    to_the_end([ann, ben])
    every = {(1, "Gold"), (1, "Won"), (2, "Gold"), (2, "Won")}
    for client in (ann, ben, eve):
        found = client.ask("get_scores").message
        assert list(found.turns) == list(range(client.session.game.state.turn + 1))
        assert set(told(client)) == every
        assert told(client)[2, "Gold"][0] == purse
        outcome = client.session.game.outcome
        assert [(one.id - 1, one.place) for one in found.places] == outcome.ranked()
        figures = {one.id - 1: {row.name: row.number for row in one.figures} for one in found.places}
        assert figures == {seat: outcome.figures.get(seat, {}) for seat in outcome.places}


def test_an_old_turn_knows_what_was_before_it(make_server: Callable[..., Server], dialect: str):
    """While the game goes on, and when it is over; the places belong to the last turn."""
    clients = ann, _ = played(make_server, Counted(), dialect)
    finish(clients)
    finish(clients)

    def looking(turn: int) -> Client:
        past = ann.server.connect(dialect)
        assert past.ask("login", username=f"ann@game/turn/{turn}", password="ann's word").name == "okay"
        return past

    past = looking(1)
    assert list(past.ask("get_scores").message.turns) == [0, 1]
    assert (2, "Gold") not in told(past)
    to_the_end(list(clients))
    past = looking(1)
    assert list(past.ask("get_scores").message.turns) == [0, 1]
    assert (2, "Gold") in told(past)
    assert not past.ask("get_scores").message.places
    assert looking(ann.session.game.state.turn).ask("get_scores").message.places


def test_what_is_kept_is_there_after_a_restart(make_server: Callable[..., Server]):
    clients = ann, _ = played(make_server, Counted())
    finish(clients)
    before = ann.ask("get_scores").message
    again = ann.server.restarted().player("ann", "pb", "game")
    assert again.ask("get_scores").message == before


def test_a_game_of_before_scores_were_kept_has_places_only(make_server: Callable[..., Server]):
    clients = ann, _ = played(make_server, Counted())
    to_the_end(clients)
    ann.server.store.write(lambda c: c.execute(table.delete()))
    found = ann.ask("get_scores").message
    assert (list(found.turns), list(found.lines)) == ([], [])
    assert found.places


@pytest.mark.parametrize("fault", ["raises", "loops"])
def test_rules_that_fail_to_tell_keep_no_turn_from_ending(
    make_server: Callable[..., Server], logged: list[LogEvent], fault: str
):
    """In the middle of a game, the turn ends within the time of a check, and earlier scores are shown."""
    rules = type("Faulty", (Counted,), {})()
    clients = ann, _ = played(make_server, rules)
    finish(clients)
    type(rules).fault = fault
    finish(clients)
    finish(clients)
    assert ann.session.game.state.turn == 3
    assert list(ann.ask("get_scores").message.turns) == [0, 1]
    assert len([event for event in logged if "cannot tell how all stand" in (event["log_format"] or "")]) == 1


def test_a_turn_that_nobody_has_heard_of_yet_is_not_told(make_server: Callable[..., Server]):
    """Before it is durable."""
    server = make_server(delayed=True)
    game = server.create("slow", clock="manual")
    ann, _ = server.players(2, "pb", "slow")
    server.disk.at_once = False
    server.registry.turns.close_turn(game)
    waiting = ann.post("get_scores")
    server.disk.commit()
    assert 1 not in waiting.reply.message.turns


def test_refusals(server: Server, dialect: str):
    """Without a game, before the start, and when the database cannot be read."""
    assert server.connect(dialect).ask("get_scores").code == TEMPORARILY
    server.create(clock="manual")
    (ann,) = server.players(1, dialect)
    answer = ann.ask("get_scores")
    assert (answer.code, "has not started" in answer.text) == (TEMPORARILY, True)


def test_a_database_that_cannot_be_read_is_said(make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch):
    ann, _ = played(make_server, Counted())
    with monkeypatch.context() as patched:
        error = StoreError("It is gone.", code="unavailable")
        patched.setattr(ann.server.store, "read_later", lambda *reading: fail(error))
        answer = ann.ask("get_scores")
    assert (answer.code, "cannot be read" in answer.text) == (TEMPORARILY, True)
