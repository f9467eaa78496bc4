"""Delivery of notifications by mail, through the operator's SMTP server.

Each SMTP conversation runs in a thread.
"""

from __future__ import annotations

import smtplib
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from pathlib import Path
from socket import SHUT_RDWR
from typing import Literal

from twisted.internet.defer import Deferred

from tpserver.concurrency import Executor, Timer, Timers
from tpserver.notices.channels import NotDelivered
from tpserver.notices.content import Letter
from tpserver.store.games.outbox import Notice

SECONDS = 40.0
"""Maximum seconds of a conversation."""
SILENCE = 15.0
"""Maximum seconds for which the SMTP server may be silent."""
THREADS = 2
"""Maximum conversations at once."""
PORTS = {"tls": 465, "starttls": 587, "off": 25}


@dataclass(frozen=True, slots=True)
class MailServer:
    """The operator's SMTP server.

    ``tls`` is used from the first byte ("tls"), after STARTTLS, or not at all. ``sender`` is the sender's address.
    ``user`` and ``password`` are empty if no login is required.
    """

    host: str
    port: int
    tls: Literal["starttls", "tls", "off"]
    sender: str
    user: str = ""
    password: Path | None = field(default=None)


def mail_server(
    place: str, tls: Literal["starttls", "tls", "off"], sender: str, user: str, password: Path | None
) -> MailServer:
    """Return the SMTP server of a configuration; ``place`` is a host with or without its port."""
    host, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        host, port = place, ""
    return MailServer(host.strip("[]"), int(port or PORTS[tls]), tls, sender, user, password)


class _Policy(EmailPolicy):
    """Writes the header List-Unsubscribe unchanged in one line.

    Elsewhere a long word becomes an encoded word (RFC 2047). Here it is a link that mail programs use literally (RFC
    2369), so their button would not work.
    """

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}{self.linesep}" if name == "List-Unsubscribe" else super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        return self.fold(name, value).encode() if name == "List-Unsubscribe" else super().fold_binary(name, value)


def written(notice: Notice, letter: Letter, sender: str) -> EmailMessage:
    """Return a notification as a mail. All tries are equal, so that the receiver recognizes a repetition."""
    mail = EmailMessage(_Policy())
    mail["From"] = sender
    mail["To"] = notice.target
    mail["Subject"] = letter.subject
    mail["Date"] = format_datetime(datetime.fromtimestamp(int(notice.created), UTC))
    mail["Message-ID"] = f"<{notice.notice}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    if letter.stop:
        mail["List-Unsubscribe"] = f"<{letter.stop}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    footer = ["", "-- ", letter.why]
    if letter.stop:
        footer.append(f"To get no more of these here: {letter.stop}")
    mail.set_content("\n".join([letter.text, *footer]) + "\n")
    return mail


class Mail:
    """The channel of mail. ``threads`` runs a conversation with the SMTP server in one of THREADS threads."""

    def __init__(self, server: MailServer, threads: Executor, timers: Timers) -> None:
        self._server = server
        self._threads = threads
        self._timers = timers

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        """Deliver a notification, see `NoticeChannel`."""
        return Deferred.fromCoroutine(self._send(notice, letter))

    async def _send(self, notice: Notice, letter: Letter) -> str:
        mail = written(notice, letter, self._server.sender)
        conversation = _Conversation(self._server)
        timer: Timer

        def cut(wait: float) -> None:
            nonlocal timer
            timer = self._timers.callLater(wait, once_more)

        def once_more() -> None:
            conversation.cut()
            cut(1.0)  # it may have been about to connect

        cut(SECONDS)
        try:
            await self._threads(lambda: conversation.deliver(mail))
        finally:
            if timer.active():
                timer.cancel()
        return ""


def greeted(server: MailServer) -> str:
    """Connect and log in to an SMTP server; return why it would refuse a mail, or an empty text."""
    conversation = _Conversation(server)
    alarm = threading.Timer(SECONDS, conversation.cut)
    alarm.daemon = True
    alarm.start()
    try:
        conversation.greet()
    except NotDelivered as problem:
        return str(problem)
    finally:
        alarm.cancel()
    return ""


class _Conversation:
    """One conversation with an SMTP server. Another thread may cut it short."""

    def __init__(self, server: MailServer) -> None:
        self._server = server
        self._smtp: smtplib.SMTP | None = None
        self._is_cut = False

    def cut(self) -> None:
        """End the conversation in any state."""
        self._is_cut = True
        connection = None if self._smtp is None else getattr(self._smtp, "sock", None)
        if connection is not None:
            try:
                connection.shutdown(SHUT_RDWR)
            except OSError:
                return  # it has ended by itself

    def deliver(self, mail: EmailMessage) -> None:
        """Hand over a mail. Raises NotDelivered."""
        self._talk(lambda smtp: smtp.send_message(mail))

    def greet(self) -> None:
        """Connect and log in, but send no mail. Raises NotDelivered."""
        self._talk(lambda smtp: smtp.noop())

    def _talk(self, then: Callable[[smtplib.SMTP], object]) -> None:
        try:
            self._log_in_and(then)
        except smtplib.SMTPRecipientsRefused as refused:
            code, words = next(iter(refused.recipients.values()))
            raise NotDelivered(
                f"the mail server does not take mail for this address ({code} {_words(words)})"
            ) from None
        except smtplib.SMTPResponseException as error:
            said = f"{error.smtp_code} {_words(error.smtp_error)}"
            of_server = not isinstance(error, smtplib.SMTPDataError)
            raise NotDelivered(f"the mail server refuses it ({said})", channel=of_server) from None
        except (smtplib.SMTPException, OSError, ValueError) as error:
            # smtplib reports a silence as a closed connection.
            if self._is_cut or isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
                raise NotDelivered("the mail server does not answer in time", channel=True) from None
            if isinstance(error, smtplib.SMTPServerDisconnected):
                raise NotDelivered("the mail server ends the conversation", channel=True) from None
            if isinstance(error, ssl.SSLError):
                raise NotDelivered("the mail server's certificate cannot be trusted", channel=True) from None
            raise NotDelivered("the mail server cannot be reached, or does not speak SMTP", channel=True) from None

    def _log_in_and(self, then: Callable[[smtplib.SMTP], object]) -> None:
        server = self._server
        if self._is_cut:
            raise TimeoutError
        kind = _EncryptedSmtp if server.tls == "tls" else _Smtp
        smtp = kind(self._begun, server.host, server.port)
        try:
            if server.tls == "starttls":
                smtp.starttls(context=ssl.create_default_context())
            if server.user:
                assert server.password is not None  # the configuration requires both
                smtp.login(server.user, password_in(server.password))
            then(smtp)
        finally:
            smtp.close()

    def _begun(self, smtp: smtplib.SMTP) -> None:
        self._smtp = smtp


class _Smtp(smtplib.SMTP):
    """A connection that can be cut while it is being opened, too."""

    def __init__(self, begun: Callable[[smtplib.SMTP], None], host: str, port: int) -> None:
        begun(self)
        super().__init__(host, port, timeout=SILENCE)


class _EncryptedSmtp(smtplib.SMTP_SSL):
    def __init__(self, begun: Callable[[smtplib.SMTP], None], host: str, port: int) -> None:
        begun(self)
        super().__init__(host, port, timeout=SILENCE, context=ssl.create_default_context())


def password_in(file: Path) -> str:
    """Return the content of a file with a password. Raises NotDelivered."""
    try:
        return file.read_text("utf-8-sig").strip()
    except (OSError, ValueError):
        raise NotDelivered("the file with the password for the mail server cannot be read", channel=True) from None


def _words(said: bytes | str) -> str:
    text = said.decode("ascii", "replace") if isinstance(said, bytes) else said
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:200]
