"""Creation of games by players: rulesets, options, bounds, invitations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.requests.test_my_games import at_home
from tests.support.pasting import pasted
from tests.support.server_in_memory import Client, Reply, Server
from tpproto import tp_pb2 as tp
from tpserver.requests.lobby import create_game
from tpserver.store.games import ownership
from tpserver.store.tables import creations as creations_table

PERMANENTLY, TEMPORARILY, DENIED = 2, 3, 5
ACCOUNTS_MAKE_GAMES = 1001


def make(client: Client, name: str = "new", ruleset: str = "auction", seats: int = 2, **more: Any) -> Reply:
    options = [tp.OptionValue(name=key, value=value) for key, value in more.pop("options", {}).items()]
    return client.ask("create_game", name=name, ruleset=ruleset, seats=seats, options=options, **more)


def rested(server: Server) -> None:
    """Let the pause between two games of one account pass."""
    server.pass_time(1)


def names(server: Server) -> list[str]:
    return [row.name for row in server.registry.directory.rows()]


def test_what_a_form_needs_is_told_of_each_ruleset(server: Server):
    """Names, goal, numbers of players; each option with its kind, bounds, words and default as it would be typed."""
    told = {one.name: one for one in server.connect("json").ask("get_rulesets").things}
    assert set(told) == set(server.found.usable)
    tae = told["tae"]
    assert (tae.title, tae.version, list(tae.seats)) == ("TaE: Tigris and Euphrates in space", "2", [2, 3, 4])
    assert tae.goal.startswith("You win if")
    for ruleset in told.values():
        declared = server.found.usable[ruleset.name].options
        assert [option.name for option in ruleset.options] == list(declared)
        for option in ruleset.options:
            assert option.limits
            if option.value:  # what is told as the default is one
                parsed = declared[option.name].parse(option.name, option.value)
                assert parsed == declared[option.name].parse(option.name, declared[option.name].default)
            if option.kind == "integer":
                assert option.low <= int(option.value) <= option.high
            if option.kind == "word":
                assert option.value in option.words
    kinds = {option.kind for ruleset in told.values() for option in ruleset.options}
    assert {"integer", "text"} <= kinds


def test_who_makes_a_game_has_a_seat_and_others_join(server: Server):
    ann = at_home(server)
    assert make(ann, "mine", "tae", 2, clock="interval:3600").text == "The game mine is made, and you have a seat in it"
    (game,) = ann.ask("get_my_games").message.games
    assert (game.name, game.player, game.clock, game.state) == ("mine", 1, "interval:3600", "waiting")
    assert (game.made, game.invited) == (True, False)
    assert ann.ask("enter_game", game="mine").name == "okay"
    server.player("ben", game="mine")
    assert server.game("mine").started
    assert server.restarted().game("mine").seat_of(1) == 0


def test_options_are_those_of_the_ruleset(server: Server):
    ann = at_home(server)
    refused = make(ann, "mine", "swarm", options={"nonsense": "1"})
    assert refused.code == PERMANENTLY
    assert "there is no such option" in refused.text
    rested(server)
    refused = make(ann, "mine", "swarm", options={"cubes_total": "6"})
    assert refused.code == PERMANENTLY
    assert "a whole number from 7 to 40" in refused.text
    assert names(server) == []
    rested(server)
    assert make(ann, "mine", "swarm", options={"cubes_total": "7", "chain_swarm": "off"}).name == "okay"
    assert (server.game("mine").row.options["cubes_total"], server.game("mine").row.options["chain_swarm"]) == (
        7,
        False,
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"name": "../etc"}, "is not a name for a game"),
        ({"name": ""}, "is not a name for a game"),
        ({"ruleset": "chess"}, "there is no ruleset"),
        ({"seats": 99}, "not 99"),
        ({"seats": 0}, "is played by"),
        ({"bots": 2}, "one of the seats is yours"),
        ({"bots": 2**32 - 1}, "one of the seats is yours"),
        ({"clock": "manual"}, "only the operator ends the turns"),
        ({"clock": "interval:0"}, "seconds go from 1"),
        ({"clock": "interval:29"}, "take 30 seconds or more"),
        ({"clock": "sundial"}, "is not a clock"),
    ],
)
def test_what_cannot_be_made_is_a_sentence_and_makes_nothing(server: Server, settings: dict[str, Any], words: str):
    answer = make(at_home(server), **settings)
    assert answer.code == PERMANENTLY
    assert words.casefold() in answer.text.casefold()
    assert names(server) == []


def test_a_name_is_given_once(server: Server):
    server.create("Taken")
    assert "there is already a game" in make(at_home(server), "taken").text.casefold()


def test_only_so_many_games_of_an_account_are_open(server: Server):
    """One that is over makes room; other accounts have their own number."""
    server.host.making.most_open = 2
    ann = at_home(server)
    for name in ("one", "two"):
        assert make(ann, name).name == "okay"
        rested(server)
    refused = make(ann, "three")
    assert refused.code == TEMPORARILY
    assert "You own 2 games that are not over" in refused.text
    rested(server)
    assert make(at_home(server, "ben"), "four").name == "okay"
    result = server.store.write(lambda c: c.exec_driver_sql("UPDATE games SET state = 'over' WHERE name = 'one'"))
    assert result.called
    assert make(ann, "three").name == "okay"
    assert names(server) == ["one", "two", "four", "three"]


def test_games_are_not_made_without_end(server: Server, monkeypatch: pytest.MonkeyPatch):
    """Of one account in an hour, though they are over at once, and of all accounts together."""
    monkeypatch.setattr(create_game, "MOST_NEW", 2)
    ann = at_home(server)
    for name in ("one", "two"):
        make(ann, name)
        rested(server)
    server.store.write(lambda c: c.exec_driver_sql("UPDATE games SET state = 'over'"))
    assert "you have created many games recently" in make(ann, "three").text.casefold()
    server.pass_time(create_game.NEW_SECONDS)
    assert make(ann, "three").name == "okay"
    monkeypatch.setattr(create_game, "MOST_OF_ALL", 1)
    assert "as many games of its players" in make(at_home(server, "ben"), "four").text


def test_setting_up_costs_a_pause_of_the_account_also_when_it_fails(
    make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
):
    """Rules that run because of an option take time from turns. An unknown option takes none."""
    server = make_server()
    ann, ben = at_home(server), at_home(server, "ben")
    usual = server.registry.turns.compute

    def slow(work: Callable[[], Any]) -> Any:
        server.clock.advance(2)
        return usual(work)

    monkeypatch.setattr(server.registry.turns, "compute", slow)
    assert make(ann, seats=2, options={"nonsense": "1"}).code == PERMANENTLY
    assert "is not on board 0" in make(ann, ruleset="colony_battle", options={"starts": "1:2,2 0:4,4"}).text
    refused = make(ann)
    assert (refused.code, refused.text) == (TEMPORARILY, "You create games too fast; try again in 41 s.")
    assert make(ben, "his").name == "okay"
    server.pass_time(2 * create_game.REST + 1)
    assert make(ann).name == "okay"


def test_the_operator_may_keep_it_to_himself(server: Server):
    """Then the feature is not listed, either. Old programs never see it, as they could not use it."""
    assert ACCOUNTS_MAKE_GAMES in server.connect("pb").ask("get_features").message.features
    assert ACCOUNTS_MAKE_GAMES not in server.connect("tp04").ask("get_features").message.features
    server.host.making.allowed = False
    assert make(at_home(server)).code == DENIED
    assert ACCOUNTS_MAKE_GAMES not in server.connect("pb").ask("get_features").message.features
    assert names(server) == []


def test_nothing_is_told_of_a_game_that_could_not_be_saved(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    ann = at_home(server)
    server.disk.at_once = False
    asked = ann.post("create_game", name="new", ruleset="auction", seats=2)
    assert not asked.came
    server.disk.fail()
    assert asked.reply.code == TEMPORARILY
    server.disk.at_once = True
    assert names(server) == []
    rested(server)
    assert make(ann).name == "okay"


def test_a_seat_that_could_not_be_saved_is_told_apart_from_the_game(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    ann = at_home(server)
    server.disk.at_once = False
    asked = ann.post("create_game", name="new", ruleset="auction", seats=2)
    server.disk.commit(1)
    server.disk.fail()
    assert asked.reply.text == "The game 'new' is made, but your seat in it could not be saved; join it."
    server.disk.at_once = True
    assert ann.ask("enter_game", game="new").name == "okay"


# --- invitations ------------------------------------------------------------------------------------------------------


def invited(server: Server, seats: int = 3) -> tuple[Client, str]:
    """Return ann, who has made a game for invited players, and the word that lets others in."""
    ann = at_home(server)
    make(ann, "club", "auction", seats, invited=True)
    return ann, ann.ask("get_invitation", game="club").message.word


@pytest.mark.parametrize("dash", "\u2010\u2011\u2013\u2014\uff0d")
def test_the_name_of_a_game_is_read_as_other_programs_write_it(server: Server, dash: str):
    """With other dashes, spaces that do not break, and soft hyphens."""
    ann = at_home(server)
    make(ann, "club-1 a", "auction", 3)
    ben = at_home(server, "ben")
    assert ben.ask("enter_game", game=f"\ufeffclub{dash}1\u00a0\u00ada ").text.startswith("Welcome to club-1 a, ben")


def test_an_invitation_lets_several_in_until_the_seats_are_taken(server: Server):
    ann, word = invited(server)
    ben = at_home(server, "ben")
    assert ben.ask("enter_game", game="club").code == DENIED
    assert ben.ask("enter_game", game="club", invitation="guess").code == DENIED
    typed = "\u00a0".join(word).replace("-", "\u2011") + "\u00ad\u200b"
    assert ben.ask("enter_game", game="club", invitation=typed).text == "Welcome to club, ben; you are player 2"
    assert at_home(server, "cem").ask("enter_game", game="club", invitation=word).name == "okay"
    assert server.game("club").started
    assert at_home(server, "dan").ask("enter_game", game="club", invitation=word).code == PERMANENTLY
    assert "no seat" in ann.ask("get_invitation", game="club").text.casefold()
    assert at_home(server, "ben").ask("enter_game", game="club").name == "okay", "who has a seat needs no word"
    games = [at_home(server, name).ask("get_my_games").message.games[0] for name in ("ann", "ben")]
    assert [(game.made, game.invited) for game in games] == [(True, True), (False, True)]


def test_another_word_takes_the_place_of_the_one_before(server: Server):
    ann, old = invited(server)
    new = ann.ask("get_invitation", game="club").message.word
    refused = at_home(server, "ben").ask("enter_game", game="club", invitation=old)
    assert refused.code == DENIED
    assert "no longer valid" in refused.text
    assert at_home(server.restarted(), "ben").ask("enter_game", game="club", invitation=new).name == "okay"


def test_an_invitation_is_taken_as_it_is_pasted(server: Server):
    _, word = invited(server)
    assert at_home(server, "ben").ask("enter_game", game="club", invitation=pasted(word)).name == "okay"


def test_the_database_has_no_word(server: Server):
    _, word = invited(server)
    (row,) = server.store.read(lambda c: c.execute(creations_table.select()).all())
    assert len(row.invitation) == 32
    assert word.encode() not in row.invitation
    assert server.store.read(ownership.creator_of, row.game) == 1


def test_only_who_has_made_a_game_for_invited_players_invites(server: Server):
    ann, _ = invited(server)
    server.create("operators", join="invited")
    ben = at_home(server, "ben")
    assert ben.ask("get_invitation", game="club").code == DENIED
    assert ann.ask("get_invitation", game="operators").code == DENIED
    assert ben.ask("enter_game", game="operators", invitation="").code == DENIED
    assert ben.ask("enter_game", game="operators", invitation="x").code == DENIED
    rested(server)
    make(ann, "open")
    assert ann.ask("get_invitation", game="open").code == PERMANENTLY
    assert ann.ask("get_invitation", game="nowhere").code == PERMANENTLY


# --- a game master ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["pb", "json"])
def test_a_game_master_has_no_seat_watches_and_decides(server: Server, title: str):
    """Also of a game for invited players; what it sees is what every spectator sees, and it is not awaited."""
    gm = at_home(server, "maya", title)
    assert make(gm, "arena", "tae", 2, master=True, invited=True, clock="interval:100").text == (
        "The game arena is made, and you are its game master: watch it"
    )
    assert server.game("arena").open_seats() == [0, 1]
    word = gm.ask("get_invitation", game="arena").message.word
    for name in ("ann", "ben"):
        assert at_home(server, name, title).ask("enter_game", game="arena", invitation=word).name == "okay"
    assert server.game("arena").started
    (listed,) = gm.ask("get_my_games").message.games
    assert (listed.name, listed.player, listed.made, listed.new_turns, listed.new_letters) == ("arena", 0, True, 0, 0)
    assert [seat.name for seat in listed.seats] == ["ann", "ben"]
    assert gm.ask("get_game_setup", game="arena").message.game == "arena"
    watching = server.player("maya", title, "arena/watch")
    server.game("arena").row = replace(server.game("arena").row, join="open")
    stranger = server.player("cem", title, "arena/watch")
    server.game("arena").row = replace(server.game("arena").row, join="invited")
    seen = [
        sorted((one.id, one.name) for one in client.ask("get_objects_by_id", ids=client.ids("get_object_ids")).things)
        for client in (watching, stranger)
    ]
    assert seen[0] == seen[1]
    assert watching.ask("finished_turn").code == DENIED
    assert server.player("maya", title, "arena/turn/0").ask("ping").name == "okay"
    assert gm.ask("extend_turn", game="arena", seconds=60).name == "okay"
    assert gm.ask("abort_game", game="arena", reason="Enough").name == "okay"
    later = server.restarted()
    (listed,) = at_home(later, "maya", title).ask("get_my_games").message.games
    assert (listed.player, listed.state) == (0, "over")


def test_nobody_but_its_master_watches_a_game_for_invited_players(server: Server):
    gm = at_home(server, "maya")
    make(gm, "arena", master=True, invited=True)
    stranger = at_home(server, "cem")
    assert stranger.ask("enter_game", game="arena/watch").code == DENIED
    assert stranger.ask("get_game_setup", game="arena").code == DENIED
    assert stranger.ask("enter_game", game="arena/turn/0").code == DENIED
    assert list(stranger.ask("get_my_games").message.games) == []


def test_a_game_master_may_let_bots_play_alone(server: Server):
    gm = at_home(server, "maya")
    assert make(gm, "arena", bots=2).code == PERMANENTLY
    assert make(gm, "arena", bots=2, master=True).name == "okay"
    assert server.game("arena").row.bots == 2
