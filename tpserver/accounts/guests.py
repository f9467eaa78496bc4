"""Guests: players without a registered account.

The server creates an account for a guest, with a name that it chooses and without a password. A token logs the guest in
until the guest chooses a name and a password.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tpserver.accounts.accounts import LOCKDOWN, Accounts, Busy, NotAdmitted, Requester
from tpserver.accounts.tokens import MOST_DAYS, new_secret
from tpserver.names import GUEST, guest_names
from tpserver.network_counts import RequestCounts, may_take
from tpserver.store.people import guests as stored_guests
from tpserver.store.people.accounts import Account
from tpserver.store.people.tokens import Token

SECONDS = 60.0
MOST_OF_NETWORK, MOST = 5, 30
"""Maximum guests from a network, and in total, in SECONDS; `may_take` limits those in total."""
IDLE_SECONDS = 3600.0
"""Seconds after which an absent guest without traces in games makes room for another, if all places are in use."""
FEW = 5
"""Number of a network's guests within IDLE_SECONDS from which it cannot use the second half of all places."""
AT_ONCE = 50
"""Maximum guests removed at once."""
LABEL = "guest"
"""Name of a guest's token in the list of tokens."""


@dataclass
class GuestTerms:
    """The operator's settings for guests."""

    allowed: bool = False
    most: int = 200
    """Maximum guests, including absent ones."""
    days: int = 7
    """Days without a login after which a guest without a running game is removed."""


class Guests:
    """The guests of a server.

    ``now`` returns unix seconds, ``seconds`` those of a monotonic clock. ``is_online`` returns whether a connection is
    logged in to an account.
    """

    def __init__(
        self,
        accounts: Accounts,
        now: Callable[[], float],
        seconds: Callable[[], float],
        is_online: Callable[[int], bool],
    ) -> None:
        self.terms = GuestTerms()
        self.is_online = is_online
        self._accounts = accounts
        self._now = now
        self._of_networks = RequestCounts(MOST_OF_NETWORK, SECONDS, seconds)
        self._of_all = RequestCounts(MOST, SECONDS, seconds)
        self._came = RequestCounts(1_000_000, IDLE_SECONDS, seconds)

    @property
    def are_taken(self) -> bool:
        """True if the server accepts guests."""
        return self.terms.allowed and self._accounts.policy != LOCKDOWN

    async def come(self, caller: Requester) -> tuple[Account, Token, str]:
        """Create a guest, and return its account, its token, and the token's text.

        The account is durable on return. The text is stored nowhere. Raises NotAdmitted, and Busy if there are, or were
        recently, too many guests.
        """
        if not self.terms.allowed:
            raise NotAdmitted("this server takes no guests; log in with a name and a password")
        if not self.are_taken:
            raise NotAdmitted("this server is in lockdown; it takes no new guests")
        if left := self._of_networks.add(caller.network):
            raise Busy("too many guests have joined from your network", left)
        is_new = self._came.count_of_widest(caller.network) < FEW
        if not may_take(self._of_all.count(""), MOST, is_new=is_new, is_known=is_new):
            raise Busy("too many guests have joined this server recently", int(SECONDS))
        self._of_all.add("")
        made = await self._add(is_new)
        if made is None:
            await self.make_room()
            made = await self._add(is_new)
        if made is None:
            raise Busy("this server has as many guests as it takes", int(IDLE_SECONDS))
        self._came.add(caller.network)
        return made

    async def _add(self, is_new: bool) -> tuple[Account, Token, str] | None:
        secret, digest = new_secret()
        names = self._accounts.names_in_use()
        named = partial(guest_names, taken=names.beginning(GUEST))
        now = self._now()
        made = await self._accounts.store.write(
            stored_guests.add,
            digest,
            LABEL,
            named,
            most=self.terms.most,
            is_new=is_new,
            ends=now + MOST_DAYS * 86400.0,
            now=now,
        )
        if made is None:
            return None
        account, token = made
        names.add(account.name)
        return account, token, secret

    def away(self, seconds: float) -> list[Account]:
        """Return at most AT_ONCE guests who have been absent for these seconds and are in no running game."""
        found = self._accounts.store.read(stored_guests.away, self._now() - seconds)
        return [one for one in found if not self.is_online(one.id)][:AT_ONCE]

    def expired(self) -> list[Account]:
        """Return at most AT_ONCE guests who have been absent for the configured days."""
        return self.away(self.terms.days * 86400.0)

    async def make_room(self) -> None:
        """Remove guests who have been absent for IDLE_SECONDS and have left no traces in games."""
        for one in self.away(IDLE_SECONDS):
            await self.remove_traceless(one)

    async def remove_traceless(self, guest: Account) -> bool:
        """Remove a guest, durably, if it has left no traces in any game; return whether it was removed."""
        if not await self._accounts.store.write(stored_guests.remove_traceless, guest.id):
            return False
        self._accounts.names_in_use().remove(guest.name)
        self._accounts.revoke_logins(guest.id, "this guest was removed, as nobody was there for long")
        return True
