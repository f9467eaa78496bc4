"""Fixtures: the terminal client without a terminal.

Textual's pilot presses the keys, and tests read the screen as text.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tpclient.terminal.app import TerminalClient
from tpclient.terminal.game_screen import GameScreen
from tpclient.terminal.login_screen import Answers
from tpproto.dialects import TP04, Dialect

MOST_LOOKS = 10_000


class Player:
    """A user at the terminal, who presses keys and reads the screen."""

    def __init__(self, app: TerminalClient, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def text(self) -> str:
        """The lines of the screen on top."""
        strips = self.app.screen._compositor.render_strips()  # noqa: SLF001 - else Textual gives pictures only
        return "\n".join(strip.text for strip in strips)

    @property
    def game_screen(self) -> GameScreen:
        assert self.app.game_screen is not None
        return self.app.game_screen

    @property
    def said(self) -> str:
        return str(self.game_screen.query_one("#said").content)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, test: Callable[[], Any], otherwise: str = "") -> None:
        """Look again and again until something has come about."""
        for _ in range(MOST_LOOKS):
            if test():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"{otherwise or 'it did not come about'}:\n{self.text}")

    async def sees(self, words: str) -> None:
        """Wait until these words are on the screen, or in one of its texts, wherever their lines are broken."""

        def there() -> bool:
            shown = [one for one in self.app.screen.query(Static) if one.is_on_screen]
            return any(words in " ".join(text.split()) for text in (self.text, *(str(one.content) for one in shown)))

        await self.until(there, f"{words!r} is not on the screen")

    async def hears(self, words: str) -> None:
        """Wait until these words are in the line with results."""
        await self.until(lambda: words in self.said, f"{words!r} was not said, but {self.said!r}")


@asynccontextmanager
async def sitting(
    address: str,
    user: str = "ann@first",
    password: str | None = None,
    *,
    size: tuple[int, int] = (80, 24),
    dialect: Dialect | None = TP04,
    at_table: bool = True,
    find: Any = None,
) -> AsyncIterator[Player]:
    password = f"{user.partition('@')[0]}'s word" if password is None else password
    app = TerminalClient(Answers(address, user, password, False), dialect, 240.0, find=find)
    async with app.run_test(size=size) as pilot:
        player = Player(app, pilot)
        if at_table:
            await player.until(lambda: app.game_screen is not None and app.game_screen.is_ready, "there is no game")
            await pilot.pause()
        yield player
        if app.link is not None:
            await app.link.close()


Scene = Callable[[Player], Awaitable[None]]


@pytest.fixture
def play() -> Callable[..., None]:
    """Plays a scene at the terminal: `play(address, scene, size=(80, 24))`."""

    def run(address: str, scene: Scene, *words: Any, **more: Any) -> None:
        async def whole() -> None:
            async with sitting(address, *words, **more) as player:
                await scene(player)

        asyncio.run(whole())

    return run
