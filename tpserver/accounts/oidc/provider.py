"""A provider of OpenID Connect: requests to it, and their verification.

It uses the authorization code flow (OpenID Connect Core 1.0, 3.1) with PKCE (RFC 7636). Nothing blocks: requests go
through `tpserver.http_client`, which bounds time and bytes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote, urlencode

from joserfc import jwk, jwt
from joserfc.errors import JoseError
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.accounts.oidc.discovery import Endpoints, ProviderFault, address_of, endpoints_of, object_of
from tpserver.accounts.oidc.terms import NoSecret, Provider
from tpserver.http_client import Answer, Unanswered

T = TypeVar("T")
log = Logger()

DISCOVERY_SECONDS = 24 * 3600.0
KEYS_SECONDS = 3600.0
"""Seconds for which a provider's metadata and keys are trusted without a new request."""
KEYS_REST = 60.0
"""Seconds until the keys are fetched again for a token with an unknown key."""
FAULT_REST = 10.0
"""Seconds after a fault until missing data is requested from a provider again."""
LEEWAY = 120.0
"""Seconds by which the clock of a provider may be wrong."""
MOST_KEYS = 50
LONGEST_TOKEN = 16 * 1024
LONGEST_SUBJECT = 255
"""Maximum characters of a subject (OpenID Connect Core 1.0, 2)."""
SMALLEST_RSA = 2048
"""Minimum bits of an RSA key."""

KINDS: Mapping[str, str] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
}
"""The kind of key of each trusted signature algorithm.

"none" is excluded. So are algorithms with a shared secret, as any holder of the public key could sign with it.
"""


class Asks(Protocol):
    """Interface of an HTTP client (`tpserver.http_client.HttpClient`)."""

    async def ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer: ...


class Fetched(Generic[T]):
    """Data that is fetched when needed, by one request for all callers, and cached for ``seconds``."""

    def __init__(self, fetch: Callable[[], Coroutine[Any, Any, T]], seconds: float, now: Callable[[], float]) -> None:
        self._fetch = fetch
        self._seconds = seconds
        self._now = now
        self._kept: tuple[T, float] | None = None
        self._fault: tuple[ProviderFault, float] | None = None
        self._waiting: list[Deferred[T]] | None = None
        """Callers that wait for the pending request, or None without one."""

    async def get(self, younger: float | None = None) -> T:
        """Return the data, fetched at most ``younger`` seconds ago, if given. Raises ProviderFault."""
        now = self._now()
        oldest = self._seconds if younger is None else younger
        if self._kept is not None and now - self._kept[1] < oldest:
            return self._kept[0]
        if self._fault is not None and now - self._fault[1] < FAULT_REST:
            raise ProviderFault(str(self._fault[0]))
        if self._waiting is not None:
            later: Deferred[T] = Deferred()
            self._waiting.append(later)
            return await later
        self._waiting = []
        fault = ProviderFault("could not be asked")
        try:
            found = await self._fetch()
        except ProviderFault as error:
            fault = error
            self._fault = error, self._now()
            raise
        else:
            self._kept, self._fault = (found, self._now()), None
            waiting, self._waiting = self._waiting, None
            for one in waiting:
                one.callback(found)
            return found
        finally:
            waiting, self._waiting = self._waiting or [], None
            for one in waiting:
                one.errback(ProviderFault(str(fault)))


class OidcProvider:
    """One provider. ``now`` returns unix seconds, ``steady`` those of a monotonic clock."""

    def __init__(self, terms: Provider, http: Asks, now: Callable[[], float], steady: Callable[[], float]) -> None:
        self.terms = terms
        self._http = http
        self._now = now
        self._endpoints = Fetched(self._discover, DISCOVERY_SECONDS, steady)
        self._keys = Fetched(self._fetch_keys, KEYS_SECONDS, steady)

    async def address(self, redirect: str, state: str, nonce: str, verifier: str) -> str:
        """Return the address at which a browser begins its sign-in. Raises ProviderFault."""
        endpoints = await self._endpoints.get()
        digest = hashlib.sha256(verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.terms.client_id,
            "redirect_uri": redirect,
            "scope": " ".join(self.terms.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        join = "&" if "?" in endpoints.authorization else "?"
        return f"{endpoints.authorization}{join}{urlencode(asked)}"

    async def claims(self, code: str, redirect: str, nonce: str, verifier: str) -> Mapping[str, Any]:
        """Return the verified claims of the ID token that the provider sends for a code. Raises ProviderFault."""
        endpoints = await self._endpoints.get()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "client_id": self.terms.client_id,
            "code_verifier": verifier,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        try:
            secret = self.terms.read_secret()
        except NoSecret as error:
            log.error("nobody signs in through {name}: {why}", name=self.terms.name, why=str(error))
            raise ProviderFault("cannot be asked, as the server lacks the secret; its log says more") from None
        if secret and endpoints.posts_secret:
            form["client_secret"] = secret
        elif secret:
            # RFC 6749, 2.3.1: both are encoded as in a form first.
            pair = f"{quote(self.terms.client_id, safe='')}:{quote(secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        told = object_of(await self._ask("POST", endpoints.token, headers, urlencode(form).encode()))
        token = told.get("id_token")
        if not isinstance(token, str) or not 1 <= len(token) <= LONGEST_TOKEN or not token.isascii():
            raise ProviderFault("gives no ID token")
        return self._checked(await self._verified(token), nonce)

    # --- metadata and keys

    async def _ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
        try:
            answer = await self._http.ask(method, url, headers, body)
        except Unanswered as error:
            raise ProviderFault(f"cannot be asked: {error.told('it')}") from None
        if not 200 <= answer.code < 300:
            raise ProviderFault(f"refuses what it was asked (code {answer.code})")
        return answer.body

    async def _discover(self) -> Endpoints:
        return endpoints_of(self.terms, await self._ask("GET", address_of(self.terms), {"Accept": "application/json"}))

    async def _fetch_keys(self) -> list[Any]:
        """Return the provider's signing keys, without its other keys."""
        endpoints = await self._endpoints.get()
        told = object_of(await self._ask("GET", endpoints.keys, {"Accept": "application/json"})).get("keys")
        if not isinstance(told, list):
            raise ProviderFault("tells no keys")
        keys = []
        for one in told[:MOST_KEYS]:
            if not isinstance(one, dict) or one.get("kty") not in ("RSA", "EC") or one.get("use", "sig") != "sig":
                continue
            try:
                key = jwk.import_key(one)
                bits = getattr(key.public_key, "key_size", 0)
            except (JoseError, ValueError, TypeError, KeyError, AttributeError):
                continue
            if key.key_type == "EC" or bits >= SMALLEST_RSA:
                keys.append(key)
        if not keys:
            raise ProviderFault("tells no key that signatures are checked with")
        return keys

    # --- tokens

    async def _verified(self, token: str) -> Mapping[str, Any]:
        """Return the claims of a token with a signature by a key of the provider. Raises ProviderFault."""
        algorithm, kid = _head(token)
        keys = _fitting(await self._keys.get(), algorithm, kid)
        if not keys:  # it may have new ones
            keys = _fitting(await self._keys.get(younger=KEYS_REST), algorithm, kid)
        for key in keys:
            try:
                return jwt.decode(token, key, algorithms=[algorithm]).claims
            except (JoseError, ValueError, TypeError, RecursionError):
                continue
        raise ProviderFault("gives an ID token that none of its keys has signed")

    def _checked(self, claims: Mapping[str, Any], nonce: str) -> Mapping[str, Any]:
        """Return claims with the right audience and time (OpenID Connect Core 1.0, 3.1.3.7). Raises ProviderFault."""
        terms, now = self.terms, self._now()
        if claims.get("iss") != terms.issuer:
            raise ProviderFault("gives an ID token of another issuer")
        audience = claims.get("aud")
        meant = [audience] if isinstance(audience, str) else audience if isinstance(audience, list) else []
        if terms.client_id not in meant or claims.get("azp", terms.client_id) != terms.client_id:
            raise ProviderFault("gives an ID token that is for somebody else")
        if len(meant) > 1 and "azp" not in claims:
            raise ProviderFault("gives an ID token that is for several, and does not say for whom")
        ends, made, begins = _time(claims, "exp"), _time(claims, "iat"), _time(claims, "nbf", made=True)
        if ends <= now - LEEWAY:
            raise ProviderFault("gives an ID token that has expired")
        if max(made, begins) > now + LEEWAY:
            raise ProviderFault("gives an ID token of the future; one of the clocks is wrong")
        said = claims.get("nonce")
        if not isinstance(said, str) or not hmac.compare_digest(said.encode(errors="replace"), nonce.encode()):
            raise ProviderFault("gives an ID token that was made for another sign-in")
        subject = claims.get("sub")
        if not isinstance(subject, str) or not 1 <= len(subject) <= LONGEST_SUBJECT:
            raise ProviderFault("gives an ID token without a subject")
        if not (subject.isascii() and subject.isprintable()):
            raise ProviderFault("gives an ID token with a subject that is not ASCII")
        return claims


def _head(token: str) -> tuple[str, str | None]:
    """Return the algorithm of a token, and the key that it names. Raises ProviderFault."""
    part = token.partition(".")[0]
    try:
        head = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        algorithm, kid = head["alg"], head.get("kid")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProviderFault("gives an ID token that is none") from None
    if not isinstance(algorithm, str) or algorithm not in KINDS:
        raise ProviderFault("gives an ID token with a signature of a kind that is not believed")
    return algorithm, kid if isinstance(kid, str) else None


def _fitting(keys: list[Any], algorithm: str, kid: str | None) -> list[Any]:
    """Return the keys that match a signature."""
    return [
        key
        for key in keys
        if key.key_type == KINDS[algorithm]
        and key.get("alg", algorithm) == algorithm
        and (kid is None or key.get("kid") == kid)
    ]


def _time(claims: Mapping[str, Any], name: str, *, made: bool = False) -> float:
    """Return a time of a token; with ``made`` it is optional, and 0 if it is missing. Raises ProviderFault."""
    found = claims.get(name, 0 if made else None)
    if type(found) not in (int, float) or not abs(found) < 1e12:
        raise ProviderFault(f"gives an ID token that does not say {name}")
    return float(found)
