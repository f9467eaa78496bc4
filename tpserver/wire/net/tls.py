"""TLS certificates: loading of PEM files for Twisted's listeners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from OpenSSL import SSL
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.internet.ssl import Certificate, CertificateOptions, trustRootFromCertificates
from twisted.logger import Logger
from zope.interface import implementer  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver.wire.net.errors import CertificateError

log = Logger()

# Twisted's annotations name classes of pyOpenSSL, which itself now expects those of cryptography.
_options: Callable[..., CertificateOptions] = CertificateOptions
_trust_root: Callable[..., Any] = trustRootFromCertificates
_Key = RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey | Ed448PrivateKey


@dataclass(frozen=True, slots=True)
class Validity:
    """The times between which a certificate is valid."""

    first: datetime
    last: datetime

    @classmethod
    def of(cls, certificate: Path) -> Validity:
        """Return that of the first certificate of a PEM file. Raises CertificateError."""
        found = _certificates(certificate)[0]
        return cls(found.not_valid_before_utc, found.not_valid_after_utc)

    def problem(self) -> str:
        """Return why clients refuse the certificate now, as the end of a sentence; empty if they do not."""
        now = datetime.now(UTC)
        if now > self.last:
            return f"expired on {self.last.date().isoformat()}"
        return f"is not valid before {self.first:%Y-%m-%d %H:%M} UTC" if now < self.first else ""


@implementer(IOpenSSLServerConnectionCreator)
class ServerCertificate:
    """The certificate of a listener, which can be renewed; connections that are open keep theirs."""

    def __init__(self, certificate: Path, key: Path | None = None) -> None:
        """``certificate`` and ``key`` are those of ``certificate_options``. Raises CertificateError."""
        self._options = certificate_options(certificate, key)
        self._validity = Validity.of(certificate)

    def renew(self, certificate: Path, key: Path | None = None) -> None:
        """Use other files for all connections from now on.

        Raises CertificateError, also for an invalid certificate in place of a valid one. Then nothing has changed.
        """
        options, validity = certificate_options(certificate, key), Validity.of(certificate)
        if validity.problem() and not self._validity.problem():
            raise CertificateError(f"{certificate} {validity.problem()}; the valid one stays in use. Renew it first")
        self._options, self._validity = options, validity

    def serverConnectionForTLS(self, protocol: object) -> SSL.Connection:
        return SSL.Connection(self._options.getContext(), None)


def certificate_options(certificate: Path, key: Path | None = None) -> CertificateOptions:
    """Return the TLS options of a listener, from PEM files: the certificate with its chain, and the private key.

    Without `key` the private key is read from the certificate's file. Raises CertificateError.
    """
    chain, private = _pair(certificate, key, "tls")
    if problem := Validity.of(certificate).problem():
        log.warn("{file}: the certificate {problem}; clients will refuse it", file=str(certificate), problem=problem)
    return _usable(certificate, _options(privateKey=private, certificate=chain[0], extraCertChain=chain[1:]))


def node_options(certificate: Path, key: Path | None, authority: Path) -> CertificateOptions:
    """Return the TLS options of both ends of a link between nodes.

    Each end shows its certificate, and accepts any certificate that the authority has signed. Names in certificates do
    not matter. The files are PEM. Raises CertificateError.
    """
    chain, private = _pair(certificate, key, "cluster")
    signers = [one.public_bytes(serialization.Encoding.PEM) for one in _certificates(authority, "cluster.authority")]
    trusted = _trust_root([Certificate.loadPEM(one) for one in signers])
    options = _options(privateKey=private, certificate=chain[0], extraCertChain=chain[1:], trustRoot=trusted)
    return _usable(certificate, options)


def _pair(certificate: Path, key: Path | None, section: str) -> tuple[list[x509.Certificate], _Key]:
    """Return a certificate with its chain, and its private key; ``section`` of the configuration names the files.

    Raises CertificateError.
    """
    named_by = f"{section}.certificate"
    chain = _certificates(certificate, named_by)
    private = _private_key(key or certificate, named_by if key is None else f"{section}.key")
    if private.public_key() != chain[0].public_key():
        raise CertificateError(
            f"{key or certificate}: this key does not belong to the first certificate in {certificate}"
        )
    return chain, private


def _usable(certificate: Path, options: CertificateOptions) -> CertificateOptions:
    """Return the options. Raises CertificateError if TLS cannot use them."""
    try:
        options.getContext()
    except SSL.Error as error:
        raise CertificateError(f"{certificate}: TLS cannot use this certificate ({_reason(error)})") from None
    return options


def days_left(certificate: Path) -> float:
    """Return how many days the first certificate of a PEM file is still valid, negative after.

    Raises CertificateError.
    """
    left = _certificates(certificate)[0].not_valid_after_utc - datetime.now(UTC)
    return left.total_seconds() / 86400


def _certificates(path: Path, named_by: str = "tls.certificate") -> list[x509.Certificate]:
    data = _read(path, "certificate", named_by)
    try:
        return x509.load_pem_x509_certificates(data)
    except (ValueError, UnsupportedAlgorithm):
        raise _not_pem(path, "certificate") from None


def _private_key(path: Path, named_by: str) -> _Key:
    data = _read(path, "private key", named_by)
    try:
        key = serialization.load_pem_private_key(data, password=None)
    except TypeError:
        raise CertificateError(
            f"{path}: the private key is encrypted; a server has nobody to type its password, so store it without"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise _not_pem(path, "private key") from None
    if not isinstance(key, _Key):
        raise CertificateError(f"{path}: TLS needs a private key of the kind RSA, EC, Ed25519 or Ed448")
    return key


def _not_pem(path: Path, what: str) -> CertificateError:
    return CertificateError(
        f"{path}: there is no {what} in this file that can be read; it has to be PEM, "
        f"which starts with -----BEGIN {what.upper()}-----"
    )


def _read(path: Path, what: str, named_by: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CertificateError(f"{named_by} is {path}: the {what} cannot be read: {error.strerror or error}") from None


def _reason(error: SSL.Error) -> str:
    details = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return str(details[-1][-1]) if details else "no reason given"
