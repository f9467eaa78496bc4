"""Errors of the client library. Their texts are sentences for people."""


class ClientError(Exception):
    """Anything that this package raises on purpose. `str()` of it is a sentence for people."""


class RequestFailed(ClientError):
    """The server answered with a Fail frame (TP04, Fail): `code` says what kind, `text` is the server's sentence.

    Of an order that was refused, `parameter` is the position of the parameter at fault if the server names one.
    """

    def __init__(self, code: int, text: str, request: str = "", parameter: int | None = None) -> None:
        super().__init__(f"The server refused {request or 'the request'}: {text or 'no reason given'} (code {code}).")
        self.code = code
        self.text = text
        self.request = request
        self.parameter = parameter

    @property
    def is_gone(self) -> bool:
        """Return whether the target does not exist, or is hidden from this player.

        It may also have existed before.
        """
        # Not before it is wanted: its package brings all encodings, for which no wrong command line should wait.
        from tpproto.errors import FailCode

        return self.code in (FailCode.NO_SUCH_THING, FailCode.GONE, FailCode.PERMISSION_DENIED)


class ServerAway(ClientError):
    """No connection could be made: nobody listens there, the name is unknown, or TLS could not be agreed on."""


class ConnectionClosed(ClientError):
    """The connection ended before the answer came."""


class NoAnswer(ClientError):
    """The server did not answer in time."""


class OrderUnconfirmed(ClientError):
    """The connection broke after an order was sent and before it was answered, and the order is not in the queue.

    `is_lost` says that it has certainly not been accepted; otherwise the turn has passed and nobody can tell.
    """

    def __init__(self, text: str, *, is_lost: bool) -> None:
        super().__init__(text)
        self.is_lost = is_lost


class TurnPassed(ClientError):
    """The turn for which something was meant has ended; nothing was sent for it."""


class GameSuspended(ClientError):
    """The rules of the game failed, and it waits until its operator resumes it. Waiting again is possible."""


class UnexpectedAnswer(ClientError):
    """The server sent something that is no answer to what was asked, or bytes that cannot be read."""


class UnknownName(ClientError):
    """An order type, a parameter or an object is called by a name or number that this game does not have."""


class BadArgument(ClientError):
    """A value does not fit the parameter of an order, or an address cannot be understood."""
