"""A real SMTP server on this machine, with chosen behavior."""

from __future__ import annotations

import email.policy
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope

SECONDS = 120.0


class Postman:
    """The mailbox of a real SMTP server."""

    def __init__(self) -> None:
        self.came: list[EmailMessage] = []
        self.refusal = ""
        self.arrived = threading.Condition()

    def wait_until(self, is_so: Callable[[list[EmailMessage]], bool]) -> list[EmailMessage]:
        """Wait until what has come is as it should be, and return it."""
        with self.arrived:
            if not self.arrived.wait_for(lambda: is_so(self.came), SECONDS):
                raise AssertionError(f"{len(self.came)} mails came, and not what was waited for")
            return list(self.came)

    def wait_for(self, number: int) -> list[EmailMessage]:
        """Wait until so many mails have come, and return all."""
        return self.wait_until(lambda came: len(came) >= number)

    async def handle_RCPT(self, server: SMTP, session: Any, envelope: Envelope, address: str, options: Any) -> str:
        if self.refusal.startswith("RCPT "):
            return self.refusal[5:]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Envelope) -> str:
        if self.refusal:
            return self.refusal
        content = envelope.content
        assert isinstance(content, bytes)
        made = message_from_bytes(content, policy=email.policy.default)
        assert isinstance(made, EmailMessage)
        with self.arrived:
            self.came.append(made)
            self.arrived.notify_all()
        return "250 OK"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def smtp_server(port: int = 0) -> Iterator[tuple[Postman, int]]:
    postman = Postman()
    port = port or free_port()
    controller = Controller(postman, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield postman, port
    finally:
        controller.stop()
