"""A box with facts about a game, and keys to change them."""

from collections.abc import Coroutine
from typing import Any

from textual.content import Content
from textual.widgets import Static

from tpclient.columns import shown
from tpclient.errors import ClientError
from tpclient.terminal.dialogs import Dialog
from tpclient.terminal.link import FollowedGame, spoken


class FactsScreen(Dialog[None]):
    """A box with a title, facts, the result of the last key, and key hints.

    A subclass requests the facts and shows them.
    """

    DEFAULT_CSS = """
    FactsScreen #title { text-style: bold; }
    FactsScreen Static { height: auto; }
    FactsScreen #hint { color: $text-muted; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__()
        self.link = link

    def _ask(self) -> Any:
        """Request the facts again, and show them."""
        raise NotImplementedError

    def _say(self, words: str) -> None:
        if self.is_composed:
            self.query_one("#said", Static).update(Content(shown(words)))

    async def _change(self, asked: Coroutine[Any, Any, str]) -> None:
        """Send a change, and show the server's text or its refusal."""
        try:
            words = await asked
        except ClientError as error:
            self._say(spoken(error))
            return
        self._say(f"{words.rstrip('.')}.")
        self._ask()
