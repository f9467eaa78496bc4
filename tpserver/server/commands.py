"""An operator's commands to the running server as a whole: reload, restart and drain."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from twisted.logger import Logger

from tpserver.admin import reloading
from tpserver.admin.other_processes import OtherProcesses
from tpserver.admin.socket_protocol import OperationError
from tpserver.client_ports import ClientPorts
from tpserver.games.hall.registry import GameRegistry
from tpserver.server.process import Process
from tpserver.wire.net.errors import CertificateError

log = Logger()


class ServerCommands:
    """Performs these commands; each raises OperationError.

    ``apply`` applies another configuration of the process to its parts.
    """

    def __init__(
        self,
        process: Process,
        ports: ClientPorts,
        registry: GameRegistry,
        others: OtherProcesses | None,
        apply: Callable[[], None],
    ) -> None:
        self._process = process
        self._launch = process.launch
        self._ports = ports
        self._registry = registry
        self._others = others
        self._apply = apply

    async def reload(self) -> list[str]:
        """Read the configuration and the certificates again, and apply what needs no restart.

        Return lines for the operator. After an error nothing has changed. No connection is dropped.
        """
        if self._launch.read_config is None:
            raise OperationError("this server has no configuration to read again")
        new, old, certificate = self._launch.read_config(), self._process.config, self._ports.certificate
        keys, has_portal = reloading.changed(old, new), self._launch.ask_for_successor is not None
        by_tls = certificate is not None or (has_portal and old.tls.certificate is not None)
        lines = reloading.told(keys, new, by_tls=by_tls, kept=has_portal) or [
            "Nothing has changed in the configuration."
        ]
        if by_tls and new.tls.certificate is not None:
            from tpserver.wire.net.tls import Validity, certificate_options, days_left

            try:
                if certificate is not None:
                    certificate.renew(new.tls.certificate, new.tls.key)
                else:  # it is that of the portal, which reads it, too
                    certificate_options(new.tls.certificate, new.tls.key)
                days, problem = days_left(new.tls.certificate), Validity.of(new.tls.certificate).problem()
            except CertificateError as error:
                raise OperationError(str(error)) from None
            how = f"it {problem}, and clients refuse it" if problem else f"it is good for {days:.0f} days"
            if problem and certificate is None:
                how = f"it {problem}, so it is not used in place of a valid one"
            lines.append(f"The certificate {new.tls.certificate} was read again; {how}.")
        # So the next reload lists the keys that wait for a restart again.
        self._process.config = reloading.taken_over(old, new, by_tls=by_tls)
        self._apply()
        for line in lines:
            log.info("reload: {line}", line=line)
        return lines

    async def restart(self) -> list[str]:
        """Have the supervisor replace this process by another one; connections are kept."""
        if self._registry.node is not None:
            raise OperationError(
                "a node of a cluster keeps no connections over a restart: tpserver node drain hands its games over, "
                "then have the service manager restart it (systemctl restart tpserver)"
            )
        if self._launch.ask_for_successor is None:
            raise OperationError(
                "this server ends all connections when it restarts, so it does not by this command: have the service "
                "manager restart it (systemctl restart tpserver), or say keep_connections = true in [server] of the "
                "configuration and restart it so once (connections are then kept, see HOSTING.md)"
            )
        waiting: list[str] = []
        with suppress(OperationError):  # the next process reports the error in the configuration
            waiting = self._kept_back()
        self._launch.ask_for_successor()
        return ["The next process is started, and takes over as soon as it can; connections are kept.", *waiting]

    def _kept_back(self) -> list[str]:
        """Return a line for each changed key that the next process does not apply either.

        Raises OperationError if the configuration cannot be read.
        """
        if self._launch.read_config is None:
            return []
        old, new = self._process.config, self._launch.read_config()
        by_tls = old.tls.certificate is not None
        keys = [key for key in reloading.changed(old, new) if reloading.waits_for_edge(key, by_tls=by_tls)]
        return reloading.told(keys, new, by_tls=by_tls, kept=True)

    async def drain(self, draining: bool) -> list[str]:
        """Hand all games over to other nodes, or take games again."""
        node, cluster = self._registry.node, self._registry.cluster
        if node is None or cluster is None:
            raise OperationError("this server is in no cluster: the configuration has no [cluster] address")
        if not draining:
            await node.drain(False)
            return ["This node takes games again."]
        siblings = () if self._others is None else self._others.addresses
        # All processes of a server are drained together.
        if not set(node.others()).difference(siblings):
            raise OperationError("there is no other node that could take the games of this one; see tpserver node list")
        count = await cluster.drain()
        games = "1 game was" if count == 1 else f"{count} games were"
        if not node.draining:
            return [f"{games} handed over before this node was ordered to take games again, which it now does."]
        return [f"{games} handed over; this node takes none until tpserver node undrain, or a restart."]


def other_processes(process: Process) -> OtherProcesses | None:
    """Return the other processes of this server, or None without any."""
    config, own = process.config, process.launch.number
    if config.cluster.processes == 1:
        return None
    addresses = [config.cluster.address_of(number - own) for number in range(config.cluster.processes)]
    return OtherProcesses(process.reactor, config.server.data, addresses, own)
