"""Creation of games, filling of seats, and the start with the last seat."""

from __future__ import annotations

from typing import Any

import pytest
from test_games.auction import Auction

from tests.requests.odd_rulesets import ODD, breaking
from tests.support.server_in_memory import BEGINNING, SMALL_BOARD, Server, result_of
from tpserver.games.core import phases
from tpserver.games.core.errors import GameError
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import journal as stored_journal
from tpserver.store.games import rows as stored_games
from tpserver.store.games import snapshots as stored_snapshots


def test_a_new_game_waits_and_shows_its_root(server: Server):
    game = server.create(seats=3, clock="interval:60")
    assert (game.row.state, game.row.turn, game.row.created) == ("waiting", 0, BEGINNING)
    assert game.open_seats() == [0, 1, 2]
    assert phases.active(game) == []
    assert all(list(view.objects) == [0] for view in game.views.values())


def test_a_game_starts_when_its_last_seat_is_taken(server: Server):
    """All are notified and get a welcome. The journal has the time."""
    server.create(seats=2, clock="interval:60")
    ann = server.player("ann")
    assert ann.pushed == []
    server.pass_time(7)
    ben = server.player("ben")
    assert ann.times_pushed() == [(60, 1)]
    game = server.game()
    assert game.row.started == BEGINNING + 7
    assert [message.subject for message in ann.messages()] == ["Welcome"]
    assert [message.subject for message in ben.messages()] == ["Welcome"]
    kinds = [entry.kind for entry in server.store.read(lambda c: stored_journal.after(c, game.row.id, 0))]
    assert kinds == ["seat", "seat", "start"]


def test_seats_are_kept_over_a_restart(server: Server):
    server.create(seats=3)
    server.player("ann")
    server.player("ben")
    later = server.restarted(10)
    try:
        assert [player.name for player in later.game().players] == ["ann", "ben", ""]
        assert later.player("ben").seat == 1
        assert later.player("cem").seat == 2
        assert later.game().started
    finally:
        later.stop()


def test_the_same_seed_is_the_same_game_and_another_is_another(server: Server):
    for name, seed in (("a", "x"), ("b", "x"), ("c", "y"), ("d", ""), ("e", "")):
        server.create(name, "tae", 2, options={"board": SMALL_BOARD}, seed=seed)
    digests = {name: server.game(name).digest for name in "abcde"}
    assert digests["a"] == digests["b"]
    assert len(set(digests.values())) == 4


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 64}, "name"),
        ({"name": "a@b"}, "name"),
        ({"name": " a"}, "name"),
        ({"name": "ä"}, "name"),
        ({"ruleset": "chess"}, "chess"),
        ({"ruleset": "actuion"}, "did you mean auction"),
        ({"seats": 0}, "1 to 8"),
        ({"seats": 9}, "1 to 8"),
        ({"clock": "hourly"}, "hourly"),
        ({"bots": -1}, "0 to 2"),
        ({"bots": 3}, "0 to 2"),
        ({"join": "closed"}, "open or invited"),
        ({"options": {"gold": 100}}, "gold"),
        ({"options": {"gold": "much"}}, "gold"),
        ({"options": {"silver": 5}}, "silver"),
    ],
)
def test_a_game_that_cannot_be_is_refused_and_leaves_nothing(server: Server, changes: dict[str, Any], named: str):
    with pytest.raises(GameError) as refused:
        server.create(**{"name": "first", "ruleset": "auction", "seats": 2, **changes})
    assert named in str(refused.value)
    assert server.store.read(stored_games.all) == []
    assert server.registry.games == {}


def test_two_games_of_one_name_cannot_be(server: Server):
    server.create("First")
    with pytest.raises(GameError, match="already"):
        server.create("fIRST")
    assert [row.name for row in server.registry.directory.rows()] == ["First"]


def test_a_game_is_found_by_its_name_in_any_case(server: Server):
    game = server.create("First Game")
    assert server.registry.named("fIRST gAME") is game
    with pytest.raises(GameError, match="games: First Game"):
        server.registry.named("second")


def test_a_game_that_its_rules_cannot_read_again_is_not_made(make_server: Any):
    """Else its name would be taken by something that nobody can play or take away."""
    server = make_server(found=ODD)
    with breaking("load"), pytest.raises(GameError, match="failed to set up a game: Broken: load broke"):
        server.create("first", "faulty")
    assert server.registry.directory.rows() == []
    server.create("first", "faulty")
    assert [row.name for row in server.registry.directory.rows()] == ["first"]


def test_a_ruleset_for_one_number_of_players_says_which(make_server: Any):
    class Duel(Auction):
        name = "duel"
        seats = range(2, 3)

    server = make_server(found=Rulesets({"duel": Duel()}, {}))
    with pytest.raises(GameError, match=r"duel is played by 2, not 3$"):
        server.create("first", "duel", 3)


def test_the_last_of_one_player_is_no_draw(server: Server):
    server.create("first", seats=1, options={"rounds": 1}, clock="manual")
    server.player("ann")
    server.close_turn()
    assert phases.title(server.game()) == "Game over: ann won"


def test_a_ruleset_that_breaks_in_setup_makes_no_game(server: Server, logged: list[str]):
    """The author of the rules finds the place in the log."""
    with pytest.raises(GameError, match="setup broke"):
        server.create("first", "brittle", options={"setup": "raises"})
    assert [line for line in logged if "brittle failed to set up a game" in line]
    assert server.registry.directory.rows() == []
    assert server.create("first", "brittle").row.state == "waiting"


@pytest.mark.parametrize("broken", ["sight", "show"])
def test_a_ruleset_that_breaks_at_the_start_holds_its_game_only(make_server: Any, broken: str):
    """The seats are taken; the game is held until it is tried again; its players stay connected."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="interval:60")
    server.create("second", clock="interval:60")
    ann = server.player("ann", game="first")
    with breaking(broken):
        ben = server.player("ben", game="first")
        game = server.game("first")
        assert game.row.state == "held"
        assert f"{broken} broke" in game.row.held_reason
        assert list(ann.ids()) == list(ben.ids()) == [0]
        assert ann.ask("finished_turn").name == "okay"
        assert ann.bid(1).code == 3
        server.pass_time(100)
        server.players(2, game="second")
        assert server.game("second").started
    result_of(server.registry.control.resume(server.game("first")))
    assert server.game("first").row.state == "running"
    assert server.game("first").row.deadline == server.clock.seconds() + 60
    assert len(ann.ids()) == 4
    assert ann.bid(1).name == "order"
    server.pass_time(60)
    assert server.game("first").state.turn == 1


def test_a_game_held_at_its_start_is_held_after_a_restart(make_server: Any):
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="interval:60")
    with breaking("show"):
        server.players(2, game="first")
        server = server.restarted(10)
        assert server.game().row.state == "held"
    ann = server.player("ann")
    result_of(server.registry.control.resume(server.game()))
    assert server.game().row.state == "running"
    assert len(ann.ids()) == 4
    server = server.restarted(10)
    assert server.game().row.state == "running"
    assert len(server.game().views[0].objects) == 4
    server.stop()


def test_the_operator_starts_only_what_can_start(server: Server):
    server.create(seats=2)
    with pytest.raises(GameError, match="waits for 2 more"):
        server.registry.lobby.start(server.game())
    server.players(2)
    with pytest.raises(GameError, match="already started"):
        server.registry.lobby.start(server.game())


def test_a_seat_that_is_named_and_taken_is_refused(server: Server):
    """By the operator's hand a certain seat can be given; nobody can have two."""
    game = server.create(seats=3)
    first = result_of(server.accounts.add("ann", "word"))
    second = result_of(server.accounts.add("ben", "word"))
    assert result_of(server.registry.lobby.take_seat(game, first.id, "ann", seat=1)) == 1
    assert result_of(server.registry.lobby.take_seat(game, first.id, "ann", seat=2)) == 1
    for seat in (1, 3):
        with pytest.raises(GameError, match=f"seat {seat + 1} of the game 'first' is taken or not there"):
            result_of(server.registry.lobby.take_seat(game, second.id, "ben", seat=seat))
    assert [player.name for player in game.players] == ["", "ann", ""]


def test_each_turn_leaves_a_snapshot_with_its_digest(server: Server):
    """From the opening on; the journal says why each turn closed."""
    server.create(clock="manual", options={"rounds": 3})
    ann, _ = server.players(2)
    digests = [server.game().digest]
    for gold in (1, 2, 3):
        ann.bid(gold)
        server.close_turn()
        digests.append(server.game().digest)
    number = server.game().row.id
    assert server.store.read(lambda c: stored_snapshots.digests(c, number)) == list(enumerate(digests))
    assert len(set(digests)) == 4
    newest = server.store.read(lambda c: stored_snapshots.newest(c, number))
    assert newest.outcome["places"] == [[0, 1], [1, 2]] or newest.outcome["places"] == [(0, 1), (1, 2)]
    kinds = [entry.kind for entry in server.store.read(lambda c: stored_journal.after(c, number, 0))]
    assert kinds == ["seat", "seat", "start", *["insert", "close"] * 3]
