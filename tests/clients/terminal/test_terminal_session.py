"""Login and lobby at the terminal, lost servers, strange names, sizes."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.widgets import Checkbox, Input

from tests.support.memory_client import Frames, MemoryServer, Request, Served, Wire
from tests.support.server_in_memory import result_of, text
from tests.support.workshop import ALL, BOAT, PLACE, YARD, Wish
from tpclient.events import ConnectionBack, Fate, OrderSettled, PendingOrder, TurnStarted
from tpclient.finding import FoundGame, Way
from tpclient.terminal.login_screen import LobbyScreen, LoginScreen
from tpclient.terminal.server_list import ServerList
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04


def carry_out(served: Served, *wishes: str, by: str = "ben") -> None:
    served.do(served.server.carry_out, served.server.seated[by], *wishes)


@pytest.mark.thorough
def test_the_form_asks_for_what_is_missing(make_served: Callable[..., Served], play: Any) -> None:
    """Nobody is named, so the form asks; a wrong password is said there, and what was typed stays."""
    served = make_served(policy="register")
    served.do(served.server.create, "first", "workshop", 1)

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LoginScreen), "there is no form")
        form = player.app.screen
        await player.press("enter")  # there is more to fill in, so it goes on to that
        await player.pilot.click("#login")
        await player.sees("The user is missing.")
        form.query_one("#user", Input).value = "ann@first"
        form.query_one("#password", Input).value = "ann's word"
        assert "[X]" not in player.text
        assert "▐X▌" not in player.text
        await player.press("enter")
        await player.sees("Refused: Wrong user name or password")
        form = player.app.screen
        assert form.query_one("#user", Input).value == "ann@first"
        form.query_one(Checkbox).toggle()
        await player.sees("▐X▌ make the account")
        await player.press("enter")
        await player.until(lambda: player.app.game_screen is not None, "nobody is logged in")
        assert served.server.asked.count((None, "create_account")) == 1

    play(served.address, scene, "", "", at_table=False)


@pytest.mark.thorough
def test_servers_are_found_from_the_form(workshop: Served, play: Any) -> None:
    """One is chosen, and where it is, and its game, are filled in; the name stays, nothing steers the terminal."""
    address = workshop.address
    host, _, port = address.removeprefix("tp://").rpartition(":")
    facts = {"plys": "1", "cmt": "come \u202e in", "sn": "first"}
    game = FoundGame("First", "workshop", "1", "tpserver 1", facts, (Way("tp", host, int(port)),), "lan")
    hidden = FoundGame("Tunnel", "", "", "", {}, (Way("tp+http", host, 80),), "lan")

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LoginScreen), "there is no form")
        player.app.screen.query_one("#user", Input).value = "ann"
        await player.pilot.click("#find")
        await player.until(lambda: isinstance(player.app.screen, ServerList), "there is no list")
        await player.sees("1 game. Which one?")
        await player.sees("A metaserver is away.")
        assert "First  workshop" in player.text
        assert "Tunnel" not in player.text
        assert "\u202e" not in player.text
        await player.press("enter")
        await player.until(lambda: isinstance(player.app.screen, LoginScreen), "there is no form")
        form = player.app.screen
        assert form.query_one("#address", Input).value == f"tp://{host}:{port}"
        assert form.query_one("#user", Input).value == "ann@first"
        form.query_one("#password", Input).value = "ann's word"
        await player.press("enter")
        await player.until(lambda: player.app.game_screen is not None, "nobody is logged in")

    play("127.0.0.1:1", scene, "", "", at_table=False, find=lambda: ([hidden, game], ["A metaserver is away."]))


@pytest.mark.thorough
def test_where_no_server_is_found_that_is_said(play: Any) -> None:
    """Escape leads back to the form, as it was."""

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LoginScreen), "there is no form")
        await player.pilot.click("#find")
        await player.sees("No server was found.")
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, LoginScreen), "there is no form")
        assert player.app.screen.query_one("#address", Input).value == "127.0.0.1:1"

    play("127.0.0.1:1", scene, "", "", at_table=False, find=lambda: ([], []))


def test_the_lobby(workshop: Served, play: Any) -> None:
    """Of several games one is chosen; escape leads back to the form with a sentence."""
    workshop.do(workshop.server.create, "second", "workshop", 1)
    logins: list[str] = []
    workshop.server.scripts["login"] = lambda request: logins.append(request.message.username)

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LobbyScreen), "there is no lobby")
        await player.sees("The server has several games. Which one?")
        await player.press("escape")
        await player.sees("No game was chosen.")
        await player.press("enter")
        await player.until(lambda: isinstance(player.app.screen, LobbyScreen))
        await player.press("down", "enter")
        await player.until(lambda: player.app.game_screen is not None)
        assert logins[-1] == "ann@second"

    play(workshop.address, scene, "ann", at_table=False)


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", [TP03, TP04, PB], ids=lambda one: one.name)
def test_several_games_in_every_dialect(workshop: Served, play: Any, dialect: Any) -> None:
    """TP03 cannot ask for the list of games, so it is asked for in Protocol Buffers."""
    workshop.do(workshop.server.create, "second", "workshop", 1)

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LobbyScreen), "there is no lobby")
        await player.press("down", "enter")
        await player.until(lambda: player.app.game_screen is not None)
        assert player.app.link.game_name == "second"

    play(workshop.address, scene, "ann", dialect=dialect, at_table=False)


@pytest.mark.parametrize("answer", [b"", b"TP03" + bytes(12), None], ids=["hangs up", "says TP03", "speaks it"])
def test_protocol_buffers_or_else_tp04(
    workshop: Served, play: Any, monkeypatch: pytest.MonkeyPatch, answer: bytes | None
) -> None:
    """Unless a dialect is named: the newest is tried, and a server that does not understand it is spoken to in TP04."""
    arrived = Wire.arrived

    def old(wire: Wire, data: bytes) -> None:
        if answer is None or not data.startswith(b"TPPB"):
            arrived(wire, data)
        elif answer:
            wire.write(answer)
        else:
            wire.hang_up()

    monkeypatch.setattr(Wire, "arrived", old)

    async def scene(player: Any) -> None:
        await player.sees("Round 1")
        assert player.app.link.speaks("get_legal_orders") == (answer is None)

    play(workshop.address, scene, dialect=None)


@pytest.mark.thorough
def test_a_list_of_games_that_comes_too_late(workshop: Served, play: Any) -> None:
    """There is one game when the list is asked for, and several at login: the refusal opens the lobby."""
    workshop.do(workshop.server.create, "second", "workshop", 1)
    workshop.server.next_time("get_games", lambda request: [("sequence_of", tp.Sequence(number=0))])

    async def scene(player: Any) -> None:
        await player.sees("There are several games (first, second); log in as cem@game. Your password is right: choose")
        await player.press("down", "enter")
        await player.until(lambda: player.app.game_screen is not None)
        assert player.app.link.game_name == "second"

    play(workshop.address, scene, "cem", at_table=False)


@pytest.mark.parametrize(
    ("user", "sentence"),
    [
        ("ann@third", "There is no game 'third' (games: first, second). Your password is right: choose a game"),
        ("cem@first", "The game 'first' is full: all 2 seats are taken. Your password is right: choose a game"),
        pytest.param(
            "cem@closed",
            "The game 'closed' is for invited players only. Your password is right: choose a game",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_right_password_is_no_error(workshop: Served, play: Any, user: str, sentence: str) -> None:
    """Where it is the game that cannot be had, the games are listed with that sentence, again and again."""
    workshop.do(workshop.server.create, "second", "workshop", 1)
    if "closed" in user:
        workshop.do(workshop.server.create, "closed", "workshop", 2, join="invited")

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LobbyScreen), "there is no lobby")
        await player.sees(sentence)
        if user == "cem@first":
            await player.press("enter")  # the same game once more
            await player.until(lambda: len([kind for _, kind in workshop.server.asked if kind == "login"]) == 2)
            await player.sees(sentence)
        await player.press("down", "enter")
        await player.until(lambda: player.app.game_screen is not None)
        assert player.app.link.game_name in ("first", "second")

    play(workshop.address, scene, user, at_table=False)


def test_watching_stays_watching(workshop: Served, play: Any) -> None:
    """A user who asked to watch an unknown game watches the chosen one."""
    logins: list[str] = []
    workshop.server.scripts["login"] = lambda request: logins.append(request.message.username)

    async def scene(player: Any) -> None:
        await player.sees("Your password is right: choose a game")
        await player.press("enter")
        await player.until(lambda: player.app.game_screen is not None)
        assert logins == ["cem@third/watch", "cem@first/watch"]

    play(workshop.address, scene, "cem@third/watch", at_table=False)


def test_a_server_without_games(served: Served, play: Any) -> None:
    """The message does not blame the login. Escape leads back to the form."""

    async def scene(player: Any) -> None:
        await player.sees("Your password is right: choose a game when there is one; there is none yet.")
        await player.press("r", "enter", "escape")
        await player.sees("No game was chosen.")

    play(served.address, scene, "ann", at_table=False)


@pytest.mark.parametrize("user", ["ann", "ann@first"])
def test_a_wrong_password_is_said_at_the_form(workshop: Served, play: Any, user: str) -> None:
    async def scene(player: Any) -> None:
        await player.sees("Refused: Wrong user name or password.")
        assert isinstance(player.app.screen, LoginScreen)

    play(workshop.address, scene, user, "nonsense", at_table=False)


def test_nobody_listens(play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.sees("Cannot connect to tp://127.0.0.1:1: nobody listens there.")
        await player.press("escape")
        await player.until(lambda: player.app.return_code is not None or not player.app.is_running)

    play("127.0.0.1:1", scene, at_table=False)


def test_the_connection_breaks_and_comes_back(workshop: Served, play: Any) -> None:
    """A banner says so while what was seen stays; then the game goes on, in the turn that it is now."""

    async def scene(player: Any) -> None:
        before = player.game_screen.map.grid.places
        workshop.do(workshop.server.hang_up)
        carry_out(workshop)
        await player.until(lambda: player.game_screen.has_class("-away"), "no banner")
        assert "Trying again in" in player.text
        assert player.game_screen.map.grid.places == before
        await player.until(lambda: not player.game_screen.has_class("-away"), "it did not come back")
        await player.sees("Round 2")

    play(workshop.address, scene)


@pytest.mark.thorough
def test_another_game_in_its_place(workshop: Served, make_server: Callable[..., MemoryServer], play: Any) -> None:
    """After a restart there is another game: a sentence says so, and that game is shown."""

    def swap() -> None:
        old = workshop.server
        workshop.server = make_server()
        workshop.server.begin("ben", "ann")
        old.hang_up()

    async def scene(player: Any) -> None:
        player.game_screen.go_to(YARD)
        await player.press("o")
        await player.until(lambda: len(player.app.screen_stack) > 2)
        await player.press(*"Tune", "enter")
        await player.until(lambda: player.game_screen.form is not None)
        workshop.do(swap)
        await player.sees("We are now player 2, ann, not player 1, ann. This is what is there now.")
        assert player.game_screen.form is None
        await player.until(lambda: player.game_screen.link.universe.me == 2)
        await player.until(lambda: not player.game_screen.has_class("-away"))
        await player.sees("This is what is there now. (escape takes this away)")
        await player.press("escape")
        assert "We are now player 2" not in player.text

    play(workshop.address, scene)


def test_what_happened_stays_until_it_was_seen(workshop: Served, play: Any) -> None:
    """Neither the turn that begins in the same moment, nor the way back, nor a key's answer covers it."""

    async def scene(player: Any) -> None:
        order = PendingOrder("Tune", tp.Order(), 1, Fate.LOST, "The order Tune has not reached the server.")
        clock = tp.TimeRemaining(time=2147483647, reason=1, turn=1, turn_name="Round 2", waiting=[1, 2])
        for event in (ConnectionBack(1), OrderSettled(order), TurnStarted(1, "Round 2", clock)):
            player.app.hear(event, player.game_screen.link, player.game_screen)
        await player.press("n")
        await player.hears("that take orders")
        await player.sees("The order Tune has not reached the server. (escape takes this away)")
        await player.press("escape")
        assert "not reached" not in player.text

    play(workshop.address, scene)


def test_a_turn_passes_and_the_game_ends(workshop: Served, play: Any) -> None:
    """Finishing names the awaited players. A line shows the new turn's report. Then the game is over and says so."""
    ann, ben = workshop.server.seated.values()
    workshop.do(ann.insert, YARD, Wish.number, text("A hat"))

    async def scene(player: Any) -> None:
        await player.press("f")
        await player.hears("You are done with this turn; awaited: ben.")
        workshop.do(lambda: (ben.ask("finished_turn"), workshop.server.settle()))
        await player.sees("Round 2")
        await player.sees("A hat: as you wished")
        carry_out(workshop, "end")
        await player.sees("Game over: ann won")
        await player.until(lambda: player.game_screen.link.is_over)  # the clock is shown before the turn is downloaded
        await player.press("f")
        await player.hears("The game is over; there is no turn to finish.")

    play(workshop.address, scene)


@pytest.mark.thorough
def test_what_is_looked_at_vanishes(workshop: Served, play: Any) -> None:
    """The line says so, the cursor stays on the place, and the open form of its order can only be given up."""

    async def scene(player: Any) -> None:
        player.game_screen.go_to(BOAT)
        await player.press("o")
        await player.until(lambda: player.game_screen.form is not None)
        cursor = player.game_screen.map.cursor
        carry_out(workshop, f"hide {BOAT}")
        await player.hears("no longer exists")
        assert player.game_screen.map.cursor == cursor
        field = player.game_screen.form.fields[0]
        field.text = "3"
        await player.press("ctrl+s")
        await player.sees("Refused: ")
        assert field.text == "3"
        await player.press("escape")
        assert player.game_screen.form is None
        assert BOAT not in player.game_screen.link.universe.objects

    play(workshop.address, scene)


EVIL = "[bold red]x[/][@click=app.quit]y[/]"


def spoilt(request: Request) -> Frames:
    """The responses of a server whose texts all look like markup, and try to steer terminals."""
    frames = request.answered()
    for kind, one in frames:
        if kind == "time_remaining":
            one.turn_name = f"{EVIL}\x1b[2J"
        elif kind == "player" and one.id == 2:
            one.name = EVIL
        elif kind == "object" and one.id >= PLACE:
            one.name = f"{EVIL}\x07"
        elif kind == "order_desc":
            one.name = one.description = one.parameters[0].name = EVIL
        elif kind == "resource":
            one.singular_name = one.plural_name = EVIL
        elif kind == "message":
            one.subject, one.body = EVIL, f"{EVIL}\x1b]0;t\x07"
    return frames


@pytest.mark.thorough
def test_markup_and_control_characters_are_text(workshop: Served, play: Any) -> None:
    """Names that look like markup or steer terminals are shown as they are, everywhere."""
    kinds = ("get_time_remaining", "get_player", "get_objects_by_id", "get_order_desc", "get_resource", "get_message")
    workshop.server.scripts |= dict.fromkeys(kinds, spoilt)

    async def scene(player: Any) -> None:
        await player.sees(f"{EVIL}\\x1b[2J")
        assert "[bold red]x[/]" in player.text
        player.game_screen.go_to(BOAT)
        for keys in (["v"], ["v"], ["question_mark"], ["escape"], ["m"], ["w"], ["escape"], ["escape"], ["slash"]):
            await player.press(*keys)
            assert "\x1b" not in player.text
            assert "\x07" not in player.text
        await player.press("escape", "t")
        assert "[bold red]x[/]" in player.text
        await player.press("escape", "o")
        await player.until(lambda: player.game_screen.form is not None)
        await player.sees(EVIL)

    play(workshop.address, scene, size=(120, 40))


@pytest.mark.thorough
def test_boards_and_pieces(workshop: Served, play: Any) -> None:
    """One board is said to be one; n and p go round what takes orders; / finds by a part of the name."""

    async def scene(player: Any) -> None:
        await player.press("b")
        await player.hears("This game has one board.")
        await player.press("n")
        await player.hears("that take orders")
        first = player.game_screen.side.selected
        await player.press("n", "p")
        assert player.game_screen.side.selected == first
        await player.press("slash")
        await player.press(*"ost", "enter")
        await player.until(lambda: len(player.app.screen_stack) == 2)
        await player.until(lambda: player.game_screen.side.thing.name == "Post", "it was not found")
        x = player.game_screen.map.cursor
        await player.pilot.click("#map", offset=(5, 1))
        assert player.game_screen.map.cursor != x

    play(workshop.address, scene)


def test_a_game_that_does_not_go_on(workshop: Served, play: Any) -> None:
    """The head says that the game is paused, in the word of the list of games.

    When the game resumes, the word disappears. While a clock runs, the client does not request the list.
    """
    server = workshop.server

    def head(player: Any) -> str:
        return str(player.game_screen.query_one("#head").content)

    async def scene(player: Any) -> None:
        assert "paused" not in head(player)
        workshop.do(lambda: result_of(server.registry.control.pause(server.game())))
        await player.until(lambda: head(player).startswith("Round 1 - paused - no deadline"), "it is not said")
        workshop.do(lambda: result_of(server.registry.control.resume(server.game())))
        await player.until(lambda: head(player).startswith("Round 1 - no deadline"), "it is still said")

    play(workshop.address, scene)


def test_while_a_clock_runs_the_game_goes_on(served: Served, play: Any) -> None:
    """The list of games is not asked for whether it does."""
    served.do(served.server.begin, "ann", "ben", clock="interval:500")

    async def scene(player: Any) -> None:
        await player.until(lambda: "min" in str(player.game_screen.query_one("#head").content))
        before = served.server.asked.count((0, "get_games"))
        await player.game_screen.link.look_why()
        assert served.server.asked.count((0, "get_games")) == before

    play(served.address, scene)


def test_what_is_in_nothing_is_listed_without_a_place(workshop: Served, play: Any) -> None:
    """The root has no comma behind it in a list to pick from."""

    async def scene(player: Any) -> None:
        screen = player.game_screen
        root, boat = (screen.link.universe.objects[number] for number in (ALL, BOAT))
        assert [choice.words for choice in screen.choices([root, boat])] == [
            f"Boat ({BOAT}), Boat, 5, 3",
            f"All ({ALL}), Universe",
        ]

    play(workshop.address, scene)
