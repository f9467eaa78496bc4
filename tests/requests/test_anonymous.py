"""Anonymous games: no names or numbers of other accounts before the end.

After the end they are shown. `Ears` hear everything that a connection receives: the responses to every request that
reads, in each dialect, and pushed frames. Meanwhile everything happens that can happen to a game.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined] # it is not in the stubs
from google.protobuf.message import Message
from twisted.internet.defer import Deferred

from tests.requests.test_boards import post
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Reply, Server, questions, result_of
from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tprules.api.bots import has_bot
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.roles import administration
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.service import ownership
from tpserver.games.terms.anonymity import NO_VACATIONS
from tpserver.publishing.listing import public_games
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.talk.boards import EVERYBODY
from tpserver.store import audit as stored_audit

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5

SPOKEN = ("tp03", "pb", "json")

PLAYERS = ("zarquoß", "vexborg", "quixotl")
LATER = "wyrmling"
"""The account that takes a vacant seat."""
RENAMED = "drosselbarth"
"""The later name of vexborg."""
PASSWORDS = {RENAMED: "vexborg"}
"""Passwords that were set under another name."""
FIRST_NUMBER = 0x5A31_7E4B
"""Numbers of accounts count from here, so that none is any other number."""


class Ears:
    """A connection, and everything that it has been sent."""

    def __init__(self, client: Client, name: str = "") -> None:
        self.client, self.name = client, name
        self.own = {name}
        self.heard = bytearray()
        decoded = client.decoded

        def hear(data: bytes) -> Reply:
            self.heard += data
            return decoded(data)

        client.decoded = hear  # type: ignore[method-assign] # it listens

    @property
    def all_heard(self) -> bytes:
        return bytes(self.heard) + b"".join(self.client.pushed_data)

    def ask_everything(self) -> None:
        client = self.client
        for name, message in [*(questions(client, range(6)) if client.session.game else ()), *reads()]:
            if client.knows(name):
                client.post_message(BY_NAME[name], message)
        if client.session.seat is not None:
            client.messages()


def reads(game: str = "hidden") -> Iterator[tuple[str, Message]]:
    """Yield every request that reads and that `questions` do not ask, of the game by name and of that played."""
    for name, kind in BY_NAME.items():
        if not name.startswith("get_") or kind.message in (tp.GetWithID, tp.GetIDSequence, tp.GetWithIDSlot):
            continue
        message: Any = kind.message()
        fields = message.DESCRIPTOR.fields_by_name
        if "amount" in fields and "first" in fields:
            message.amount = 64
        yield name, message
        if "game" in fields:
            yield name, kind.message(game=game)
        if "closed" in fields:
            yield name, kind.message(closed=True)


def tries(game: str = "hidden") -> Iterator[tuple[str, Message]]:
    """Yield every other request that names a game, for each of its players. Only the owner is not refused."""
    for name, kind in BY_NAME.items():
        fields = kind.message.DESCRIPTOR.fields_by_name
        if name.startswith("get_") or kind.number not in REQUESTS or "game" not in fields:
            continue
        for number in (1, 2, 3) if "player" in fields else (0,):
            yield name, kind.message(game=game, **({"player": number} if number else {}))


def name_traces(name: str) -> dict[str, bytes]:
    """Return the bytes that would reveal a name, by their kind."""
    return {"name": name.encode(), "name in JSON": json.dumps(name).strip('"').encode()}


def traces(name: str, number: int) -> dict[str, bytes]:
    """Return the bytes that would reveal an account, by their kind."""
    return {
        **name_traces(name),
        "number": str(number).encode(),
        "number in 32 bits": struct.pack(">I", number),
        "number in Protocol Buffers": _VarintBytes(number),
    }


def found(heard: bytes, traced: dict[str, bytes]) -> list[str]:
    """Return the traces of an account in received bytes, in capital and small letters."""
    lower = heard.lower()
    return [what for what, data in traced.items() if data in heard or (what.startswith("name") and data in lower)]


class Theatre:
    """A server with an anonymous game of three, its listeners in each dialect, and all events of the game."""

    def __init__(self, make_server: Callable[..., Server]) -> None:
        self.server: Server = make_server()
        self.ears: list[Ears] = []
        for name in ("first", *PLAYERS, LATER, "outside"):
            self.number_of(name)
        self.maker = at_home(self.server, PLAYERS[0], "pb")
        made = self.maker.ask(
            "create_game", name="hidden", ruleset="auction", seats=3, anonymous=True, clock="interval:3600"
        )
        assert made.name == "okay", made

    def number_of(self, name: str) -> int:
        """Return the number of an account; a new one's is far from that of any other thing."""
        account = result_of(self.server.accounts.login(name, f"{name}'s word", self.server.connect().session.caller()))
        if account.id < FIRST_NUMBER:
            self.server.store.write(
                lambda c: c.exec_driver_sql(f"UPDATE sqlite_sequence SET seq = {FIRST_NUMBER} WHERE name = 'accounts'")
            )
        return account.id

    def listen(self, name: str, dialect: str, game: str = "hidden") -> Ears:
        """Add a listener. Without a game it is in its account, where the dialect has that, else before login."""
        client = self.server.connect(dialect)
        ears = Ears(client, name)
        if game:
            answer = client.ask("login", username=f"{name}@{game}", password=f"{PASSWORDS.get(name, name)}'s word")
            assert answer.name == "okay", answer
        elif client.knows("login_account"):
            assert (
                client.ask("login_account", username=name, password=f"{PASSWORDS.get(name, name)}'s word").name
                == "account"
            )
        self.ears.append(ears)
        return ears

    def all_come(self, players: tuple[str, ...]) -> None:
        """Add listeners in each dialect: players, a spectator, an outsider, and a viewer of old turns."""
        self.ears = []
        for dialect in SPOKEN:
            for name in players:
                self.listen(name, dialect)
            self.listen("outside", dialect, "hidden/watch")
            self.listen("outside", dialect, "")

    def look_back(self) -> None:
        """Have a player and an outsider look at the first turn, and hear all of it."""
        for dialect in SPOKEN:
            for name in (self.players[-1], "outside"):
                ears = self.listen(name, dialect, "hidden/turn/0")
                ears.ask_everything()
                ears.client.hang_up()

    players = PLAYERS

    def hear(self) -> None:
        for ears in self.ears:
            if not ears.client.session.gone:
                ears.ask_everything()

    def all_try(self) -> None:
        """Have all accounts but the owner do to the game what they cannot."""
        for ears in self.ears:
            if ears.name == PLAYERS[0] or not ears.client.session.logged_in:
                continue
            for name, message in tries():
                if ears.client.knows(name):
                    ears.client.post_message(BY_NAME[name], message)

    def check_silence(self, where: str) -> None:
        """Nobody has heard anything of another account; each hears of its own."""
        known = {one.name: one.id for one in self.server.store.read(stored_accounts_all)}
        known.setdefault("vexborg", known.get(RENAMED, 0))
        for ears in self.ears:
            heard = ears.all_heard
            for name, number in known.items():
                if name in ears.own or name in ("first", "outside"):
                    continue
                told = found(heard, traces(name, number))
                assert not told, f"{where}: {ears.name} ({ears.client.title}) was told the {told} of {name}"

    def seat(self, name: str) -> int:
        """Return the number of the player that an account is."""
        account = next(one for one in self.server.store.read(stored_accounts_all) if one.name == name)
        seat = self.server.game("hidden").seat_of(account.id)
        assert seat is not None
        return seat + 1

    def own(self, name: str, dialect: str = "pb") -> Client:
        """Return a connection of a player, for what it does."""
        return next(one.client for one in self.ears if (one.name, one.client.title) == (name, dialect) and in_game(one))


def in_game(ears: Ears) -> bool:
    return ears.client.session.seat is not None and not ears.client.session.gone


def stored_accounts_all(c: Any) -> Any:
    from tpserver.store.people import accounts

    return accounts.all(c)


def okay(answer: Reply) -> Reply:
    assert answer.name in ("okay", "order"), answer
    return answer


@pytest.mark.parametrize(
    "end",
    ["draw", pytest.param("abort", marks=pytest.mark.thorough), pytest.param("rules", marks=pytest.mark.thorough)],
)
def test_no_byte_of_another_account_is_told_before_the_end_and_then_it_is(
    make_server: Callable[..., Server], end: str
) -> None:
    """Joining, messages, orders, closings, agreements, clocks, absence, new owners, players and names, a restart.

    Each dialect of each player, of spectators and of outsiders is checked, and old turns.
    """
    theatre = Theatre(make_server)
    server = theatre.server
    theatre.players = (PLAYERS[0],)
    theatre.all_come(theatre.players)
    theatre.hear()
    server.pass_time(5)
    theatre.listen("vexborg", "json")
    theatre.hear()
    theatre.check_silence("while it waits")
    theatre.listen("quixotl", "tp03")
    theatre.players = PLAYERS
    before = theatre.ears
    theatre.all_come(PLAYERS)
    theatre.ears += before
    theatre.hear()
    theatre.check_silence("at the start")
    everything_happens(theatre)
    theatre.look_back()
    theatre.check_silence("in old turns")
    theatre.server = server = server.restarted(10)
    theatre.players = (PLAYERS[0], RENAMED, LATER)
    theatre.all_come(theatre.players)
    theatre.hear()
    theatre.look_back()
    theatre.check_silence("after a restart")
    told = str(public_games(server.registry, "1", "here"))
    assert "hidden" in told
    assert not any(name in told for name in theatre.players)
    it_ends(theatre, end)
    for ears in theatre.ears:
        ears.heard.clear()
    theatre.hear()
    for ears in theatre.ears:
        if ears.client.session.game is not None and ears.client.session.seat is not None:
            others = {PLAYERS[0], RENAMED, LATER} - {ears.name}
            told = [name for name in others if found(ears.all_heard, name_traces(name))]
            assert set(told) == others, f"{ears.name} {ears.client.title}"
    names = {one.name for one in theatre.own(LATER).ask("get_player", ids=[1, 2, 3]).things}
    assert names == {PLAYERS[0], RENAMED, LATER}
    old = server.player(LATER, "json", "hidden/turn/0")
    assert {one.name for one in old.ask("get_player", ids=[1, 2, 3]).things} == names
    told = [one.body for one in theatre.own(LATER).messages() if one.subject == "Player names"]
    assert [all(f"was {name}" in text for name in names) for text in told] == [True]
    told_times = theatre.own(LATER).ids("get_player_ids")
    again = server.restarted().player(LATER, "pb", "hidden")
    assert {one.name for one in again.ask("get_player", ids=[1, 2, 3]).things} == names
    times = again.ids("get_player_ids")
    assert all(times[number] >= then for number, then in told_times.items()), "else what is kept of them stays old"


def everything_happens(theatre: Theatre) -> None:
    server = theatre.server
    zarquon, vexborg, quixotl = (theatre.own(name) for name in PLAYERS)
    one, two, three = (theatre.seat(name) for name in PLAYERS)
    hear = theatre.hear
    okay(post(vexborg, one, "For you", "words"))
    okay(post(quixotl, EVERYBODY, "For all", "words"))
    okay(post(theatre.own("vexborg", "json"), three, "Of old", "words"))
    letter = next(at for at, text in enumerate(zarquon.messages()) if text.subject == "For you")
    okay(zarquon.ask("report_message", slot=letter, subject="For you", reason="rude"))
    okay(zarquon.ask("set_block", player=two, blocked=True))
    blocked = zarquon.ask("get_talk").message.blocked
    assert [(each.name, each.game, each.player) for each in blocked] == [(f"Player {two}", "hidden", two)]
    refused = post(vexborg, one)
    assert (refused.code, refused.text) == (DENIED, f"Player {one} does not accept your messages.")
    for client in (zarquon, vexborg, quixotl):
        okay(client.bid(1, "x"))
    okay(vexborg.ask("finished_turn"))
    okay(vexborg.ask("unfinish_turn"))
    for client in (zarquon, vexborg, quixotl):
        okay(client.ask("finished_turn"))
    for kind in ("pause", "nudge", "extension", "draw"):
        okay(zarquon.ask("propose", game="hidden", kind=kind, seconds=60 if kind == "extension" else 0))
    proposals = [each.id for each in quixotl.ask("get_proposals").message.proposals if each.state == "open"]
    okay(vexborg.ask("vote", game="hidden", id=proposals[-1], vote="agree"))
    hear()
    for number in proposals:
        okay(quixotl.ask("vote", game="hidden", id=number, vote="refuse"))
    policy = tp.SeatPolicy(absent_after=1, seeks=True)
    for wish in (
        tp.Propose(game="hidden", kind="extension", seconds=60),
        tp.Propose(game="hidden", kind="clock", clock="interval:3600 grace:60"),
        tp.Propose(game="hidden", kind="seats", policy=policy),
    ):
        agreed(theatre, wish, zarquon, vexborg, quixotl)
    okay(zarquon.ask("set_join", game="hidden", invited=True))
    okay(zarquon.ask("rename_game", game="hidden", name="other"))
    okay(zarquon.ask("rename_game", game="other", name="hidden"))
    okay(zarquon.ask("set_join", game="hidden"))
    okay(vexborg.ask("add_vacation", begins=0, ends=int(server.now()) + 86400))
    okay(zarquon.ask("finished_turn"))
    server.pass_time(3 * 3600 + 200)
    server.settle()
    hear()
    theatre.check_silence("while players are away")
    okay(vexborg.ask("say_here"))
    okay(vexborg.ask("set_autopilot")) if has_bot(server.game("hidden").rules) else None
    result_of(
        perform(
            AdminContext(server.registry, server.accounts), "account rename", {"name": "vexborg", "new_name": RENAMED}
        )
    )
    for ears in theatre.ears:
        if ears.name == "vexborg":
            ears.name = RENAMED
            ears.own.add(RENAMED)
    vexborg = theatre.listen(RENAMED, "pb").client
    agreed(theatre, tp.Propose(game="hidden", kind="remove", player=three), zarquon, vexborg)
    for ears in [each for each in theatre.ears if each.name == "quixotl"]:
        ears.client.hang_up()
    okay(at_home(server, LATER).ask("take_seat", game="hidden", player=three))
    theatre.players = (PLAYERS[0], RENAMED, LATER)
    okay(zarquon.ask("hand_over_game", game="hidden", player=two))
    hear()
    theatre.check_silence("before the end")


def agreed(theatre: Theatre, wish: tp.Propose, first: Client, *others: Client) -> None:
    """Have a player propose something to which those who are asked agree."""
    okay(first.say("propose", wish))
    number = theatre.server.game("hidden").proposals[-1].number
    for client in others:
        if theatre.server.game("hidden").proposals[-1].state == "open":
            okay(client.ask("vote", game="hidden", id=number, vote="agree"))
    assert theatre.server.game("hidden").proposals[-1].state == "agreed"


def it_ends(theatre: Theatre, how: str) -> None:
    server = theatre.server
    if how == "draw":
        players = [theatre.own(name) for name in theatre.players]
        okay(players[0].ask("propose", game="hidden", kind="draw"))
        (proposal,) = (one for one in players[0].ask("get_proposals").message.proposals if one.state == "open")
        for client in players[1:]:
            if not server.game("hidden").over:
                okay(client.ask("vote", game="hidden", id=proposal.id, vote="agree"))
    elif how == "abort":
        wish = tp.Propose(game="hidden", kind="abort", reason="No time")
        agreed(theatre, wish, *(theatre.own(name) for name in (RENAMED, PLAYERS[0], LATER)))
    while not server.game("hidden").over:
        server.close_turn("hidden")
    server.settle()


# --- single facts -----------------------------------------------------------------------------------------------------


def hidden(server: Server, *names: str, seats: int = 3, **more: Any) -> list[Client]:
    """Make an anonymous game in which these play, and return a connection of each, in JSON."""
    server.create("hidden", seats=seats, anonymous=True, clock="manual", **more)
    return [server.player(name, "json", "hidden") for name in names]


def taken(client: Client) -> list[bool]:
    """Return for each seat of the game whether the connection sees it as taken."""
    return [bool(seat.name) for seat in client.ask("get_seats", game="hidden").message.seats]


def test_before_the_start_one_is_told_how_many_play_and_not_where(server: Server) -> None:
    """Every frame that lists players shows players their own seat, and of the others only the number."""
    ann, ben = hidden(server, "ann", "ben", seats=4)
    game = server.game("hidden")
    watching = server.player("eve", "json", "hidden/watch")
    first = [True, True, False, False]
    assert taken(watching) == first
    assert list(watching.ids("get_player_ids")) == [1, 2]
    for client, name in ((ann, "ann"), (ben, "ben")):
        number = client.seat + 1
        other = 1 if number > 1 else 2
        assert sorted(client.ids("get_player_ids")) == sorted([number, other])
        assert sorted(client.ids("get_board_ids")) == sorted([number, other])
        assert {at + 1 for at, is_taken in enumerate(taken(client)) if is_taken} == {number, other}
        (mine,) = at_home(server, name).ask("get_my_games").message.games
        assert [bool(seat.name) for seat in mine.seats] == taken(client)
        assert (mine.anonymous, mine.player) == (True, number)
        assert client.ask("get_player", ids=[0]).message.name == f"Player {number}"
        assert post(client, other).code == TEMPORARILY, "who writes has a seat"
        assert post(client, EVERYBODY).code == TEMPORARILY
        assert post(client, 0).name == "okay"
    times = set(watching.ids("get_player_ids").values())
    assert len(times) == 1, "else the order in which they came would be told"
    assert len({player.seat for player in game.players if player.name}) == 2


def test_who_keeps_what_it_was_told_is_told_that_players_and_boards_are_others_as_it_ends(server: Server) -> None:
    ann, _ = hidden(server, "ann", "ben", seats=2)
    now = max(*ann.ids("get_player_ids").values(), *ann.ids("get_board_ids").values())
    server.pass_time(max(0.0, now + 5 - server.now()))
    result_of(perform(AdminContext(server.registry, server.accounts), "game abort", {"name": "hidden", "reason": "x"}))
    assert sorted(ann.ids("get_player_ids", now)) == sorted(ann.ids("get_board_ids", now)) == [1, 2]
    names = sorted(board.name for board in ann.ask("get_boards", ids=[1, 2]).things)
    assert names == ["Personal board", "ben's board"]


def test_what_was_asked_while_the_end_is_saved_is_asked_again(make_server: Callable[..., Server]) -> None:
    """It has the names of seats still, so the boards must get a later modification time at the end."""
    server = make_server(delayed=True)
    ann, _ = hidden(server, "ann", "ben", seats=2)
    server.disk.at_once = False
    ending = Deferred.fromCoroutine(ownership.abort(server.registry, server.game("hidden"), "x", "The operator"))
    asked = ann.post("get_board_ids", key=-1, start=0, amount=-1, fromtime=-1)
    boards = ann.post("get_boards", ids=[1, 2])
    server.disk.commit()
    server.disk.at_once = True
    result_of(ending)
    assert {board.name for board in boards.reply.things} == {"Personal board", f"Player {2 - ann.seat}'s board"}
    then = {pair.id: pair.modtime for pair in asked.reply.message.ids}
    assert all(time > then[number] for number, time in ann.ids("get_board_ids").items())


def test_whoever_joins_gets_any_seat(make_server: Callable[..., Server]) -> None:
    """The owner does not always have the first: out of sixteen games it is in one of several seats."""
    server = make_server()
    seats = set()
    for number in range(16):
        game = server.create(f"game {number}", seats=4, anonymous=True)
        seats.add(server.player("ann", "pb", game.name).seat)
    assert len(seats) > 1


def test_nobody_is_removed_by_number_before_the_start_but_by_the_operator(server: Server) -> None:
    """The number would reveal the taken seats, and the next player would get that seat."""
    home = at_home(server, "ann")
    okay(home.ask("create_game", name="hidden", ruleset="auction", seats=3, anonymous=True))
    ben = server.player("ben", "json", "hidden")
    other = ben.seat + 1
    assert home.ask("remove_player", game="hidden", player=other).code == PERMANENTLY
    context = AdminContext(server.registry, server.accounts)
    result_of(perform(context, "game remove", {"name": "hidden", "player": "ben"}))
    assert [one.body for one in server.player("ann", "json", "hidden").messages()] == [
        "The operator has removed a player; a seat is open."
    ]


def test_a_game_is_handed_over_to_a_player_by_number_and_no_name_is_tried(server: Server) -> None:
    """The responses do not reveal if an account has a seat: they are the same for all names."""
    home = at_home(server, "ann")
    okay(home.ask("create_game", name="hidden", ruleset="auction", seats=2, anonymous=True))
    ben = server.player("ben", "json", "hidden")
    at_home(server, "cem")
    answers = {(one.code, one.text) for name in ("ben", "cem", "nobody")
               for one in [home.ask("hand_over_game", game="hidden", account=name)]}  # fmt: skip
    assert len(answers) == 1
    number = ben.seat + 1
    answer = home.ask("hand_over_game", game="hidden", player=number)
    assert answer.text == f"The game hidden now belongs to Player {number}, and all players are notified"
    assert ben.messages()[-1].body == "Somebody else decides about the game from now on."
    (mine,) = at_home(server, "ben").ask("get_my_games").message.games
    assert mine.made
    for wrong in (0, 3, 99):
        assert at_home(server, "ben").ask("hand_over_game", game="hidden", player=wrong).code == NO_SUCH_THING


def test_blocks_of_accounts_do_not_count_and_those_of_seats_only_there(server: Server) -> None:
    """Otherwise arriving messages would show the name of a player. After the end all blocks count again."""
    ann, ben, cem = hidden(server, "ann", "ben", "cem")
    one, two = ann.seat + 1, ben.seat + 1
    okay(at_home(server, "ann").ask("set_block", name="ben", blocked=True))
    assert post(ben, one, "Heard").name == "okay"
    okay(at_home(server, "ann").ask("set_block", name="ben"))
    okay(ann.ask("set_block", player=two, blocked=True))
    assert post(ben, one).code == DENIED
    server.create("open", clock="manual")
    others = {name: server.player(name, "json", "open") for name in ("ann", "ben")}
    assert post(others["ben"], 1).name == "okay"
    home = at_home(server, "ann")
    assert [(each.name, each.game, each.player) for each in home.ask("get_talk").message.blocked] == [
        (f"Player {two}", "hidden", two)
    ]
    assert at_home(server, "cem").ask("set_block", player=one, game="nowhere", blocked=True).code == PERMANENTLY
    okay(home.ask("set_block", player=two, game="hidden"))
    assert post(ben, one).name == "okay"
    okay(ann.ask("set_block", player=two, blocked=True))
    okay(home.ask("set_block", name="cem", blocked=True))
    assert post(cem, one).name == "okay"
    result_of(perform(AdminContext(server.registry, server.accounts), "game abort", {"name": "hidden", "reason": "x"}))
    assert post(ben, one).code == post(cem, one).code == DENIED
    assert [(each.name, each.game) for each in home.ask("get_talk").message.blocked] == [("cem", ""), ("ben", "hidden")]
    okay(home.ask("set_block", player=two, game="hidden"))
    assert post(ben, one).name == "okay"


def test_a_block_of_a_seat_does_not_count_among_the_spectators_of_another_game(server: Server) -> None:
    """Messages there have the names of accounts. A missing one would reveal the account of the blocked seat."""
    ann, ben, _ = hidden(server, "ann", "ben", "cem")
    okay(ann.ask("set_block", player=ben.seat + 1, blocked=True))
    server.create("other", clock="manual", seats=2)
    reader, writer = (server.player(name, "json", "other/watch") for name in ("ann", "ben"))
    assert post(writer, 0, "Here I am").name == "okay"

    def told() -> list[str]:
        return [one.body for one in reader.ask("get_message", id=0, slots=[0]).things]

    assert told() == ["World"]
    okay(at_home(server, "ann").ask("set_block", name="ben", blocked=True))
    assert told() == ["You have blocked this account."]


def test_a_program_with_an_account_is_no_bot_before_the_end_and_one_of_the_server_is(server: Server) -> None:
    (ann,) = hidden(server, "ann", seats=2)
    result_of(perform(AdminContext(server.registry, server.accounts), "account role", {"name": "ann", "role": "bot"}))
    result_of(server.registry.lobby.take_seat(server.game("hidden"), None, "bot-1", bot=True))
    mine, other = ann.seat + 1, 2 - ann.seat
    watching = server.player("eve", "json", "hidden/watch")
    assert [one.race for one in watching.ask("get_player", ids=[mine, other]).things] == ["Human", "Bot"]
    told = at_home(server, "ann").ask("get_my_games").message.games[0].seats
    assert [told[number - 1].bot for number in (mine, other)] == [False, True]
    result_of(perform(AdminContext(server.registry, server.accounts), "game abort", {"name": "hidden", "reason": "x"}))
    assert [one.race for one in watching.ask("get_player", ids=[mine, other]).things] == ["Bot", "Bot"]


def test_what_is_known_of_an_account_in_all_games_is_told_to_itself_alone(server: Server) -> None:
    server.create("open", clock="interval:60")
    for client in [server.player(name, "json", "open") for name in ("ann", "ben")]:
        okay(client.ask("finished_turn"))
    server.settle()
    ann, ben, _ = hidden(server, "ann", "ben", "cem")
    for client in (ann, ben):
        seats = client.ask("get_seats").message.seats
        assert [seat.player for seat in seats if seat.due_of_all] == [client.seat + 1]
    result_of(perform(AdminContext(server.registry, server.accounts), "game abort", {"name": "hidden", "reason": "x"}))
    assert sum(bool(seat.due_of_all) for seat in ann.ask("get_seats").message.seats) == 2


def test_turns_of_an_anonymous_game_count_when_it_is_over(server: Server) -> None:
    """Until then no figure of an account changes, not even of one that was removed from the game."""
    server.create("open", clock="interval:3600")
    for client in [server.player(name, "json", "open") for name in ("ann", "ben")]:
        okay(client.ask("finished_turn"))
    server.settle()
    game = server.create("hidden", seats=3, anonymous=True, clock="interval:60")
    players = {name: server.player(name, "json", "hidden") for name in ("ann", "ben", "cem")}
    eve = at_home(server, "eve")

    def told() -> list[tuple[int, int]]:
        seats = eve.ask("get_seats", game="open").message.seats
        return [(seat.due_of_all, seat.kept_of_all) for seat in seats]

    for name in ("ann", "cem"):
        okay(players[name].ask("finished_turn"))
    server.pass_time(61)
    server.settle()
    assert game.state.turn == 1
    context = AdminContext(server.registry, server.accounts)
    result_of(perform(context, "game remove", {"name": "hidden", "player": "ben"}))
    server.pass_time(61)
    server.settle()
    assert told() == [(1, 1), (1, 1)]
    server = server.restarted()
    eve, context = at_home(server, "eve"), AdminContext(server.registry, server.accounts)
    result_of(perform(context, "game abort", {"name": "hidden", "reason": "x"}))
    assert told() == [(3, 2), (2, 1)]


def test_moderators_read_of_no_list_who_plays_an_anonymous_game(server: Server) -> None:
    """Neither the number of an account's seats nor the audit reveals it before the end."""
    context = AdminContext(server.registry, server.accounts)
    for name in ("ann", "ben"):
        at_home(server, name)
    before = result_of(perform(context, "account list", {}))
    home = at_home(server, "ann")
    okay(home.ask("create_game", name="hidden", ruleset="auction", seats=2, anonymous=True))
    server.player("ann", "json", "hidden")
    result_of(perform(context, "game invite", {"name": "hidden", "account": "ben"}))
    number = (server.game("hidden").seat_of(server.accounts.named("ben").id) or 0) + 1
    okay(home.ask("hand_over_game", game="hidden", player=number))
    result_of(perform(context, "game give", {"name": "hidden", "account": "ann"}))
    result_of(perform(context, "game remove", {"name": "hidden", "player": "ben"}))
    assert result_of(perform(context, "account list", {})) == before
    told = [entry for entry in server.store.read(stored_audit.newest, 10) if entry.subject == "hidden"]
    assert [entry.operation for entry in told] == ["game invite", "game give", "game give", "game remove"]
    assert not any(entry.details for entry in told)
    result_of(perform(context, "game abort", {"name": "hidden", "reason": "x"}))
    assert result_of(perform(context, "account list", {})) != before


def test_what_whoever_has_made_a_game_does_does_not_tell_its_seat(server: Server) -> None:
    """Neither changes by the owner nor announcements reveal the seat. An invited friend knows who the owner is."""
    home = at_home(server, "ann")
    okay(home.ask("create_game", name="hidden", ruleset="auction", seats=2, anonymous=True))
    okay(home.ask("set_clock", game="hidden", clock="interval:3600"))
    ann, ben = (server.player(name, "json", "hidden") for name in ("ann", "ben"))
    okay(home.ask("set_watch_delay", game="hidden", watch_delay=2))
    assert ben.messages()[-1].body == "The owner of the game has decided: spectators see this game 2 turns later."
    okay(ann.ask("propose", game="hidden", kind="pause"))
    (pause,) = ben.ask("get_proposals").message.proposals
    assert (pause.kind, pause.player, list(pause.agreeing)) == ("pause", ann.seat + 1, [ann.seat + 1])
    offers = [[(one.kind, one.alone) for one in each.ask("get_proposals").message.offers] for each in (ann, ben)]
    assert offers[0] == offers[1], "every player can propose the same"
    result_of(perform(AdminContext(server.registry, server.accounts), "game remove",
                      {"name": "hidden", "player": "ben"}))  # fmt: skip
    assert server.game("hidden").row.state == "paused"
    for _ in range(4):
        for kind in ("resume", "pause"):
            okay(ann.ask("propose", game="hidden", kind=kind))
    assert [one.player for one in ann.ask("get_proposals").message.proposals][:8] == [0] * 8
    assert [ann.ask("propose", game="hidden", kind=kind).name for kind in ("resume", "pause")] == ["okay", "okay"]
    assert ann.ask("propose", game="hidden", kind="resume").name == "fail"


def test_an_anonymous_game_waits_for_no_vacations(server: Server) -> None:
    """Such a clock is refused, also later. The dates of a vacation would match those in a player's other games."""
    home = at_home(server, "ann")
    wish = {"name": "hidden", "ruleset": "auction", "seats": 2, "anonymous": True}
    assert home.ask("create_game", **wish, clock="interval:3600 vacation:10").text == f"{NO_VACATIONS.capitalize()}."
    okay(home.ask("create_game", **wish, clock="interval:3600"))
    server.player("ben", "json", "hidden")
    wish = {"game": "hidden", "kind": "clock", "clock": "interval:3600 vacation:10"}
    assert home.ask("propose", **wish).code == PERMANENTLY
    assert home.ask("get_game_setup", game="hidden").message.anonymous


def test_who_moderates_is_told_who_plays_for_a_reason_that_is_noted_and_not_of_the_own_game(server: Server) -> None:
    """The operation that shows a game names only the seats."""
    context = AdminContext(server.registry, server.accounts)
    server.host.administration = administration(context)
    hidden(server, "ann", "ben", "mo")
    for name in ("mo", "judge"):
        at_home(server, name)
        result_of(server.accounts.set_role(server.accounts.named(name), "moderator"))

    def do(who: str, operation: str, **arguments: str) -> Reply:
        given = [{"name": key, "value": value} for key, value in arguments.items()]
        return at_home(server, who).ask("administer", operation=operation, arguments=given)

    shown = "\n".join(do("judge", "game show", name="hidden").message.lines)
    assert "Player 1" in shown
    assert "ann" not in shown.replace("anonymous", "")
    assert do("judge", "game players", name="hidden", reason=" ").code == PERMANENTLY
    assert do("mo", "game players", name="hidden", reason="curious").code == PERMANENTLY
    assert server.store.read(stored_audit.newest, 5) == []
    told = "\n".join(do("judge", "game players", name="hidden", reason="two accounts of one").message.lines)
    assert all(name in told for name in ("ann", "ben", "mo"))
    (entry,) = server.store.read(stored_audit.newest, 5)
    assert (entry.actor, entry.operation, entry.subject, entry.reason) == (
        "judge", "game players", "hidden", "two accounts of one",
    )  # fmt: skip
    with pytest.raises(OperationError):
        result_of(perform(context, "game players", {"name": "hidden", "reason": ""}))


def test_a_roll_call_does_not_tell_whose_seat_is_open_again(server: Server) -> None:
    """Players who confirmed their presence are shown by number, to themselves by seat. Any seat may open."""
    from tpserver.games.terms.seat_policy import SeatPolicy

    ann, ben = hidden(server, "ann", "ben", seats=2, policy=SeatPolicy(roll_call=60))
    assert [seat.here for seat in ann.ask("get_seats").message.seats] == [False, False]
    assert sum(seat.here for seat in ben.ask("get_seats").message.seats) == 1
    server.pass_time(61)
    assert ben.messages()[-1].body == "A player has not said to be here; a seat is open."
    assert ann.ask("ping").code == DENIED
