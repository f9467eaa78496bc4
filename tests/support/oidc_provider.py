"""A real OpenID Connect provider on this machine, honest or hostile.

It speaks HTTP, has RSA and EC keys, signs tokens, and checks PKCE. It asks for no password: everybody logs in as
`subject`. The next responses consist of what a test sets.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwk, jws, jwt

CLIENT, SECRET = "tp server/1", "secret: & of ours"
"""With signs that have to be encoded in the header."""


@cache
def _rsa_key(number: int) -> dict[str, Any]:
    """Return a key, for each number another one. Making one takes longer than a test, so providers share them."""
    made = jwk.RSAKey.generate_key(2048).as_dict(private=True)
    return {name: value for name, value in made.items() if name != "kid"}


class OidcProvider:
    """A provider at ``issuer``."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.issuer = f"http://{host}:{self.server.server_port}"
        self.subject = "subject-1"
        self.more: dict[str, Any] = {"preferred_username": "Ann of There"}
        """Claims beside, or in place of, those that the flow needs."""
        self.algorithm = "RS256"
        self.now: Callable[[], float] = time.time
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        """Makes the ID token of claims."""
        self.answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        """By path: what is done in the place of an answer."""
        self.asked: list[str] = []
        self.ended = threading.Event()
        self.error = ""
        self.codes: dict[str, dict[str, str]] = {}
        self._rotations = 0
        self.rotate()

    def rotate(self) -> None:
        """Have other keys from now on."""
        mark = secrets.token_hex(4)
        self.rsa = jwk.RSAKey.import_key(_rsa_key(self._rotations), {"kid": f"rsa-{mark}", "use": "sig"})
        self._rotations += 1
        self.ec = jwk.ECKey.generate_key("P-256", {"kid": f"ec-{mark}", "use": "sig"})

    def signed(self, claims: dict[str, Any], algorithm: str = "", key: Any = None, **head: Any) -> str:
        """Return a token, by our own key unless another is given."""
        algorithm = algorithm or self.algorithm
        own = key or (self.ec if algorithm.startswith("ES") else self.rsa)
        header = {"alg": algorithm, "kid": own.kid, **head}
        return jwt.encode({name: value for name, value in header.items() if value is not None}, claims, own,
                          algorithms=[algorithm])  # fmt: skip

    def public_pem(self) -> bytes:
        """Return the public key as text, which a careless server would take for a shared secret."""
        return self.rsa.as_pem(private=False)

    def jwks(self) -> dict[str, Any]:
        odd: list[Any] = [{"kty": "oct", "k": "AAAA"}, {"kty": "RSA", "n": "!", "e": "AQAB"}, {"kty": "new"}, 7]
        return {"keys": [*odd, *(one.as_dict(private=False) for one in (self.rsa, self.ec))]}

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize?tenant=ours",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    def authorize(self, query: str) -> str:
        """Return where a browser is sent back to."""
        asked = {key: values[-1] for key, values in parse_qs(query).items()}
        assert asked["client_id"] == CLIENT and asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256" and "openid" in asked["scope"].split()
        if self.error:
            return f"{asked['redirect_uri']}?{urlencode({'error': self.error, 'state': asked['state']})}"
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state'], 'iss': self.issuer})}"

    def token(self, headers: Any, body: str) -> tuple[int, dict[str, Any]]:
        """Exchange a code, once, for a client with the verifier and the secret."""
        form = {key: values[-1] for key, values in parse_qs(body).items()}
        pair = base64.b64decode(headers["Authorization"].removeprefix("Basic ")).decode()
        if [unquote(part) for part in pair.split(":")] != [CLIENT, SECRET]:
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(self.now())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": self.subject, "iat": now, "exp": now + 300}
        claims |= {"nonce": asked["nonce"], **self.more}
        claims = {name: value for name, value in claims.items() if value is not None}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.sign(claims)}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *words: object) -> None: ...

            def told(self, code: int, value: object) -> None:
                body = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                provider.asked.append(parts.path)
                if parts.path in provider.answers:
                    provider.answers[parts.path](self)
                elif parts.path == "/authorize":
                    self.send_response(302)
                    self.send_header("Location", provider.authorize(parts.query))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif parts.path == "/keys":
                    self.told(200, provider.jwks())
                elif parts.path == "/.well-known/openid-configuration":
                    self.told(200, provider.discovery())
                else:
                    self.told(404, {})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                provider.asked.append(self.path)
                if self.path in provider.answers:
                    provider.answers[self.path](self)
                else:
                    self.told(*provider.token(self.headers, body))

        return Handler


def unsigned(claims: dict[str, Any]) -> str:
    """Return a token of the algorithm none."""
    head, body = (base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in
                  ({"alg": "none"}, claims))  # fmt: skip
    return f"{head}.{body}."


def by_public_key(provider: OidcProvider, claims: dict[str, Any]) -> str:
    """Return a token that is signed with the public key as if that were a shared secret."""
    key = jwk.OctKey.import_key(provider.public_pem().replace(b"-----", b"=====")[:64])
    return jws.serialize_compact({"alg": "HS256", "kid": provider.rsa.kid}, json.dumps(claims), key,
                                 algorithms=["HS256"])  # fmt: skip


@contextmanager
def oidc_provider(host: str = "127.0.0.1") -> Iterator[OidcProvider]:
    """A provider that runs; browsers find it under the name ``host``."""
    made = OidcProvider(host)
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.ended.set()
        made.server.shutdown()
        made.server.server_close()
