"""A box with what the server tells of a game beside its objects, and what is changed of it by keys."""

from collections.abc import Coroutine
from typing import Any

from textual.content import Content
from textual.widgets import Static

from ..columns import shown
from ..errors import ClientError
from .dialogs import Dialog
from .link import Link, spoken


class FactsScreen(Dialog[None]):
    """A title, what is told, what came of the last key, and a hint of the keys; a subclass asks and shows it."""

    DEFAULT_CSS = """
    FactsScreen #title { text-style: bold; }
    FactsScreen Static { height: auto; }
    FactsScreen #hint { color: $text-muted; }
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def _ask(self) -> Any:
        """Ask the server anew, and show what it tells."""
        raise NotImplementedError

    def _say(self, words: str) -> None:
        if self.is_composed:
            self.query_one("#said", Static).update(Content(shown(words)))

    async def _change(self, asked: Coroutine[Any, Any, str]) -> None:
        """Have something changed, and tell the server's words, or its refusal."""
        try:
            words = await asked
        except ClientError as error:
            self._say(spoken(error))
            return
        self._say(f"{words.rstrip('.')}.")
        self._ask()
