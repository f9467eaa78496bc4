"""Configuration keys that a reload applies, and those that need a restart."""

from __future__ import annotations

from dataclasses import replace

from tpserver.config import KEYS, Config
from tpserver.config_keys import Applied, shown


def _applied(name: str, *, by_tls: bool) -> Applied:
    """Return the event at which a key takes effect. Without TLS, a first certificate waits for the portal."""
    section, _, key = name.partition(".")
    return "portal" if section == "tls" and not by_tls else KEYS[section][key].applied


def changed(old: Config, new: Config) -> list[str]:
    """Return the keys with different values."""
    return [
        f"{section}.{key}"
        for section, keys in KEYS.items()
        for key in keys
        if getattr(getattr(old, section), key) != getattr(getattr(new, section), key)
    ]


def taken_over(old: Config, new: Config, *, by_tls: bool) -> Config:
    """Return the old configuration with the keys of the new one that a reload applies, see `told`."""
    sections = {}
    for section, keys in KEYS.items():
        mine, theirs = getattr(old, section), getattr(new, section)
        taken = [key for key in keys if _applied(f"{section}.{key}", by_tls=by_tls) == "reload"]
        sections[section] = replace(mine, **{key: getattr(theirs, key) for key in taken})
    return Config(**sections)


def waits_for_edge(name: str, *, by_tls: bool) -> bool:
    """Return whether a key takes effect only after a restart of the portal."""
    return _applied(name, by_tls=by_tls) == "portal"


def told(keys: list[str], new: Config, *, by_tls: bool, kept: bool = False) -> list[str]:
    """Return a line for each changed key, with whether the reload applies it.

    ``by_tls``: the server listens with TLS. If not, another certificate takes effect only at a restart. ``kept``:
    another process keeps the connections, and continues over a restart.
    """
    lines = []
    for name in keys:
        section, _, key = name.partition(".")
        value = getattr(getattr(new, section), key)
        what = f"{name} is {shown(value if isinstance(value, (int, float)) else str(value))} now"
        if name == "server.store":
            what = f"{name} is another one now"  # it may contain a password
        elif isinstance(value, tuple):
            what = f"{name} has changed"
        if _applied(name, by_tls=by_tls) != "reload":
            of_edge = kept and waits_for_edge(name, by_tls=by_tls)
            waits = "until the server is stopped and started, not by tpserver restart" if of_edge else "for a restart"
            what = f"{what}, which waits {waits}"
        lines.append(what)
    return lines
