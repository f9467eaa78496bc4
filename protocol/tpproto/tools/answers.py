"""Groups, response frames and errors of requests, for the page of frames.

Responses and errors come from the policies in the schema, groups from names. Tests compare them with the server.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from tpproto import tp_pb2
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME, KINDS, FrameKind, policy_of
from tpproto.tools.transcript import InputError

# --- groups -----------------------------------------------------------------------------------------------------------

CONNECTION = "Connection"

_CONNECTION = frozenset(
    ("okay", "fail", "sequence_of", "connect", "login", "redirect", "get_features", "features", "ping",
     "create_account", "set_filters", "login_account", "account", "keep_login", "ticket", "get_kept_logins",
     "kept_logins", "revoke_login", "change_password", "get_tokens", "tokens", "create_token", "token", "revoke_token",
     "request_reset", "reset_password", "get_own_account", "own_account", "administer", "administered",
     "get_accounts", "accounts", "play_as_guest", "guest", "become_account", "get_providers",
     "providers", "connect_provider", "disconnect_provider")
)  # fmt: skip

_WORDS = (
    ("Notices", ("notice", "calendar", "push", "reset_address")),
    ("Catalogue", ("desc", "resource", "categor", "design", "component", "propert")),
    ("Objects", ("object",)),
    ("Orders", ("order", "legal")),
    ("Boards and messages", ("board", "message", "talk", "mute", "block", "silence", "report")),
    (
        "Players and turns",
        ("player", "turn", "time", "clock", "seat", "say_here", "autopilot", "propos", "vote", "vacation"),
    ),
    ("Games", ("game", "join", "watch", "rules", "appearance", "standing", "scores", "invitation")),
)

GROUPS = (CONNECTION, "Objects", "Orders", "Boards and messages", "Players and turns", "Catalogue", "Games", "Notices")
"""The groups of frames, in the order of the page."""


def group_of(kind: FrameKind) -> str:
    """Return the group of a frame by the words in its name. Raises InputError if there is none."""
    if kind.field in _CONNECTION:
        return CONNECTION
    for group, words in _WORDS:
        if any(word in kind.field for word in words):
            return group
    raise InputError(f"No group is known for {kind}; name one in tools/answers.py.")


# --- answers ----------------------------------------------------------------------------------------------------------

NOTES: Mapping[str, str] = {
    "order_insert": "Okay in TP03, Order in TP04 and later.",
    "redirect": "tpserver never sends it.",
    "time_remaining": "It also comes when nobody asked, with sequence number 0.",
}
"""Frame -> an additional sentence."""


def answers_to(request: FrameKind) -> tuple[FrameKind, ...]:
    """Return the response frames of a request; none if it is always refused. The response to GetX is X.

    Raises InputError if neither its policy nor its name determines them.
    """
    names = policy_of(request).answer or [request.field.removeprefix("get_")]
    if names[0] == request.field or not set(names) <= BY_NAME.keys():
        raise InputError(f"No answer to {request} is known; name it in its policy in tp.proto.")
    return tuple(BY_NAME[name] for name in names if name != "fail")


def answers_each(request: FrameKind) -> bool:
    """Return whether the response has one frame for each thing, with Sequence before them unless there is only one."""
    several = (tp_pb2.GetWithID, tp_pb2.GetWithIDSlot, tp_pb2.GetGames, tp_pb2.GetRulesets, tp_pb2.GetTurnSummaries)
    return request.message in several


def counts_always(request: FrameKind) -> bool:
    """Return whether Sequence comes before a single thing, too."""
    return request.field == "get_objects_by_id"


def answered_by(response: FrameKind) -> tuple[FrameKind, ...]:
    """Return the requests to which a frame responds; none for Fail, which responds to all."""
    if response.field == "sequence_of":
        return tuple(kind for kind in KINDS if kind.request and answers_each(kind))
    return tuple(kind for kind in KINDS if kind.request and response in answers_to(kind))


# --- refusals ---------------------------------------------------------------------------------------------------------

CODES: Mapping[FailCode, str] = MappingProxyType(
    {
        FailCode.PROTOCOL: "Not the protocol that this connection speaks: another version, or bytes that are no frame.",
        FailCode.FRAME: "The frame is wrong: it is not laid out as it should be, or a value is never allowed.",
        FailCode.UNAVAILABLE_PERMANENTLY: "Not available here, or no longer: asking again does not help.",
        FailCode.UNAVAILABLE_TEMPORARILY: "Not now: log in first, or ask again later.",
        FailCode.NO_SUCH_THING: "There is nothing with this id, slot or key.",
        FailCode.PERMISSION_DENIED: "It is there, but not for you.",
        FailCode.GONE: "It no longer exists.",
        FailCode.FRAME_VERSION_NOT_SUPPORTED: "The frame version of a TP04 header is not 0.",
        FailCode.REQUEST_TOO_BIG: "The request is too long, or asks for too much at once.",
        FailCode.NEEDS_CONSENT: "The other players have to agree: propose it.",
        FailCode.PASSWORD_NEEDED: "The request adds a way into the account. Send it again with the password.",
    }
)
"""The meanings of the codes of Fail."""

IN_TP03: Mapping[FailCode, FailCode] = MappingProxyType(
    {
        FailCode.GONE: FailCode.NO_SUCH_THING,
        FailCode.FRAME_VERSION_NOT_SUPPORTED: FailCode.UNAVAILABLE_PERMANENTLY,
        FailCode.REQUEST_TOO_BIG: FailCode.UNAVAILABLE_PERMANENTLY,
        FailCode.NEEDS_CONSENT: FailCode.UNAVAILABLE_PERMANENTLY,
        FailCode.PASSWORD_NEEDED: FailCode.UNAVAILABLE_PERMANENTLY,
    }
)
"""The codes for TP03 clients in place of those that TP03 lacks."""


class RequestErrors(NamedTuple):
    """The errors of a request.

    `needs` is the condition that is checked first, `codes` are the other errors.
    """

    needs: tp_pb2.Policy.Needs
    codes: Mapping[FailCode, str]

    def before_login(self) -> FailCode | None:
        """Return the code of the refusal before login; None if the request needs no login."""
        return None if self.needs == tp_pb2.Policy.NOTHING else FailCode.UNAVAILABLE_TEMPORARILY

    def without_game(self) -> FailCode | None:
        """Return the code for a client that has logged in on a server without games."""
        return FailCode.UNAVAILABLE_TEMPORARILY if self.needs <= tp_pb2.Policy.GAME else None

    def watching(self) -> FailCode | None:
        """Return the code for a spectator."""
        return FailCode.PERMISSION_DENIED if self.needs == tp_pb2.Policy.SEAT else None


def refusals_of(request: FrameKind) -> RequestErrors:
    """Return the errors of a request, from its policy."""
    policy = policy_of(request)
    return RequestErrors(
        policy.needs, {FailCode(field.number): str(when) for field, when in policy.errors.ListFields()}
    )
