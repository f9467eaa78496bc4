"""Delivery of notifications to webhooks, whose addresses players choose.

The addresses are not trusted. This module loads TLS, so import it only for the first notification to a webhook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twisted.internet.defer import Deferred

from tpserver.http_client import Answer, HttpClient, Unanswered
from tpserver.notices.channels import NotDelivered
from tpserver.notices.content import Letter
from tpserver.notices.webhook_formats import CHANGES_MESSAGES, HttpRequest, message_of, request_of
from tpserver.store.games.outbox import Notice


class Webhooks:
    """The channel of all kinds of webhooks.

    ``own_network`` allows addresses in the server's own network. ``tls`` returns the check of a host's certificate.
    """

    def __init__(
        self,
        reactor: Any,
        now: Callable[[], float],
        *,
        own_network: bool = False,
        tls: Callable[[str], Any] | None = None,
    ) -> None:
        self._client = HttpClient(reactor, own_network=own_network, tls=tls)
        self._now = now

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        """Deliver a notice, see `NoticeChannel`."""
        return Deferred.fromCoroutine(self._send(notice, letter))

    async def _send(self, notice: Notice, letter: Letter) -> str:
        request = request_of(notice, letter, self._now())
        code, headers, answer = await self.asked(request)
        if notice.message and code == 404:  # the message was removed
            anew = Notice(**{name: getattr(notice, name) for name in Notice.__slots__} | {"message": ""})
            code, headers, answer = await self.asked(request_of(anew, letter, self._now()))
            notice = anew
        if 200 <= code < 300:
            return (message_of(notice.channel, answer) or notice.message) if notice.channel in CHANGES_MESSAGES else ""
        if code == 410:
            raise NotDelivered("the receiver answers that it is gone for good (410)", final=True)
        if 300 <= code < 400:
            raise NotDelivered(f"the receiver points elsewhere ({code}), and that is not followed")
        raise NotDelivered(f"the receiver answers with an error ({code})", wait=wait_of(headers))

    async def asked(self, request: HttpRequest) -> Answer:
        """Return the code of the response, its headers, and its body as far as it was read. Raises NotDelivered."""
        try:
            return await self._client.ask(request.method, request.url, request.headers, request.body)
        except Unanswered as error:
            raise NotDelivered(error.told("the receiver"), final=error.final) from None


def wait_of(headers: Mapping[str, str]) -> float:
    """Return the seconds of the header Retry-After, or 0 without it or with a date in it."""
    wait = headers.get("retry-after", "")
    return float(wait) if wait.isascii() and wait.isdigit() and len(wait) < 8 else 0.0
