"""Operations on games of another node, sent over the link to that node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.logger import Logger

from tpserver.admin import socket_protocol
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.other_processes import SECONDS
from tpserver.admin.socket_protocol import BadLine, Fault, OperationError
from tpserver.portal import link_pb2 as link
from tpserver.portal.http_calls import Call
from tpserver.portal.peer_links import NodeLinks
from tpserver.wire.net.errors import HolderAway

OPERATION = "operation"
"""The name of the call. It has the content of a request to the control socket of that node."""

log = Logger()


class OtherNodes:
    """The other nodes of the cluster, for an operator of this one."""

    def __init__(self, links: NodeLinks) -> None:
        self._links = links

    async def ask(self, address: str, operation: str, arguments: Mapping[str, Any], actor: str) -> list[str]:
        """Have the node at an address perform an operation in the name of ``actor``; return its output lines.

        Raises OperationError, and Fault, which also means that the outcome is unknown.
        """
        there = f"the node at {address}, which has the game,"
        unknown = (
            f"{there} did not answer; whether it has performed {operation} is unknown, so look before you repeat it"
        )
        try:
            line = socket_protocol.request_line(operation, arguments, actor).decode()
            calling = self._links.link_to(address).call(OPERATION, line)
            result = await calling.addTimeout(SECONDS, self._links.clock)  # type: ignore[arg-type] # a reactor
            if result.outcome == link.OUTCOME_NOTHING:
                raise OperationError(f"{there} takes no commands from others yet; give the command on its machine")
            kind, content = socket_protocol.parse_reply(result.text.encode())
        except (HolderAway, DeferredTimeout):
            raise Fault(unknown) from None
        except BadLine as error:
            raise OperationError(str(error)) from None
        if kind == "lines":
            return [str(one) for one in content]
        raise (OperationError if kind == "refused" else Fault)(str(content))


def operation_call(context: AdminContext) -> Mapping[str, Call]:
    """Return the function that answers `OtherNodes`. It forwards nothing, as the game may move meanwhile."""

    async def operate(argument: str) -> link.Result:
        return link.Result(outcome=link.OUTCOME_DONE, text=(await _reply(context, argument)).decode())

    return {OPERATION: operate}


async def _reply(context: AdminContext, argument: str) -> bytes:
    try:
        if len(argument) > socket_protocol.LONGEST_LINE:
            raise BadLine(f"a line is longer than {socket_protocol.LONGEST_LINE} bytes")
        operation, arguments, actor = socket_protocol.parse_request(argument.encode())
        lines = await perform(context, operation, arguments, actor, passed_on=True)
        return socket_protocol.reply_line("lines", lines)
    except (OperationError, BadLine) as error:
        return socket_protocol.reply_line("refused", str(error))
    except Fault as error:
        return socket_protocol.reply_line("fault", str(error))
    except Exception:
        log.failure("an operation for another node failed")
        return socket_protocol.reply_line("fault", "the server failed on this; its log says more")
