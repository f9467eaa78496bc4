"""TLS certificates for this machine, self-signed or signed by another."""

from __future__ import annotations

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """A key as a PEM file has it, without a password."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def certificate_pem(
    key: ec.EllipticCurvePrivateKey,
    days: float = 1.0,
    signer: ec.EllipticCurvePrivateKey | None = None,
    since: float = -60.0,
) -> bytes:
    """Return a certificate for 127.0.0.1 in PEM form.

    It is valid ``since`` seconds from now, for this number of days. Without a signer it is self-signed. A signer has a
    self-signed certificate.
    """
    issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    name = issuer if signer is None else x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a node")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=since))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .sign(signer or key, hashes.SHA256())
    )
    return certificate.public_bytes(Encoding.PEM)
