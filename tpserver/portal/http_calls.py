"""Calls of HTTP pages to another process or another node.

The portal asks the engine for everything that needs the store. While the engine is replaced, the page tries again
later. A node asks the node that created a ticket or a cookie, as a browser's requests may reach any node. Files,
WebSockets and tunnels need no such calls.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpserver.accounts.accounts import NotAdmitted, Requester
from tpserver.cluster.node import Node
from tpserver.notices.calendar import CalendarFeed
from tpserver.portal import link_pb2 as link
from tpserver.portal.peer_links import NodeLinks
from tpserver.portal.portal_session import Edge
from tpserver.store import StoreError
from tpserver.wire.web.resources import Logins
from tpserver.wire.web.sign_in import ShownResult, SignInSteps

REDEEM, LOG_OUT, STOP_NOTICES, CALENDAR, SIGN_IN = "redeem", "log out", "stop notices", "calendar", "sign in"
"""The names of the calls."""

Call = Callable[[str], Awaitable[link.Result]]

LONGEST_ARGUMENT = 1000
"""Maximum characters of an argument. The rest is dropped, as no valid one is so long."""


LONGEST_STEP = 32 * 1024
"""Maximum characters of a step of a sign-in. A provider's parameters are in the head of a request, which is shorter."""


class RelayedPages:
    """Kept logins, notifications and calendars at another process; see `tpserver.wire.web.browsers.Browsers`.

    Each method raises StoreError, and HolderAway without such a process.
    """

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    async def redeem(self, ticket: str) -> str:
        return (await self._call(REDEEM, ticket)).text

    async def revoke_token(self, token: str) -> int | None:
        await self._call(LOG_OUT, token)
        return None  # the other process has ended the connections, too

    async def stop_notices(self, token: str) -> bool:
        return (await self._call(STOP_NOTICES, token)).outcome == link.OUTCOME_DONE

    async def find_elsewhere(self, token: str) -> tuple[str, Callable[[], bytes]] | None:
        result = await self._call(CALENDAR, token)
        text = result.text.encode()
        return None if result.outcome == link.OUTCOME_NOTHING else (result.tag, lambda: text)

    async def _call(self, name: str, argument: str) -> link.Result:
        return await _called(self._edge, name, argument[:LONGEST_ARGUMENT])


@dataclass(frozen=True, slots=True)
class _Provider:
    name: str


@dataclass(frozen=True, slots=True)
class _Outcome:
    state: str
    provider: _Provider
    text: str


class RelayedSignIns:
    """Sign-ins whose steps another process takes; see `tpserver.wire.web.sign_in.SignInSteps`.

    Each step raises NotAdmitted and StoreError like there, and HolderAway without such a process. The other process
    knows the present configuration, so it names the providers and the address of the page.
    """

    def __init__(self, edge: Edge, site: str = "/") -> None:
        self._edge = edge
        self.site = site
        """Address to which a browser continues after the callback, once the other process allows it."""

    async def begin(self, provider: str, caller: Requester) -> tuple[str, str]:
        token, url = await self._step("begin", provider, caller.network)
        return str(token), str(url)

    async def begin_connecting(self, ticket: str, caller: Requester) -> tuple[str, str]:
        token, url = await self._step("begin connecting", ticket, caller.network)
        return str(token), str(url)

    async def come_back(self, provider: str, browser: str, given: Mapping[str, str]) -> None:
        (self.site,) = await self._step("come back", provider, browser, dict(given))

    async def outcome(self, browser: str, label: str) -> tuple[_Outcome, str]:
        state, provider, text, token = await self._step("outcome", browser, label)
        return _Outcome(state, _Provider(provider), text), token

    async def choose_name(self, browser: str, name: str, label: str, caller: Requester) -> str:
        (token,) = await self._step("choose name", browser, name, label, caller.network)
        return str(token)

    async def _step(self, *words: object) -> list[Any]:
        said = json.dumps(words)
        if len(said) > LONGEST_STEP:
            raise NotAdmitted("This is too long for a sign-in; begin again.")
        result = await _called(self._edge, SIGN_IN, said)
        if result.outcome == link.OUTCOME_NOTHING:
            raise NotAdmitted("Nobody signs in here through another server: its operator has named none.")
        found: list[Any] = json.loads(result.text)
        return found


async def _called(edge: Edge, name: str, argument: str) -> link.Result:
    """Return the result of the other process. Raises NotAdmitted, StoreError, HolderAway."""
    result = await edge.call(name, argument)
    if result.outcome == link.OUTCOME_REFUSED:
        raise NotAdmitted(result.text)
    if result.outcome == link.OUTCOME_NOT_SAVED:
        raise StoreError("The other process could not save it.")
    return result


def calls(
    logins: Logins,
    end_logins: Callable[[Collection[int]], None],
    stop_notices: Callable[[str], Awaitable[bool]],
    calendar: CalendarFeed,
) -> Mapping[str, Call]:
    """Return the functions that answer `RelayedPages`. The arguments are those for `Browsers`."""

    async def redeem(ticket: str) -> link.Result:
        return link.Result(text=await logins.redeem(ticket))

    async def log_out(token: str) -> link.Result:
        gone = await logins.revoke_token(token)
        if gone is not None:
            end_logins([gone])
        return link.Result()

    async def stop(token: str) -> link.Result:
        return link.Result(outcome=link.OUTCOME_DONE if await stop_notices(token) else link.OUTCOME_NOTHING)

    async def find(token: str) -> link.Result:
        found = calendar.find(token)
        if found is None:
            return link.Result(outcome=link.OUTCOME_NOTHING)
        tag, text = found
        return link.Result(tag=tag, text=text().decode())

    made = {REDEEM: redeem, LOG_OUT: log_out, STOP_NOTICES: stop, CALENDAR: find}
    return {name: _guarded(perform) for name, perform in made.items()}


def sign_in_call(sign_ins: SignInSteps) -> Mapping[str, Call]:
    """Return the function that answers `RelayedSignIns`."""

    async def outcome(browser: str, label: str) -> list[str]:
        found, token = await sign_ins.outcome(browser, label)
        return [found.state, found.provider.name, found.text, token]

    async def come_back(provider: str, browser: str, given: Mapping[str, str]) -> list[str]:
        await sign_ins.come_back(provider, browser, given)
        return [sign_ins.site]

    async def choose_name(browser: str, name: str, label: str, network: str) -> list[str]:
        return [await sign_ins.choose_name(browser, name, label, Requester(network))]

    steps: Mapping[str, Callable[..., Awaitable[Sequence[str]]]] = {
        "begin": lambda provider, network: sign_ins.begin(provider, Requester(network)),
        "begin connecting": lambda ticket, network: sign_ins.begin_connecting(ticket, Requester(network)),
        "come back": come_back,
        "outcome": outcome,
        "choose name": choose_name,
    }

    async def step(argument: str) -> link.Result:
        name, *words = json.loads(argument)
        return link.Result(text=json.dumps(await steps[name](*words)))

    return {SIGN_IN: _guarded(step)}


def _guarded(perform: Call) -> Call:
    async def call(argument: str) -> link.Result:
        try:
            return await perform(argument)
        except NotAdmitted as error:
            return link.Result(outcome=link.OUTCOME_REFUSED, text=str(error))
        except StoreError:
            return link.Result(outcome=link.OUTCOME_NOT_SAVED)

    return call


class NodeLogins:
    """Kept logins of all nodes; see `tpserver.wire.web.resources.Logins`.

    ``here`` has those with tickets of this node. Each method raises NotAdmitted and StoreError, and HolderAway if the
    other node cannot be reached.
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
    """The steps of sign-ins; see `tpserver.wire.web.sign_in.SignInSteps`.

    Each step raises the errors of the class above.
    """

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

    async def outcome(self, browser: str, label: str) -> tuple[ShownResult, str]:
        return await self._where(browser).outcome(browser, label)

    async def choose_name(self, browser: str, name: str, label: str, caller: Requester) -> str:
        return await self._where(browser).choose_name(browser, name, label, caller)

    def _where(self, made: str) -> SignInSteps:
        address = self._node.maker_of(made)
        return self._here if not address else RelayedSignIns(self._links.link_to(address), self._here.site)
