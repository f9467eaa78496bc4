"""Contacts and notification settings of accounts."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from tpserver.accounts.accounts import Accounts
from tpserver.addresses import is_public
from tpserver.day_times import DAY_MINUTES, DayTimes, zone_named
from tpserver.games.core.events import NoticeQueued
from tpserver.notices import calendar
from tpserver.notices.channels import MAIL, PUSH
from tpserver.notices.content import shown
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import calendars
from tpserver.store.people import notices as stored_notices
from tpserver.store.people.notices import MODES, Address, CodeLimits, TooMany, Wish
from tpserver.typed_codes import plain_code

MOST_ADDRESSES = 5
"""Maximum contacts of an account."""
LONGEST_TARGET = 500
"""Maximum characters of a mail address or URL."""
LONGEST_TOKEN = 500
"""Maximum characters of the access token of a Matrix account."""
MOST_HOURS = 168
CODE_DIGITS = 8
MOST_WRONG = 5
"""Maximum wrong codes before another code is needed."""
CODES = CodeLimits(target=3, account=10, all=1000)
SECRET_BYTES = 32

_LABEL = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*"
_MAIL = re.compile(rf"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*\.?")
"""Two repeats never match the same character, so the time is proportional to the text."""
PUSH_KEYS = re.compile(r"[A-Za-z0-9_-]{87}\.[A-Za-z0-9_-]{22}")
"""The keys of a browser: a point of P-256 and 16 bytes."""
_URL = re.compile(r"[!-~]+")
_RESETS = " and may reset the password"
_MAY, _MAY_NOT = "may", "can no longer"


class NotKept(Exception):
    """A setting of notifications is not possible. The message is for the client.

    ``kind``: ``invalid`` (never possible), ``unknown`` (no such contact or setting), ``limit`` (not now), ``denied``.
    """

    def __init__(self, text: str, kind: Literal["invalid", "unknown", "limit", "denied"] = "invalid") -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Terms:
    """The operator's settings: channels of notifications, and permission for addresses in the own network."""

    channels: Collection[str] = ()
    own_network: bool = False
    calendar: bool = False
    """True if calendars are available: pages are served, and the calendar library is installed."""
    push_key: str = ""
    """The server's key for Web Push, in the format of browsers; empty for none."""
    site: str = ""
    """The public address of the server's page; empty if unknown."""


class NoticeBook:
    """Contacts, choices and times of accounts.

    Changes are durable when a method returns.
    """

    def __init__(self, accounts: Accounts, now: Callable[[], float], terms: Terms) -> None:
        self._accounts = accounts
        self._store = accounts.store
        self._now = now
        self.terms = terms

    def addresses(self, account: int) -> list[Address]:
        return self._store.read(stored_notices.of_account, account)

    def wishes(self, account: int) -> Mapping[int, Wish]:
        """Return an account's choices of notifications by game id. Id 0 stands for all other games."""
        return self._store.read(stored_notices.wishes, account)

    def times(self, account: int) -> DayTimes:
        return self._store.read(stored_notices.times, account)

    async def add(
        self, account: int, kind: str, target: str, token: str = "", *, resets: bool = False, is_first: bool = False
    ) -> Address:
        """Add a contact and send it a code; ``token`` opens a Matrix account.

        ``resets`` allows password resets by it, once it is verified. ``is_first``: the account was created with it, so
        it gets no mail about the change. Raises NotKept, StoreError.
        """
        if kind not in self.terms.channels:
            known = ", ".join(self.terms.channels) or "none"
            raise NotKept(f"notices do not go by {kind[:20]!r} on this server; its channels: {known}")
        check_target(kind, target, self.terms.own_network)
        if resets and kind != MAIL:
            raise NotKept("a password is reset by mail only; add a mail address for that")
        if kind == "matrix":
            if not 0 < len(token) <= LONGEST_TOKEN or not _URL.fullmatch(token):
                raise NotKept("an address of Matrix needs the access token of the account that writes there")
            secret = token
        elif kind == PUSH:
            if not PUSH_KEYS.fullmatch(token):
                raise NotKept(
                    "a browser's address needs its keys, p256dh and auth in base64url with a dot between them"
                )
            secret = token
        else:
            secret = "whsec_" + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
        try:
            added = await self._accounts.make_change(
                account, "" if is_first else f"The address {shown(kind, target)} was added.",
                stored_notices.add, account, kind, target, secret, _code(), _digest(kind, target),
                most=MOST_ADDRESSES, limits=CODES, now=self._now(), resets=resets,
            )  # fmt: skip
        except TooMany as refusal:
            raise NotKept(str(refusal), "limit") from None
        self._accounts.bus.publish(NoticeQueued())
        return added

    async def verify(self, account: int, address: int, code: str) -> str:
        """Verify a contact by a code, or send another code if ``code`` is empty.

        Return the result as a sentence. Raises NotKept, StoreError.
        """
        found = self._mine(account, address)
        if not code:
            digest = _digest(found.kind, found.target)
            try:
                await self._store.write(stored_notices.send_code, address, _code(), digest, CODES, self._now())
            except TooMany as refusal:
                raise NotKept(str(refusal), "limit") from None
            self._accounts.bus.publish(NoticeQueued())
            return "another code is on its way"
        text = f"The address {shown(found.kind, found.target)} was verified{_RESETS if found.resets else ''}."
        verify = stored_notices.verify, address, plain_code(code[:LONGEST_TOKEN]).replace("-", ""), MOST_WRONG
        if not await self._accounts.make_change(account, text, *verify):
            if found.wrong + 1 >= MOST_WRONG:
                raise NotKept("this is not the code, and too many were tried; have another one sent", "denied")
            raise NotKept("this is not the code that was sent last", "denied")
        return "notices come to this address from now on"

    async def remove(self, account: int, address: int) -> None:
        """Remove a contact. Raises NotKept, StoreError."""
        found = self._mine(account, address)
        text = f"The address {shown(found.kind, found.target)} was removed."
        if not await self._accounts.make_change(account, text, stored_notices.remove, account, address):
            raise NotKept(f"you have no address with the number {address}", "unknown")

    async def set_resets(self, account: int, address: int, resets: bool) -> None:
        """Allow or forbid password resets by a mail address.

        With 0 that is the account's own address, which can only be forbidden. Raises NotKept, StoreError.
        """
        if not address:
            await self._set_own_resets(account, resets)
            return
        found = self._mine(account, address)
        if resets and (found.kind != MAIL or found.state != "verified"):
            raise NotKept("a password is reset by a verified mail address only; verify it first")
        text = f"The address {shown(found.kind, found.target)} {_MAY if resets else _MAY_NOT} reset the password now."
        await self._accounts.make_change(account, text, stored_notices.set_resets, account, address, resets)

    async def _set_own_resets(self, account: int, resets: bool) -> None:
        found = self._store.read(stored_accounts.by_id, account)
        if found is None or found.email_resets == resets:
            return
        if resets:
            raise NotKept("this address was never verified; add it as an address for notices")
        text = f"The address {shown(MAIL, found.email)} {_MAY_NOT} reset the password now."
        await self._accounts.make_change(account, text, stored_accounts.stop_email_resets, account)

    def calendar_made(self, account: int) -> float | None:
        """Return the creation time of the link to an account's calendar in unix seconds, or None."""
        return self._store.read(calendars.made, account)

    async def make_calendar(self, account: int) -> str:
        """Give an account a link to its calendar, in place of an earlier one; return its path.

        Raises NotKept, StoreError.
        """
        if not self.terms.calendar:
            raise NotKept(
                "there are no calendars on this server: it has no web page, or lacks tpserver[calendar]", "limit"
            )
        token = calendar.new_token()
        await self._store.write(calendars.set_link, account, calendar.digest_of(token), self._now())
        return calendar.path_of(token)

    async def revoke_calendar(self, account: int) -> None:
        """Revoke the calendar link of an account. Raises NotKept, StoreError."""
        if not await self._store.write(calendars.remove_link, account):
            raise NotKept("you have no calendar link", "unknown")

    async def set_wish(self, account: int, game: int, mode: str, hours: int) -> None:
        """Set an account's choice of notifications for a game, or with game 0 for all others.

        With an empty mode the game follows all others. Raises NotKept, StoreError.
        """
        if mode and mode not in MODES:
            raise NotKept(f"notices of a game can be {', '.join(MODES)}, not {mode[:20]!r}")
        if not 0 <= hours <= MOST_HOURS:
            raise NotKept(f"a reminder can come 1 to {MOST_HOURS} hours before the end of a turn; 0: none")
        await self._store.write(stored_notices.set_wish, account, game, Wish(mode, hours) if mode else None)

    async def set_times(self, account: int, times: DayTimes) -> None:
        """Set the quiet hours and the time of the digest. Raises NotKept, StoreError."""
        try:
            zone_named(times.zone)
        except ValueError as error:
            raise NotKept(str(error)) from None
        if not all(0 <= minute < DAY_MINUTES for minute in (times.quiet_from, times.quiet_to, times.digest)):
            raise NotKept(f"a time of the day is 0 to {DAY_MINUTES - 1} minutes after midnight")
        await self._store.write(stored_notices.set_times, account, times)

    def _mine(self, account: int, address: int) -> Address:
        found = self._store.read(stored_notices.by_id, address)
        if found is None or found.account != account:
            raise NotKept(f"you have no address with the number {address}", "unknown")
        return found


def is_mail_address(text: str) -> bool:
    """Return whether a text is a mail address."""
    return len(text) <= LONGEST_TARGET and _MAIL.fullmatch(text) is not None


def check_target(kind: str, target: str, own_network: bool) -> None:
    """Raise NotKept if a target cannot receive notifications.

    Host names are resolved and checked again for each notification.
    """
    if len(target) > LONGEST_TARGET:
        raise NotKept(f"an address has {LONGEST_TARGET} characters at most")
    if kind == MAIL:
        if not is_mail_address(target):
            raise NotKept("this is not a mail address such as ann@example.org")
        return
    try:
        parts = urlsplit(target)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    host = parts.hostname or ""
    allowed = ("https", "http") if own_network else ("https",)
    if not _URL.fullmatch(target) or not host or port == 0 or parts.username is not None or parts.fragment:
        raise NotKept("this is not an address such as https://example.org/path")
    if parts.scheme not in allowed:
        raise NotKept(f"notices go to addresses that begin with {' or '.join(f'{word}://' for word in allowed)} only")
    if not own_network and is_public(host) is False:
        raise NotKept("notices do not go to addresses of the server's own network")
    if kind == "matrix" and "/rooms/" not in parts.path:
        raise NotKept(
            "an address of Matrix is https://SERVER/_matrix/client/v3/rooms/ROOM/send/m.room.message, where ROOM is "
            "the id of a room, such as !x:example.org"
        )


def _code() -> str:
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"


def _digest(kind: str, target: str) -> bytes:
    return hashlib.sha256(f"{kind} {target.casefold() if kind == MAIL else target}".encode()).digest()
