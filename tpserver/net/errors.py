"""Why a server cannot listen."""


class ListenError(Exception):
    """The server cannot listen at a place; the message is one sentence naming it."""


class CertificateError(ListenError):
    """A certificate or key cannot be used; the message is one sentence naming the file."""


class HolderAway(Exception):
    """What a request needs is in the process that holds the games, which is being replaced (`tpserver.edge`)."""
