"""The page of frames agrees with the server's responses and refusals.

See `tpproto.tools.answers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.requests.test_shapes import NOWHERE, SHAPES, ById, BySlot, Other
from tests.support.server_in_memory import DIALECTS, Client, Server, making_servers
from tpproto import tp_pb2 as tp
from tpproto.dialects import JSON, PB, TP03
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME, FrameKind, policy_of
from tpproto.tools.answers import IN_TP03, answers_each, answers_to, counts_always, refusals_of
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import failed

SETS_NOTICES = {
    **dict.fromkeys(("verify_notice_address", "remove_notice_address", "revoke_calendar", "revoke_token"), "okay"),
    "add_notice_address": "notice_address",
    "set_reset_address": "okay",
    "make_calendar": "calendar",
}
"""Requests refused to accounts without a contact, calendar and token.

This is on a server that has none. The values are the responses elsewhere.
"""

OF_OWNERS = {
    *("extend_turn", "set_clock", "set_seat_policy", "take_seat", "remove_player"),
    *("rename_game", "set_join", "abort_game", "hand_over_game", "set_watch_delay"),
}
"""Requests refused to accounts that do not own the game, or find no free seat in it."""

RESETS = {"request_reset", "reset_password"}
"""Requests refused on a server that sends no mail, and to accounts without a code."""

OF_PROVIDERS = {"connect_provider": "ticket", "disconnect_provider": "okay"}
"""Requests refused on a server without providers, with their response elsewhere."""

OF_GUESTS = {"play_as_guest": "guest", "become_account": "account"}
"""Requests refused on a server without guests, with their response to others."""

ADMINISTERS = {"get_accounts": "accounts", "administer": "administered"}
"""Requests refused to players, with their response to others."""
OF_TALK = {"set_mute", "set_block"}
"""Requests refused outside of a game, or for an unknown account."""
OF_MODERATORS = {"set_silence": "okay", "get_message_reports": "message_reports", "close_report": "okay"}
"""Requests refused to all but moderators, with their response."""

KINDS = [pytest.param(request.kind, id=request.kind.field) for request in REQUESTS.values()]

WRONG: dict[type, dict[str, Any]] = {
    tp.GetWithID: {"ids": [NOWHERE]},
    tp.GetWithIDSlot: {"id": NOWHERE, "slots": [NOWHERE]},
    tp.GetIDSequence: {"key": NOWHERE, "amount": -1},
    tp.GetObjectIDsByContainer: {"id": NOWHERE},
    tp.Message: {"id": NOWHERE},
    tp.Order: {"id": NOWHERE, "otype": NOWHERE},
    tp.Design: {"id": -1, "categories": [NOWHERE]},
    tp.Category: {"id": -1},
    tp.GetObjectsByPos: {},
    tp.GetRules: {"ruleset": "nothing"},
    tp.GetAppearance: {"ruleset": "nothing"},
    tp.GetGameSetup: {"game": "nothing"},
    tp.GetClock: {"game": "nothing"},
    tp.GetClockGroups: {"ruleset": "nothing"},
    tp.ExtendTurn: {"game": "nothing", "seconds": 60},
    tp.SetClock: {"game": "nothing", "clock": "interval:60"},
    tp.GetSeats: {"game": "nothing"},
    tp.SetSeatPolicy: {"game": "nothing"},
    tp.SetAutopilot: {"turns": 101},
    tp.TakeSeat: {"game": "nothing"},
    tp.RemovePlayer: {"game": "nothing"},
    tp.GetProposals: {"game": "nothing"},
    tp.Propose: {"game": "nothing", "kind": "pause"},
    tp.AddVacation: {"begins": 0, "ends": 1},
    tp.EndVacation: {"id": 9},
    tp.Vote: {"game": "nothing", "id": 1, "vote": "agree"},
    tp.GetLegalValues: {"id": NOWHERE, "otype": NOWHERE},
}
"""Requests for what is not there, and what is always refused, by their messages."""


def asked(client: Client, kind: FrameKind) -> list[int | None]:
    """Return the codes of an answer to a request that is well-formed, None for a frame that is no Fail."""
    shape = SHAPES.get(kind.field)
    fields: dict[str, Any] = dict(shape.fields) if isinstance(shape, Other) else {}
    if kind.field in ("login", "login_account"):  # in every dialect the same player, as seats are few
        fields["username"] = "ann"
    if kind.field == "change_password" and client.session.account is not None:
        fields["old"] = f"{client.session.account.name}'s word"
    if kind.field == "create_account":
        fields["username"] = f"new {client.title}"
    if kind.message is tp.GetIDSequence:
        fields = {"key": -1, "amount": -1}
    return [message.code if name == "fail" else None for name, message in client.ask(kind.field, **fields)]


def unshaped(kind: FrameKind) -> set[FailCode]:
    """Return the codes that a request without a shape may get when it is empty."""
    return set() if kind.field in SHAPES else set(refusals_of(kind).codes)


@pytest.fixture(scope="module")
def server_with_a_game() -> Iterator[Server]:
    """A server that all tests here share which change nothing."""
    with making_servers() as make:
        server = make()
        server.create("game")
        yield server


@pytest.mark.parametrize("kind", KINDS)
def test_before_login_a_request_is_refused_with_the_code_that_the_page_says(
    server_with_a_game: Server, kind: FrameKind
):
    server = server_with_a_game
    expected = refusals_of(kind).before_login()
    for title in ("tp03", "json"):
        client = server.connect(title)
        if not client.knows(kind.field):
            continue
        if kind.field in {*RESETS, "play_as_guest"}:
            assert asked(client, kind) == [FailCode.PERMISSION_DENIED]
        elif expected is None:
            assert set(asked(client, kind)) <= {None, *unshaped(kind)}
        else:
            answer = client.raw(kind.number, b"\xff" * 11)
            assert answer.code == expected
            assert answer.text == f"Log in to {policy_of(kind).phrase}."
        assert client.ask("ping").name == "okay"


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_game_a_request_is_refused_with_the_code_that_the_page_says(server: Server, kind: FrameKind):
    expected = refusals_of(kind).without_game()
    readable = (PB, JSON) if kind.message in (tp.Order, tp.Object) else tuple(DIALECTS.values())
    for title in DIALECTS:
        client = server.player(f"ann {title}", title)
        if not client.knows(kind.field) or client.session.dialect not in readable:
            continue
        # What needs no game is answered, or refused for another reason.
        found = asked(client, kind)
        if expected is None:
            of_accounts = {
                *SETS_NOTICES,
                *RESETS,
                *ADMINISTERS,
                *OF_TALK,
                *OF_MODERATORS,
                *OF_PROVIDERS,
                "end_vacation",
            }
            of_account = set(refusals_of(kind).codes) if kind.field in of_accounts else unshaped(kind)
            assert set(found) <= {None, FailCode.UNAVAILABLE_PERMANENTLY, *of_account}, title
        else:
            assert found == [expected], title


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_a_watcher_is_refused_with_the_code_that_the_page_says(server: Server, kind: FrameKind):
    server.create("first", "auction")
    expected = refusals_of(kind).watching()
    for title in DIALECTS:
        client = server.player(f"eve {title}", title, "first/watch")
        if not client.knows(kind.field) or (expected is None and kind.message in (tp.Order, tp.Object)):
            continue
        if kind.field in {*RESETS, *ADMINISTERS, *OF_GUESTS}:
            continue
        if kind.message is tp.Order:
            otype, types = next(iter(client.lookup().order_parameters.items()))
            order = tp.Order(otype=otype)
            for number in types:
                field = tp.OrderParameter.DESCRIPTOR.fields[number]
                getattr(order.parameters.add(), field.name).SetInParent()
            assert client.say(kind.field, order).code == expected, title
        elif kind.field in OF_MODERATORS:
            assert asked(client, kind) == [FailCode.PERMISSION_DENIED], title
        elif expected is None:
            assert FailCode.PERMISSION_DENIED not in set(asked(client, kind)) - unshaped(kind), title
        else:
            assert asked(client, kind) == [expected], title


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.values[0].message in WRONG])
def test_what_a_player_names_wrongly_is_refused_with_a_code_that_the_page_says(server: Server, kind: FrameKind):
    server.create("first", "auction", 5)
    for title in DIALECTS:
        client = server.player(f"ann {title}", title)
        # Of an unknown order type a client can send nothing but what has no parameters in Protocol Buffers and JSON.
        if client.knows(kind.field) and (kind.message is not tp.Order or client.dialect in (PB, JSON)):
            answer = client.ask(kind.field, **WRONG[kind.message])
            codes = [message.code for name, message in answer if name == "fail"]
            assert len(codes) == 1, answer
            assert codes[0] in refusals_of(kind).codes, title


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.id in SHAPES])
def test_a_request_is_answered_by_the_frames_that_the_page_says(kind: FrameKind):
    """The templates of test_shapes hold the server to theirs; what is always refused is so there, too."""
    shape, answers = SHAPES[kind.field], {answer.field for answer in answers_to(kind)}
    if kind.field == "get_invitation":  # there the operator has made the game
        assert answers == {"invitation"}
    elif kind.field in OF_OWNERS or kind.field in ("vote", "add_vacation", "end_vacation"):  # likewise
        assert answers == {"okay"}
    elif kind.field in SETS_NOTICES:  # there no channel, no address and no page is there
        assert answers == {SETS_NOTICES[kind.field]}
    elif kind.field in ADMINISTERS:
        assert answers == {ADMINISTERS[kind.field]}
    elif kind.field in RESETS:
        assert answers == {"okay"}
    elif kind.field in OF_GUESTS:
        assert answers == {OF_GUESTS[kind.field]}
    elif kind.field in OF_PROVIDERS:
        assert answers == {OF_PROVIDERS[kind.field]}
    elif kind.field in OF_MODERATORS:
        assert answers == {OF_MODERATORS[kind.field]}
    elif kind.field == "show_turn":  # there the player does not look at the past
        assert answers == {"turn_shown"}
    elif kind.field in ("login", "login_account", "enter_game"):  # there the player is logged in already
        assert answers == ({"account"} if kind.field == "login_account" else {"okay"})
    elif answers:
        assert shape.answer in answers
        of_all = ("get_games", "get_rulesets", "get_turn_summaries")
        assert answers_each(kind) == (isinstance(shape, ById | BySlot) or kind.field in of_all)
        assert counts_always(kind) == (isinstance(shape, ById) and shape.always_sequence)
    else:
        assert shape.answer == "fail"
        assert next(iter(refusals_of(kind).codes)) is FailCode.UNAVAILABLE_PERMANENTLY
    assert answers - {shape.answer} <= {
        "classic_object",
        "okay",
        "account",
        "invitation",
        "turn_shown",
        "guest",
        "ticket",
        "notice_address",
        "calendar",
        "accounts",
        "administered",
        "message_reports",
    }


def test_codes_that_tp03_lacks_become_those_that_the_page_says():
    for code in FailCode:
        body = failed(TP03, RequestError(code, "no"))[8:]
        fail = TP03.decode_body(BY_NAME["fail"].number, body)
        assert fail.code == IN_TP03.get(code, code)
