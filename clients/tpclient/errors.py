"""Errors of the client library. Their texts are sentences for people."""


class ClientError(Exception):
    """The base of all errors of this package. `str()` of it is a sentence for people."""


class RequestFailed(ClientError):
    """The server sent a Fail frame (TP04, Fail). `code` is its code, `text` the server's sentence.

    For a refused order, `parameter` is the position of the parameter at fault, if the server names one.
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
        # Import late: its package loads all encodings, which would delay the error for a wrong command line.
        from tpproto.errors import FailCode

        return self.code in (FailCode.NO_SUCH_THING, FailCode.GONE, FailCode.PERMISSION_DENIED)


class ServerAway(ClientError):
    """The connection failed: nothing listens there, the name is unknown, or TLS failed."""


class ConnectionClosed(ClientError):
    """The connection ended before the response arrived."""


class NoAnswer(ClientError):
    """The server did not respond in time."""


class OrderUnconfirmed(ClientError):
    """The connection broke after an order was sent and before the response, and the order is not in the queue.

    If `is_lost` is True, the server certainly has not accepted it. Otherwise the turn has passed, and its fate is
    unknown.
    """

    def __init__(self, text: str, *, is_lost: bool) -> None:
        super().__init__(text)
        self.is_lost = is_lost


class TurnPassed(ClientError):
    """The turn of the request has ended. Nothing was sent."""


class GameSuspended(ClientError):
    """The rules of the game failed. It waits until its operator resumes it. The caller may wait again."""


class UnexpectedAnswer(ClientError):
    """The server sent a frame that is no response to the request, or bytes that cannot be read."""


class UnknownName(ClientError):
    """An order type, parameter or object with this name or number does not exist in the game."""


class BadArgument(ClientError):
    """A value does not fit the parameter of an order, or an address cannot be understood."""
