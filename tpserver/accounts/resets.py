"""Password resets by mail, with a code that is valid once.

The response to a request is the same, and takes the same time, if no account matches. A row is added in both cases, and
`tpserver.notices.reset_mail` sends the mail later. Only the mail has the code. The store has its SHA-256.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable

from twisted.logger import Logger

from tpserver.accounts.accounts import Accounts, Busy, NotAdmitted, Requester
from tpserver.games.core.events import AccountMailQueued
from tpserver.network_counts import RequestCounts
from tpserver.store.people import resets as stored_resets
from tpserver.store.people.resets import SECONDS
from tpserver.typed_codes import plain_code

log = Logger()

MOST_OF_ACCOUNT = 3
"""Maximum mails for an account to each of its addresses within SECONDS."""
MOST_OF_NETWORK = 10
"""Maximum requests of a network within SECONDS."""
MOST = 200
"""Maximum mails to all within SECONDS.

A request without a mail counts for its network only.
"""
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Characters of a code. No two of them look alike."""
LENGTH = 20
"""Characters of a code: 100 random bits."""
LONGEST_CODE = 100
LONGEST_ASKED = 255
"""Maximum characters of a name or a mail address in a lookup."""


class PasswordResets:
    """Resets of the passwords of a server's accounts.

    ``now`` returns unix seconds, ``seconds`` those of a monotonic clock. ``offered`` returns whether mail is available,
    ``is_address`` whether a text is a mail address.
    """

    def __init__(
        self,
        accounts: Accounts,
        now: Callable[[], float],
        seconds: Callable[[], float],
        is_address: Callable[[str], bool] = lambda text: False,
    ) -> None:
        self._accounts = accounts
        self._now = now
        self.is_address = is_address
        self.offered = False
        self._of_networks = RequestCounts(MOST_OF_NETWORK, SECONDS, seconds)

    async def ask(self, asked: str, caller: Requester) -> None:
        """Record durably that the password of a name or a mail address was forgotten. Raises NotAdmitted."""
        if not self.offered:
            raise NotAdmitted("this server sends no mail; its operator can give you another password")
        if not 1 <= len(asked) <= LONGEST_ASKED:
            raise NotAdmitted(f"a name or a mail address has 1 to {LONGEST_ASKED} characters")
        is_new = self._of_networks.is_new(caller.network)
        if left := self._of_networks.add(caller.network):
            raise Busy("too many passwords were reset from here", left)
        has_room = await self._accounts.store.write(
            stored_resets.ask,
            asked,
            self.is_address,
            most=MOST,
            most_of_account=MOST_OF_ACCOUNT,
            is_new=is_new,
            now=self._now(),
        )
        if not has_room:  # a refusal would reveal that the account exists
            log.warn("a password is not reset: there were {most} mails within an hour, or many from there", most=MOST)
        self._accounts.bus.publish(AccountMailQueued())

    async def redeem(self, code: str, password: str, caller: Requester) -> None:
        """Give the account of a code another password, durably.

        All its logins and tokens end. Raises NotAdmitted.
        """
        digest = digest_of(code)
        store = self._accounts.store
        asked = store.read(stored_resets.account_of, digest, self._now())
        if asked is None:
            raise _not_good()
        hashed = await self._accounts.hashed(password, caller)
        now = self._now()
        account = await self._accounts.make_change(
            asked, "Its password was reset by a code that came by mail.", stored_resets.redeem, digest, hashed, now
        )  # fmt: skip
        if account is None:
            raise _not_good()
        self._accounts.revoke_logins(account, "its password was reset; log in with the new one")


def new_code() -> str:
    """Return a code for a mail, in groups of five characters."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    return "-".join(letters[at : at + 5] for at in range(0, LENGTH, 5))


def digest_of(code: str) -> bytes:
    """Return the stored digest of a code in any typed form."""
    letters = "".join(letter for letter in plain_code(code[:LONGEST_CODE]).upper() if letter in LETTERS)
    return hashlib.sha256(letters.encode()).digest()


def _not_good() -> NotAdmitted:
    return NotAdmitted("this code is wrong, was used already, or is older than an hour; ask for another one")
