"""Operations print and do the same with and without a running server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tpserver.store import Store
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts

Run = Callable[..., Any]


@pytest.fixture(params=["without a server", pytest.param("with a server", marks=pytest.mark.thorough)])
def do(request: pytest.FixtureRequest, data: Path, tpserver: Run) -> Iterator[Run]:
    """Run commands on the data directory, with or without a server that runs there."""
    if request.param == "with a server":
        server = request.getfixturevalue("serve")()
    else:
        server = None

    def run(*arguments: object) -> Any:
        return tpserver(*arguments, "--data", data)

    yield run
    if server is not None:
        assert server.stop() == 0
        assert "Traceback" not in server.said


def _create(do: Run, name: str = "lots", *more: object) -> Any:
    return do("game", "create", name, "--ruleset", "auction", "--seats", "2", *more)


def test_a_game_and_an_account_are_made_once(do: Run, data: Path) -> None:
    """They are in the store afterwards, and a second of the same name is refused, upper and lower case being one."""
    assert do("account", "add", "Ada", "--password", "secret").lines == ["Account Ada added."]
    again = do("account", "add", "ada", "--password", "other")
    assert (again.code, again.err) == (1, "tpserver: the name 'ada' is taken\n")
    assert _create(do, "lots", "--option", "rounds=3", "--clock", "interval:60", "--bots", "1").lines == [
        "Game lots made: auction, 2 seats, clock interval:60; 1 seat is for a bot.",
        "It starts when 1 player has joined.",
    ]
    again = _create(do, "LOTS")
    assert (again.code, again.err) == (1, "tpserver: there is already a game 'LOTS'\n")


def test_a_game_for_guests_says_that_none_come(do: Run) -> None:
    """The configuration lets none in, so that nobody waits for them in vain."""
    assert _create(do, "lots", "--guests", "silent").lines[-1].startswith("This server takes no guests yet: [accounts]")


def test_list_and_show_tell_what_was_made(do: Run) -> None:
    """All that was said at the making is found again."""
    _create(do, "lots", "--option", "rounds=3", "--clock", "threshold:50:60", "--join", "invited", "--press", "public")
    _create(do, "other")
    head, lots, other = do("game", "list").lines
    assert head.split() == ["NAME", "RULESET", "VERSION", "STATE", "TURN", "SEATS", "CLOCK"]
    assert lots.split() == ["lots", "auction", "1", "waiting", "0", "0/2", "threshold:50:60"]
    assert other.split() == ["other", "auction", "1", "waiting", "0", "0/2", "all-done"]
    shown = do("game", "show", "lots").out
    for pattern in (
        r"^lots: Auction$",
        r"ruleset +auction, version 1",
        r"state +waiting",
        r"turn +0: Waiting for players \(0 of 2\)",
        r"clock +threshold:50:60",
        r"joining +invited",
        r"press +public: players write to everybody at once only",
        r"options +rounds=3$",
        r"digest +[0-9a-f]{64}",
        r"1  - \(open\)",
    ):
        assert re.search(pattern, shown, re.MULTILINE), pattern
    assert "seed" not in shown


def test_an_invited_player_has_a_seat(do: Run) -> None:
    """An invitation seats an account that is there, once; the last one starts the game."""
    _create(do, "lots", "--join", "invited")
    do("account", "add", "Ada", "--password", "secret")
    do("account", "add", "Bo", "--password", "secret")
    said = do("game", "invite", "lots", "ada")
    assert said.lines == ["Ada is player 1 of lots; 1 more player is awaited."]
    assert do("game", "invite", "lots", "Ada").lines == said.lines
    unknown = do("game", "invite", "lots", "Cy")
    assert (unknown.code, unknown.err) == (
        1,
        "tpserver: there is no account 'Cy'; make it with: tpserver account add Cy\n",
    )
    assert do("game", "invite", "lots", "Bo@lots/watch").lines == ["Bo is player 2 of lots; the game has started."]
    do("account", "add", "Cy", "--password", "secret")
    assert "is full: all 2 seats are taken" in do("game", "invite", "lots", "Cy").err


def test_who_plays_an_anonymous_game_is_told_for_a_reason(do: Run) -> None:
    """The operations that show a game name only seats.

    The audit has each view of the names with its reason. A player can be removed by the name of the account.
    """
    assert _create(do, "masks", "--anonymous", "yes").code == 0
    for name in ("adalbert", "bobadil"):
        assert do("account", "add", name, "--password", "secret").code == 0
        assert do("game", "invite", "masks", name).lines[0].startswith(f"{name} has a seat in masks; ")
    shown = do("game", "show", "masks").out + do("game", "seats", "masks").out
    assert "players    anonymous: the players stay hidden until the game is over" in shown
    assert "Player 2" in shown
    assert not any(name in shown for name in ("adalbert", "bobadil"))
    assert do("game", "players", "masks").code == 2
    assert "give a reason" in do("game", "players", "masks", "--reason", " ").err
    told = do("game", "players", "masks", "--reason", "complaint").out
    assert all(name in told for name in ("adalbert", "bobadil"))
    assert "complaint" in do("audit", "masks").out
    assert "seeks a player now" in do("game", "remove", "masks", "bobadil").out


def test_what_a_waiting_game_cannot_do_is_refused(do: Run) -> None:
    """Nobody has joined: no start, no pause, no resume, no turn to close."""
    _create(do)
    assert "waits for 2 more players" in do("game", "start", "lots").err
    assert "is waiting, not running" in do("game", "pause", "lots").err
    assert "is waiting, not paused or held" in do("game", "resume", "lots").err
    assert "has not started" in do("game", "close-turn", "lots").err
    assert "there is no game 'lost' (games: lots)" in do("game", "show", "lost").err


def test_a_game_for_invited_players_says_how_to_invite_them(data: Path, tpserver: Run) -> None:
    """For nobody can join it otherwise."""
    made = tpserver("game", "create", "lots", "--ruleset", "auction", "--seats", "2", "--join", "invited",
                    "--data", data)  # fmt: skip
    assert "invite them with: tpserver game invite lots ACCOUNT" in made.out
    tpserver("account", "add", "ann", "--password", "word", "--data", data)
    assert tpserver("game", "invite", "lots", "ann", "--data", data).code == 0
    assert "lots: 0 turns and 1 journal entry run again" in tpserver("replay", "lots", "--data", data).out


def test_a_game_of_two_people_is_paused_resumed_and_closed(data: Path, tpserver: Run, serve: Any) -> None:
    """The clock stops and goes on, turns close by hand; what one way has done the other sees."""

    def do(*arguments: object) -> Any:
        return tpserver(*arguments, "--data", data)

    _create(do, "lots", "--clock", "interval:3600")
    _seat_two_people(data)
    assert do("game", "start", "lots").lines == ["Game lots has started: Round 1."]
    assert do("game", "close-turn", "lots").lines == ["Turn 0 of lots is closed; now turn 1: Round 2."]
    assert re.search(r"paused with (1 hour|59 minutes)", do("game", "pause", "lots").out)
    assert re.search(r"clock +interval:3600, 3\d\d\d s left when paused", do("game", "show", "lots").out)
    server = serve()
    assert "is paused, not running" in do("game", "pause", "lots").err
    assert do("game", "close-turn", "lots").lines == ["Turn 1 of lots is closed; now turn 2: Round 3."]
    assert do("game", "resume", "lots").out.startswith("Game lots goes on; the turn ends 20")
    assert re.search(r"turn ends .* \(in 3\d\d\d s\)", do("game", "show", "lots").out)
    for _ in range(3):
        do("game", "close-turn", "lots")
    assert "the game 'lots' is over" in do("game", "close-turn", "lots").err
    shown = do("game", "show", "lots").out
    assert re.search(r"PLACE  NAME  +LOTS\n +1  ada +0\n +1  bob +0", shown)
    assert "seed" in shown
    assert server.stop() == 0
    assert do("game", "show", "lots").out == shown


def test_a_turn_gets_more_time_and_a_game_another_clock(data: Path, tpserver: Run, serve: Any) -> None:
    """Without a server and with one; what cannot be is refused in a sentence, and nothing has changed."""

    def do(*arguments: object) -> Any:
        return tpserver(*arguments, "--data", data)

    _create(do, "lots", "--clock", "interval:3600 grace:60 bank:600:10")
    assert "is waiting, so its turn has no deadline" in do("game", "extend", "lots", "60").err
    _seat_two_people(data)
    do("game", "start", "lots")
    server = None
    for _ in range(2):
        more = do("game", "extend", "lots", "3600").out
        assert re.match(r"The turn of lots has 1 hour more, until 20.* UTC; the players are notified\.\n$", more)
        shown = do("game", "show", "lots").out
        assert re.search(r"clock .*, turn due 20.*, turn ends 20", shown)
        assert re.search(r"in words +a turn ends when all are done, after 1 hour at the latest, with 1 minute", shown)
        assert "ada (awaited, 600 s in its time bank)" in shown
        assert "'0' is not a number of seconds from 1 to 31536000" in do("game", "extend", "lots", "0").err
        assert "is not a clock" in do("game", "set-clock", "lots", "hourly").err
        assert "phase 'duel' is no group" in do("game", "set-clock", "lots", "all-done phase:duel=interval:5").err
        server = server or serve()
    changed = do("game", "set-clock", "lots", "calendar:daily:2000:europe/berlin")
    assert changed.out.startswith(
        "Game lots has the clock calendar:daily:2000:Europe/Berlin: a turn ends when all are done, every day at 20:00 "
        "(Europe/Berlin) at the latest. This turn is due 20"
    )
    assert changed.out.endswith("UTC. The players are notified.\n")
    assert server is not None
    assert server.stop() == 0
    assert "calendar:daily:2000:Europe/Berlin" in do("game", "list").out
    do("game", "pause", "lots")
    assert "has 1 minute more when the game goes on" in do("game", "extend", "lots", "60").out


def test_who_is_absent_is_told_and_decided(data: Path, tpserver: Run, serve: Any) -> None:
    """At the making and later, without a server and with one."""

    def do(*arguments: object) -> Any:
        return tpserver(*arguments, "--data", data)

    assert "is not a number of turns from 0 to 100" in _create(do, "lots", "--absent-after", "101").err
    _create(do, "lots", "--clock", "interval:3600", "--absent-after", "3")
    _seat_two_people(data)
    assert do("game", "start", "lots").code == 0
    server = serve()
    shown = do("game", "seats", "lots").lines
    assert shown[0] == (
        "The game does not wait for a player who has missed 3 turns in a row, until that player is back."
    )
    assert shown[1].split("  ")[0] == "SEAT"
    assert [line.split()[:3] for line in shown[2:]] == [["1", "ada", "awaited"], ["2", "bob", "awaited"]]
    changed = do("game", "seats", "lots", "--absent-after", "1").lines
    assert changed[0] == "The game does not wait for a player who has missed a turn, until that player is back."
    assert server.stop() == 0
    assert "absence    the game does not wait for a player who has missed a turn" in do("game", "show", "lots").out
    assert (
        "begins when all players have confirmed that they are here"
        in do("game", "seats", "lots", "--roll-call", "86400").out
    )
    do("game", "seats", "lots", "--roll-call", "0")
    changed = do("game", "seats", "lots", "--seek", "yes", "--reliability", "75").lines
    assert changed[0].endswith("somebody else can take the seat; new players must have kept 75 % of their due turns.")
    assert "is in another game than lots" in do("game", "remove", "lots", "bob@few").err
    assert do("game", "remove", "lots", "BOB@lots").lines == [
        "Seat 2 of lots seeks a player now; the players are notified."
    ]
    assert "there is no player 'bob' in the game lots" in do("game", "remove", "lots", "bob").err
    assert do("game", "give", "lots", "bob").lines == [
        "bob is now the owner of the game lots; the players are notified."
    ]
    assert "there is no account 'eve'" in do("game", "give", "lots", "eve").err
    assert do("replay", "lots").code == 0


@pytest.mark.thorough
def test_a_password_comes_over_standard_input(data: Path, process: Run) -> None:
    """Only its hash is kept."""
    said = process("account", "add", "ada", "--password-stdin", "--data", data, stdin="very secret\nmore\n")
    assert (said.code, said.lines) == (0, ["Account ada added."])
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    account = store.read(lambda connection: stored_accounts.by_name(connection, "ada"))
    store.close()
    assert account is not None
    assert account.password_hash.startswith("$argon2id$")
    assert not account.bot


def test_the_data_directory_is_for_its_owner_only(data: Path, tpserver: Run) -> None:
    assert tpserver("account", "add", "ada", "--password", "x", "--data", data).code == 0
    assert data.stat().st_mode & 0o777 == 0o700
    assert (data / "tpserver.sqlite").stat().st_mode & 0o777 == 0o600


def test_defaults_of_a_new_game_come_from_the_configuration(tmp_path: Path, tpserver: Run) -> None:
    """Clock and join that are not said on the command line; and the data directory itself."""
    (tmp_path / "tp.toml").write_text('[server]\ndata = "there"\n[games]\nclock = "manual"\njoin = "invited"\n')
    config = ("--config", tmp_path / "tp.toml")
    made = tpserver("game", "create", "lots", "--ruleset", "auction", "--seats", "2", *config)
    assert "clock manual" in made.out
    assert "joining    invited" in tpserver("game", "show", "lots", *config).out
    assert (tmp_path / "there" / "tpserver.sqlite").exists()


def test_commands_that_meet_wait_for_each_other(data: Path, tpserver: Run) -> None:
    """Two command lines at the same time without a server: the lock of the one is no error of the other."""
    import threading
    import time

    assert tpserver("account", "add", "ada", "--password", "x", "--data", data).code == 0
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    timer = threading.Timer(0.3, store.close)
    begun = time.monotonic()
    timer.start()
    said = tpserver("account", "add", "bob", "--password", "x", "--data", data)
    timer.join()
    assert (said.code, said.lines) == (0, ["Account bob added."])
    assert time.monotonic() - begun >= 0.3


def test_a_lock_that_nobody_lets_go_is_told(data: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process has the store and does not answer: after a while the command names it."""
    monkeypatch.setattr("tpserver.admin.offline.PATIENCE", 0.1)
    assert tpserver("account", "add", "ada", "--password", "x", "--data", data).code == 0
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    try:
        said = tpserver("game", "list", "--data", data)
    finally:
        store.close()
    assert said.code == 1
    assert "is in use by process" in said.err


def _seat_two_people(data: Path) -> None:
    """Put two accounts into the seats of the only game, as the server does at login."""
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)

    def seat(connection: Any) -> None:
        game = stored_games.all(connection)[0]
        for number, name in enumerate(("ada", "bob")):
            account = stored_accounts.add(connection, name, "no hash", now=1.0)
            stored_games.take_seat(connection, game.id, number, account.id, name)

    store.write(seat)
    store.close()


def test_a_game_is_renamed_closed_handed_over_ended_and_deleted(do: Run, tmp_path: Path) -> None:
    """It is deleted only after an export, unless that is not wanted; the file is a whole game."""
    do("account", "add", "ada", "--password", "secret")
    _create(do, "lots")
    do("game", "invite", "lots", "ada")
    assert do("game", "rename", "lots", "more").lines == ["Game lots is called more now; its players are notified."]
    assert "closed to newcomers" in do("game", "close", "more").out
    assert "for invited players only already" in do("game", "close", "more").err
    assert do("game", "open", "more").lines == ["Game more is open to everybody."]
    assert "give a reason" in do("game", "abort", "more", "--reason", " ").err
    assert "over without a result" in do("game", "abort", "more", "--reason", "Too few").out
    assert "is over" in do("game", "abort", "more", "--reason", "Too few").err
    file = tmp_path / "more.tpgame"
    told = do("game", "delete", "more", "--to", file).lines
    assert told[-1] == "Game more is deleted, with all that was stored of it."
    assert file.stat().st_size > 0
    assert "there is no game 'more'" in do("game", "show", "more").err
    _create(do, "more")
    assert do("game", "delete", "more", "--without-export").lines == [told[-1]]
    assert "there is no game 'more'" in do("game", "delete", "more", "--without-export").err
