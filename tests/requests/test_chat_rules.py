"""Chat rules: the messages that players of a game may write, per dialect."""

from __future__ import annotations

import pytest

from tests.requests.test_boards import post
from tests.requests.test_create_game import make, rested
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.games.core.errors import GameError
from tpserver.games.terms.chat_rules import PRESS, WORDS
from tpserver.requests.talk.boards import EVERYBODY

PERMANENTLY, DENIED = 2, 5


def game_of(server: Server, dialect: str, press: str) -> list[Client]:
    server.create(press=press, clock="manual")
    return server.players(2, dialect)


@pytest.mark.parametrize("press", PRESS)
def test_letters_go_where_the_press_rule_says(server: Server, dialect: str, press: str):
    """A refusal says what is allowed, and the message is on no board. Notes to oneself are always allowed."""
    ann, ben = game_of(server, dialect, press)
    before = [len(client.messages()) for client in (ann, ben)]
    for number, allowed in ((2, press == "private"), (EVERYBODY, press != "none")):
        answer = post(ann, number, "Hello", "there")
        if allowed:
            assert answer.name == "okay"
            assert ben.messages()[-1].subject == "Hello"
            continue
        assert answer.code == DENIED
        assert answer.text.startswith(f"In this game {WORDS[press]}")
    if press == "none":
        assert [len(client.messages()) for client in (ann, ben)] == before
    for own in (0, 1):
        assert post(ann, own, "Note", "to myself").name == "okay"
    again = server.restarted().player("ann", dialect)
    assert (post(again, 2).name == "okay") == (press == "private")


@pytest.mark.parametrize("press", PRESS)
def test_what_may_be_written_is_told_where_a_game_is_listed_and_as_it_starts(server: Server, dialect: str, press: str):
    """Old clients read it in the list, on the boards and in the welcome; of a game as it always was nothing is said."""
    ann, ben = game_of(server, dialect, press)
    said = press != "private"
    if ann.knows("get_games"):
        (listed,) = ann.ask("get_games").things
        comment = next(one.string_value for one in listed.parameters if one.id == 5)
        assert (WORDS[press] in comment) == said
    assert (f"In this game {WORDS[press]}." in ben.messages()[0].body) == said
    about = ann.ask("get_boards", ids=[2]).message.description
    assert about == (f"In this game {WORDS[press]}" if said else "What you post here is read by ben")


@pytest.mark.parametrize("title", ["pb", "json"])
def test_who_makes_a_game_chooses_and_all_are_told(server: Server, title: str):
    ann = at_home(server)
    for press in ("", *PRESS):
        rested(server)
        name = f"game {press or 'usual'}"
        assert make(ann, name, press=press).name == "okay"
        stranger = server.connect(title)
        assert stranger.ask("get_game_setup", game=name).message.press == (press or "private")
        talk = server.player("cem", title, f"{name}/watch").ask("get_talk").message
        assert (talk.game, talk.press, talk.words) == (name, press or "private", WORDS[press or "private"])
    rested(server)
    answer = make(ann, "other", press="loud")
    assert (answer.code, answer.text) == (PERMANENTLY, "Press is none, public or private, not 'loud'.")
    assert [row.name for row in server.registry.directory.rows() if row.name == "other"] == []
    with pytest.raises(GameError, match="press is none"):
        server.create("third", press="PUBLIC")


def test_a_game_from_before_there_were_rules_is_private_and_an_unknown_rule_allows_nothing(server: Server):
    ann, _ = game_of(server, "tp04", "none")
    for stored, allowed in ((None, True), ("shouting", False)):
        result_of(
            server.store.write(lambda c, value: c.exec_driver_sql("UPDATE games SET press = ?", (value,)), stored)
        )
        server = server.restarted()
        ann = server.player("ann")
        assert (post(ann, 2).name == "okay") == allowed
