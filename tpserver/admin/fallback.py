"""How the command line performs an operation when no server has answered: on the store itself.

The store's lock decides: its holder is asked over the control socket.  If there is no answer, the holder is another
command line, or a server that is starting or stopping, so both ways are retried for PATIENCE seconds.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from tpserver.admin import socket_protocol
from tpserver.admin.errors import Refused
from tpserver.admin.offline import has_data, offline_context, rehearsal
from tpserver.admin.operations import MAKING, perform
from tpserver.admin.socket_client import NoServer, ask
from tpserver.concurrency import result_now
from tpserver.config import Config
from tpserver.rules.discovery import Rulesets
from tpserver.store import StoreError

PATIENCE = 15.0
"""Maximum seconds to retry while the store is locked and its holder does not answer."""


def get_done(config: Config, rulesets: Rulesets, operation: str, arguments: Mapping[str, Any]) -> list[str]:
    """Perform an operation and return its output lines.

    Raises Refused or StoreError with a sentence, then nothing has changed; Fault if the server failed.
    """
    if not has_data(config):
        if operation not in MAKING:
            raise Refused(
                f"there is no data in {config.server.data} yet; tpserver game create makes it, --data names another "
                "directory"
            )
        with rehearsal(config, rulesets) as context:
            result_now(perform(context, operation, arguments))
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            with offline_context(config, rulesets) as context:
                return result_now(perform(context, operation, arguments))
        except StoreError as error:
            if error.code != "in-use":
                raise
            locked = error
        try:
            with socket_protocol.SocketPath(config.server.data) as path:
                return ask(path, operation, arguments)
        except (NoServer, FileNotFoundError):
            if time.monotonic() > give_up:
                raise locked from None
            time.sleep(0.05)
        except socket_protocol.PathTooLong as error:
            raise Refused(str(error)) from None
