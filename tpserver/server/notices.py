"""Channels and queues of notifications, from the configuration."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tpserver.config import Config
from tpserver.notices.change_mail import ChangeMail
from tpserver.notices.channels import MAIL, PUSH, WEBHOOKS, Later, NoticeChannel
from tpserver.notices.delivery import NoticeDelivery
from tpserver.notices.mail_queue import MailQueue
from tpserver.notices.reset_mail import ResetMail
from tpserver.requests.session.session import Host
from tpserver.server.process import Process
from tpserver.server.shutdown import Stage
from tpserver.wire.net.errors import ListenError

if TYPE_CHECKING:
    from tpserver.notices.push import ServerKey
    from tpserver.notices.webhooks import Webhooks


def channels_of(config: Config) -> list[str]:
    """Return the kinds of contacts that can get notifications."""
    chosen = config.notices
    return [*([MAIL] if chosen.mail_server else []), *(WEBHOOKS if chosen.webhooks == "on" else ()),
            *([PUSH] if chosen.push == "on" else [])]  # fmt: skip


def push_key_of(config: Config) -> ServerKey | None:
    """Return the key that signs push messages, or None without push. Raises ListenError."""
    if config.notices.push != "on":
        return None
    from tpserver.notices.push import KEY_FILE, NoPush, ServerKey

    try:
        return ServerKey(config.server.data / KEY_FILE)
    except NoPush as error:
        raise ListenError(str(error)) from None


def build_delivery(
    process: Process, host: Host, push_key: ServerKey | None
) -> tuple[NoticeDelivery, list[MailQueue[Any]]]:
    """Return the delivery of notifications to players, and the queues of mails about their accounts."""
    config, chosen, registry = process.config, process.config.notices, host.registry
    name, site = config.server.name, chosen.site

    def send_mail() -> NoticeChannel:
        from tpserver.notices import mail

        server = mail.mail_server(
            chosen.mail_server, chosen.mail_tls, chosen.mail_from, chosen.mail_user, chosen.mail_password
        )
        return mail.Mail(server, process.pool("mail", mail.THREADS), process.reactor)

    def webhooks() -> Webhooks:
        from tpserver.notices.webhooks import Webhooks  # it loads TLS

        return Webhooks(process.reactor, time.time, own_network=chosen.own_network == "allowed")

    def push() -> NoticeChannel:
        from tpserver.notices.push import Push

        assert push_key is not None  # created at the start of the server
        contact = site if site.startswith("https:") else f"mailto:{chosen.mail_from}"
        return Push(webhooks(), push_key, contact, time.time)

    mail, hooks = Later(send_mail), Later(webhooks)
    made = {MAIL: mail, PUSH: Later(push)}
    channels = {channel: made.get(channel, hooks) for channel in channels_of(config)}
    delivery = NoticeDelivery(registry, host.is_online, channels, name, site)
    queues: list[MailQueue[Any]] = [ResetMail(registry, mail, name, site)]
    if host.resets.offered:
        queues.append(ChangeMail(registry, host.accounts, mail, name, site))
    process.shutdown.add(Stage.NOTICES, delivery.stop, *(queue.stop for queue in queues))
    return delivery, queues
