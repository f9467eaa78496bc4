"""The way in and what happens while one looks: forms, the lobby, lost servers, ended games, strange names, sizes."""

from typing import Any

from textual.widgets import Checkbox, Input

from tpclient.events import ConnectionBack, Fate, OrderSettled, PendingOrder, TurnStarted
from tpclient.terminal.login_screen import Lobby, LoginScreen
from tpproto import tp_pb2 as tp


def test_the_form_asks_for_what_is_missing(served: Any, play: Any) -> None:
    """Nobody is named, so the form asks; a wrong password is said there, and what was typed stays."""
    served.server.accounts = {"player1"}

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LoginScreen), "there is no form")
        form = player.app.screen
        await player.press("enter")  # there is more to fill in, so it goes on to that
        await player.pilot.click("#login")
        await player.sees("The user is missing.")
        form.query_one("#user", Input).value = "player0@one"
        form.query_one("#password", Input).value = "wrong"
        assert "[X]" not in player.text
        assert "▐X▌" not in player.text
        await player.press("enter")
        await player.sees("Refused: Wrong user name or password.")
        form = player.app.screen
        assert form.query_one("#user", Input).value == "player0@one"
        form.query_one(Checkbox).toggle()
        await player.sees("▐X▌ make the account")
        await player.press("enter")
        await player.until(lambda: player.app.game_screen is not None, "nobody is logged in")
        assert served.server.accounts == {"player0", "player1"}

    play(served.address, scene, "", "", at_table=False)


def test_the_lobby(served: Any, play: Any) -> None:
    """Of several games one is chosen; escape leads back to the form with a sentence."""

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, Lobby), "there is no lobby")
        await player.sees("The server has several games. Which one?")
        await player.press("escape")
        await player.sees("No game was chosen.")
        await player.press("enter")
        await player.until(lambda: isinstance(player.app.screen, Lobby))
        await player.press("down", "enter")
        await player.until(lambda: player.app.game_screen is not None)
        assert served.server.logins[-1] == "player0@two"

    play(served.address, scene, "player0", at_table=False)


def test_nobody_listens(play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.sees("Cannot connect to tp://127.0.0.1:1: nobody listens there.")
        await player.press("escape")
        await player.until(lambda: player.app.return_code is not None or not player.app.is_running)

    play("127.0.0.1:1", scene, at_table=False)


def test_the_connection_breaks_and_comes_back(served: Any, play: Any) -> None:
    """A banner says so while what was seen stays; then the game goes on, in the turn that it is now."""

    async def scene(player: Any) -> None:
        before = player.game_screen.map.grid.places

        def cut() -> None:
            served.game.turn, served.game.turn_name = 5, "Round five"
            for writer in list(served.server.writers):
                writer.close()

        served.change(cut)
        await player.until(lambda: player.game_screen.has_class("-away"), "no banner")
        assert "Trying again in" in player.text
        assert player.game_screen.map.grid.places == before
        await player.until(lambda: not player.game_screen.has_class("-away"), "it did not come back")
        await player.sees("Round five")

    play(served.address, scene)


def test_another_game_in_its_place(served: Any, play: Any) -> None:
    """What answers after a restart is another game: a sentence says so, and that game is shown."""

    async def scene(player: Any) -> None:
        await player.press("n", "o")
        await player.until(lambda: player.game_screen.form is not None)

        def swap() -> None:
            served.game.put("players", tp.Player(id=3, name="player0", race="Human"))
            del served.game.tables["players"][1], served.game.times["players", 1]
            served.game.put("boards", tp.Board(id=3, name="board"))
            served.game.mail[3] = []
            for writer in list(served.server.writers):
                writer.close()

        served.change(swap)
        await player.sees("We are now player 3, player0, not player 1, player0. This is what is there now.")
        assert player.game_screen.form is None
        await player.until(lambda: player.game_screen.link.universe.me == 3)
        await player.until(lambda: not player.game_screen.has_class("-away"))
        await player.sees("Leader")
        await player.sees("This is what is there now. (escape takes this away)")
        await player.press("escape")
        assert "We are now player 3" not in player.text

    play(served.address, scene)


def test_what_happened_stays_until_it_was_seen(served: Any, play: Any) -> None:
    """Neither the turn that begins in the same moment, nor the way back, nor a key's answer covers it."""

    async def scene(player: Any) -> None:
        order = PendingOrder("Colonize", tp.Order(), 1, Fate.LOST, "The order Colonize has not reached the server.")
        for event in (
            ConnectionBack(1),
            OrderSettled(order),
            TurnStarted(1, "Round one", served.game.clock(1)),
        ):
            player.app._hear(event, player.game_screen.link, player.game_screen)
        await player.press("n")
        await player.hears("that take orders")
        await player.sees("The order Colonize has not reached the server. (escape takes this away)")
        await player.press("escape")
        assert "not reached" not in player.text

    play(served.address, scene)


def test_a_turn_passes_and_the_game_ends(served: Any, play: Any) -> None:
    """Finishing tells who is awaited; the new turn's report is told in a line; then the game is over and says so."""

    async def scene(player: Any) -> None:
        game = served.game

        def closed() -> None:
            game.turn += 1
            game.turn_name = "Round two"
            game.write(1, "Colonized", "Your order was carried out.")

        game.closed = closed
        await player.press("f")
        await player.hears("You are done with this turn; awaited: player1.")

        def other() -> None:
            game.finish(2)
            game.close_if_done()

        served.change(other)
        await player.sees("Round two")
        await player.sees("Colonized: Your order was carried out.")

        def end() -> None:
            game.over, game.turn_name, game.turn = True, "Game over: player1 has won", 3
            game.tell(1)

        served.change(end)
        await player.sees("Game over: player1 has won")
        await player.press("f")
        await player.hears("The game is over; there is no turn to finish.")

    play(served.address, scene)


def test_what_is_looked_at_vanishes(served: Any, play: Any) -> None:
    """The line says so, the cursor stays on the place, and the open form of its order can only be given up."""

    async def scene(player: Any) -> None:
        number = served.game.leaders["0M"]
        player.game_screen.go_to(number)
        await player.press("o")
        await player.until(lambda: player.game_screen.form is not None)
        cursor = player.game_screen.map.cursor

        def vanish() -> None:
            game = served.game
            parent = game.tables["objects"][number].parent
            game.tables["objects"][parent].contains.remove(number)
            game.put("objects", game.tables["objects"][parent])
            game.drop("objects", number)
            game.drop("queues", number)
            game.tell(2)

        served.change(vanish)
        player.game_screen.reload()
        await player.hears("is not there any more")
        assert player.game_screen.map.cursor == cursor
        field = player.game_screen.form.fields[0]
        field.text = "3"
        await player.press("ctrl+s")
        await player.sees("Refused: There is no queues")
        assert field.text == "3"
        await player.press("escape")
        assert player.game_screen.form is None
        assert number not in player.game_screen.link.universe.objects

    play(served.address, scene)


def test_markup_and_control_characters_are_text(served: Any, play: Any) -> None:
    """Names that look like markup or steer terminals are shown as they are, everywhere."""
    evil = "[bold red]x[/][@click=app.quit]y[/]"
    game = served.game
    game.turn_name = f"{evil}\x1b[2J"
    game.put("players", tp.Player(id=2, name=evil, race="Human"))
    for thing in list(game.tables["objects"].values()):
        if thing.otype in (2, 3):
            thing.name = f"{evil}\x07"
            game.put("objects", thing)
    game.put(
        "order_descs", tp.OrderDesc(id=2, name=evil, description=evil, parameters=[tp.ParameterDesc(name=evil, type=2)])
    )
    for number in (3, 8):
        game.put("resources", tp.Resource(id=number, singular_name=evil, plural_name=evil))
    game.write(1, evil, f"{evil}\x1b]0;t\x07", 2)

    async def scene(player: Any) -> None:
        await player.sees(f"{evil}\\x1b[2J")
        assert "[bold red]x[/]" in player.text
        player.game_screen.go_to(game.leaders["0M"])
        for keys in (["v"], ["v"], ["question_mark"], ["escape"], ["m"], ["w"], ["escape"], ["escape"], ["slash"]):
            await player.press(*keys)
            assert "\x1b" not in player.text
            assert "\x07" not in player.text
        await player.press("escape", "t")
        assert "[bold red]x[/]" in player.text
        await player.press("escape", "o")
        await player.until(lambda: player.game_screen.form is not None)
        await player.sees(evil)

    play(served.address, scene, size=(120, 40))


def test_boards_and_pieces(served: Any, play: Any) -> None:
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
        await player.press(*"2, 1", "enter")
        await player.until(lambda: len(player.app.screen_stack) == 2)
        await player.until(lambda: player.game_screen.side.thing.name.endswith("2, 1"), "it was not found")
        x = player.game_screen.map.cursor
        await player.pilot.click("#map", offset=(5, 1))
        assert player.game_screen.map.cursor != x

    play(served.address, scene)


def test_a_game_that_does_not_go_on(served: Any, play: Any) -> None:
    """The head says that it is paused, in the word of the list of games, and again nothing when it goes on; while a
    clock runs the list is not asked for."""

    def head(player: Any) -> str:
        return str(player.game_screen.query_one("#head").content)

    async def scene(player: Any) -> None:
        assert "paused" not in head(player)

        def stands(comment: str, seconds: int | None = None) -> None:
            served.game.comment = comment
            served.game.seconds = seconds or served.game.seconds
            served.game.tell(2)

        served.change(lambda: stands("paused; all-done"))
        await player.until(lambda: head(player).startswith("Round one - paused - no deadline"), "it is not said")
        served.change(lambda: stands("running; all-done"))
        await player.until(lambda: head(player).startswith("Round one - no deadline"), "it is still said")
        served.change(lambda: stands("held", 500))
        await player.until(lambda: "min" in head(player))
        before = served.server.asked.count((1, "get_games"))
        await player.game_screen.link.look_why()
        assert served.server.asked.count((1, "get_games")) == before
        assert "held" not in head(player)

    play(served.address, scene)


def test_what_is_in_nothing_is_listed_without_a_place(served: Any, play: Any) -> None:
    """The root has no comma behind it in a list to pick from."""

    async def scene(player: Any) -> None:
        screen = player.game_screen
        root, leader = (screen.link.universe.objects[number] for number in (0, served.game.leaders["0M"]))
        assert [choice.words for choice in screen.choices([root, leader])] == [
            f"Leader ({leader.id}), Fleet, 0, 0",
            "The Universe (0), Universe",
        ]

    play(served.address, scene)
