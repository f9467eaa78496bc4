"""Resource /sign-in: login of a browser through OpenID Connect.

*   The page POSTs to `begin` or `connect`, and opens the address of the provider in the response.
*   The provider redirects the browser to `back/ID`, which leads to the page.
*   The page POSTs to `outcome`, and for a new account to `name`.

The cookie of a sign-in is SameSite=Lax, so a navigation from another site carries it. The cookie of the login is not
sent then, so the response to a POST of the page sets it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.server import NOT_DONE_YET

from tpserver.accounts.accounts import NotAdmitted, Requester
from tpserver.addresses import network_of
from tpserver.store import StoreError
from tpserver.wire.net.errors import HolderAway
from tpserver.wire.web.http import Request
from tpserver.wire.web.resources import (
    Origins,
    PostResource,
    Resource,
    cookie,
    json_answer,
    sent_cookie,
    set_login,
)

log = Logger()

PATH = "sign-in"
COOKIE = "tp-sign-in"
COOKIE_LIFE = 900
"""Seconds for which a browser keeps the cookie of a sign-in. The server decides how long it is valid."""
LABEL = "A browser that has signed in"
"""Name of a browser in the list of logins after a sign-in."""
ARRIVAL = "#signed-in"
"""Fragment of the page's address after a sign-in."""
GIVEN = ("state", "code", "error", "iss")
"""Parameters of a provider's callback that are read."""


class Named(Protocol):
    """A provider with a name for people."""

    @property
    def name(self) -> str: ...


class ShownResult(Protocol):
    """Result of a sign-in, like `tpserver.accounts.oidc.sign_ins.SignInResult`."""

    @property
    def state(self) -> str: ...

    @property
    def provider(self) -> Named: ...

    @property
    def text(self) -> str: ...


class SignInSteps(Protocol):
    """The steps of a sign-in, which `tpserver.accounts.oidc.sign_ins.SignIns` takes in this or another process."""

    @property
    def site(self) -> str: ...

    async def begin(self, provider: str, caller: Requester) -> tuple[str, str]: ...

    async def begin_connecting(self, ticket: str, caller: Requester) -> tuple[str, str]: ...

    async def come_back(self, provider: str, browser: str, given: Mapping[str, str]) -> None: ...

    async def outcome(self, browser: str, label: str) -> tuple[ShownResult, str]: ...

    async def choose_name(self, browser: str, name: str, label: str, caller: Requester) -> str: ...


def _caller(request: Request) -> Requester:
    return Requester(network_of(request.address))


def _own_cookie(request: Request, token: str, seconds: int) -> str:
    return cookie(request, COOKIE, token, seconds, site="Lax", path=f"/{PATH}")


class BeginResource(PostResource):
    """/sign-in/begin: begins a sign-in, and responds with the provider's address."""

    what = "A sign-in is begun"
    field = "provider"

    def __init__(self, below: Resource, origins: Origins, sign_ins: SignInSteps) -> None:
        super().__init__(below, origins)
        self._sign_ins = sign_ins

    async def post(self, request: Request, text: str) -> bytes:
        token, url = await self._begin(text, _caller(request))
        return json_answer(request, 200, {"url": url}, **{"Set-Cookie": _own_cookie(request, token, COOKIE_LIFE)})

    async def _begin(self, text: str, caller: Requester) -> tuple[str, str]:
        return await self._sign_ins.begin(text, caller)


class ConnectResource(BeginResource):
    """/sign-in/connect: the same, to connect an account, with a ticket (frame ConnectProvider)."""

    what = "An account is connected"
    field = "ticket"

    async def _begin(self, text: str, caller: Requester) -> tuple[str, str]:
        return await self._sign_ins.begin_connecting(text, caller)


class OutcomeResource(BeginResource):
    """/sign-in/outcome: the result of the sign-in. On success it sets the cookie of a kept login."""

    what = "The result of a sign-in is shown"
    field = ""

    async def post(self, request: Request, text: str) -> bytes:
        found, token = await self._sign_ins.outcome(sent_cookie(request, COOKIE), LABEL)
        from tpserver.accounts.oidc.sign_ins import FAILED  # its dependencies may be missing without providers

        key = "problem" if found.state == FAILED else "name"
        told = {"state": found.state, "provider": found.provider.name, key: found.text}
        if not token:
            return json_answer(request, 200, told)
        set_login(request, token)
        return json_answer(request, 200, told)


class NameResource(OutcomeResource):
    """/sign-in/name: creates the account after a first sign-in."""

    what = "A name is chosen"
    field = "name"

    async def post(self, request: Request, text: str) -> bytes:
        token = await self._sign_ins.choose_name(sent_cookie(request, COOKIE), text, LABEL, _caller(request))
        set_login(request, token)
        return json_answer(request, 200, {})


class BackResource(Resource):
    """/sign-in/back/ID: callback of a provider; it only redirects to the page."""

    isLeaf = True

    def __init__(self, sign_ins: SignInSteps) -> None:
        super().__init__()
        self._sign_ins = sign_ins

    def render_GET(self, request: Request) -> int:
        doing = Deferred.fromCoroutine(self._come_back(request))
        doing.addErrback(lambda failure: log.failure("a sign-in failed", failure))
        return NOT_DONE_YET

    def render_HEAD(self, request: Request) -> bytes:
        return self.refuse_method(request)  # a HEAD request uses up no code

    async def _come_back(self, request: Request) -> None:
        provider = request.postpath[-1].decode("ascii", "replace") if len(request.postpath) == 1 else ""
        words = {key: request.args.get(key.encode(), [b""])[-1].decode(errors="replace") for key in GIVEN}
        given = {key: value for key, value in words.items() if value}
        try:
            await self._sign_ins.come_back(provider, sent_cookie(request, COOKIE), given)
        except NotAdmitted as error:
            body = request.sentence(403, str(error))
        except StoreError:
            body = request.sentence(503, "This could not be saved; sign in once more.")
        except HolderAway:
            body = request.away()
        except Exception:
            log.failure("a sign-in failed")
            body = request.sentence(500, "The server failed to do this; its log says more.")
        else:
            body = request.sentence(303, "On to the page.", Location=f"{self._sign_ins.site}{ARRIVAL}")
        request.end(body)


def sign_in_resource(below: Resource, origins: Origins, sign_ins: SignInSteps) -> Resource:
    """Return the resource at /sign-in."""
    root = Resource(below)
    root.putChild(b"begin", BeginResource(below, origins, sign_ins))
    root.putChild(b"connect", ConnectResource(below, origins, sign_ins))
    root.putChild(b"outcome", OutcomeResource(below, origins, sign_ins))
    root.putChild(b"name", NameResource(below, origins, sign_ins))
    root.putChild(b"back", BackResource(sign_ins))
    return root
