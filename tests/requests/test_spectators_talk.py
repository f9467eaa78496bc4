"""Messages of spectators: readers, times, and bounds, in every dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.server_in_memory import Client, DelayedStore, Server, result_of
from tpserver.games.core.turn_reports import LONGEST_SUBJECT
from tpserver.games.service import moderation, ownership
from tpserver.games.service.spectators import LONGEST_LETTER, MINUTE, MOST_A_MINUTE, MOST_LETTERS
from tpserver.store.copies import export_account
from tpserver.store.games import spectator_letters
from tpserver.store.people import accounts as stored_accounts

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH, DENIED = 1, 2, 3, 4, 5
EVERYBODY = 0xFFFFFFFF
SPECTATORS = 3
"""The number of their board in a game of two."""


def begun(server: Server, delay: int = 0, dialect: str = "pb", **more: Any) -> list[Client]:
    server.create("first", clock="manual", watch_delay=delay, options={"rounds": 9}, **more)
    players = server.players(2, dialect)
    for _ in range(3):
        server.close_turn()
    return players


def watcher(server: Server, name: str, dialect: str = "pb") -> Client:
    client = server.connect(dialect)
    answer = client.ask("login", username=f"{name}@first/watch", password=f"{name}'s word")
    assert answer.name == "okay", answer
    return client


def write(client: Client, subject: str = "Well played", body: str = "both", to: int = EVERYBODY) -> Any:
    return client.ask("post_message", id=to, slot=-1, subject=subject, body=body)


def read(client: Client, board: int = 0) -> list[tuple[str, str, str]]:
    """Writer, subject and body of all messages on a board."""
    count = client.ask("get_boards", ids=[board]).message.messages
    found = client.ask("get_message", id=board, slots=list(range(count))).things if count else []
    return [(one.writer, one.subject, one.body) for one in found]


@pytest.mark.parametrize("delay", [0, 2])
def test_spectators_read_what_one_writes_and_players_do_not(server: Server, dialect: str, delay: int):
    """Each spectator has a board, numbered after the players'. Old clients find the writer in the subject."""
    ann, ben = begun(server, delay, dialect)
    eve, fay = watcher(server, "eve", dialect), watcher(server, "fay", dialect)
    before = [str(client.ids("get_board_ids")) for client in (ann, ben)]
    for number, to in enumerate((0, SPECTATORS, EVERYBODY)):
        assert write(eve, f"letter {number}", "both", to).name == "okay"
    for client in (eve, fay):
        found = read(client)
        if dialect in ("pb", "json"):
            assert found == [("eve", f"letter {number}", "both") for number in range(3)]
        else:
            assert found == [("", f"eve: letter {number}", "both") for number in range(3)]
    turn = fay.ask("get_message", id=0, slots=[0]).message.turn
    assert turn == 3 - delay, "of the turn that its writer saw"
    assert [str(client.ids("get_board_ids")) for client in (ann, ben)] == before
    for client in (ann, ben):
        assert client.ask("get_boards", ids=[SPECTATORS]).code == NO_SUCH
        assert client.ask("get_message", id=SPECTATORS, slots=[0]).code == NO_SUCH
        assert write(client, to=SPECTATORS).code == NO_SUCH


def test_a_board_that_has_a_new_letter_is_newer(server: Server, dialect: str):
    begun(server, 1)
    eve, fay = watcher(server, "eve", dialect), watcher(server, "fay", dialect)
    (before,) = fay.ids("get_board_ids").values()
    assert write(eve).name == "okay"
    (after,) = fay.ids("get_board_ids").values()
    assert after > before


def test_after_the_end_players_read_it(server: Server, dialect: str):
    """As one more board, on which they write nothing; spectators still do."""
    ann, _ = begun(server, 1, dialect)
    eve = watcher(server, "eve", dialect)
    write(eve)
    result_of(ownership.abort(server.registry, server.game(), "enough", "The operator"))
    assert write(eve, "The end").name == "okay"
    assert SPECTATORS in ann.ids("get_board_ids")
    board = ann.ask("get_boards", ids=[SPECTATORS]).message
    assert (board.name, board.messages) == ("Spectators", 2)
    assert [body for _, _, body in read(ann, SPECTATORS)] == ["both", "both"]
    assert write(ann, to=SPECTATORS).code == DENIED
    assert ann.ask("remove_message", id=SPECTATORS, slots=[0]).code == DENIED


def test_who_looks_at_an_old_turn_reads_and_writes_nothing(server: Server):
    begun(server)
    write(watcher(server, "eve"))
    past = server.connect("pb")
    assert past.ask("login", username="fay@first/turn/1", password="fay's word").name == "okay"
    assert read(past) == []
    assert write(past).code == DENIED


def test_spectators_write_to_no_player_and_remove_nothing(server: Server):
    begun(server, 1)
    eve = watcher(server, "eve")
    write(eve)
    assert "you watch this game" in write(eve, to=1).text
    assert eve.ask("get_message", id=1, slots=[0]).code == DENIED
    assert eve.ask("remove_message", id=0, slots=[0]).code == DENIED
    assert len(read(eve)) == 1


def test_a_game_without_press_has_no_talk_of_spectators(server: Server):
    begun(server, press="none")
    eve = watcher(server, "eve")
    assert write(eve).code == PERMANENTLY
    assert read(eve) == []
    assert "players write nothing to each other" in eve.ask("get_boards", ids=[0]).message.description


def test_a_letter_is_bounded(server: Server, dialect: str):
    begun(server)
    eve = watcher(server, "eve", dialect)
    assert write(eve, "s" * LONGEST_SUBJECT, "b" * LONGEST_LETTER).name == "okay"
    assert write(eve, "s" * (LONGEST_SUBJECT + 1)).code == FRAME
    assert write(eve, "s", "b" * (LONGEST_LETTER + 1)).code == FRAME
    assert len(read(eve)) == 1
    assert "at most" in eve.ask("get_message", id=0, slots=[0] * 1024).text


def test_an_account_writes_so_often_a_minute_on_all_connections(server: Server):
    begun(server, 1)
    eve, again, fay = watcher(server, "eve"), watcher(server, "eve"), watcher(server, "fay")
    for number in range(MOST_A_MINUTE):
        assert write((eve, again)[number % 2]).name == "okay"
    answer = write(eve)
    assert answer.code == TEMPORARILY
    assert "minute" in answer.text
    assert write(fay).name == "okay"
    server.pass_time(MINUTE)
    assert write(again).name == "okay"


def test_so_many_are_kept_and_the_oldest_go(make_server: Callable[..., Server]):
    """In memory and in the store alike, also after a restart; numbers are never used again."""
    server = make_server()
    begun(server, 1)
    eve = watcher(server, "eve")
    for number in range(MOST_LETTERS + 5):
        server.pass_time(MINUTE / MOST_A_MINUTE)
        assert write(eve, f"letter {number}").name == "okay"
    for _ in range(2):
        found = read(eve)
        assert len(found) == MOST_LETTERS
        assert (found[0][1], found[-1][1]) == ("letter 5", f"letter {MOST_LETTERS + 4}")
        assert len(server.store.read(spectator_letters.listing, server.game().row.id)) == MOST_LETTERS
        before = eve.ids("get_board_ids")
        server = server.restarted(later=1)
        eve = watcher(server, "eve")
        assert list(eve.ids("get_board_ids").values()) > list(before.values())
    assert write(eve, "the next").name == "okay"
    assert server.game().spectators.last == MOST_LETTERS + 6


def test_bytes_are_bounded_as_well(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tpserver.games.service.spectators.MOST_BYTES", 5000)
    begun(server)
    eve = watcher(server, "eve")
    for number in range(4):
        assert write(eve, f"letter {number}", "b" * LONGEST_LETTER).name == "okay"
    assert [subject for _, subject, _ in read(eve)] == ["letter 2", "letter 3"]


def test_nobody_reads_a_letter_that_is_not_saved(make_server: Callable[..., Server]):
    """Readers do not wait for it. If it cannot be saved, its writer is notified, and it is nowhere."""
    server = make_server(delayed=True)
    begun(server, 1)
    eve, fay = watcher(server, "eve"), watcher(server, "fay")
    disk = server.disk
    assert isinstance(disk, DelayedStore)
    disk.at_once = False
    lost = eve.post("post_message", id=0, slot=-1, subject="lost", body="")
    assert not lost.came
    assert read(fay) == []
    disk.fail()
    assert lost.reply.code == TEMPORARILY
    kept = eve.post("post_message", id=0, slot=-1, subject="kept", body="")
    assert read(fay) == []
    disk.commit()
    assert kept.reply.name == "okay"
    assert [subject for _, subject, _ in read(fay)] == ["kept"]


# --- who hears whom ---------------------------------------------------------------------------------------------------


def test_who_is_silenced_writes_nothing(server: Server):
    begun(server, 1)
    eve = watcher(server, "eve")
    account = server.store.read(stored_accounts.by_name, "eve")
    assert account is not None
    result_of(moderation.silence(server.registry, account, 2, "spam"))
    answer = write(eve)
    assert answer.code == DENIED
    assert "silenced" in answer.text


def test_letters_of_who_is_blocked_are_not_read(server: Server, dialect: str):
    """Their places are there, so that slots stay what they are, but nothing of the text is."""
    begun(server, 1)
    eve, fay, gus = (watcher(server, name, each) for name, each in (("eve", "pb"), ("fay", dialect), ("gus", "pb")))
    write(eve, "one", "secret")
    write(gus, "two", "open")
    blocking = server.connect("pb")
    blocking.ask("login_account", username="fay", password="fay's word")
    assert blocking.ask("set_block", name="eve", blocked=True).name == "okay"
    bodies = [body for _, _, body in read(fay)]
    assert bodies == ["You have blocked this account.", "open"]
    assert not any("one" in subject for _, subject, _ in read(fay))
    assert [body for _, _, body in read(gus)] == ["secret", "open"]


def test_a_spectator_who_mutes_the_game_reads_nothing(server: Server):
    begun(server, 1)
    eve, fay = watcher(server, "eve"), watcher(server, "fay")
    write(eve)
    assert fay.ask("set_mute", muted=True).text == "You get no messages of spectators in first"
    assert fay.ask("get_talk").message.muted
    assert read(fay) == []
    assert len(read(eve)) == 1
    assert fay.ask("set_mute", game="first", muted=False).text == "You get messages of spectators again in first"
    assert len(read(fay)) == 1


@pytest.mark.parametrize("by_player", [False, True])
def test_a_letter_is_reported_as_it_was_stored(server: Server, by_player: bool):
    """To the moderators, with the account that wrote it; by spectators, and by players when they read it."""
    ann, _ = begun(server, 1)
    eve, fay = watcher(server, "eve"), watcher(server, "fay")
    write(eve, "bad", "words")
    assert eve.ask("report_message", slot=0, subject="bad", reason="mine").code == PERMANENTLY
    assert ann.ask("report_message", slot=0, subject="bad", reason="r", spectators=True).code == TEMPORARILY
    who = fay
    if by_player:
        result_of(ownership.abort(server.registry, server.game(), "enough", "The operator"))
        who = ann
    report = {"spectators": by_player, "reason": "rude"}
    assert who.ask("report_message", slot=0, subject="other", **report).code == NO_SUCH
    assert who.ask("report_message", slot=1, subject="bad", **report).code == NO_SUCH
    assert who.ask("report_message", slot=0, subject="bad", **report).name == "okay"
    assert who.ask("report_message", slot=0, subject="bad", **report).code == PERMANENTLY
    moderator = server.player("mod", "pb", "first/watch")
    account = server.accounts.named("mod")
    result_of(server.accounts.set_role(account, "moderator"))
    moderator = server.player("mod", "pb", "first/watch")
    (found,) = moderator.ask("get_message_reports").message.reports
    assert (found.writer, found.subject, found.body) == ("eve", "bad", "words")
    assert found.reporter == ("ann" if by_player else "fay")


def test_an_export_of_an_account_has_what_it_has_written(server: Server):
    begun(server, 1)
    write(watcher(server, "eve"), "mine", "words")
    write(watcher(server, "fay"), "not mine")
    account = server.store.read(stored_accounts.by_name, "eve")
    assert account is not None
    (letter,) = server.store.read(export_account.all_of, account)["as_spectator"]
    assert (letter["game"], letter["subject"], letter["body"]) == ("first", "mine", "words")


def test_a_game_that_is_deleted_takes_them_with_it(server: Server):
    begun(server)
    write(watcher(server, "eve"))
    game = server.game()
    result_of(ownership.abort(server.registry, game, "enough", "The operator"))
    result_of(ownership.delete(server.registry, server.game()))
    assert server.store.read(spectator_letters.listing, game.row.id) == []
