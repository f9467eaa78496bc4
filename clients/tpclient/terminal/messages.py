"""The message board: reading, removing and writing messages."""

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Footer, Input, OptionList, Select, Static, TextArea
from textual.widgets.option_list import Option

from tpclient.columns import counted, lines_of, shown
from tpclient.connection import SETUP
from tpclient.errors import ClientError
from tpclient.games import press_words
from tpclient.names import EVERYBODY, EVERYBODY_NAME, player_name
from tpclient.plain.facts import message_heading
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import ComposedScreen, Dialog, Question
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.terminal.talk_screen import TalkScreen
from tpproto import tp_pb2


class Messages(ComposedScreen[None]):
    """All messages, the newest first, with the text of the selected one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,m,q", "dismiss", "back"),
        Binding("w", "write", "write"),
        Binding("x,delete", "remove", "remove"),
        Binding("X", "remove_all", "remove all", key_display="X"),
        Binding("t", "talk", "talk"),
    ]

    DEFAULT_CSS = """
    Messages > #head { height: 1; text-style: bold; background: $primary-muted; padding: 0 1; }
    Messages > OptionList { height: 40%; border: none; }
    Messages > VerticalScroll { height: 1fr; border-top: solid $primary-muted; padding: 0 1; }
    Messages > #said { height: auto; max-height: 3; padding: 0 1; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__()
        self.link = link
        self.messages: Sequence[tp_pb2.Message] = ()
        self.press = "private"

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield OptionList(markup=False, compact=True)
        with VerticalScroll():
            yield Static(id="body")
        yield Static(id="said")
        yield Footer(compact=True, show_command_palette=False)

    def composed(self) -> None:
        self.show()
        self.query_one(OptionList).focus()
        self._learn_press()

    @work(exclusive=True, group="press")
    async def _learn_press(self) -> None:
        """Request which messages are permitted. Older servers and some dialects do not tell."""
        if not self.link.speaks(SETUP):
            return
        with suppress(ClientError):
            self.press = (await self.link.setup()).press or "private"
        if self.is_composed and self.query(OptionList):  # the player may have left the screen meanwhile
            self.show()

    def show(self) -> None:
        """Show the present messages.

        The selected message stays selected. If it is gone, the one in its place is selected.
        """
        options = self.query_one(OptionList)
        before = options.highlighted
        chosen = self._chosen
        self.messages = list(reversed(self.link.mail))
        many = len(self.messages)
        head = f"{many} messages, the newest first" if many != 1 else "1 message"
        if not many:
            head = "No messages yet" if self.press == "none" else "No messages yet; w writes one"
        told = f"; {press_words(self.press)}" if self.press != "private" else ""
        self.query_one("#head", Static).update(Content(shown(f"{head}{told}")))
        options.set_options([Option(Content(message_heading(self.link.universe, one))) for one in self.messages])
        if self.messages:
            there = next((at for at, one in enumerate(self.messages) if one is chosen), None)
            options.highlighted = there if there is not None else min(before or 0, many - 1)
        else:
            self.query_one("#body", Static).update("")

    @property
    def _chosen(self) -> tp_pb2.Message | None:
        at = self.query_one(OptionList).highlighted
        return self.messages[at] if at is not None and at < len(self.messages) else None

    def say(self, words: str) -> None:
        """Show a result."""
        self.query_one("#said", Static).update(Content(shown(words)))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        message = self.messages[event.option_index]
        body = "\n".join(lines_of(message.body)) or "(no text)"
        self.query_one("#body", Static).update(Content(f"{message_heading(self.link.universe, message)}\n\n{body}"))

    def action_talk(self) -> None:
        self.app.push_screen(TalkScreen(self.link))

    @work
    async def action_write(self) -> None:
        name = await self.app.push_screen_wait(Write(self.link, self.press))
        if name:
            self.say(f"Posted to {name}.")

    @deed("remove")
    async def action_remove(self) -> None:
        message = self._chosen
        if message is None:
            self.say("There is no message to remove.")
            return
        await self._remove(f"Remove this message for good? {message_heading(self.link.universe, message)}", [message])

    @deed("remove")
    async def action_remove_all(self) -> None:
        many = len(self.messages)
        if not many:
            self.say("There is no message to remove.")
            return
        await self._remove(
            f"Remove {f'all {many} messages' if many > 1 else 'the only message'} for good?", self.messages
        )

    async def _remove(self, question: str, messages: Sequence[tp_pb2.Message]) -> None:
        """Remove messages after a question. Messages that arrive meanwhile stay."""
        if not await self.app.push_screen_wait(Question(question, "Remove")):
            return
        try:
            removed = await self.link.remove_messages(*messages)
        except ClientError as error:
            self.say(spoken(error))
            return
        finally:
            self.show()
        gone = len(messages) - removed
        words = f"{counted(removed, 'message')} removed." if removed else ""
        if gone:
            words += f" {counted(gone, 'message')} {'was' if gone == 1 else 'were'} gone already."
        self.say(words.strip())


class Write(Dialog[str | None]):
    """A message to a player. Returns the addressee. If it cannot be posted, the text stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("ctrl+s", "post", "post", priority=True),
    ]

    DEFAULT_CSS = """
    Write > Vertical { width: 72; height: 20; }
    Write TextArea { height: 1fr; border: none; background: $boost; }
    Write Horizontal { height: 1; }
    Write #fault { height: auto; color: $text-error; }
    """

    def __init__(self, link: FollowedGame, press: str = "private") -> None:
        super().__init__()
        self.link = link
        self.press = press

    def compose(self) -> ComposeResult:
        universe = self.link.universe
        others = sorted(set(universe.boards) & set(universe.players), key=lambda one: (one == universe.me, one))
        with Vertical():
            yield Static("Write to")
            rows = [(Content(shown(player_name(universe, number))), number) for number in others]
            if self.link.is_watching:  # all spectators share one board
                rows = []
            if self.press != "private":  # otherwise only notes to oneself are allowed
                rows = [row for row in rows if row[1] == universe.me]
            if self.link.is_watching and self.press != "none":
                rows.append((Content("All who watch"), EVERYBODY))
            elif rows and self.press != "none":
                rows.insert(0 if self.press == "public" else len(rows), (Content("Everybody"), EVERYBODY))
            if rows:
                yield Select(rows, value=rows[0][1], allow_blank=False, compact=True)
            yield Input(placeholder="subject", compact=True)
            yield TextArea()
            yield Static(id="fault")
            with Horizontal():
                yield Button("Post (^s)", id="post", variant="primary", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    def composed(self) -> None:
        self.query_one(Input).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "post":
            self.action_post()
        else:
            self.dismiss(None)

    @deed("post")
    async def action_post(self) -> None:
        """Post the message, or show why that is not possible."""
        subject, body = self.query_one(Input).value, self.query_one(TextArea).text
        fault = self.query_one("#fault", Static)
        select = self.query(Select)
        if not select:
            fault.update("There is nobody to write to yet.")
            return
        if not subject.strip() and not body.strip():
            fault.update("There is nothing to post: subject and text are empty.")
            return
        number = int(str(select.first().value))
        try:
            await self.link.post(number, subject, body)
            await self.link.refresh()
        except ClientError as error:
            fault.update(Content(shown(spoken(error))))
            return
        self.dismiss(EVERYBODY_NAME if number == EVERYBODY else player_name(self.link.universe, number))
