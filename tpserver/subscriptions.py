"""Subscriptions of the parts to events, each part in one function.

The assembly calls these functions once, in the order of this module. `tpserver.games.core.events` describes the events.
"""

from __future__ import annotations

from typing import Any

from tpserver.admin.operator_notices import OperatorNotices
from tpserver.bots import Bots
from tpserver.bus import Bus
from tpserver.games.core.events import (
    AccountMailQueued,
    AwaitedSeatsChanged,
    GameAborted,
    GameDropped,
    GameLoaded,
    GameRemoved,
    GameSuspended,
    LoginsRevoked,
    NoticeQueued,
    SpectatorsLimited,
    TurnBegan,
)
from tpserver.notices.delivery import NoticeDelivery
from tpserver.notices.mail_queue import MailQueue
from tpserver.requests.session.session import Host


def subscribe_sessions(bus: Bus, host: Host) -> None:
    """Subscribe the sessions, for their content and their end."""
    watching = host.watching
    bus.subscribe(LoginsRevoked, lambda event: host.end_sessions(event.account, event.why, event.spare))
    bus.subscribe(SpectatorsLimited, lambda event: host.end_limited_spectators(event.game))
    bus.subscribe(GameDropped, lambda event: host.move_visitors(event.game))
    bus.subscribe(TurnBegan, lambda event: watching.moved(event.game))
    bus.subscribe(GameAborted, lambda event: watching.moved(event.game))
    bus.subscribe(GameRemoved, lambda event: watching.forget(event.game.row.id))
    bus.subscribe(GameDropped, lambda event: watching.dropped(event.game))


def subscribe_bots(bus: Bus, bots: Bots) -> None:
    """Subscribe the bots, which may have to play."""
    bus.subscribe(TurnBegan, lambda event: bots.look(event.game))
    bus.subscribe(AwaitedSeatsChanged, lambda event: bots.look(event.game))
    bus.subscribe(GameLoaded, lambda event: bots.look(event.game))


def subscribe_notices(bus: Bus, delivery: NoticeDelivery) -> None:
    """Subscribe the delivery of notifications, which the commits of turns have put into the outbox."""
    bus.subscribe(TurnBegan, lambda event: delivery.look())
    bus.subscribe(NoticeQueued, lambda event: delivery.look())


def subscribe_mail(bus: Bus, queue: MailQueue[Any]) -> None:
    """Subscribe a queue of mails about accounts."""
    bus.subscribe(AccountMailQueued, lambda event: queue.look())


def subscribe_operator(bus: Bus, operator: OperatorNotices) -> None:
    """Subscribe the messages to the operator."""

    def suspended(event: GameSuspended) -> None:
        row = event.game.row
        operator.tell(f"held {row.id}", f"the game {row.name} is held", f"Its rules failed: {event.reason}")

    bus.subscribe(GameSuspended, suspended)
