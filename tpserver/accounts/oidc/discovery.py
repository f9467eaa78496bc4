"""Metadata of a provider (OpenID Connect Discovery 1.0, 3 and 4)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tprules.printable import quoted
from tpserver.accounts.oidc.terms import Provider

PATH = "/.well-known/openid-configuration"
_ADDRESS = re.compile(r"https?://[!-~]{1,2000}")


class ProviderFault(Exception):
    """A provider violates the protocol. The message completes "NAME ..."; it contains no text of the provider."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The endpoints of a provider."""

    authorization: str
    token: str
    keys: str
    posts_secret: bool
    """True if it accepts the secret only in the form, and not in a header."""


def address_of(terms: Provider) -> str:
    """Return the address of a provider's metadata."""
    return f"{terms.issuer.rstrip('/')}{PATH}"


def object_of(body: bytes) -> Mapping[str, Any]:
    """Return the JSON object of a response. Raises ProviderFault."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise ProviderFault("answers with what is no JSON, or is too long") from None
    if not isinstance(found, dict):
        raise ProviderFault("answers with what is no JSON object")
    return found


def endpoints_of(terms: Provider, body: bytes) -> Endpoints:
    """Return the endpoints of a provider, from its metadata. Raises ProviderFault."""
    told = object_of(body)
    if told.get("issuer") != terms.issuer:
        raise ProviderFault(f"calls itself {quoted(str(told.get('issuer'))[:100])}, which is another issuer")
    found = {key: _address(terms, told, key) for key in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
    methods = told.get("token_endpoint_auth_methods_supported")
    posts = isinstance(methods, list) and "client_secret_basic" not in methods and "client_secret_post" in methods
    return Endpoints(found["authorization_endpoint"], found["token_endpoint"], found["jwks_uri"], posts)


def _address(terms: Provider, told: Mapping[str, Any], key: str) -> str:
    found = told.get(key)
    if not isinstance(found, str) or not _ADDRESS.fullmatch(found) or "#" in found:
        raise ProviderFault(f"tells no address as its {key}")
    if not (terms.own_network or found.startswith("https:")):
        raise ProviderFault(f"tells an address without https as its {key}")
    return found
