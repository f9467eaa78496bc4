"""Guests: who plays without an account of his own.  The server makes one, with a name that it chooses and without a
password; a token lets the guest in until it chooses a name and a password.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tpserver.accounts.accounts import LOCKDOWN, Accounts, Busy, NotAdmitted, Requester
from tpserver.accounts.request_counts import RequestCounts
from tpserver.accounts.tokens import MOST_DAYS, new_secret
from tpserver.names import GUEST, guest_names
from tpserver.store import guests as stored_guests
from tpserver.store.accounts import Account
from tpserver.store.tokens import Token

SECONDS = 60.0
MOST_OF_NETWORK, MOST = 5, 30
"""Maximum guests that come from a network, and in all, in SECONDS."""
IDLE_SECONDS = 3600.0
"""Seconds after which a guest who has left nothing in any game gives way to another, if there are as many as may be."""
AT_ONCE = 50
"""Maximum guests who give way, or are removed, at once."""
LABEL = "guest"
"""What the list of tokens calls that of a guest."""


@dataclass
class GuestTerms:
    """What the operator says about guests."""

    allowed: bool = False
    most: int = 200
    """Maximum guests, those who are away among them."""
    days: int = 7
    """Days without a login after which a guest is removed, unless it is in a game that goes on."""


class Guests:
    """The guests of a server.  ``now`` gives unix seconds, ``seconds`` those of a monotonic clock."""

    def __init__(self, accounts: Accounts, now: Callable[[], float], seconds: Callable[[], float]) -> None:
        self.terms = GuestTerms()
        self.is_online: Callable[[int], bool] = lambda account: False
        """Returns whether somebody is connected who has logged in to an account."""
        self._accounts = accounts
        self._now = now
        self._of_networks = RequestCounts(MOST_OF_NETWORK, SECONDS, seconds)
        self._of_all = RequestCounts(MOST, SECONDS, seconds)

    @property
    def are_taken(self) -> bool:
        """Whether guests come in at all."""
        return self.terms.allowed and self._accounts.policy != LOCKDOWN

    async def come(self, caller: Requester) -> tuple[Account, Token, str]:
        """Make a guest, durably, and return its account, and the token that lets it in with its text, which is kept
        nowhere.

        Raises NotAdmitted, and Busy if there are too many, or were of late.
        """
        if not self.terms.allowed:
            raise NotAdmitted("this server takes no guests; log in with a name and a password")
        if not self.are_taken:
            raise NotAdmitted("this server is locked down: nobody comes in as a guest")
        if left := self._of_networks.add(caller.network):
            raise Busy("too many guests have come from here", left)
        if left := self._of_all.add(""):
            raise Busy("too many guests have come of late", left)
        made = await self._add()
        if made is None:
            await self.make_room()
            made = await self._add()
        if made is None:
            raise Busy("this server has as many guests as it takes", int(IDLE_SECONDS))
        return made

    async def _add(self) -> tuple[Account, Token, str] | None:
        secret, digest = new_secret()
        names = self._accounts.names_in_use()
        named = partial(guest_names, taken=names.beginning(GUEST))
        now = self._now()
        made = await self._accounts.store.write(
            stored_guests.add, digest, LABEL, named, most=self.terms.most, ends=now + MOST_DAYS * 86400.0, now=now
        )
        if made is None:
            return None
        account, token = made
        names.add(account.name)
        return account, token, secret

    def away(self, seconds: float) -> list[Account]:
        """Return guests who have not been there for so long and are in no game that goes on, AT_ONCE at most."""
        found = self._accounts.store.read(stored_guests.away, self._now() - seconds)
        return [one for one in found if not self.is_online(one.id)][:AT_ONCE]

    def expired(self) -> list[Account]:
        """Return guests who have been away for as long as the operator has them stay, AT_ONCE at most."""
        return self.away(self.terms.days * 86400.0)

    async def make_room(self) -> None:
        """Remove guests who have been away for IDLE_SECONDS and have left nothing in any game."""
        for one in self.away(IDLE_SECONDS):
            await self.remove_traceless(one)

    async def remove_traceless(self, guest: Account) -> bool:
        """Remove all of a guest, durably, if it has left nothing in any game; return whether it has not."""
        if not await self._accounts.store.write(stored_guests.remove_traceless, guest.id):
            return False
        self._accounts.names_in_use().remove(guest.name)
        self._accounts.ended(guest.id, "this guest was removed, as nobody was there for long", None)
        return True
