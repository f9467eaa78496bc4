"""Replacement of absent or removed players, and of bots, in their seats.

Tested is what the new player takes over, and what not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import select
from test_games.auction import Auction
from twisted.internet.defer import Deferred

from tests.games.test_absent_players import TURN, records
from tests.games.test_bots import Bidder
from tests.games.test_clock_turns import told
from tests.games.test_stand_ins import bids_one, replayed
from tests.support.server_in_memory import CHEAP, Client, Server, result_of
from tpserver.accounts.passwords import Passwords
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError
from tpserver.games.terms.seat_policy import SeatPolicy
from tpserver.games.turns import turn_time
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import ownership
from tpserver.store.games import rows as games
from tpserver.store.people import abuse_reports
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.tables import journal

FOUND = Rulesets({"auction": Auction(), "bidder": Bidder()})
DENIED = 5


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Iterator[Server]:
    made = make_server(found=FOUND)
    made.registry.load_all()
    yield made
    Bidder.plays = None


def begin(server: Server, rules: str = "auction", **policy: Any) -> list[Client]:
    """Return ann and ben, who play the game "first"."""
    server.create("first", rules, 2, clock=f"interval:{TURN}", policy=SeatPolicy(**policy))
    return [server.player(name, "pb", "first") for name in ("ann", "ben")]


def remove(server: Server, seat: int) -> None:
    result_of(server.registry.seat_changes.remove_player(server.game(), seat, "The operator"))


def account(server: Server, name: str) -> int:
    """Return an account that is there, or has just been made."""
    client = server.connect("pb")
    client.ask("login_account", username=name, password=f"{name}'s word")
    assert client.session.account is not None
    return client.session.account.id


def take(server: Server, seat: int, name: str = "cem") -> Client:
    """Have somebody take a seat, and return his connection."""
    number = account(server, name)
    result_of(server.registry.seat_changes.take_over(server.game(), seat, number, name))
    return server.player(name, "pb", "first")


def stored_seat(server: Server, seat: int) -> tuple[int | None, str, bool]:
    row = server.store.read(games.seats, server.game().row.id)[seat]
    there = server.game().players[seat]
    assert (row.account, row.name, row.bot) == (there.account, there.name, there.bot)
    return row.account, row.name, row.bot


# --- removing ---------------------------------------------------------------------------------------------------------


def test_a_removed_player_leaves_a_seat_that_the_rules_play(server: Server):
    """The seat has no player, is not awaited, and is listed as open. All are notified."""
    ann, _ = begin(server)
    remove(server, 1)
    game = server.game()
    assert stored_seat(server, 1) == (None, "Player 2", False)
    assert (attendance.is_absent(game, 1), attendance.seeks_player(game, 1), attendance.awaited(game)) == (
        True,
        True,
        [0],
    )
    text = "The operator has removed ben from seat 2. The rules give its orders until somebody takes it."
    assert told(ann, "A player is sought") == [text]
    assert ann.ask("get_player", ids=[2]).message.race == "Vacant"
    ann.ask("finished_turn")
    assert (game.state.turn, records(server)) == (1, [(1, 1, 0), (0, 0, 0)])
    server = server.restarted()
    assert (attendance.is_absent(server.game(), 1), attendance.seeks_player(server.game(), 1)) == (True, True)
    replayed(server)


def test_where_bots_play_for_the_absent_one_takes_the_seat(server: Server):
    bots = server.start_bots()
    Bidder.plays = staticmethod(bids_one)
    ann, _ = begin(server, "bidder", absent="bot")
    remove(server, 1)
    assert stored_seat(server, 1) == (None, "bot-1", True)
    assert server.game().finished == {1}
    ann.ask("finished_turn")
    assert (server.game().state.turn, attendance.awaited(server.game())) == (1, [0])
    bots.stop()


def test_a_removed_player_sees_nothing_of_the_seat_any_more(server: Server):
    """Neither by the connection that he had, nor by a new one, nor of old turns; as a spectator he may come."""
    ann, ben = begin(server)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    past = server.player("ben", "pb", "first/turn/0")
    remove(server, 1)
    for client in (ben, past):
        refused = client.ask("get_object_ids", key=-1, amount=-1, fromtime=-1)
        assert (refused.code, "no longer have a seat in the game 'first'" in refused.text) == (DENIED, True)
    again = server.connect("pb").ask("login", username="ben@first", password="ben's word")
    assert (again.code, "removed from the game" in again.text) == (DENIED, True)
    assert server.player("ben", "pb", "first/watch").session.seat is None
    assert ann.ask("get_time_remaining").name == "time_remaining"


def test_before_the_start_the_seat_is_open_again(server: Server):
    server.create("first", seats=3, clock=f"interval:{TURN}")
    server.players(2)
    remove(server, 0)
    assert stored_seat(server, 0) == (None, "", False)
    assert server.game().open_seats() == [0, 2]
    assert server.connect().ask("login", username="ann@first", password="ann's word").code == DENIED
    server.player("cem"), server.player("dan")
    assert [player.name for player in server.game().players] == ["cem", "ben", "dan"]
    assert server.game().started
    replayed(server)


def test_what_cannot_be_removed_is_refused(server: Server):
    begin(server)
    remove(server, 1)
    before = server.game().last_entry
    for seat, why in ((1, "seeks a player already"), (2, "not there")):
        with pytest.raises(GameError, match=why):
            remove(server, seat)
    assert server.game().last_entry == before


def test_a_number_that_is_also_a_name_removes_nobody(server: Server):
    """An account from before may be called 2; #2 is the number."""
    hashed = Passwords(CHEAP).hash("2's word")
    server.store.write(lambda c: stored_accounts.add(c, "2", hashed, now=1.0))
    server.create("first", "auction", 2, clock=f"interval:{TURN}")
    server.player("2", "pb", "first"), server.player("ben", "pb", "first")
    context = AdminContext(server.registry, server.accounts)
    with pytest.raises(OperationError, match="could mean several players of first; use #N"):
        result_of(perform(context, "game remove", {"name": "first", "player": "2"}))
    result_of(perform(context, "game remove", {"name": "first", "player": "#2"}))
    assert [stored_seat(server, seat)[1] for seat in (0, 1)] == ["2", "Player 2"]


# --- taking over ------------------------------------------------------------------------------------------------------


def test_orders_go_with_the_seat_and_letters_do_not(server: Server):
    """Not what others wrote to him, not what he wrote; the reports of the game stay."""
    ann, ben = begin(server, absent_after=1, seeks=True)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    ann.ask("post_message", id=2, slot=-1, subject="Secret", body="for ben")
    ben.ask("post_message", id=1, slot=-1, subject="Answer", body="from ben")
    ann.ask("finished_turn")
    server.pass_time(TURN)
    assert attendance.is_absent(server.game(), 1)
    cem = take(server, 1)
    subjects = [message.subject for message in cem.messages()]
    assert "Welcome" in subjects
    assert not {"Secret", "Answer"} & set(subjects)
    server = server.restarted()
    cem = server.player("cem", "pb", "first")
    assert not {"Secret", "Answer"} & {message.subject for message in cem.messages()}
    old = server.player("cem", "pb", "first/turn/1")
    assert not {"Secret", "Answer"} & {message.subject for message in old.messages()}


def test_somebody_takes_the_seat_of_who_is_absent(server: Server):
    """With what was ordered in it; he is due from then on, and the other is out."""
    ann, ben = begin(server, absent_after=1, seeks=True)
    ann.ask("finished_turn")
    server.pass_time(TURN)
    cem = take(server, 1)
    assert stored_seat(server, 1)[1:] == ("cem", False)
    assert (attendance.awaited(server.game()), records(server)[1]) == ([0, 1], (0, 0, 0))
    assert told(ann, "Another player") == ["cem has taken seat 2, which ben had."]
    assert ben.ask("get_time_remaining").code == DENIED
    assert (
        ann.ask("get_player_ids", key=-1, amount=-1, fromtime=int(server.game().row.started) + 1).message.ids[0].id == 2
    )
    cem.bid(2)
    ann.ask("finished_turn"), cem.ask("finished_turn")
    assert server.game().state.turn == 2
    replayed(server)
    server = server.restarted()
    assert server.game().player_time(1) == server.game().players[1].record.since > server.game().row.started


def test_what_was_before_somebody_took_a_seat_does_not_count_against_the_player(server: Server):
    """The time bank is full and runs from then on, and the turn that was nearly over is not a missed one."""
    server.create(
        "first", "auction", 2, clock=f"interval:{TURN} bank:300", policy=SeatPolicy(absent_after=1, seeks=True)
    )
    ann, ben = (server.player(name, "pb", "first") for name in ("ann", "ben"))
    for _ in range(2):
        ben.ask("finished_turn"), ben.ask("unfinish_turn")
    assert server.game().counts.unfinished[1] == 2
    server.pass_time(TURN + 250)
    server.registry.turns.waits_anew = lambda game: None  # ann would end the turn alone
    remove(server, 1)
    del server.registry.turns.waits_anew
    take(server, 1)
    ann.ask("finished_turn")
    game = server.game()
    turn = game.state.turn
    assert (turn_time.bank_of(game, 1), game.counts.unfinished[1]) == (300, 0)
    assert game.row.deadline is not None
    assert abs(game.row.deadline - (server.now() + 300)) <= 1, "the bank runs since the seat was taken"
    server.pass_time(100)
    assert abs(turn_time.bank_used(game, 1, server.now()) - 100) <= 1
    server = server.restarted()
    game = server.game()
    assert abs(turn_time.bank_used(game, 1, server.now()) - 100) <= 1
    server.pass_time(202)
    assert (game.state.turn, records(server)[1]) == (turn + 1, (0, 0, 0))
    assert not attendance.is_absent(game, 1)
    ann = server.player("ann", "pb", "first")
    ann.ask("finished_turn")
    server.pass_time(TURN + 1)
    assert (records(server)[1], attendance.is_absent(game, 1)) == ((1, 0, 1), True), "the next turn counts"


def test_votes_and_vacations_of_the_player_before_are_not_those_of_the_next(server: Server):
    """Proposals of the seat lapse, votes on others are open again, and so many a day can be proposed as ever."""
    server.create("first", "auction", 3, clock=f"interval:{TURN} vacation:5")
    ann, ben, _ = (server.player(name, "pb", "first") for name in ("ann", "ben", "dan"))
    assert ben.ask("add_vacation", begins=0, ends=int(server.now()) + 90_000).name == "okay"
    for _ in range(9):
        assert ben.ask("propose", game="first", kind="draw").name == "okay"
        number = server.game().proposals[-1].number
        ben.ask("vote", game="first", id=number, vote="withdraw")
    assert ben.ask("propose", game="first", kind="draw").name == "okay"
    assert ann.ask("propose", game="first", kind="pause").name == "okay"
    pause = server.game().proposals[-1].number
    assert ben.ask("vote", game="first", id=pause, vote="agree").name == "okay"
    server.pass_time(5)
    remove(server, 1)
    cem = take(server, 1)
    game = server.game()
    assert [(one.kind, one.state) for one in game.proposals[-2:]] == [("draw", "lapsed"), ("pause", "open")]
    assert game.proposals[-1].agreeing == [0]
    assert turn_time.on_vacation(game, 1, server.now()) is None
    assert cem.ask("propose", game="first", kind="draw").name == "okay"
    assert cem.ask("vote", game="first", id=pause, vote="agree").name == "okay"


def test_the_vacation_of_whoever_takes_a_seat_counts_at_once(server: Server):
    server.create("first", "auction", 2, clock=f"interval:{TURN} vacation:5")
    [server.player(name, "pb", "first") for name in ("ann", "ben")]
    account(server, "cem")
    cem = server.connect("pb")
    cem.ask("login_account", username="cem", password="cem's word")
    assert cem.ask("add_vacation", begins=0, ends=int(server.now()) + 90_000).name == "okay"
    remove(server, 1)
    take(server, 1)
    assert turn_time.on_vacation(server.game(), 1, server.now()) is not None


def test_an_agreement_comes_into_force_as_the_last_who_had_not_voted_is_removed(server: Server):
    server.create("first", "auction", 3, clock=f"interval:{TURN}")
    ann, ben, _ = (server.player(name, "pb", "first") for name in ("ann", "ben", "dan"))
    assert ann.ask("propose", game="first", kind="pause").name == "okay"
    number = server.game().proposals[-1].number
    assert ben.ask("vote", game="first", id=number, vote="agree").name == "okay"
    assert server.game().row.state == "running"
    remove(server, 2)
    assert server.game().row.state == "paused"


def test_orders_of_who_was_removed_are_those_of_the_next(server: Server):
    _, ben = begin(server)
    ben.bid(3)
    remove(server, 1)
    cem = take(server, 1)
    assert len(cem.queue(3)) == 1


def test_a_bot_s_seat_is_offered_and_the_bot_plays_on_until_somebody_comes(server: Server):
    bots = server.start_bots()
    Bidder.plays = staticmethod(bids_one)
    bots.look(server.create("first", "bidder", 2, bots=1, clock=f"interval:{TURN}"))
    ann = server.player("ann", "pb", "first")
    with pytest.raises(GameError, match="seeks no player"):
        take(server, 0)
    remove(server, 0)
    assert (server.game().players[0].bot, attendance.seeks_player(server.game(), 0)) == (True, True)
    ann.ask("finished_turn")
    assert server.game().state.turn == 1
    cem = take(server, 0)
    cem.ask("unfinish_turn")
    ann.ask("finished_turn")
    assert (server.game().state.turn, attendance.awaited(server.game())) == (1, [0])
    bots.stop()


def test_whoever_has_a_seat_takes_no_other(server: Server):
    begin(server)
    remove(server, 1)
    with pytest.raises(GameError, match="you already have a seat"):
        take(server, 1, "ann")


def test_a_seat_that_could_not_be_saved_is_still_the_old_player_s(make_server: Callable[..., Server]):
    server = make_server(found=FOUND, delayed=True)
    server.registry.load_all()
    begin(server)
    server.disk.at_once = False
    failed = Deferred.fromCoroutine(server.registry.seat_changes.remove_player(server.game(), 1, "The operator"))
    server.disk.fail()
    server.disk.at_once = True
    failed.addErrback(lambda failure: None)
    assert stored_seat(server, 1)[1:] == ("ben", False)
    assert server.player("ben", "pb", "first").session.seat == 1


def test_whoever_loses_a_seat_while_being_led_to_it_does_not_come_in_as_the_next(make_server: Callable[..., Server]):
    """The seat is taken, and taken from its player again, before either change is saved.

    That connection is in no game yet, so it is not among those that end. It must not get the seat of the next player.
    """
    server = make_server(found=FOUND, delayed=True)
    server.create("first", "auction", 3)
    server.player("ann", "pb", "first")
    ben = server.connect("pb")
    account(server, "ben")
    ben.ask("login_account", username="ben", password="ben's word")
    server.disk.at_once = False
    coming = ben.post("enter_game", game="first")
    assert not coming.came
    removed = Deferred.fromCoroutine(server.registry.seat_changes.remove_player(server.game(), 1, "The operator"))
    server.disk.commit()
    server.disk.at_once = True
    assert removed.called
    assert coming.reply.code == DENIED
    assert coming.reply.text == "You no longer have a seat in the game 'first'."
    assert (ben.session.game, ben.session.seat) == (None, None)
    cem = server.player("cem", "pb", "first")
    assert cem.session.seat == 1
    assert ben.ask("get_order_queue_ids", key=-1, start=0, amount=-1).name == "fail"


def test_whoever_loses_a_seat_while_an_old_turn_is_read_does_not_see_it(make_server: Callable[..., Server]):
    server = make_server(found=FOUND)
    ann, ben = begin(server)
    for client in (ann, ben):
        client.ask("finished_turn")
    late: list[Callable[[], None]] = []
    there = server.host.history.open

    async def slow(*args: Any) -> Any:
        found = await there(*args)
        waiting: Deferred[None] = Deferred()
        late.append(lambda: waiting.callback(None))
        await waiting
        return found

    server.host.history.open = slow  # type: ignore[method-assign]
    looking = server.connect("pb")
    coming = looking.post("login", username="ben@first/turn/0", password="ben's word")
    remove(server, 1)
    late[0]()
    assert coming.reply.text == "You no longer have a seat in the game 'first'."
    assert looking.session.game is None


def test_whoever_came_to_a_seat_that_could_not_be_saved_is_not_in_it(make_server: Callable[..., Server]):
    """Its player's second connection goes in while the disk works on the first; then the disk is full."""
    server = make_server(found=FOUND, delayed=True)
    server.create("first", "auction", 2)
    server.player("ann", "pb", "first")
    account(server, "ben")
    one, other = server.connect("pb"), server.connect("pb")
    for client in (one, other):
        client.ask("login_account", username="ben", password="ben's word")
    server.disk.at_once = False
    waiting = one.post("enter_game", game="first")
    other.post("enter_game", game="first")
    assert other.session.seat == 1
    server.disk.fail()
    server.disk.at_once = True
    assert waiting.reply.name == "fail"
    assert server.player("cem", "pb", "first").session.seat == 1
    assert other.session.seat is None
    assert other.ask("get_time_remaining").text == "You no longer have a seat in the game 'first'."


def test_of_a_removed_account_the_journal_has_no_name_and_of_others_in_its_seat_who_they_were(server: Server):
    """A message that is reported later belongs to the player who had the seat when it was written."""
    begin(server)
    ben, number = account(server, "ben"), server.game().row.id
    then = server.now()
    server.pass_time(1)
    remove(server, 1)
    take(server, 1)
    cem = account(server, "cem")
    for name in ("cem", "ben"):
        result_of(server.accounts.remove(server.accounts.named(name)))
    assert server.store.read(abuse_reports.holder, number, 1, then) == ben
    assert server.store.read(abuse_reports.holder, number, 1, server.now()) == cem
    bodies = select(journal.c.body).where(journal.c.game == number)
    rows = server.store.read(lambda c: list(c.scalars(bodies)))
    assert not {"ben", "cem"} & {body.get(key) for body in rows if isinstance(body, dict) for key in ("name", "by")}
    replayed(server)


# --- who decides ------------------------------------------------------------------------------------------------------


def owned(server: Server) -> None:
    server.store.write(ownership.hand_over, server.game().row.id, server.game().players[0].account)


def owner(server: Server) -> int | None:
    return server.store.read(ownership.creator_of, server.game().row.id)


def test_a_game_whose_owner_is_removed_is_the_next_player_s(server: Server):
    """Nothing is lost: turns go on, and somebody decides."""
    _, ben = begin(server)
    owned(server)
    remove(server, 0)
    assert owner(server) == server.game().players[1].account
    assert told(ben, "Another owner") == ["ben decides about the game from now on."]
    ben.ask("finished_turn")
    assert server.game().state.turn == 1
    replayed(server)


def test_a_game_without_anybody_else_is_the_operator_s(server: Server):
    begin(server)
    remove(server, 1)
    owned(server)
    remove(server, 0)
    assert owner(server) is None
    assert [player.record.seeks for player in server.game().players] == [True, True]
    server.pass_time(TURN)
    assert server.game().state.turn == 1  # by its clock, as nobody is there
    take(server, 0)


def test_the_operator_gives_a_game_to_somebody(server: Server):
    _, ben = begin(server)
    owned(server)
    number = server.game().players[1].account
    result_of(server.registry.seat_changes.hand_over(server.game(), number, "ben"))
    assert owner(server) == number
    assert told(ben, "Another owner") == ["ben decides about the game from now on."]


# --- what clients fetch again -----------------------------------------------------------------------------------------


def fetched_since(client: Client, told: int) -> tuple[dict[int, tuple[int, str, str]], int]:
    """Return the players that changed since a time that the client knows, and the present time of the list."""
    ids = client.ask("get_player_ids", key=-1, amount=-1, fromtime=told).message
    found = {}
    for each in ids.ids:
        player = client.ask("get_player", ids=[each.id]).message
        assert player.modtime == each.modtime
        found[each.id] = (each.modtime, player.name, player.race)
    return found, ids.fromtime


def test_each_of_two_changes_of_a_seat_in_one_second_is_fetched(server: Server):
    """Clients fetch what is newer than what they have; here no second passes between any two looks."""
    ann, _ = begin(server)
    _, told = fetched_since(ann, -1)
    shown = []
    changes = [
        lambda: remove(server, 1),
        lambda: take(server, 1),
        lambda: server.registry.labels.renamed(account(server, "cem"), "cem-2"),
        lambda: server.registry.labels.label_bot(account(server, "cem"), is_bot=True),
        lambda: server.registry.labels.label_bot(account(server, "cem"), is_bot=True),  # it is one
        lambda: server.registry.labels.replace(set(), {account(server, "cem")}),
    ]
    had = 0
    for change in changes:
        change()
        found, told = fetched_since(ann, told)
        for number, (time, name, race) in found.items():
            assert (number, time > had) == (2, True)
            had = time
            shown.append((name, race))
    assert shown == [("Player 2", "Vacant"), ("cem", "Human"), ("cem-2", "Human"), ("cem-2", "Bot"), ("cem-2", "Guest")]


def test_a_change_of_another_seat_in_the_same_second_is_fetched(server: Server):
    ann, _ = begin(server)
    _, told = fetched_since(ann, -1)
    remove(server, 1)
    _, told = fetched_since(ann, told)
    server.registry.labels.renamed(account(server, "ann"), "ann-2")
    assert {number: name for number, (_, name, _) in fetched_since(ann, told)[0].items()} == {1: "ann-2"}


def test_a_seat_that_is_left_and_taken_before_the_start_in_one_second_is_fetched(server: Server):
    """A client that has the seat's player fetches the next one; after a restart, too, no time is earlier."""
    server.create("first", seats=3, clock=f"interval:{TURN}")
    ann, _ = server.players(2)
    before, told = fetched_since(ann, -1)
    remove(server, 1)
    server.player("cem")
    after, _ = fetched_since(ann, told)
    assert (after[2][1], after[2][0] > before[2][0]) == ("cem", True)
    server = server.restarted()
    assert server.game().player_time(1) >= after[2][0]


def test_times_of_players_do_not_go_back_when_a_game_is_read_again(server: Server):
    begin(server)
    remove(server, 1)
    take(server, 1)
    before = [server.game().player_time(seat) for seat in (0, 1)]
    assert before[1] > before[0]
    server = server.restarted()
    assert [server.game().player_time(seat) for seat in (0, 1)] == before


def test_in_an_anonymous_game_no_time_tells_whose_account_is_a_program(server: Server):
    """The race does not reveal it there, either."""
    server.create("first", "auction", 2, clock=f"interval:{TURN}", anonymous=True)
    ann, _ = (server.player(name, "pb", "first") for name in ("ann", "ben"))
    _, told = fetched_since(ann, -1)
    server.registry.labels.label_bot(account(server, "ben"), is_bot=True)
    assert fetched_since(ann, told)[0] == {}
