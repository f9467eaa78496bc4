"""Errors of listeners and certificates, and of an absent engine."""


class ListenError(Exception):
    """The server cannot listen at a place. The message is one sentence that names it."""


class CertificateError(ListenError):
    """A certificate or key cannot be used. The message is one sentence that names the file."""


class HolderAway(Exception):
    """The engine, which a request needs, is being replaced (`tpserver.portal`)."""
