"""Mails to owners of accounts about changes of their accounts.

`tpserver.store.people.account_mails` has them until they are sent.
"""

from __future__ import annotations

from tpserver.accounts.accounts import Accounts
from tpserver.games.hall.registry import GameRegistry
from tpserver.notices import content
from tpserver.notices.channels import MAIL, NoticeChannel
from tpserver.notices.mail_queue import MailQueue
from tpserver.store.games.outbox import Notice
from tpserver.store.people import account_mails
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.account_mails import KEPT, AccountMail

FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0
"""Seconds between the first two tries, doubled with each, and their maximum."""


class ChangeMail(MailQueue[AccountMail]):
    """Sends mails about changes of accounts, by ``channel``.

    Once it exists, accounts write these mails with their changes. ``server`` is the name of the server. ``site`` is the
    address of its page, empty if unknown.
    """

    what = "a mail about a change of an account"

    def __init__(
        self, registry: GameRegistry, accounts: Accounts, channel: NoticeChannel, server: str, site: str
    ) -> None:
        super().__init__(registry, channel)
        self._server = server
        self._site = site
        accounts.mails_changes = True

    def _due(self, now: float, most: int) -> list[AccountMail]:
        return self._store.read(account_mails.due, now, most)

    def _next_try(self, now: float) -> float | None:
        return self._store.read(account_mails.next_try, now)

    async def _send(self, mail: AccountMail) -> None:
        account, now = self._store.read(stored_accounts.by_id, mail.account), self._now()
        if account is None or now - mail.at > KEPT:
            await self._store.write(account_mails.sent, mail.id)
            return
        again = now + min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(mail.tries, 20))
        if not await self._store.write(account_mails.take, mail.id, mail.tries, again):
            return
        notice = Notice(
            0, 0, "change", 0, f"change-{mail.id}", mail.at, mail.tries + 1, "", 0, mail.account, MAIL, mail.target, "",
            "",
        )  # fmt: skip
        if await self._deliver(notice, content.of_change(mail.text, mail.at, account.name, self._server, self._site)):
            await self._store.write(account_mails.sent, mail.id)
