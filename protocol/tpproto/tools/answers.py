"""What the page of frames says beyond the schema: groups, which frames answer a request, and how it may be refused.

The schema tells the direction of a frame and no more. Names tell the most; what they do not tell is in the tables here.
Tests hold these against the server.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from .. import tp_pb2
from ..errors import FailCode
from ..frames import BY_NAME, KINDS, FrameKind
from .transcript import InputError

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
    ("Notices", ("notice", "calendar", "push")),
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
    """The group of a frame: what the words of its name say, in that order. Raises InputError if they say nothing."""
    if kind.field in _CONNECTION:
        return CONNECTION
    for group, words in _WORDS:
        if any(word in kind.field for word in words):
            return group
    raise InputError(f"No group is known for {kind}; name one in tools/answers.py.")


# --- answers ----------------------------------------------------------------------------------------------------------

_OKAY = ("okay",)

_ANSWERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("connect", "login", "create_account", "set_filters", "ping", "enter_game", "revoke_login"), _OKAY),
    **dict.fromkeys(
        (
            "create_game",
            "extend_turn",
            "set_clock",
            "set_seat_policy",
            "say_here",
            "set_autopilot",
            "take_seat",
            "change_password",
            "revoke_token",
            "request_reset",
            "reset_password",
            *("propose", "vote", "add_vacation", "end_vacation"),
        ),
        _OKAY,
    ),
    "create_token": ("token",),
    "administer": ("administered",),
    "add_notice_address": ("notice_address",),
    "get_push_key": ("push_key",),
    **dict.fromkeys(("get_calendar", "make_calendar"), ("calendar",)),
    "revoke_calendar": _OKAY,
    **dict.fromkeys(("verify_notice_address", "remove_notice_address", "set_notice_wish", "set_notice_times"), _OKAY),
    **dict.fromkeys(("rename_game", "set_join", "abort_game", "hand_over_game", "set_watch_delay"), _OKAY),
    **dict.fromkeys(("set_mute", "set_block", "set_silence", "report_message", "close_report"), _OKAY),
    "get_rulesets": ("ruleset",),
    "login_account": ("account",),
    "keep_login": ("ticket",),
    "play_as_guest": ("guest",),
    "become_account": ("account",),
    "connect_provider": ("ticket",),
    "disconnect_provider": _OKAY,
    **dict.fromkeys(
        ("remove_player", "remove_order", "post_message", "remove_message", "finished_turn", "unfinish_turn"), _OKAY
    ),
    "order_insert": ("okay", "order"),
    "order_probe": ("order",),
    "order_replace": ("order",),
    "get_objects_by_id": ("object", "classic_object"),
    "get_object_ids_by_pos": ("object_ids",),
    "get_object_ids_by_container": ("object_ids",),
    "get_boards": ("board",),
    "get_turn_summaries": ("turn_summary",),
    "show_turn": ("turn_shown",),
    "get_games": ("game",),
    # These are always refused.
    **dict.fromkeys(("get_objects_by_pos", "modify_object", "add_category", "remove_category"), ()),
    **dict.fromkeys(("add_design", "modify_design", "remove_design"), ()),
}
"""The frames that answer a request, besides Fail, where its name does not tell."""

NOTES: Mapping[str, str] = {
    "order_insert": "Okay in TP03, Order in TP04 and later.",
    "redirect": "tpserver never sends it.",
    "time_remaining": "It also comes when nobody asked, with sequence number 0.",
}
"""Sentences about single frames."""


def answers_to(request: FrameKind) -> tuple[FrameKind, ...]:
    """The frames that answer a request when it is not refused; none if it always is. GetX is answered by X.

    Raises InputError if neither the name nor the table tells.
    """
    names = _ANSWERS.get(request.field)
    if names is None:
        names = (request.field.removeprefix("get_"),)
        if names[0] == request.field or names[0] not in BY_NAME:
            raise InputError(f"No answer to {request} is known; name it in tools/answers.py.")
    return tuple(BY_NAME[name] for name in names)


def answers_each(request: FrameKind) -> bool:
    """Whether a request is answered by one frame for each thing: Sequence goes before them unless it is a single
    one."""
    several = (tp_pb2.GetWithID, tp_pb2.GetWithIDSlot, tp_pb2.GetGames, tp_pb2.GetRulesets, tp_pb2.GetTurnSummaries)
    return request.message in several


def counts_always(request: FrameKind) -> bool:
    """Whether Sequence goes before a single thing, too."""
    return request.field == "get_objects_by_id"


def answered_by(response: FrameKind) -> tuple[FrameKind, ...]:
    """The requests that a frame of a server answers; for Fail, which answers any, none."""
    if response.field == "sequence_of":
        return tuple(kind for kind in KINDS if kind.request and answers_each(kind))
    return tuple(kind for kind in KINDS if kind.request and response in answers_to(kind))


# --- refusals ---------------------------------------------------------------------------------------------------------

CODES: Mapping[FailCode, str] = MappingProxyType(
    {
        FailCode.PROTOCOL: "Not the protocol that this connection speaks: another version, or bytes that are no frame.",
        FailCode.FRAME: "The frame is wrong: it is not laid out as it should be, or a value is never allowed.",
        FailCode.UNAVAILABLE_PERMANENTLY: "Not here, or not any more: asking again does not help.",
        FailCode.UNAVAILABLE_TEMPORARILY: "Not now: log in first, or ask again later.",
        FailCode.NO_SUCH_THING: "There is nothing with this id, slot or key.",
        FailCode.PERMISSION_DENIED: "It is there, but not for you.",
        FailCode.GONE: "It was there and is not any more.",
        FailCode.FRAME_VERSION_NOT_SUPPORTED: "The frame version of a TP04 header is not 0.",
        FailCode.REQUEST_TOO_BIG: "The request is too long, or asks for too much at once.",
    }
)
"""What the codes of Fail mean."""

IN_TP03: Mapping[FailCode, FailCode] = MappingProxyType(
    {
        FailCode.GONE: FailCode.NO_SUCH_THING,
        FailCode.FRAME_VERSION_NOT_SUPPORTED: FailCode.UNAVAILABLE_PERMANENTLY,
        FailCode.REQUEST_TOO_BIG: FailCode.UNAVAILABLE_PERMANENTLY,
    }
)
"""What TP03 clients get for the codes that it lacks."""


class Needs(Enum):
    """What a client must have before a request is answered; each needs what stands before it, too."""

    NOTHING = 0
    LOGIN = 1
    GAME = 2
    SEAT = 3


class Refusals(NamedTuple):
    """How a request may be refused: `needs` is what is missed first, `codes` say what else can be wrong."""

    needs: Needs
    codes: Mapping[FailCode, str] = MappingProxyType({})

    def before_login(self) -> FailCode | None:
        """The code of the refusal before login; None: the request is answered."""
        return None if self.needs is Needs.NOTHING else FailCode.UNAVAILABLE_TEMPORARILY

    def without_game(self) -> FailCode | None:
        """The code for a client that has logged in on a server without games."""
        return FailCode.UNAVAILABLE_TEMPORARILY if self.needs in (Needs.GAME, Needs.SEAT) else None

    def watching(self) -> FailCode | None:
        """The code for a client that watches a game without a seat."""
        return FailCode.PERMISSION_DENIED if self.needs is Needs.SEAT else None


_NEVER = {FailCode.UNAVAILABLE_PERMANENTLY: "always"}
_FIXED = {FailCode.UNAVAILABLE_PERMANENTLY: "always: games of this server do not let players change it"}
_LIST = {
    FailCode.FRAME: "the amount is below -1",
    FailCode.NO_SUCH_THING: "no list has the key, or it ends before the start",
}
_THING = {FailCode.NO_SUCH_THING: "nothing has the id"}
_OBJECT = {**_THING, FailCode.GONE: "the object was there once"}
_QUEUE = {
    FailCode.NO_SUCH_THING: "no object has the id, or it has no queue",
    FailCode.PERMISSION_DENIED: "the object is another player's",
    FailCode.GONE: "the object was there once",
}
_ORDER = {
    FailCode.FRAME: "the parameters are not those of the order type, or a value is never allowed",
    FailCode.UNAVAILABLE_PERMANENTLY: "the game is over, or the object never takes such orders",
    FailCode.UNAVAILABLE_TEMPORARILY: "the turn is being computed, the game has not begun or is held, or the queue is "
    "full",
    FailCode.NO_SUCH_THING: "no order type, object or slot has the number",
    FailCode.PERMISSION_DENIED: "the object is not yours to command",
    FailCode.GONE: "the object was there once",
}
_CLOSED = {
    FailCode.UNAVAILABLE_PERMANENTLY: "the game is over",
    FailCode.UNAVAILABLE_TEMPORARILY: "the turn is being computed, or the game has not begun or is held",
}
_SLOTS = {
    FailCode.NO_SUCH_THING: "no board has the id, or nothing is in the slot",
    FailCode.PERMISSION_DENIED: "the board is another player's",
    FailCode.REQUEST_TOO_BIG: "more slots than a board can have",
}

_OWNED = {
    FailCode.UNAVAILABLE_TEMPORARILY: "not so often in an hour, or the turn is being computed",
    FailCode.PERMISSION_DENIED: "another account has made the game",
}

_REFUSALS: Mapping[str, Refusals] = {
    "connect": Refusals(Needs.NOTHING),
    "get_features": Refusals(Needs.NOTHING),
    "ping": Refusals(Needs.NOTHING),
    "get_games": Refusals(Needs.NOTHING),
    "get_rules": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_TEMPORARILY: "no ruleset is named, and no game is played",
            FailCode.NO_SUCH_THING: "no ruleset has the name",
        },
    ),
    "get_appearance": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_TEMPORARILY: "no ruleset is named, and no game is played",
            FailCode.NO_SUCH_THING: "no ruleset has the name",
        },
    ),
    "get_standing": Refusals(Needs.GAME),
    "get_scores": Refusals(Needs.GAME, {FailCode.UNAVAILABLE_TEMPORARILY: "the game has not started"}),
    "get_game_setup": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no game has the name",
            FailCode.UNAVAILABLE_TEMPORARILY: "no game is named, and none is played",
            FailCode.PERMISSION_DENIED: "a game for others",
        },
    ),
    "set_filters": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "a filter is not offered; then none is set",
            FailCode.REQUEST_TOO_BIG: "too many filters",
        },
    ),
    "login": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "logged in already; no such game, or it is full; or several games, and "
            "none is named",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many wrong passwords of late, or too many logins at once",
            FailCode.PERMISSION_DENIED: "wrong name or password, or a game for others; after many of them the "
            "connection is closed",
        },
    ),
    "login_account": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "logged in already",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many wrong passwords of late, or too many logins at once",
            FailCode.PERMISSION_DENIED: "wrong name or password, or this browser has not stayed logged in; after many "
            "of them the connection is closed",
        },
    ),
    "enter_game": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "in a game already; no such game, or it is full; or several games, and "
            "none is named",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many old turns are being looked at",
            FailCode.NO_SUCH_THING: "no such turn",
            FailCode.PERMISSION_DENIED: "a game for others",
        },
    ),
    "keep_login": Refusals(
        Needs.LOGIN,
        {
            FailCode.FRAME: "the label is too long",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many tickets are not used yet",
        },
    ),
    "get_kept_logins": Refusals(Needs.LOGIN),
    "play_as_guest": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "logged in already",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many guests of late, from the address or in all, or as many are "
            "here as the server takes",
            FailCode.PERMISSION_DENIED: "the server takes no guests",
        },
    ),
    "get_providers": Refusals(Needs.NOTHING),
    "connect_provider": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "it is connected already",
            FailCode.NO_SUCH_THING: "the server knows no such provider",
            FailCode.PERMISSION_DENIED: "the account is a guest's",
        },
    ),
    "disconnect_provider": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "nothing else would log in to the account",
            FailCode.NO_SUCH_THING: "the account is not connected with such a provider",
        },
    ),
    "become_account": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "the account is no guest's",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many passwords are being checked",
            FailCode.PERMISSION_DENIED: "the name is taken or not allowed, or only the operator makes accounts",
        },
    ),
    "revoke_login": Refusals(Needs.LOGIN, {FailCode.NO_SUCH_THING: "no login of the account has the id"}),
    "get_my_games": Refusals(Needs.LOGIN),
    "get_rulesets": Refusals(Needs.NOTHING),
    "create_game": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "the name is taken or not allowed, or no such ruleset, number of seats, "
            "clock or option",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many games of the account are open, or it makes games too fast",
            FailCode.PERMISSION_DENIED: "only the operator makes games",
        },
    ),
    "get_invitation": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game, or everybody can join it, or no seat is free",
            FailCode.PERMISSION_DENIED: "another account has made the game",
        },
    ),
    "get_clock": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no game has the name, or it cannot be loaded",
            FailCode.UNAVAILABLE_TEMPORARILY: "no game is named, and none is played",
            FailCode.PERMISSION_DENIED: "a game for others",
        },
    ),
    "extend_turn": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game, its turn has no deadline, or not so many seconds",
            FailCode.UNAVAILABLE_TEMPORARILY: "not so often in a turn, or the turn is being computed",
            FailCode.PERMISSION_DENIED: "another account has made the game",
        },
    ),
    "set_clock": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game or clock, or the game is over",
            FailCode.UNAVAILABLE_TEMPORARILY: "not so often in a turn, or the turn is being computed",
            FailCode.PERMISSION_DENIED: "another account has made the game",
        },
    ),
    "get_clock_groups": Refusals(Needs.NOTHING, {FailCode.NO_SUCH_THING: "no ruleset has the name"}),
    "get_seats": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no game has the name, or it cannot be loaded",
            FailCode.UNAVAILABLE_TEMPORARILY: "no game is named, and none is played",
            FailCode.PERMISSION_DENIED: "a game for others",
        },
    ),
    "set_seat_policy": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game, it is over, or there is no such policy",
            FailCode.UNAVAILABLE_TEMPORARILY: "not so often in a turn, or the turn is being computed",
            FailCode.PERMISSION_DENIED: "another account has made the game",
        },
    ),
    "say_here": Refusals(Needs.SEAT, {FailCode.UNAVAILABLE_TEMPORARILY: "the turn is being computed"}),
    "set_autopilot": Refusals(
        Needs.SEAT,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "not so many turns, the rules have no bot, or the game is over",
            FailCode.UNAVAILABLE_TEMPORARILY: "not so often in a turn, the turn is being computed, or the game has not "
            "started",
        },
    ),
    "get_open_seats": Refusals(Needs.NOTHING),
    "take_seat": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game, the seat seeks nobody, or the account has one in the game",
            FailCode.UNAVAILABLE_TEMPORARILY: "the turn is being computed",
            FailCode.PERMISSION_DENIED: "a game for others, for more reliable players, or one from which the account "
            "was removed",
        },
    ),
    "remove_player": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game or player, the seat seeks somebody already, or the game is "
            "over",
            FailCode.UNAVAILABLE_TEMPORARILY: "the turn is being computed",
            FailCode.PERMISSION_DENIED: "another account has made the game",
        },
    ),
    "get_proposals": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no game has the name, or it cannot be loaded",
            FailCode.UNAVAILABLE_TEMPORARILY: "no game is named, and none is played",
            FailCode.PERMISSION_DENIED: "a game for others",
        },
    ),
    "propose": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game or kind, not so many seconds, no more of it in this game, "
            "or the game is over",
            FailCode.UNAVAILABLE_TEMPORARILY: "it makes no sense now, is proposed already, or you have proposed "
            "too much of late",
            FailCode.PERMISSION_DENIED: "the account has no seat in the game",
        },
    ),
    "vote": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game or vote, you have voted already, or the proposal has ended",
            FailCode.UNAVAILABLE_TEMPORARILY: "the turn is being computed",
            FailCode.NO_SUCH_THING: "the game has no proposal with the id",
            FailCode.PERMISSION_DENIED: "the account has no seat in the game, or withdraws what others have proposed",
        },
    ),
    "get_vacations": Refusals(Needs.LOGIN),
    "add_vacation": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "the times make no vacation, it is too far away, or the account has one "
            "then, or not so many days left in the year",
            FailCode.UNAVAILABLE_TEMPORARILY: "the account has said so too often within a year",
        },
    ),
    "end_vacation": Refusals(Needs.LOGIN, {FailCode.NO_SUCH_THING: "the account has no such vacation"}),
    "get_notices": Refusals(Needs.LOGIN),
    "add_notice_address": Refusals(
        Needs.LOGIN,
        {
            FailCode.FRAME: "this server does not send to such addresses, or it is none",
            FailCode.UNAVAILABLE_TEMPORARILY: "the account has too many addresses, or this one; or too many codes were "
            "sent today",
        },
    ),
    "verify_notice_address": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_TEMPORARILY: "too many codes were sent today",
            FailCode.NO_SUCH_THING: "the account has no address with the id",
            FailCode.PERMISSION_DENIED: "this is not the code, or too many wrong ones were tried",
        },
    ),
    "remove_notice_address": Refusals(Needs.LOGIN, {FailCode.NO_SUCH_THING: "the account has no address with the id"}),
    "set_notice_wish": Refusals(
        Needs.LOGIN,
        {
            FailCode.FRAME: "no such mode, or too many hours",
            FailCode.NO_SUCH_THING: "the account has no seat in a game of that name",
        },
    ),
    "set_notice_times": Refusals(Needs.LOGIN, {FailCode.FRAME: "no such time zone or time of the day"}),
    "get_push_key": Refusals(Needs.LOGIN),
    "get_calendar": Refusals(Needs.LOGIN),
    "make_calendar": Refusals(Needs.LOGIN, {FailCode.UNAVAILABLE_TEMPORARILY: "this server has no calendars"}),
    "revoke_calendar": Refusals(Needs.LOGIN, {FailCode.NO_SUCH_THING: "the account has no link to a calendar"}),
    "change_password": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_TEMPORARILY: "too many wrong passwords of late, or too many logins at once",
            FailCode.PERMISSION_DENIED: "the old password is wrong, or the new one is empty or too long",
        },
    ),
    "get_own_account": Refusals(Needs.LOGIN),
    "get_accounts": Refusals(Needs.LOGIN, {FailCode.PERMISSION_DENIED: "the account's role does not let it"}),
    "administer": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "the operation is refused, as on the command line",
            FailCode.PERMISSION_DENIED: "the account's role does not let it",
            FailCode.REQUEST_TOO_BIG: "too many arguments, or one is too long",
        },
    ),
    "request_reset": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_TEMPORARILY: "too many were asked for within an hour, from here or by all",
            FailCode.PERMISSION_DENIED: "the server sends no mail, or nothing is asked for",
        },
    ),
    "reset_password": Refusals(
        Needs.NOTHING,
        {
            FailCode.UNAVAILABLE_TEMPORARILY: "too many at once",
            FailCode.PERMISSION_DENIED: "the code is good no more, or the password is empty or too long; after many of "
            "them the connection is closed",
        },
    ),
    "get_tokens": Refusals(Needs.LOGIN),
    "create_token": Refusals(
        Needs.LOGIN,
        {
            FailCode.FRAME: "no label, or a longer one than is allowed, or not so many days",
            FailCode.UNAVAILABLE_TEMPORARILY: "the account has too many tokens",
            FailCode.NO_SUCH_THING: "the account has no seat in a game of that name",
        },
    ),
    "revoke_token": Refusals(Needs.LOGIN, {FailCode.NO_SUCH_THING: "the account has no token with the id"}),
    "get_talk": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "there is no game of that name",
            FailCode.PERMISSION_DENIED: "the game is for invited players only",
        },
    ),
    "set_mute": Refusals(Needs.LOGIN, {FailCode.NO_SUCH_THING: "the account has no seat in a game of that name"}),
    "set_block": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "it is the account itself, or a bot of the server",
            FailCode.UNAVAILABLE_TEMPORARILY: "the account blocks too many, or no game is played whose player is meant",
            FailCode.NO_SUCH_THING: "there is no such account or player, or it is not blocked",
        },
    ),
    "set_silence": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "not so many days, no reason, or the account is not silenced",
            FailCode.NO_SUCH_THING: "there is no such account",
            FailCode.PERMISSION_DENIED: "the account is no moderator",
        },
    ),
    "report_message": Refusals(
        Needs.GAME,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no reason, or it is no letter of somebody else",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many letters are reported and not looked at, or the database cannot "
            "be read",
            FailCode.NO_SUCH_THING: "nothing is in the slot, or another letter",
        },
    ),
    "get_message_reports": Refusals(Needs.LOGIN, {FailCode.PERMISSION_DENIED: "the account is no moderator"}),
    "close_report": Refusals(
        Needs.LOGIN,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "no such decision, no reason, not so many days, or it is closed already",
            FailCode.NO_SUCH_THING: "the moderator may decide about no report with the id",
            FailCode.PERMISSION_DENIED: "the account is no moderator",
        },
    ),
    "rename_game": Refusals(
        Needs.LOGIN, {**_OWNED, FailCode.UNAVAILABLE_PERMANENTLY: "no such game or name, or it is taken"}
    ),
    "set_watch_delay": Refusals(
        Needs.LOGIN,
        {
            **_OWNED,
            FailCode.UNAVAILABLE_PERMANENTLY: "no such game, no such delay, it is so already, the game is over, "
            "or it has begun and would be shown sooner",
        },
    ),
    "set_join": Refusals(
        Needs.LOGIN, {**_OWNED, FailCode.UNAVAILABLE_PERMANENTLY: "no such game, it is over, or it is so already"}
    ),
    "abort_game": Refusals(
        Needs.LOGIN, {**_OWNED, FailCode.UNAVAILABLE_PERMANENTLY: "no such game, it is over, or there is no reason"}
    ),
    "hand_over_game": Refusals(
        Needs.LOGIN,
        {
            **_OWNED,
            FailCode.UNAVAILABLE_PERMANENTLY: "there is no game of that name",
            FailCode.NO_SUCH_THING: "no account of that name has a seat in it",
        },
    ),
    "create_account": Refusals(
        Needs.NOTHING,
        {
            FailCode.FRAME: "address or comment too long",
            FailCode.UNAVAILABLE_TEMPORARILY: "too many at once",
            FailCode.PERMISSION_DENIED: "the name is taken or not allowed, or only the operator makes accounts",
        },
    ),
    "get_objects_by_id": Refusals(Needs.GAME, _OBJECT),
    "get_objects_by_pos": Refusals(Needs.LOGIN, _NEVER),
    "get_object_ids_by_pos": Refusals(Needs.GAME),
    "get_object_ids_by_container": Refusals(Needs.GAME, _OBJECT),
    "modify_object": Refusals(Needs.LOGIN, _NEVER),
    "order_insert": Refusals(Needs.SEAT, _ORDER),
    "order_probe": Refusals(Needs.SEAT, _ORDER),
    "order_replace": Refusals(
        Needs.SEAT,
        {
            **_ORDER,
            FailCode.UNAVAILABLE_TEMPORARILY: f"{_ORDER[FailCode.UNAVAILABLE_TEMPORARILY]}; or a later order needs the "
            "old one",
        },
    ),
    "get_legal_orders": Refusals(
        Needs.SEAT, {**_CLOSED, FailCode.REQUEST_TOO_BIG: "more objects are named than are allowed"}
    ),
    "get_legal_values": Refusals(Needs.SEAT, _ORDER),
    "get_order": Refusals(
        Needs.SEAT,
        {
            **_QUEUE,
            FailCode.NO_SUCH_THING: "no object has the id, it has no queue, or nothing is in the slot",
            FailCode.REQUEST_TOO_BIG: "more slots than a queue can have",
        },
    ),
    "remove_order": Refusals(
        Needs.SEAT,
        {
            **_QUEUE,
            FailCode.UNAVAILABLE_PERMANENTLY: "the game is over",
            FailCode.UNAVAILABLE_TEMPORARILY: "the turn is being computed, the game has not begun or is held, or a "
            "later order needs this one",
            FailCode.NO_SUCH_THING: "no object has the id, it has no queue, or nothing is in the slot",
            FailCode.REQUEST_TOO_BIG: "more slots than a queue can have",
        },
    ),
    "get_order_queue": Refusals(Needs.GAME, _QUEUE),
    "get_time_remaining": Refusals(Needs.GAME),
    "finished_turn": Refusals(Needs.SEAT),
    "unfinish_turn": Refusals(
        Needs.SEAT,
        {
            **_CLOSED,
            FailCode.UNAVAILABLE_TEMPORARILY: f"{_CLOSED[FailCode.UNAVAILABLE_TEMPORARILY]}; or too often in this turn",
        },
    ),
    "get_turn_summaries": Refusals(
        Needs.GAME,
        {
            FailCode.UNAVAILABLE_TEMPORARILY: "the game has not begun, or the database cannot be read",
            FailCode.NO_SUCH_THING: "no turn has begun from `first` on",
            FailCode.REQUEST_TOO_BIG: "none, or more turns than are allowed",
        },
    ),
    "show_turn": Refusals(
        Needs.GAME,
        {
            FailCode.UNAVAILABLE_PERMANENTLY: "the connection does not look at an old turn, or the ruleset cannot show "
            "this one any more",
            FailCode.UNAVAILABLE_TEMPORARILY: "too much of the past is being looked at, the rules of the game have "
            "failed, or the database cannot be read",
            FailCode.NO_SUCH_THING: "there is no such turn",
            FailCode.PERMISSION_DENIED: "the account has another seat since",
        },
    ),
    "get_boards": Refusals(Needs.GAME, _THING),
    "get_message": Refusals(
        Needs.GAME,
        {
            **_SLOTS,
            FailCode.UNAVAILABLE_TEMPORARILY: "the messages cannot be read from the database",
            FailCode.REQUEST_TOO_BIG: "more slots than a board can have, or the answer would be too long",
        },
    ),
    "post_message": Refusals(
        Needs.SEAT,
        {
            FailCode.FRAME: "subject, body or list of references too long",
            FailCode.UNAVAILABLE_TEMPORARILY: "the board, or your share of it, is full",
            FailCode.NO_SUCH_THING: "no board has the id",
        },
    ),
    "remove_message": Refusals(Needs.GAME, _SLOTS),
    "add_category": Refusals(Needs.LOGIN, _FIXED),
    "remove_category": Refusals(Needs.LOGIN, _FIXED),
    "add_design": Refusals(Needs.SEAT, {**_FIXED, FailCode.NO_SUCH_THING: "no category has the id"}),
    "modify_design": Refusals(Needs.SEAT, {**_FIXED, FailCode.NO_SUCH_THING: "no category has the id"}),
    "remove_design": Refusals(Needs.LOGIN, _FIXED),
}


def refusals_of(request: FrameKind) -> Refusals:
    """How a request may be refused. Requests for lists, and for things by id, are alike unless the table has them.

    Raises InputError if nothing is known.
    """
    known = _REFUSALS.get(request.field)
    if known is None:
        alike = {tp_pb2.GetIDSequence: _LIST, tp_pb2.GetWithID: _THING}.get(request.message)
        if alike is None:
            raise InputError(f"No refusals of {request} are known; name them in tools/answers.py.")
        known = Refusals(Needs.GAME, alike)
    return known
