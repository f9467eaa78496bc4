"""Codes and sentences of the protocol for the exceptions of other packages."""

from __future__ import annotations

from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto.errors import FailCode, FrameError
from tprules.api import Refusal
from tpserver.accounts.accounts import Busy, NotAdmitted, PasswordNeeded
from tpserver.concurrency import failure_of
from tpserver.games.core.errors import GameElsewhere, GameError, NotNow
from tpserver.games.core.saving import NotSaved
from tpserver.games.hall.vacations import NoSuchVacation
from tpserver.games.seats.proposals import NeedsConsent, NoSay, NoSuchProposal
from tpserver.games.stored.history import NoSuchTurn
from tpserver.notices.contacts import NotKept
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.session import Session
from tpserver.store import StoreError

log = Logger()

FENCED = "fenced"
"""The code of a StoreError: another node holds the game."""

_CONTACT_CODES = {
    "invalid": FailCode.FRAME,
    "unknown": FailCode.NO_SUCH_THING,
    "limit": FailCode.UNAVAILABLE_TEMPORARILY,
    "denied": FailCode.PERMISSION_DENIED,
}

_CODES: tuple[tuple[tuple[type[BaseException], ...], FailCode], ...] = (
    ((NoSuchTurn, NoSuchProposal, NoSuchVacation), FailCode.NO_SUCH_THING),
    ((Busy, NotNow), FailCode.UNAVAILABLE_TEMPORARILY),
    ((PasswordNeeded,), FailCode.PASSWORD_NEEDED),
    ((NotAdmitted, NoSay), FailCode.PERMISSION_DENIED),
    ((NeedsConsent,), FailCode.NEEDS_CONSENT),
    ((GameError,), FailCode.UNAVAILABLE_PERMANENTLY),
)
"""The codes of exceptions whose message is for clients.

The first match counts.
"""


def request_error(session: Session, error: BaseException, failure: Failure | None = None) -> RequestError:
    """Return the refusal for any error; unexpected errors are logged."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, Refusal):
        return RequestError(FailCode(int(error.code)), error.text)
    if isinstance(error, FrameError):
        return RequestError(error.code, error.text)
    if isinstance(error, NotKept):
        return RequestError(_CONTACT_CODES[error.kind], str(error))
    if isinstance(error, GameElsewhere):
        text = error.for_clients
        if error.address and session.game is not None:
            text += "; ask for it from a connection that is in no game"
        return RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text)
    for types, code in _CODES:
        if isinstance(error, types):
            return RequestError(code, str(error))
    if isinstance(error, NotSaved) or (isinstance(error, StoreError) and (error.is_fault or error.code == FENCED)):
        text = error.for_clients
        if session.host.registry.store.gone is not None:
            text = "the server has lost its database and saves nothing until its operator has put it back; "
            text += "nothing was changed"
        return RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text)
    log.failure("a request of {peer} failed", failure or failure_of(error), peer=session.peer.address)
    text = "the server failed on this request; the operator has been notified"
    return RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text)
