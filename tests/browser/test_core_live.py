"""The JavaScript core in real pages of the real server, over WebSocket."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.support.server import ServerProcess

HERE = Path(__file__).parent / "core"


class Players:
    """Players in one page of a server; `do` runs a line of JavaScript with tests/browser/core/live.js as `live`."""

    def __init__(self, page: Page, server: ServerProcess) -> None:
        self.page = page
        page.route(server.url + "tests/*", self._serve)
        page.goto(server.url + "core/values.js")

    @staticmethod
    def _serve(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        route.fulfill(body=(HERE / name).read_text(encoding="utf-8"), content_type="text/javascript")

    def do(self, line: str, argument: object = None) -> Any:
        code = f"async (argument) => {{ const live = await import('/tests/live.js'); return {line}; }}"
        return self.page.evaluate(code, argument)


@pytest.fixture
def two(page: Page, web_server: Callable[..., ServerProcess]) -> tuple[Players, ServerProcess]:
    """Ann and ben in a game of two seats that has begun."""
    server = web_server()
    server.start()
    server.create_game("first", "tae", 2, seed="7")
    players = Players(page, server)
    players.do("await live.login('ann', 'first')")
    players.do("await live.login('ben', 'first')")
    players.do("await live.event('ann', 'turn')")
    return players, server


@pytest.mark.thorough
def test_the_lobby_of_the_real_server(page: Page, web_server: Callable[..., ServerProcess]) -> None:
    """Games are listed before login, and a wrong password is refused in the server's words."""
    server = web_server()
    server.start()
    server.create_game("first", "tae", 2)
    server.create_game("second", "swarm", 2)
    players = Players(page, server)
    games = players.do(
        "await new (await import('/core/player.js')).Player({url: `ws://${location.host}/ws`, glance: 0}).games()"
    )
    assert [(game["name"], game["ruleset"]) for game in games] == [("first", "tae"), ("second", "swarm")]
    assert players.do("(await live.login('ann', 'first')).welcome").startswith("Welcome to first, ann")
    refused = players.do("await live.refusal(live.login('ann', 'second', 'wrong'))")
    assert refused["code"] == 5
    assert "password" in refused["text"].lower()
    assert "first" in players.do("await live.refusal(live.login('ben', ''))")["text"]


@pytest.mark.thorough
def test_a_turn_with_orders_and_letters(two: tuple[Players, ServerProcess]) -> None:
    """An order found by its description alone is given, refused and removed. A turn ends, a message arrives.

    One connection views both turns, and gets the same as separate connections.
    """
    players, _ = two
    assert players.do("live.sky('ann')")["boards"] == 1
    first = players.do("await live.giveAny('ann')")
    assert first is not None
    second = players.do("await live.giveAny('ann')")
    assert second["queue"] != first["queue"] or second["slot"] != first["slot"]
    queued = players.do("live.player('ann').queued(argument).map((one) => one.state)", first["queue"])
    assert queued
    assert set(queued) == {"confirmed"}
    refused = players.do("await live.giveWrong('ann', 1)")
    assert refused == {"code": 1, "parameter": 0, "text": "Object 1 is not a star system; name one of the board."}
    assert players.do("live.player('ann').queued(argument).map((one) => one.state)", first["queue"]) == queued
    players.do("await live.player('ann').removeOrder(argument.queue, argument.slot)", second)
    posted = players.do("await live.player('ben').post(1, 'Peace?', 'Let us <b>talk</b>.')")
    assert posted == "The message is on the board"
    assert players.do("live.player('ann').clock.waiting") == [1, 2]
    players.do("await Promise.all(['ann', 'ben'].map((name) => live.player(name).finishTurn()))")
    players.do("await live.event('ann', 'turn', 2)")
    assert players.do("live.events('ann', 'turn')[1].turn") == players.do("live.player('ann').universe.turn")
    news = [subject for told in players.do("live.events('ann', 'messages')") for subject in told["news"]]
    assert [2, "Peace?"] in news
    assert len(news) > 1, "a report of the turn came, too"
    assert players.do("live.events('ann', 'failed')") == []
    past = players.do("await live.past('ann', [1, 0, 1])")
    assert [(turn, is_same, things > 1) for turn, is_same, things in past] == [(turn, True, True) for turn in (1, 0, 1)]


@pytest.mark.thorough
def test_a_turn_costs_few_bytes(page: Page, web_server: Callable[..., ServerProcess]) -> None:
    """The second turn of a game on a small board changes some ten objects, and less than 10 kB come to each player."""
    server = web_server()
    server.start()
    server.create_game("first", "antshouse", 2, seed="7")
    players = Players(page, server)
    players.do("await live.login('ann', 'first')")
    players.do("await live.login('ben', 'first')")
    players.do("await live.event('ann', 'turn')")
    finish = "await Promise.all(['ann', 'ben'].map((name) => live.player(name).finishTurn()))"
    for turn in (2, 3):
        players.do("await live.giveAny('ann')")
        players.do("await live.giveAny('ben')")
        before = players.do("live.charactersFor('ann')")
        players.do(finish)
        players.do("await live.event('ann', 'turn', argument)", turn)
    assert players.do("live.events('ann', 'turn')[2].changed") >= 8
    assert 1000 < players.do("live.charactersFor('ann')") - before < 10_000


@pytest.mark.thorough
def test_a_server_that_is_restarted_under_the_players(two: tuple[Players, ServerProcess]) -> None:
    """After a power cut of the server the players reconnect by themselves and find their orders. Nothing is rebuilt."""
    players, server = two
    given = players.do("await live.giveAny('ann')")
    before = players.do("live.player('ann').universe.objects.size")
    server.kill()
    players.do("await live.event('ann', 'lost')")
    assert players.do("live.player('ann').state") == "returning"
    server.start()
    players.do("await live.event('ann', 'back')")
    players.do("await live.event('ben', 'back')")
    assert players.do("live.events('ann', 'back')[0].rebuilt") is False
    queued = players.do("live.player('ann').queued(argument.queue).map((one) => [one.order.kind, one.state])", given)
    assert [given["kind"], "confirmed"] in queued
    assert players.do("live.player('ann').universe.objects.size") == before
    assert players.do("await live.giveAny('ben')") is not None
    assert players.do("await live.player('ann').finishTurn()").startswith("You are done")


@pytest.mark.thorough
def test_a_server_that_is_replaced_under_the_player(page: Page, web_server: Callable[..., ServerProcess]) -> None:
    """Another server there has a game of the same name. The player sees that game, and a message says so."""
    server = web_server()
    server.start()
    server.create_game("first", "tae", 2, seed="7")
    players = Players(page, server)
    players.do("await live.login('ann', 'first')")
    server.kill()
    server.data = server.data.with_name("other")
    server.create_game("first", "swarm", 2, seed="8")
    server.start()
    players.do("await live.event('ann', 'back')")
    assert players.do("live.events('ann', 'back')[0].rebuilt") is True
    assert players.do("(await live.player('ann').games())[0].ruleset") == "swarm"


@pytest.mark.thorough
def test_a_large_game_is_downloaded_within_bounds(page: Page, web_server: Callable[..., ServerProcess]) -> None:
    """10,000 objects come in one piece, and the next refresh asks for nothing."""
    server = web_server()
    server.start()
    server.create_game("large", "synthetic", 1, objects=10000)
    players = Players(page, server)
    seconds = players.do(
        "await (async () => { const begin = performance.now(); await live.login('ann', 'large');"
        " return (performance.now() - begin) / 1000; })()"
    )
    assert players.do("live.player('ann').universe.objects.size") >= 10_000
    print(f"10,000 objects in {seconds:.2f} s")
    assert players.do("(await live.player('ann').refresh()).any") is False
