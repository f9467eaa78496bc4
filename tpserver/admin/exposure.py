"""Warnings about operator-only listeners that other machines can reach."""

from __future__ import annotations

from collections.abc import Iterator

from tpserver.addresses import is_loopback
from tpserver.config import Config


def warnings(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the section of each such listener, and a sentence with the risk and the remedy."""
    admin, metrics = config.admin, config.metrics
    tunnel = "Set 127.0.0.1, and come from elsewhere through ssh -L"
    if admin.user and not is_loopback(admin.address):
        yield (
            "admin",
            f"[admin] address is {admin.address}: others can try passwords, and nothing is encrypted. {tunnel}.",
        )
    if metrics.port is not None and not is_loopback(metrics.address):
        yield "metrics", f"[metrics] address is {metrics.address}: others can read them without a password. {tunnel}."
