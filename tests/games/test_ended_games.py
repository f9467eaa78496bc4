"""Games that are over leave the memory of a server that runs on, and are there again for whoever comes."""

from __future__ import annotations

from server_in_memory import Client, Server

from tpserver.games.registry import ENDED_SECONDS, LOOK_SECONDS


def ended(server: Server) -> list[Client]:
    """The players of a game that has just ended."""
    server.registry.load_all()
    server.create(options={"rounds": 1})
    players = server.players(2)
    for client in players:
        client.ask("finished_turn")
    assert server.game().over
    return players


def in_memory(server: Server) -> list[str]:
    return [game.name for game in server.registry.games.values()]


def test_a_game_that_is_over_leaves_the_memory_after_a_day(server: Server):
    """It is in the list as before, and who comes in finds it as it was."""
    players = ended(server)
    title = server.game().title()
    server.create("second")
    for client in players:
        client.hang_up()
    server.pass_time(LOOK_SECONDS)
    server.pass_time(ENDED_SECONDS - LOOK_SECONDS)
    assert in_memory(server) == ["first", "second"]
    server.pass_time(LOOK_SECONDS)
    assert in_memory(server) == ["second"]
    assert [row.name for row in server.registry.rows()] == ["first", "second"]
    ann = server.player("ann", game="first")
    assert ann.ask("get_time_remaining").name == "time_remaining"
    assert (server.game().title(), server.game().over) == (title, True)


def test_it_stays_as_long_as_somebody_is_in_it(server: Server):
    players = ended(server)
    game = server.game()
    for _ in range(3):
        server.pass_time(ENDED_SECONDS)
    assert server.game() is game
    for client in players:
        client.hang_up()
    server.pass_time(LOOK_SECONDS)
    assert in_memory(server) == ["first"]
    server.pass_time(ENDED_SECONDS)
    assert in_memory(server) == []
