"""Figures of a server for Prometheus."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tpserver.admin.backups import made_until, time_of
from tpserver.admin.store_health import StoreHealth, free_of
from tpserver.events import EVENTS
from tpserver.games.hall.registry import GameRegistry
from tpserver.notices.delivery import NoticeDelivery
from tpserver.processes import memory_of
from tpserver.store import Store, StoreError
from tpserver.store.games.outbox import state_of as outbox_state
from tpserver.wire.web.metrics import Closings, Figure


def of_process(connections: int, places: Mapping[str, Path]) -> list[Figure]:
    """Return the figures that need no store; ``places`` are directories, including "backups"."""
    newest = next(iter(made_until(places["backups"], time.time())), None)
    backup = 0.0 if newest is None else time_of(newest)
    return [
        Figure("connections", "Open connections.", "gauge", connections),
        Figure("frames", "Requests of clients.", "counter", EVENTS.frames),
        Figure("notices", "Frames that no client has requested.", "counter", EVENTS.notices),
        Figure("orders", "Orders that were accepted.", "counter", EVENTS.orders),
        Figure("logins", "Logins.", "counter", EVENTS.logins),
        Figure("refused_logins", "Logins that were refused.", "counter", EVENTS.refused_logins),
        Figure("seats_taken", "Seats that were taken.", "counter", EVENTS.seats),
        Figure("games_held", "Games held because their rules failed.", "counter", EVENTS.holds),
        Figure("memory_bytes", "Memory of this process.", "gauge", memory_of(os.getpid())),
        Figure("free_bytes", "Free space of the disk.", "gauge", free_of(places), "of"),
        Figure("backup_timestamp_seconds", "When the newest backup was begun.", "gauge", backup),
    ]


def of_store(store: Store, health: StoreHealth, registry: GameRegistry) -> list[Figure]:
    """Return the figures of the store and of the games."""
    try:
        states = Counter(row.state for row in registry.directory.rows())
    except StoreError:  # the other figures report the fault
        states = Counter()
    killed, failed = registry.load_failures.killed_rules, store.failed_saves
    return [
        Figure("store_queue", "Changes that are not saved yet.", "gauge", store.pending),
        Figure("store_gone", "Whether nothing can be saved now.", "gauge", health.saves_nothing),
        Figure("store_failing", "Whether the server cannot go on.", "gauge", bool(health.failing())),
        Figure("failed_saves", "Changes that could not be saved.", "counter", failed),
        Figure("games_unreadable", "Games that cannot be read.", "gauge", health.unreadable),
        Figure("games", "Games.", "gauge", states, "state"),
        Figure("rules_killed", "Servers that rules have ended since the games were resumed.", "gauge", killed),
    ]


def of_notices(store: Store, notices: NoticeDelivery) -> list[Figure]:
    """Return the figures of notifications to players."""
    down, now = notices.down(), time.time()
    delivered = {name: EVENTS.delivered[name] for name in down}
    undelivered = {name: EVENTS.undelivered[name] for name in down}
    figures = [
        Figure("channels_down", "Whether a channel can deliver nothing.", "gauge", down, "channel"),
        Figure("deliveries", "Notices that arrived.", "counter", delivered, "channel"),
        Figure("failed_deliveries", "Tries that failed.", "counter", undelivered, "channel"),
    ]
    try:
        outbox = store.read(outbox_state, now)
    except StoreError:  # the other figures report the fault of the store
        return figures
    oldest = 0.0 if outbox.oldest is None else max(0.0, now - outbox.oldest)
    return [
        *figures,
        Figure("outbox_waiting", "Notices that are to be sent, now or later.", "gauge", outbox.waiting),
        Figure("outbox_due", "Notices whose time has come.", "gauge", outbox.due),
        Figure("outbox_failed", "Notices that were tried in vain and wait.", "gauge", outbox.failed),
        Figure("outbox_failed_seconds", "Age of the oldest notice that was tried in vain.", "gauge", oldest),
        Figure("addresses_given_up", "Addresses of players that get no notices.", "gauge", outbox.given_up),
    ]


def closings() -> Closings:
    """Return the durations of closings."""
    return Closings(list(EVENTS.turns), EVENTS.turn_seconds)
