"""GetClock, ExtendTurn, SetClock and GetClockGroups.

Only Protocol Buffers and JSON have them. Also tested: the texts for old clients.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.test_create_game import make, rested
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import BEGINNING, Client, Server, result_of, state_of
from tpproto import tp_pb2 as tp
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.games.turns.clock_changes import MOST_CLOCK_CHANGES

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED, GONE = 2, 3, 4, 5, 6
WARNING = 2


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def clock_of(client: Client, game: str = "") -> Any:
    return client.ask("get_clock", game=game).message


def told(client: Client, subject: str) -> list[str]:
    return [message.body for message in client.messages() if message.subject == subject]


# --- what a clock says ------------------------------------------------------------------------------------------------


def test_a_clock_is_told_in_words_with_its_times_and_banks(server: Server, dialect: str):
    """Also before login; the times are absolute, so that each reader sees them in his own."""
    server.create(clock="interval:100 grace:20 bank:60:5")
    ann, ben = server.players(2)
    words = (
        "a turn ends when all are done, after 1 minute 40 seconds at the latest, with 20 seconds of grace for late "
        "players, each player has a time bank of 1 minute and 5 seconds more for each turn"
    )
    clock = clock_of(server.connect(dialect), "FIRST")
    assert (clock.game, clock.clock, clock.words) == ("first", "interval:100 grace:20 bank:60:5", words)
    assert (clock.due, clock.ends, clock.owned) == (BEGINNING + 100, BEGINNING + 180, False)
    assert [(bank.player, bank.seconds) for bank in clock.banks] == [(1, 60), (2, 60)]
    ann.ask("finished_turn")
    server.pass_time(150)
    mine = server.player("ben", dialect)
    clock = clock_of(mine)
    assert [(bank.player, bank.seconds) for bank in clock.banks] == [(1, 60), (2, 30)]
    server.pass_time(30)
    assert [bank.seconds for bank in clock_of(mine).banks] == [60, 5]
    assert ben.times_pushed()


def test_a_clock_that_stands_or_has_no_deadline_tells_no_times(server: Server, dialect: str):
    server.create(clock="interval:100")
    assert (clock_of(server.connect(dialect), "first").due, clock_of(server.connect(dialect), "first").ends) == (0, 0)
    server.players(2)
    server.undergo("pause")
    assert clock_of(server.connect(dialect), "first").due == 0
    server.create("second")
    server.players(2, game="second")
    clock = clock_of(server.connect(dialect), "second")
    assert (clock.due, clock.ends, len(clock.banks)) == (0, 0, 0)


def test_of_a_game_for_invited_players_only_they_are_told_its_clock(server: Server, dialect: str):
    server.create("closed", clock="interval:100", join="invited")
    assert server.connect(dialect).ask("get_clock", game="closed").code == DENIED
    assert server.connect(dialect).ask("get_clock", game="").code == TEMPORARILY
    assert server.connect(dialect).ask("get_clock", game="none").code == PERMANENTLY


def test_a_game_whose_time_zone_is_not_known_any_more_is_still_listed(server: Server, dialect: str):
    """An upgrade of the machine can remove a time zone. The text of the clock is shown as it is."""
    game = server.create(clock="calendar:daily:2000:Europe/Berlin")
    old = "calendar:daily:2000:Europe/Atlantis"
    server.store.write(lambda c: c.exec_driver_sql("UPDATE games SET clock = ?", (old,)))
    server = server.restarted()
    (listed,) = server.connect(dialect).ask("get_games").things
    assert old in next(one.string_value for one in listed.parameters if one.id == 5)
    assert clock_of(server.connect(dialect), game.name).words == old


def test_the_list_of_games_has_the_clocks_of_old_as_they_are_and_the_new_ones_in_words(server: Server):
    """For there are clients that read the former, and people who read the latter."""
    clocks = {
        "a": ("interval:60", "interval:60"),
        "b": ("threshold:50:60", "threshold:50:60"),
        "c": ("calendar:mon-fri:2000:UTC wait", "a turn ends on Monday to Friday at 20:00 (UTC)"),
        "d": ("interval:60 wait", "a turn ends after 1 minute"),
    }
    for name, (clock, _) in clocks.items():
        server.create(name, clock=clock)
    for listed in server.connect("tp04").ask("get_games").things:
        comment = next(one.string_value for one in listed.parameters if one.id == 5)
        assert comment == f"waiting; {clocks[listed.name][1]}; 0 of 2 seats taken"


def test_the_turns_that_may_have_another_clock_are_told_of_a_ruleset(server: Server, dialect: str):
    told = server.connect(dialect).ask("get_clock_groups", ruleset="tae").message
    assert (told.ruleset, [group.name for group in told.groups]) == ("tae", ["combat"])
    assert told.groups[0].help.startswith("the turns of a combat")
    assert len(server.connect(dialect).ask("get_clock_groups", ruleset="auction").message.groups) == 0
    assert server.connect(dialect).ask("get_clock_groups", ruleset="none").code == NO_SUCH_THING


# --- games with such clocks -------------------------------------------------------------------------------------------


def test_an_account_makes_a_game_with_any_clock_but_those_of_the_operator(server: Server, dialect: str):
    ann = at_home(server)
    assert make(ann, "mine", "tae", 2, clock="Calendar:daily:2000:utc phase:combat=interval:3600").name == "okay"
    assert server.game("mine").row.clock == "calendar:daily:2000:UTC phase:combat=interval:3600"
    rested(server)
    for clock, why in (
        ("manual", "Only the operator"),
        ("interval:60 phase:combat=manual", "Only the operator"),
        ("interval:60 phase:setup=all-done", "is no group"),
        ("interval:60 first:2001-01-01T00:00:UTC", "later than now"),
        ("calendar:daily:2000:Mars", "no time zone"),
    ):
        refused = make(ann, "other", "tae", 2, clock=clock)
        assert refused.code == PERMANENTLY
        assert why in refused.text
        rested(server)


@pytest.mark.parametrize(
    "clock",
    [
        "interval:1",
        "interval:29 wait grace:3600 bank:600:60",
        "threshold:50:29",
        "all-done bank:600:29",
        "all-done phase:combat=interval:1",
        "interval:60 bank:60:1 phase:combat=all-done",
    ],
)
def test_a_player_chooses_no_clock_that_ends_turns_by_itself_every_second(server: Server, clock: str):
    """Neither for a new game nor for one that is made; the operator does, and a stored clock goes on."""
    ann = at_home(server)
    for number in range(2):
        refused = make(ann, "other", "tae", 2, clock=clock)
        assert (refused.code, "30 seconds or more" in refused.text) == (PERMANENTLY, True), number
        rested(server)
    assert make(ann, "mine", "tae", 2, clock="interval:30 phase:combat=threshold:50:30").name == "okay"
    assert ann.ask("set_clock", game="mine", clock=clock).code == PERMANENTLY
    assert server.game("mine").row.clock == "interval:30 phase:combat=threshold:50:30"
    context = AdminContext(server.registry, server.accounts)
    result_of(perform(context, "game set-clock", {"name": "mine", "clock": clock}))
    server = server.restarted()
    assert server.game("mine").row.clock == clock
    server.stop()


def test_an_answer_says_which_settings_have_no_effect(server: Server):
    """The note is given for a new game, another clock and another seat policy, also to an operator."""
    absent = "Note: absent-after has no effect, as no turn of this clock has a deadline"
    ann = at_home(server)
    made = make(ann, "mine", "tae", 2, clock="all-done", policy=tp.SeatPolicy(absent_after=2))
    assert absent in made.text
    assert "Note" not in ann.ask("set_clock", game="mine", clock="interval:60").text
    text = ann.ask("set_clock", game="mine", clock="interval:60 phase:combat=interval:60").text
    assert "Note: phase combat has no effect, as its turns end like all others" in text
    assert absent in ann.ask("set_clock", game="mine", clock="all-done").text
    assert absent in ann.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy(absent_after=3)).text
    assert "Note" not in ann.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy()).text
    context = AdminContext(server.registry, server.accounts)

    def lines(operation: str, **arguments: Any) -> list[str]:
        told: list[str] = result_of(perform(context, operation, arguments))
        return told

    settings = {"name": "lots", "ruleset": "tae", "seats": 2, "clock": "manual", "absent_after": 2}
    assert lines("game create", **settings)[-1] == f"{absent}."
    assert lines("game set-clock", name="lots", clock="interval:60")[1:] == []
    assert lines("game set-clock", name="lots", clock="all-done")[1:] == [f"{absent}."]
    assert lines("game seats", name="lots", absent_after=3)[-1] == f"{absent}."


# --- more time, and another clock -------------------------------------------------------------------------------------


def made(server: Server, dialect: str = "pb", clock: str = "interval:300") -> tuple[Client, Client]:
    """Return ann, the game master of "mine", and ben, who plays in it with a program of 2010, as cem does."""
    ann = server.connect(dialect)
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", clock=clock, master=True).name == "okay"
    ben, _ = (server.player(name, "tp04", "mine") for name in ("ben", "cem"))
    ann.ask("enter_game", game="mine/watch")
    return ann, ben


def test_who_has_made_a_game_gives_a_turn_more_time_and_all_are_told(server: Server, dialect: str):
    """A program of 2010 hears it by the clock and reads it on its board."""
    ann, ben = made(server, dialect)
    assert clock_of(ann).owned
    ben.times_pushed()
    answer = ann.ask("extend_turn", game="MINE", seconds=180)
    assert answer.text == "This turn has 3 minutes more, and all players are notified"
    assert server.game("mine").row.deadline == BEGINNING + 480
    assert ben.times_pushed() == [(480, WARNING)]
    text = "ann has given this turn 3 minutes more; it is due at 2023-11-14 22:21 (UTC)."
    assert told(ben, "More time") == [text]


def test_who_has_made_a_game_gives_it_another_clock_and_all_are_told(server: Server, dialect: str):
    ann, ben = made(server, dialect)
    answer = ann.ask("set_clock", game="mine", clock="interval:60 wait")
    assert answer.text == "The clock of mine says now: a turn ends after 1 minute; all players are notified"
    assert (server.game("mine").row.clock, server.game("mine").row.deadline) == ("interval:60 wait", BEGINNING + 300)
    (text,) = told(ben, "Another clock")
    assert text.startswith("ann has given the game another clock: a turn ends after 1 minute. This turn is due at")
    assert clock_of(ann).clock == ann.ask("get_game_setup", game="mine").message.clock == "interval:60 wait"


def test_nobody_else_changes_a_clock(server: Server, dialect: str):
    """Neither another player, nor anybody a game of the operator's."""
    made(server, dialect)
    server.create("operators", clock="interval:300")
    server.players(2, game="operators")
    ben, ann = server.player("ben", dialect, "mine"), server.player("ann", dialect, "operators")
    for client, name in ((ben, "mine"), (ann, "operators")):
        before = state_of(server.game(name))
        assert client.ask("extend_turn", game=name, seconds=60).code == DENIED
        assert client.ask("set_clock", game=name, clock="all-done").code == DENIED
        assert not clock_of(client, name).owned
        assert state_of(server.game(name)) == before


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (("extend_turn", {"seconds": 0}), "1 to 31536000 seconds"),
        (("extend_turn", {"seconds": 4294967295}), "1 to 31536000 seconds"),
        (("extend_turn", {"seconds": 31536000}), "365 days"),
        (("set_clock", {"clock": ""}), "is not a clock"),
        (("set_clock", {"clock": "manual"}), "Only the operator"),
        (("set_clock", {"clock": "interval:60 phase:duel=interval:65"}), "no group"),
        (("set_clock", {"clock": "interval:5 " * 100}), "500 characters"),
        (("set_clock", {"clock": "interval:29"}), "take 30 seconds or more"),
        (("set_clock", {"clock": "threshold:1:29"}), "take 30 seconds or more"),
    ],
)
def test_what_cannot_be_changed_is_refused_and_nothing_has_changed(server: Server, request_: Any, why: str):
    ann, _ = made(server)
    before = state_of(server.game("mine"))
    name, fields = request_
    refused = ann.ask(name, game="mine", **fields)
    assert refused.code == PERMANENTLY
    assert why in refused.text
    assert state_of(server.game("mine")) == before


def test_a_turn_is_given_no_more_than_a_turn_lasts(server: Server, dialect: str):
    """In one go or in several, after a restart too; the next turn can be given as much again."""
    ann, _ = made(server, dialect)
    ben = server.player("ben", dialect, "mine")
    assert clock_of(ann).most == 300
    assert clock_of(ben).most == 0
    refused = ann.ask("extend_turn", game="mine", seconds=301)
    assert (refused.code, refused.text) == (
        TEMPORARILY,
        "A turn gets no more extra time than a turn lasts; give it 5 minutes at most.",
    )
    assert ann.ask("extend_turn", game="mine", seconds=200, turn=5).code == GONE
    assert ann.ask("extend_turn", game="mine", seconds=200, turn=0).name == "okay"
    assert (clock_of(ann).given, clock_of(ann).most) == (200, 100)
    ann = server.restarted().player("ann", dialect, "mine/watch")
    assert ann.ask("extend_turn", game="mine", seconds=101).code == TEMPORARILY
    assert ann.ask("extend_turn", game="mine", seconds=100).name == "okay"
    assert "it has got that already" in ann.ask("extend_turn", game="mine", seconds=1).text
    ann.server.close_turn("mine")
    assert ann.ask("extend_turn", game="mine", seconds=300).name == "okay"


def test_time_that_was_given_by_a_slip_is_taken_back(server: Server, dialect: str):
    """The last extension is taken back, and all are notified. Players keep half a turn, or an hour, if they had it."""
    ann, _ = made(server, dialect)
    ben = server.player("ben", dialect, "mine")
    back = {"game": "mine", "take_back": True}
    assert ann.ask("extend_turn", **back).code == TEMPORARILY
    for seconds in (60, 200):
        ann.ask("extend_turn", game="mine", seconds=seconds)
    assert ben.ask("extend_turn", **back).code == DENIED
    answer = ann.ask("extend_turn", **back)
    assert answer.text == "3 minutes 20 seconds of this turn are taken back, and all players are notified"
    assert (server.game("mine").row.due, clock_of(ann).given) == (BEGINNING + 360, 60)
    (less,) = told(ben, "Less time")
    assert less.startswith("ann has taken back 3 minutes 20 seconds of the time that this turn was given; it is due")
    server.pass_time(180)
    assert ann.ask("extend_turn", **back).text == "30 seconds of this turn are taken back, and all players are notified"
    assert server.game("mine").row.due == BEGINNING + 330
    assert ann.ask("extend_turn", **back).code == TEMPORARILY
    assert clock_of(server.restarted().player("ann", dialect, "mine/watch")).given == 30


def test_a_clock_is_changed_so_often_in_a_turn_and_then_not_at_the_moment(server: Server):
    ann, ben = made(server)
    for _ in range(MOST_CLOCK_CHANGES):
        assert ann.ask("extend_turn", game="mine", seconds=1).name == "okay"
    assert ann.ask("extend_turn", game="mine", seconds=1).code == TEMPORARILY
    assert ann.ask("set_clock", game="mine", clock="interval:60").code == TEMPORARILY
    assert len(told(ben, "More time")) == MOST_CLOCK_CHANGES


def test_nothing_is_told_of_more_time_that_could_not_be_saved(make_server: Any):
    server = make_server(delayed=True)
    ann, ben = made(server)
    ben.times_pushed()
    server.disk.at_once = False
    asked = ann.post("extend_turn", game="mine", seconds=60)
    assert not asked.came
    server.disk.fail()
    assert asked.reply.code == TEMPORARILY
    server.disk.at_once = True
    assert server.game("mine").row.deadline == BEGINNING + 300
    assert ben.times_pushed() == []
    assert told(server.player("ben", "tp04", "mine"), "More time") == []
