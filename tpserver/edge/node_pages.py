"""What pages ask for over HTTP of a node of a cluster, and another node knows: it has made the ticket, or the cookie.

A browser's requests may come to any node.  What is in the database each of them answers itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from tpserver.accounts.accounts import Requester
from tpserver.cluster.node import Node
from tpserver.edge.node_links import NodeLinks
from tpserver.edge.pages import RelayedPages, RelayedSignIns
from tpserver.web.resources import Logins
from tpserver.web.sign_in import SignInSteps, Told


class NodeLogins:
    """Kept logins; see `tpserver.web.resources.Logins`.  ``here`` has those whose tickets this node has made.

    Each method raises NotAdmitted and StoreError, and HolderAway if the other node cannot be reached.
    """

    def __init__(self, here: Logins, node: Node, links: NodeLinks) -> None:
        self._here = here
        self._node = node
        self._links = links

    async def redeem(self, ticket: str) -> str:
        address = self._node.maker_of(ticket)
        there = self._here if not address else RelayedPages(self._links.link_to(address))
        return await there.redeem(ticket)

    async def revoke_token(self, token: str) -> int | None:
        return await self._here.revoke_token(token)


class NodeSignIns:
    """The steps of sign-ins; see `tpserver.web.sign_in.SignInSteps`.  Each step raises what those above do."""

    def __init__(self, here: SignInSteps, node: Node, links: NodeLinks) -> None:
        self._here = here
        self._node = node
        self._links = links

    @property
    def site(self) -> str:
        return self._here.site

    async def begin(self, provider: str, caller: Requester) -> tuple[str, str]:
        return await self._here.begin(provider, caller)

    async def begin_connecting(self, ticket: str, caller: Requester) -> tuple[str, str]:
        return await self._where(ticket).begin_connecting(ticket, caller)

    async def come_back(self, provider: str, browser: str, given: Mapping[str, str]) -> None:
        await self._where(browser).come_back(provider, browser, given)

    async def outcome(self, browser: str, label: str) -> tuple[Told, str]:
        return await self._where(browser).outcome(browser, label)

    async def choose_name(self, browser: str, name: str, label: str, caller: Requester) -> str:
        return await self._where(browser).choose_name(browser, name, label, caller)

    def _where(self, made: str) -> SignInSteps:
        address = self._node.maker_of(made)
        return self._here if not address else RelayedSignIns(self._links.link_to(address), self._here.site)
