"""Errors of listeners and certificates, and of an absent engine."""


class ListenError(Exception):
    """The server cannot listen at a place; the message is one sentence naming it."""


class CertificateError(ListenError):
    """A certificate or key cannot be used; the message is one sentence naming the file."""


class HolderAway(Exception):
    """The engine, which a request needs, is being replaced (`tpserver.portal`)."""
