"""Mails with the codes that reset forgotten passwords.

Each try creates a new code while it writes the mail, as the store keeps none. The latest code is valid.
"""

from __future__ import annotations

from tpserver.accounts.resets import digest_of, new_code
from tpserver.games.hall.registry import GameRegistry
from tpserver.notices import content
from tpserver.notices.channels import MAIL, NoticeChannel
from tpserver.notices.mail_queue import MailQueue
from tpserver.store.games.outbox import Notice
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import resets as stored_resets
from tpserver.store.people.resets import Reset

PAUSE = 60.0
"""Seconds between the first two tries, doubled with each."""
MOST_TRIES = 5


class ResetMail(MailQueue[Reset]):
    """Sends requested reset mails, by ``channel``.

    ``server`` is the name of the server. ``site`` is the address of its page, empty if unknown.
    """

    what = "a mail by which a password is reset"

    def __init__(self, registry: GameRegistry, channel: NoticeChannel, server: str, site: str) -> None:
        super().__init__(registry, channel)
        self._server = server
        self._site = site

    def _due(self, now: float, most: int) -> list[Reset]:
        return self._store.read(stored_resets.due, now, most)

    def _next_try(self, now: float) -> float | None:
        return self._store.read(stored_resets.next_try, now)

    async def _send(self, reset: Reset) -> None:
        account = self._store.read(stored_accounts.by_id, reset.account)
        if account is None or reset.tries >= MOST_TRIES:
            await self._store.write(stored_resets.sent, reset.id)
            return
        code, again = new_code(), self._now() + PAUSE * 2**reset.tries
        if not await self._store.write(stored_resets.take, reset.id, reset.tries, digest_of(code), again):
            return
        notice = Notice(
            0, 0, "code", 0, f"reset-{reset.id}-{reset.tries}", reset.at, reset.tries + 1, "", 0, reset.account, MAIL,
            reset.target, "", code,
        )  # fmt: skip
        if await self._deliver(notice, content.of_reset(code, account.name, self._server, self._site)):
            await self._store.write(stored_resets.sent, reset.id)
