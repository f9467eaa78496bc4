"""Connecting, features, filters, accounts, login, and choice of a game."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.server_in_memory import BEGINNING, Server, result_of
from tpproto.dialects import TP04
from tpproto.errors import FailCode
from tpserver.accounts.accounts import LONGEST_PASSWORD
from tpserver.accounts.pauses import LONGEST_PAUSE
from tpserver.names import LONGEST_NAME
from tpserver.requests.entry.login import MOST_ATTEMPTS
from tpserver.store.people import accounts as stored_accounts

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED, FRAME = 2, 3, 4, 5, 1


# --- features and filters -------------------------------------------------------------------------------------------


def features(server: Server, dialect: str = "tp04", *, secure: bool = False) -> set[int]:
    return set(server.connect(dialect, secure=secure).ask("get_features").message.features)


def test_features_that_are_always_there(server: Server, dialect: str):
    """All dialects have keep-alive, property calculation and account creation.

    Dialects with filters also have string padding, and those with the frame have game creation.
    """
    expected = (
        {5, 6, 1000} | ({0x1D00} if dialect != "tp03" else set()) | ({1001} if dialect in ("pb", "json") else set())
    )
    assert features(server, dialect) == expected


def test_a_server_that_makes_no_accounts_does_not_announce_that_it_does(make_server: Callable[..., Server]):
    assert 1000 not in features(make_server(policy="closed"))
    assert 1000 in features(make_server(policy="register"))


def test_features_tell_of_encryption_here_or_elsewhere(make_server: Callable[..., Server]):
    server = make_server(addresses=[("tp", "host", 6923), ("tps", "host", 6924)])
    assert {1, 2} & features(server) == {2}
    assert {1, 2} & features(server, secure=True) == {1}
    assert {1, 2} & features(make_server()) == set()


def test_features_tell_of_tunnels_here_or_elsewhere(make_server: Callable[..., Server]):
    """By the way that the connection has come; of none where there is none, as of encryption."""
    for kind in ("tp+http", "tp+https"):
        server = make_server(addresses=[("tp", "host", 6923), (kind, "host", 8080)])
        assert {1, 2, 3, 4} & features(server) == {4}
        client = server.connect("tp04")
        client.session.over_http = True
        assert {3, 4} & set(client.ask("get_features").things[0].features) == {3}
    client = make_server().connect("tp04")
    client.session.over_http = True
    assert {3, 4} & set(client.ask("get_features").things[0].features) == set()


def test_padding_is_on_both_ways_after_the_filter_is_set(server: Server):
    """The answer to SetFilters itself is not filtered; strings are filled up to a multiple of four after it."""
    server.create()
    client = server.connect("padded")
    assert client.session.use is TP04.padded
    answer = client.ask("login", username="odd", password="five5")
    assert answer.name == "okay"
    size = int.from_bytes(answer.data[12:16], "big")
    assert size % 4 == 0
    assert size == 4 + (len(answer.text) + 3) // 4 * 4
    plain = server.connect("tp04")
    text = plain.ask("login", username="even", password="x")
    assert int.from_bytes(text.data[12:16], "big") == 4 + len(text.text)


def test_unasked_frames_are_filtered_too(server: Server):
    """A turn name of a length that is no multiple of four arrives whole at a client with the filter."""
    server.create(clock="manual")
    ann, _ = server.players(2, "padded")
    ann.pushed.clear()
    server.close_turn()
    assert [message.turn_name for _, message in ann.pushed][-1] == "Round 2"


def test_strings_are_filled_up_for_tp04_alone(server: Server, dialect: str):
    """Frames that are not of TP04 have none to fill up. A client that asks for it goes on as before."""
    client = server.connect(dialect)
    if client.knows("set_filters"):
        assert client.ask("set_filters", filters=[0x1D00]).name == "okay"
        assert client.session.use is (TP04.padded if dialect in ("tp04", "padded") else None)


@pytest.mark.parametrize("filters", [[7], [0x1D00, 0x1000], [0x1000]])
def test_a_filter_that_is_not_offered_is_refused_and_none_is_set(server: Server, filters: list[int]):
    client = server.connect("tp04")
    assert client.ask("set_filters", filters=filters).code == PERMANENTLY
    assert client.session.use is None
    assert client.ask("ping").name == "okay"


# --- accounts -------------------------------------------------------------------------------------------------------


def login(server: Server, name: str, word: str, dialect: str = "tp04"):
    return server.connect(dialect).ask("login", username=name, password=word)


def create(server: Server, name: str, word: str = "word", dialect: str = "tp04", **more: str):
    return server.connect(dialect).ask("create_account", username=name, password=word, **more)


def test_open_accounts_any_name_at_login_makes_one(make_server: Callable[..., Server], dialect: str):
    server = make_server(policy="open")
    assert login(server, "ann", "word", dialect).name == "okay"
    assert login(server, "ann", "word", dialect).name == "okay"
    assert login(server, "ann", "other", dialect).code == DENIED


def test_registered_accounts_only_create_account_makes_one(make_server: Callable[..., Server], dialect: str):
    """And the refusal of an unknown name says so, with the same words as for a wrong password."""
    server = make_server(policy="register")
    unknown = login(server, "ann", "word", dialect)
    assert unknown.code == DENIED
    assert "register a new account" in unknown.text
    assert create(server, "ann", "word", dialect).name == "okay"
    assert login(server, "ann", "other", dialect).text == unknown.text
    assert login(server, "ann", "word", dialect).name == "okay"


def test_closed_accounts_only_the_operator_makes_one(make_server: Callable[..., Server], dialect: str):
    server = make_server(policy="closed")
    refused = create(server, "ann", "word", dialect)
    assert refused.code == DENIED
    assert "operator" in refused.text
    assert login(server, "ann", "word", dialect).code == DENIED
    result_of(server.accounts.add("ann", "word"))
    assert login(server, "ann", "word", dialect).name == "okay"


def test_wrong_password_then_create_account_then_login_on_one_connection(
    make_server: Callable[..., Server], dialect: str
):
    """Clients of the time do this. The connection stays usable throughout."""
    server = make_server(policy="register")
    client = server.connect(dialect)
    assert client.ask("connect", client="old client").name == "okay"
    assert client.ask("login", username="ann", password="word").code == DENIED
    assert client.ask("create_account", username="ann", password="word", email="", comment="").name == "okay"
    assert client.ask("login", username="ann", password="word").name == "okay"
    assert not client.session.closing


def test_too_many_wrong_passwords_close_the_connection(server: Server, dialect: str):
    login(server, "ann", "word")
    client = server.connect(dialect)
    for _ in range(MOST_ATTEMPTS - 1):
        assert client.ask("login", username="ann", password="guess").code == DENIED
        assert not client.session.closing
        server.pass_time(LONGEST_PAUSE)
    last = client.ask("login", username="ann", password="guess")
    assert last.code == DENIED
    assert "closed" in last.text
    assert client.session.closing


def test_names_are_one_whatever_their_case(server: Server):
    assert login(server, "Ann", "word").name == "okay"
    assert login(server, "ANN", "word").name == "okay"
    assert login(server, "aNN", "other").code == DENIED
    assert create(server, "ann").code == DENIED
    assert "taken" in create(server, "ann").text


@pytest.mark.parametrize(
    "name",
    ["", " ", "a" * (LONGEST_NAME + 1), " ann", "ann ", "an\nn", "an\0n", "an\u202en", "{player 1}", "an\tn"],
)
def test_names_that_cannot_be(server: Server, name: str, dialect: str):
    """Refused with what is allowed; no account is made, neither by CreateAccount nor by Login."""
    assert create(server, name, "word", dialect).code == DENIED
    assert login(server, name, "word", dialect).code == DENIED
    assert server.store.read(stored_accounts.all) == []


def test_passwords_that_cannot_be(server: Server):
    assert create(server, "ann", "").code == DENIED
    assert create(server, "ann", "x" * (LONGEST_PASSWORD + 1)).code == DENIED
    assert create(server, "ann", "x" * LONGEST_PASSWORD).name == "okay"
    assert login(server, "ann", "x" * (LONGEST_PASSWORD + 1)).code == DENIED
    assert login(server, "ann", "x" * LONGEST_PASSWORD).name == "okay"


def test_addresses_and_comments_have_a_limit(server: Server):
    assert create(server, "ann", email="x" * 1001).code == FRAME
    assert create(server, "ann", comment="x" * 1001).code == FRAME
    assert server.store.read(stored_accounts.all) == []


def test_a_mail_address_is_checked_when_it_arrives(server: Server):
    """Text that is none is refused at once, also one that is made to keep a pattern busy for ever."""
    slow = f"x@{'a' * 40}!"
    for text in (slow, "ann", "ann@", "ann@example..org", "ann@-example.org", "ann@example.org\n"):
        assert create(server, "ann", email=text).code == FRAME
    assert server.store.read(stored_accounts.all) == []
    assert create(server, "ann", email="Ann.B+tp@mail-1.example.org.").name == "okay"


def test_passwords_are_kept_as_hashes_only(server: Server):
    login(server, "ann", "a very secret word")
    (account,) = server.store.read(stored_accounts.all)
    assert account.password_hash.startswith("$argon2")
    assert b"a very secret word" not in server.path.read_bytes()
    assert account.created == BEGINNING


def test_a_second_login_on_one_connection_is_refused(server: Server, dialect: str):
    server.create()
    client = server.player("ann", dialect)
    assert client.ask("login", username="ben", password="word").code == PERMANENTLY
    assert client.session.account.name == "ann"
    assert server.store.read(stored_accounts.by_name, "ben") is None, "refused before anything was done for it"


# --- games ----------------------------------------------------------------------------------------------------------


def test_without_games_one_can_log_in_all_the_same(server: Server, dialect: str):
    answer = login(server, "ann", "word", dialect)
    assert answer.name == "okay"
    assert "@game" in answer.text


def test_the_only_game_is_meant_without_saying_so(server: Server):
    server.create("first")
    client = server.player("ann")
    assert client.session.game.name == "first"
    assert client.seat == 0


def test_the_game_that_is_named_is_meant(server: Server, dialect: str):
    server.create("first")
    server.create("Second Game")
    client = server.player("ann", dialect, game="second game")
    assert client.session.game.name == "Second Game"


def test_several_games_and_none_named_is_refused_until_one_is_the_players(server: Server):
    """The refusal lists the games. A player of only one of them means that one."""
    server.create("first")
    server.create("second")
    refused = login(server, "ann", "word")
    assert refused.code == PERMANENTLY
    assert "first" in refused.text and "second" in refused.text and "ann@game" in refused.text
    assert login(server, "ann@second", "word").name == "okay"
    again = server.connect()
    assert again.ask("login", username="ann", password="word").name == "okay"
    assert again.session.game.name == "second"
    assert login(server, "ann@first", "word").name == "okay"
    assert login(server, "ann", "word").code == PERMANENTLY


def test_a_game_that_is_over_is_not_meant_unless_named(server: Server):
    server.create("old", options={"rounds": 1}, clock="manual")
    for client in server.players(2, game="old"):
        client.hang_up()
    server.close_turn("old")
    assert server.game("old").over
    server.create("new")
    assert server.player("ann").session.game.name == "new"
    assert server.connect().ask("login", username="ann@old", password="ann's word").name == "okay"
    stranger = login(server, "cem@old", "word")
    assert stranger.code == PERMANENTLY
    assert "over" in stranger.text


def test_the_only_game_of_an_account_is_meant_when_all_are_over(server: Server):
    """A player who returns after the last turn sees the end. Others are in no game."""
    server.create("old", options={"rounds": 1}, clock="manual")
    server.players(2, game="old")
    server.close_turn("old")
    assert server.player("ann").session.game.name == "old"
    assert server.player("cem").session.game is None
    later = server.restarted()
    assert later.player("ann").session.game.name == "old", "though nobody had asked for it yet"
    assert later.player("cem").session.game is None
    later.stop()


def test_what_old_programs_call_the_game_is_the_one_that_is_meant(server: Server, dialect: str):
    """Programs of 2005-2010 log in as user@tp, the old server read no name there: it is as if none was named."""
    assert "@game" in login(server, "eve@tp", "word", dialect).text
    server.create("first")
    assert server.player("ann", dialect, game="tp").session.game.name == "first"
    server.create("second")
    assert login(server, "eve@tp", "word", dialect).code == PERMANENTLY
    assert server.player("ann", dialect, game="TP").session.game.name == "first"
    server.create("tp")
    assert server.player("ben", dialect, game="tp").session.game.name == "tp"


def test_who_names_no_game_does_not_mean_one_of_that_name(server: Server):
    server.create("tp")
    server.create("second")
    assert login(server, "ann@second", "word").name == "okay"
    client = server.connect()
    assert client.ask("login", username="ann", password="word").name == "okay"
    assert client.session.game.name == "second"


@pytest.mark.parametrize("wanted", ["nowhere", "first@second", "x" * 1000, "fir\nst"])
def test_a_game_that_is_not_there(server: Server, wanted: str, dialect: str):
    server.create("first")
    answer = login(server, f"ann@{wanted}", "word", dialect)
    assert answer.code == PERMANENTLY
    assert "first" in answer.text
    assert server.game("first").open_seats() == [0, 1]


def test_more_players_than_seats(server: Server, dialect: str):
    """One too many is refused with a reason; the game and its players go on."""
    server.create(seats=2)
    ann, ben = server.players(2, dialect)
    answer = login(server, "cem", "word", dialect)
    assert answer.code == PERMANENTLY
    assert "full" in answer.text
    assert ann.ask("ping").name == ben.ask("ping").name == "okay"
    assert [player.name for player in server.game().players] == ["ann", "ben"]


def test_a_game_for_invited_players_only(server: Server, dialect: str):
    server.create("club", join="invited")
    answer = login(server, "ann", "word", dialect)
    assert answer.code == DENIED
    assert "invited" in answer.text
    (game,) = server.connect("tp04").ask("get_games").things
    assert next(one.string_value for one in game.parameters if one.id == 5).endswith("taken; for invited players only")
    account = result_of(server.accounts.login("ann", "word"))
    assert result_of(server.registry.lobby.take_seat(server.game("club"), account.id, "ann")) == 0
    assert login(server, "ann", "word", dialect).name == "okay"


def test_refused_by_its_game_the_connection_is_not_logged_in(server: Server):
    """So that the client can try another game on it."""
    server.create("club", join="invited")
    server.create("first")
    client = server.connect()
    assert client.ask("login", username="ann@club", password="word").code == DENIED
    assert client.ask("get_player", ids=[0]).code == TEMPORARILY
    assert client.ask("login", username="ann@first", password="word").name == "okay"


def test_one_player_on_several_connections(server: Server, dialect: str):
    """Both play the same seat, and both get the time remaining."""
    server.create(clock="manual")
    ann, _ = server.players(2, dialect)
    again = server.player("ann", "tp04")
    assert again.seat == ann.seat
    assert again.bid(3).name == "order"
    assert len(ann.queue(ann.home)) == 1
    ann.times_pushed(), again.times_pushed()
    server.close_turn()
    assert [time for time, _ in ann.times_pushed()] == [time for time, _ in again.times_pushed()] == [0, 2147483647]
    ann.hang_up()
    assert again.ask("get_player", ids=[0]).message.name == "ann"


def test_a_connection_that_has_gone_is_told_nothing(server: Server):
    server.create(clock="manual")
    ann, ben = server.players(2)
    ann.hang_up()
    ann.pushed.clear()
    server.close_turn()
    assert ann.pushed == []
    assert ann.session not in server.host.sessions
    assert ben.times_pushed() != []


@pytest.fixture
def slow(make_server: Callable[..., Server]) -> Server:
    """A server whose disk commits only when the test says so, so that a login takes its time."""
    server = make_server(delayed=True)
    server.create(seats=3)
    server.disk.at_once = False
    return server


def test_what_is_asked_behind_a_login_is_answered_after_it(slow: Server, dialect: str):
    """As if the client had waited: it is logged in by then."""
    client = slow.connect(dialect)
    login = client.post("login", username="ann", password="word")
    behind = [client.post("get_player", ids=[0]), client.post("ping"), client.post("get_object_ids", key=-1, amount=-1)]
    assert not any(answer.came for answer in (login, *behind))
    slow.disk.commit()
    assert login.reply.name == "okay"
    assert behind[0].reply.message.name == "ann"
    assert [answer.reply.name for answer in behind[1:]] == ["okay", "object_ids"]


def test_what_is_asked_behind_a_login_that_fails_is_refused_or_tried(slow: Server):
    """A second login behind the first one has its turn, and all requests are answered."""
    slow.disk.at_once = True
    slow.player("ann")
    slow.disk.at_once = False
    client = slow.connect()
    first = client.post("login", username="ann", password="wrong")
    second = client.post("login", username="ben", password="word")
    third = client.post("get_player", ids=[0])
    slow.disk.commit()
    assert first.reply.code == DENIED
    assert second.reply.name == "okay"
    assert third.reply.message.name == "ben"


def test_a_connection_that_goes_while_it_logs_in_leaves_nothing_behind(slow: Server):
    """The account and the seat exist, but the connection gets no more frames of the game."""
    client = slow.connect()
    client.post("login", username="ann", password="word")
    behind = client.post("ping")
    client.hang_up()
    slow.disk.commit()
    game = slow.game()
    assert game.subscribers == set()
    assert slow.host.sessions == set()
    assert client.session.game is None
    assert behind.came or not slow.disk.waiting
    slow.disk.at_once = True
    assert slow.connect().ask("login", username="ann", password="word").name == "okay"


def test_games_that_cannot_be_loaded_keep_nobody_from_the_others(server: Server, make_server: Callable[..., Server]):
    """One game's ruleset is gone after a restart. Players who name or have another game get in."""
    server.create("first", "auction")
    server.create("second", "synthetic", options={"objects": 20})
    server.player("ann", game="first")
    server.stop()
    without = type(server.found)({"auction": server.found.usable["auction"]}, {})
    later = Server(server.path, found=without)
    try:
        later.registry.load_all()
        assert later.player("ann").session.game.name == "first"
        answer = later.connect().ask("login", username="ann@second", password="ann's word")
        assert answer.code == PERMANENTLY
        assert "synthetic" in answer.text
    finally:
        later.stop()


# --- GetGames -------------------------------------------------------------------------------------------------------


def test_games_are_listed_before_login(make_server: Callable[..., Server]):
    """One Game frame a game: versions, how to reach it, when it was made."""
    server = make_server(addresses=[("tp", "play.example", 6923), ("tps", "192.0.2.7", 6924)])
    client = server.connect("tp04")
    assert client.ask("get_games").things == []
    server.create("first", clock="interval:30")
    server.pass_time(5)
    server.create("second", "synthetic", options={"objects": 20})
    games = client.ask("get_games").things
    assert [game.name for game in games] == ["first", "second"]
    first = games[0]
    assert list(first.tp) == ["0.3", "0.4"]
    assert (first.rule, first.rule_version, first.server_type, first.server) == ("auction", "1", "tpserver", "1.2.3")
    assert [(c.type, c.dns, c.ip, c.port) for c in first.connections] == [
        ("tp", "play.example", "", 6923),
        ("tps", "192.0.2.7", "192.0.2.7", 6924),
    ]
    assert first.key == ""
    assert [game.created for game in games] == [BEGINNING, BEGINNING + 5]
    parameters = {parameter.id: parameter for parameter in first.parameters}
    assert parameters[1].int_value == 0
    assert parameters[9].int_value == 0
    assert parameters[10].int_value == 30
    assert parameters[5].string_value == "waiting; interval:30; 0 of 2 seats taken"


def test_a_listed_game_tells_its_players_turn_and_deadline(server: Server):
    server.create("first", clock="interval:30")
    ann, _ = server.players(2)
    server.pass_time(31)
    (game,) = ann.ask("get_games").things
    parameters = {parameter.id: parameter for parameter in game.parameters}
    assert parameters[1].int_value == 2
    assert parameters[2].int_value == 2
    assert parameters[9].int_value == 1
    assert parameters[6].int_value == server.game().row.deadline
    assert parameters[5].string_value == "running; interval:30; 2 of 2 seats taken; awaited: ann, ben"


def test_a_finished_game_is_listed_after_a_restart_as_it_was_before(make_server: Callable[..., Server]):
    """It is no longer in memory, but its players are in the store. A waiting game shows the number of its players."""
    server = make_server()
    server.create("short", clock="interval:30", options={"rounds": 1})
    server.players(2, game="short")
    server.create("next", clock="manual")
    server.player("ann", game="next")
    server.close_turn("short")

    def told(where: Server) -> list[tuple[int, int, str]]:
        listed = []
        for game in where.connect().ask("get_games").things:
            parameters = {parameter.id: parameter for parameter in game.parameters}
            listed.append((parameters[1].int_value, parameters[10].int_value if 10 in parameters else 0,
                           parameters[5].string_value))  # fmt: skip
        return listed

    before = told(server)
    assert before == [
        (2, 30, "over; interval:30; 2 of 2 seats taken"),
        (1, 0, "waiting; manual; 1 of 2 seats taken"),
    ]
    assert told(server.restarted(10)) == before


# --- faults of the stream -------------------------------------------------------------------------------------------


def test_a_fault_that_the_stream_found_is_told_in_the_clients_dialect(server: Server, dialect: str):
    """TP03 has fewer codes: what is too new for it is 'unavailable permanently' there."""
    client = server.connect(dialect)
    for code in FailCode:
        data = client.session.refuse(int(code), "something is wrong", 77, client.dialect)
        answer = client.decoded(data)
        assert answer.sequences == {77}
        expected = int(code)
        if dialect == "tp03" and code > FailCode.PERMISSION_DENIED:
            expected = NO_SUCH_THING if code is FailCode.GONE else PERMANENTLY
        assert answer.code == expected
        assert answer.text == "Something is wrong."


@pytest.mark.parametrize("purpose", ["", "/watch"])
def test_whoever_is_told_that_a_login_could_not_be_saved_is_not_logged_in(
    make_server: Callable[..., Server], purpose: str
):
    """A login fails if a change of another player, which the welcome shows, cannot be saved.

    If the session stayed logged in, the next login would fail as a second one.
    """
    server = make_server(delayed=True)
    server.create()
    ann, ben = server.players()
    ben.hang_up()
    name = "cem" if purpose else "ben"
    server.player(name, game=f"first{purpose}").hang_up()
    server.disk.at_once = False
    order = ann.post_bid(3)
    client = server.connect()
    login = client.post("login", username=f"{name}@first{purpose}", password=f"{name}'s word")
    server.disk.fail()
    assert order.reply.code == login.reply.code == TEMPORARILY
    assert client.ask("get_player", ids=[0]).code == TEMPORARILY, "it is for players"
    server.disk.at_once = True
    assert client.ask("login", username=f"{name}@first{purpose}", password=f"{name}'s word").name == "okay"
