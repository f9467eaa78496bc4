"""Passwords that are forgotten: who asks gets a mail, if there is such an account, with a code that is good once.

Whoever asks is answered the same, and as fast, whether there is one: a row is added either way, and the mail is sent
later (`tpserver.notices.reset_mail`).  The store has the SHA-256 of the code, which only the mail has.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable

from tpserver.accounts.accounts import Accounts, Busy, NotAdmitted, Requester
from tpserver.accounts.request_counts import RequestCounts
from tpserver.store import resets as stored_resets
from tpserver.store.resets import SECONDS

MOST_OF_ACCOUNT = 3
"""Maximum mails for an account within SECONDS."""
MOST_OF_NETWORK = 10
"""Maximum requests of a network within SECONDS."""
MOST = 200
"""Maximum requests of all within SECONDS."""
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Of what a code is made: what does not look like another."""
LENGTH = 20
"""Letters of a code: 100 random bits."""
LONGEST_CODE = 100
LONGEST_ASKED = 255
"""Maximum characters of a name or a mail address that is looked for."""


class PasswordResets:
    """Resets of the passwords of a server's accounts.  ``now`` gives unix seconds, ``seconds`` a monotonic clock's.

    ``offered`` says whether mail is sent; ``is_address`` whether a mail can be sent to a text.  ``asked`` is called
    when there may be a mail to send.
    """

    def __init__(self, accounts: Accounts, now: Callable[[], float], seconds: Callable[[], float]) -> None:
        self._accounts = accounts
        self._now = now
        self.offered = False
        self.is_address: Callable[[str], bool] = lambda text: False
        self.asked: Callable[[], None] = lambda: None
        self._of_networks = RequestCounts(MOST_OF_NETWORK, SECONDS, seconds)

    async def ask(self, asked: str, caller: Requester) -> None:
        """Note durably that somebody has forgotten the password of a name or a mail address.  Raises NotAdmitted."""
        if not self.offered:
            raise NotAdmitted("this server sends no mail; its operator can give you another password")
        if not 1 <= len(asked) <= LONGEST_ASKED:
            raise NotAdmitted(f"a name or a mail address has 1 to {LONGEST_ASKED} characters")
        if left := self._of_networks.add(caller.network):
            raise Busy("too many passwords were reset from here", left)
        store = self._accounts.store
        full = store.read(stored_resets.count, self._now() - SECONDS) >= MOST
        if full or not await store.write(
            stored_resets.ask, asked, self.is_address, most=MOST, most_of_account=MOST_OF_ACCOUNT, now=self._now()
        ):
            raise Busy("too many passwords are being reset", int(SECONDS))
        self.asked()

    async def redeem(self, code: str, password: str, caller: Requester) -> None:
        """Give the account of a code another password, durably; all its logins and tokens end.  Raises NotAdmitted."""
        digest = digest_of(code)
        store = self._accounts.store
        if store.read(stored_resets.account_of, digest, self._now()) is None:
            raise _not_good()
        hashed = await self._accounts.hashed(password, caller)
        account = await store.write(stored_resets.redeem, digest, hashed, self._now())
        if account is None:
            raise _not_good()
        self._accounts.ended(account, "its password was reset; log in with the new one", None)


def new_code() -> str:
    """Return a code for a mail, in groups of five letters."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    return "-".join(letters[at : at + 5] for at in range(0, LENGTH, 5))


def digest_of(code: str) -> bytes:
    """Return what the store has of a code, however it is typed."""
    letters = "".join(letter for letter in code[:LONGEST_CODE].upper() if letter in LETTERS)
    return hashlib.sha256(letters.encode()).digest()


def _not_good() -> NotAdmitted:
    return NotAdmitted("this code is wrong, was used already, or is older than an hour; ask for another one")
