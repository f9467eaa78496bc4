"""What pages ask for over HTTP and needs the store: the edge asks the process that holds the games.

While that is being replaced they are told to ask again.  Files, WebSockets and tunnels need none of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping

from tpserver.accounts.accounts import NotAdmitted
from tpserver.edge import link_pb2 as link
from tpserver.edge.relayed import Edge
from tpserver.notices.calendar import CalendarFeed
from tpserver.store import StoreError
from tpserver.web.resources import Logins

REDEEM, LOG_OUT, STOP_NOTICES, CALENDAR = "redeem", "log out", "stop notices", "calendar"
"""The names of the calls."""

LONGEST_ARGUMENT = 1000
"""Maximum characters of what is asked with; the rest is dropped, for nothing valid is as long."""


class RelayedPages:
    """Kept logins, notices and calendars that another process has; see `tpserver.web.browsers.Browsers`.

    Each method raises StoreError, and HolderAway while there is no such process.
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
        result = await self._edge.call(name, argument[:LONGEST_ARGUMENT])
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
) -> Mapping[str, Callable[[str], Awaitable[link.Result]]]:
    """Return what answers `RelayedPages`; the arguments are those for `Browsers`."""

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

    def guarded(perform: Callable[[str], Awaitable[link.Result]]) -> Callable[[str], Awaitable[link.Result]]:
        async def call(argument: str) -> link.Result:
            try:
                return await perform(argument)
            except NotAdmitted as error:
                return link.Result(outcome=link.OUTCOME_REFUSED, text=str(error))
            except StoreError:
                return link.Result(outcome=link.OUTCOME_NOT_SAVED)

        return call

    made = {REDEEM: redeem, LOG_OUT: log_out, STOP_NOTICES: stop, CALENDAR: find}
    return {name: guarded(perform) for name, perform in made.items()}
