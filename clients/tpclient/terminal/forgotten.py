"""The dialog for a forgotten password: a mailed code sets a new one."""

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tpclient.address import Address
from tpclient.columns import as_named, shown
from tpclient.connection import Connection, greeted
from tpclient.errors import ClientError
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Dialog
from tpclient.terminal.link import spoken
from tpproto.dialects import PB

TIMEOUT = 30.0
LONGEST = 1024
"""Maximum characters of a typed text."""


class ForgottenScreen(Dialog[str]):
    """The form that requests a code and sets a new password with it. Returns the new password, or nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", "back", key_display="esc")]

    DEFAULT_CSS = """
    ForgottenScreen > Vertical { width: 60; }
    ForgottenScreen Static { height: auto; }
    """

    def __init__(self, address: Address, user: str) -> None:
        super().__init__()
        self.address = address
        self.user = user

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Your name, or your mail address: enter has a code sent there")
            yield Input(self.user, id="account", max_length=LONGEST, compact=True)
            yield Static("The code from the mail, and the new password")
            yield Input(placeholder="code", id="code", max_length=100, compact=True)
            yield Input(placeholder="new password", password=True, id="new", max_length=LONGEST, compact=True)
            yield Static(Content(""), id="came")

    def composed(self) -> None:
        self.query_one("#account", Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        account, code, new = (self.query_one(f"#{name}", Input) for name in ("account", "code", "new"))
        if event.input is account:
            if account.value.strip():
                self.request(as_named(account.value))
        elif code.value.strip() and new.value:
            self.reset_password(as_named(code.value), new.value)
        else:
            (new if code.value.strip() else code).focus()

    @deed("forgotten")
    async def request(self, account: str) -> None:
        try:
            async with await self._greeted() as connection:
                words = await connection.request_reset(account)
        except ClientError as error:
            self._say(spoken(error))
        else:
            self._say(f"{words}.")
            if self.is_composed:
                self.query_one("#code", Input).focus()

    @deed("forgotten")
    async def reset_password(self, code: str, new: str) -> None:
        try:
            async with await self._greeted() as connection:
                await connection.reset_password(code, new)
        except ClientError as error:
            self._say(spoken(error))
        else:
            self.dismiss(new)

    async def _greeted(self) -> Connection:
        return await greeted(partial(Connection.open, self.address, PB, TIMEOUT))

    def _say(self, words: str) -> None:
        if self.is_composed:
            self.query_one("#came", Static).update(Content(shown(words)))
