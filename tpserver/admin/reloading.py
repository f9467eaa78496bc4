"""Which keys of a configuration a running server takes over, and which wait for a restart."""

from __future__ import annotations

from dataclasses import replace

from tpserver.config import RULES, Config, shown

TAKEN_OVER = (
    "tls.certificate",
    "tls.key",
    "web.origins",
    "accounts.policy",
    "accounts.guests",
    "accounts.guests_most",
    "accounts.guest_days",
    "games.clock",
    "games.join",
    "games.create",
    "games.created_open",
    "games.idle_minutes",
    "games.keep_snapshots",
    "server.order_entries",
    "backup.every_hours",
    "backup.directory",
    "backup.keep",
    "backup.sample",
    "log.level",
    *(f"limits.{key}" for key in RULES["limits"] if key != "memory_bytes"),
)
"""The others say where a server listens and keeps its data, or are told to it when it begins."""


def changed(old: Config, new: Config) -> list[str]:
    """Return the keys that have other values."""
    return [
        f"{section}.{key}"
        for section, rules in RULES.items()
        for key in rules
        if getattr(getattr(old, section), key) != getattr(getattr(new, section), key)
    ]


def taken_over(old: Config, new: Config, *, by_tls: bool) -> Config:
    """Return the old configuration with what is taken over from the new one, see `told`."""
    sections = {}
    for section, rules in RULES.items():
        mine, theirs = getattr(old, section), getattr(new, section)
        keys = [key for key in rules if f"{section}.{key}" in TAKEN_OVER and (by_tls or section != "tls")]
        sections[section] = replace(mine, **{key: getattr(theirs, key) for key in keys})
    return Config(**sections)


OF_EDGE = ("listen", "tls", "web", "proxy")
"""Sections of which the process that keeps connections reads most as it begins, and a restart does not replace it."""


def waits_for_edge(name: str, *, by_tls: bool) -> bool:
    """Return whether a key counts only once the process that keeps connections is started again."""
    edges = name.partition(".")[0] in OF_EDGE or name == "server.keep_connections"
    return edges and not _is_taken_over(name, by_tls=by_tls)


def _is_taken_over(name: str, *, by_tls: bool) -> bool:
    return name in TAKEN_OVER and (by_tls or not name.startswith("tls."))


def told(keys: list[str], new: Config, *, by_tls: bool, kept: bool = False) -> list[str]:
    """Return a line for each of these keys, which have new values: whether it is taken over.

    ``by_tls``: whether the server listens with TLS; if not, no other certificate makes it do so before a restart.
    ``kept``: whether another process keeps the connections, and goes on over a restart.
    """
    lines = []
    for name in keys:
        section, _, key = name.partition(".")
        value = getattr(getattr(new, section), key)
        what = f"{name} is {shown(value if isinstance(value, (int, float)) else str(value))} now"
        if name == "server.store":
            what = f"{name} is another one now"  # it may hold a password
        elif isinstance(value, tuple):
            what = f"{name} has changed"
        if not _is_taken_over(name, by_tls=by_tls):
            of_edge = kept and waits_for_edge(name, by_tls=by_tls)
            waits = "until the server is stopped and started, not by tpserver restart" if of_edge else "for a restart"
            what = f"{what}, which waits {waits}"
        lines.append(what)
    return lines
