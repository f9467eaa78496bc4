"""The addresses of accounts, and what they want to be told: everything that a player sets about notices."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from tpserver.addresses import is_public
from tpserver.day_times import DAY_MINUTES, DayTimes, zone_named
from tpserver.notices import calendar
from tpserver.notices.channels import MAIL, PUSH
from tpserver.store import Store, calendars
from tpserver.store import notices as stored_notices
from tpserver.store.notices import MODES, Address, CodeLimits, TooMany, Wish

MOST_ADDRESSES = 5
"""Maximum addresses of an account."""
LONGEST_TARGET = 500
"""Maximum characters of a mail address or URL."""
LONGEST_TOKEN = 500
"""Maximum characters of the access token of a Matrix account."""
MOST_HOURS = 168
CODE_DIGITS = 8
MOST_WRONG = 5
"""Maximum wrong codes before another one has to be sent."""
CODES = CodeLimits(target=3, account=10, all=1000)
SECRET_BYTES = 32

_MAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,253}\Z)([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.?)+")
PUSH_KEYS = re.compile(r"[A-Za-z0-9_-]{87}\.[A-Za-z0-9_-]{22}")
"""The keys of a browser: a point of P-256 and 16 bytes."""
_URL = re.compile(r"[!-~]+")


class NotKept(Exception):
    """Something about notices cannot be set so; the message is for the client.

    ``kind``: ``invalid`` (it can never be so), ``unknown`` (there is no such thing), ``limit`` (not now), ``denied``.
    """

    def __init__(self, text: str, kind: Literal["invalid", "unknown", "limit", "denied"] = "invalid") -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Terms:
    """What the operator allows: by which channels notices go, and whether to addresses of the own network."""

    channels: Collection[str] = ()
    own_network: bool = False
    calendar: bool = False
    """Whether there are calendars: pages are served, and what writes calendars is installed."""
    push_key: str = ""
    """The server's key for Web Push, as browsers want it; empty: there is none."""
    site: str = ""
    """The address of the server's page for the world; empty: nobody knows."""


class NoticeBook:
    """Addresses, wishes and times of accounts.  What is changed is durable when a method returns.

    ``changed`` is called when there may be something new to deliver.
    """

    def __init__(self, store: Store, now: Callable[[], float], terms: Terms) -> None:
        self._store = store
        self._now = now
        self.terms = terms
        self.changed: Callable[[], None] = lambda: None

    def addresses(self, account: int) -> list[Address]:
        return self._store.read(stored_notices.of_account, account)

    def wishes(self, account: int) -> Mapping[int, Wish]:
        """Return what an account has said that it wants to be told, by the id of the game; 0: of all others."""
        return self._store.read(stored_notices.wishes, account)

    def times(self, account: int) -> DayTimes:
        return self._store.read(stored_notices.times, account)

    async def add(self, account: int, kind: str, target: str, token: str = "") -> Address:
        """Add an address, which is sent a code; ``token`` lets into a Matrix account.  Raises NotKept, StoreError."""
        if kind not in self.terms.channels:
            known = ", ".join(self.terms.channels) or "none"
            raise NotKept(f"notices do not go by {kind[:20]!r} on this server; its channels: {known}")
        check_target(kind, target, self.terms.own_network)
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
            added = await self._store.write(
                stored_notices.add, account, kind, target, secret, _code(), _digest(kind, target),
                most=MOST_ADDRESSES, limits=CODES, now=self._now(),
            )  # fmt: skip
        except TooMany as refusal:
            raise NotKept(str(refusal), "limit") from None
        self.changed()
        return added

    async def verify(self, account: int, address: int, code: str) -> str:
        """Show by a code that an address is the account's, or with an empty one have another code sent; return what was
        done.  Raises NotKept, StoreError."""
        found = self._mine(account, address)
        if not code:
            digest = _digest(found.kind, found.target)
            try:
                await self._store.write(stored_notices.send_code, address, _code(), digest, CODES, self._now())
            except TooMany as refusal:
                raise NotKept(str(refusal), "limit") from None
            self.changed()
            return "another code is on its way"
        if not await self._store.write(stored_notices.verify, address, code.strip(), MOST_WRONG):
            if found.wrong + 1 >= MOST_WRONG:
                raise NotKept("this is not the code, and too many were tried; have another one sent", "denied")
            raise NotKept("this is not the code that was sent last", "denied")
        return "notices come to this address from now on"

    async def remove(self, account: int, address: int) -> None:
        """Remove an address.  Raises NotKept, StoreError."""
        if not await self._store.write(stored_notices.remove, account, address):
            raise NotKept(f"you have no address with the number {address}", "unknown")

    def calendar_made(self, account: int) -> float | None:
        """Return when the link to an account's calendar was made, in unix seconds; None if it has none."""
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
        """Let nobody read the calendar of an account any more.  Raises NotKept, StoreError."""
        if not await self._store.write(calendars.remove_link, account):
            raise NotKept("there is no link to a calendar of yours", "unknown")

    async def set_wish(self, account: int, game: int, mode: str, hours: int) -> None:
        """Set what an account wants to be told of a game, 0: of all others; an empty mode: what it wants of all others.

        Raises NotKept, StoreError.
        """
        if mode and mode not in MODES:
            raise NotKept(f"of a game one is told by {', '.join(MODES)}, not by {mode[:20]!r}")
        if not 0 <= hours <= MOST_HOURS:
            raise NotKept(f"one is told of the end of a turn 1 to {MOST_HOURS} hours before, or not: 0")
        await self._store.write(stored_notices.set_wish, account, game, Wish(mode, hours) if mode else None)

    async def set_times(self, account: int, times: DayTimes) -> None:
        """Set the quiet hours and the time of the digest.  Raises NotKept, StoreError."""
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
    """Return whether a mail can be sent to a text."""
    return len(text) <= LONGEST_TARGET and _MAIL.fullmatch(text) is not None


def check_target(kind: str, target: str, own_network: bool) -> None:
    """Raise NotKept if nothing can be sent to a target.  Names are looked up, and checked again, when it is sent."""
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
