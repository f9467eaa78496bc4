"""Table of requests: the registered handlers with the policies of the schema."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME, policy_of
from tpserver import requests
from tpserver.requests.session.handlers import HANDLERS
from tpserver.requests.session.session import Access, RequestType

_ACCESS: Mapping[int, Access] = {tp.Policy.ACCOUNT: "account", tp.Policy.CHANGE: "change", tp.Policy.READ: "read"}


def _request_type(name: str) -> RequestType:
    """Join a handler with the policy of its request in the schema."""
    kind, handler = BY_NAME[name], HANDLERS[name]
    policy = policy_of(kind)
    return RequestType(
        kind,
        handler.handle,
        quick=handler.quick,
        is_open=policy.needs == tp.Policy.NOTHING,
        needs_present=not policy.any_turn,
        access=_ACCESS[policy.access],
        is_once=not policy.idempotent,
        phrase=policy.phrase,
    )


for _module in pkgutil.walk_packages(requests.__path__, f"{requests.__name__}."):
    importlib.import_module(_module.name)  # registers its handlers

REQUESTS: Mapping[int, RequestType] = {BY_NAME[name].number: _request_type(name) for name in HANDLERS}
"""All requests of the protocol by frame number. A test ensures that none is missing."""
