"""The handler of each request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from tpproto.frames import BY_NAME
from tpserver.requests import (
    administering,
    agreements,
    appearance,
    boards,
    catalogue,
    clocks,
    game_setup,
    guests,
    home,
    legal,
    login,
    making,
    manuals,
    message_reports,
    notices,
    objects,
    orders,
    own_account,
    ownership,
    past,
    players,
    refusals,
    scores,
    seats,
    sign_ins,
    summaries,
    talk,
    vacations,
)
from tpserver.requests.paging import get_ids
from tpserver.requests.session import Access, Handler, RequestType, Session

_BY_NAME: dict[str, Callable[[Session, Any], Any]] = {
    "connect": login.connect,
    "login": login.login,
    "create_account": login.create_account,
    "login_account": home.login_account,
    "play_as_guest": guests.play_as_guest,
    "become_account": guests.become_account,
    "get_providers": sign_ins.get_providers,
    "connect_provider": sign_ins.connect_provider,
    "disconnect_provider": sign_ins.disconnect_provider,
    "enter_game": home.enter_game,
    "keep_login": home.keep_login,
    "get_kept_logins": home.get_kept_logins,
    "revoke_login": home.revoke_login,
    "get_my_games": home.get_my_games,
    "get_notices": notices.get_notices,
    "add_notice_address": notices.add_notice_address,
    "verify_notice_address": notices.verify_notice_address,
    "remove_notice_address": notices.remove_notice_address,
    "set_notice_wish": notices.set_notice_wish,
    "set_notice_times": notices.set_notice_times,
    "get_push_key": notices.get_push_key,
    "get_calendar": notices.get_calendar,
    "make_calendar": notices.make_calendar,
    "revoke_calendar": notices.revoke_calendar,
    "get_own_account": administering.get_own_account,
    "get_accounts": administering.get_accounts,
    "administer": administering.administer,
    "request_reset": own_account.request_reset,
    "reset_password": own_account.reset_password,
    "get_tokens": own_account.get_tokens,
    "create_token": own_account.create_token,
    "revoke_token": own_account.revoke_token,
    "change_password": own_account.change_password,
    "get_rulesets": making.get_rulesets,
    "create_game": making.create_game,
    "get_invitation": making.get_invitation,
    "get_clock": clocks.get_clock,
    "extend_turn": clocks.extend_turn,
    "set_clock": clocks.set_clock,
    "get_clock_groups": clocks.get_clock_groups,
    "get_seats": seats.get_seats,
    "set_seat_policy": seats.set_seat_policy,
    "say_here": seats.say_here,
    "set_autopilot": seats.set_autopilot,
    "get_open_seats": seats.get_open_seats,
    "take_seat": seats.take_seat,
    "remove_player": seats.remove_player,
    "get_proposals": agreements.get_proposals,
    "propose": agreements.propose,
    "vote": agreements.vote,
    "get_vacations": vacations.get_vacations,
    "add_vacation": vacations.add_vacation,
    "end_vacation": vacations.end_vacation,
    "get_features": login.get_features,
    "set_filters": login.set_filters,
    "ping": login.ping,
    "get_games": login.get_games,
    "get_rules": manuals.get_rules,
    "get_appearance": appearance.get_appearance,
    "get_standing": appearance.get_standing,
    "get_scores": scores.get_scores,
    "get_talk": talk.get_talk,
    "set_mute": talk.set_mute,
    "set_block": talk.set_block,
    "set_silence": talk.set_silence,
    "rename_game": ownership.rename_game,
    "set_join": ownership.set_join,
    "set_watch_delay": ownership.set_watch_delay,
    "abort_game": ownership.abort_game,
    "hand_over_game": ownership.hand_over_game,
    "report_message": message_reports.report_message,
    "get_message_reports": message_reports.get_message_reports,
    "close_report": message_reports.close_report,
    "get_game_setup": game_setup.get_game_setup,
    "get_time_remaining": players.get_time_remaining,
    "finished_turn": players.finished_turn,
    "unfinish_turn": players.unfinish_turn,
    "get_turn_summaries": summaries.get_turn_summaries,
    "show_turn": past.show_turn,
    "get_player": players.get_player,
    "get_player_ids": get_ids("player_ids", players.player_ids),
    "get_objects_by_id": objects.get_objects_by_id,
    "get_objects_by_pos": objects.get_objects_by_pos,
    "get_object_ids": get_ids("object_ids", objects.object_ids),
    "get_object_ids_by_pos": objects.get_object_ids_by_pos,
    "get_object_ids_by_container": objects.get_object_ids_by_container,
    "modify_object": objects.modify_object,
    "order_insert": orders.insert,
    "order_probe": orders.probe,
    "order_replace": orders.replace,
    "get_legal_orders": legal.get_legal_orders,
    "get_legal_values": legal.get_legal_values,
    "get_order": orders.get_order,
    "remove_order": orders.remove,
    "get_order_queue": orders.get_queue,
    "get_order_queue_ids": get_ids("order_queue_ids", orders.queue_ids),
    "get_board_ids": get_ids("board_ids", boards.board_ids),
    "get_boards": boards.get_boards,
    "get_message": boards.get_message,
    "post_message": boards.post_message,
    "remove_message": boards.remove_message,
    "add_category": catalogue.add_category,
    "remove_category": catalogue.refuse_each("categories"),
    "add_design": catalogue.add_design,
    "modify_design": catalogue.add_design,
    "remove_design": catalogue.refuse_each("designs"),
}

_CATALOGUE: tuple[tuple[str, str, catalogue.Section, str, int], ...] = (
    ("get_order_desc", "order_desc", lambda described: described.order_descs, "order type", refusals.ORDER_TYPE),
    ("get_object_desc", "object_desc", lambda described: described.object_descs, "object type", refusals.OBJECT_TYPE),
    ("get_resource", "resource", lambda described: described.resources, "resource", refusals.RESOURCE),
    ("get_category", "category", lambda described: described.categories, "category", refusals.CATEGORY),
    ("get_design", "design", lambda described: described.designs, "design", refusals.DESIGN),
    ("get_component", "component", lambda described: described.components, "component", refusals.COMPONENT),
    ("get_property", "property", lambda described: described.properties, "property", refusals.PROPERTY),
)

for _request, _answer, _section, _what, _kind in _CATALOGUE:
    _title = BY_NAME[_request].title
    _BY_NAME[_request] = catalogue.things(_title, _answer, _section, _what, _kind)
    _BY_NAME[f"{_request}_ids"] = get_ids(f"{_answer}_ids", catalogue.ids_of(f"{_title}IDs", _section))

_OPEN_BEFORE_LOGIN = (
    "connect",
    "login",
    "login_account",
    "create_account",
    "play_as_guest",
    "get_providers",
    "request_reset",
    "reset_password",
    "get_features",
    "set_filters",
    "ping",
    "get_games",
    "get_rules",
    "get_appearance",
    "get_rulesets",
    "get_game_setup",
    "get_clock",
    "get_clock_groups",
    "get_seats",
    "get_open_seats",
)
_QUICK = {"get_objects_by_id": objects.quick_objects, "get_time_remaining": players.quick_time_remaining}
_NEEDS_PRESENT = (
    "propose",
    "vote",
    "finished_turn",
    "unfinish_turn",
    "say_here",
    "set_autopilot",
    "get_legal_orders",
    "get_legal_values",
    "order_insert",
    "order_probe",
    "order_replace",
    "remove_order",
    "post_message",
    "remove_message",
    "report_message",
    "modify_object",
    "add_category",
    "remove_category",
    "add_design",
    "modify_design",
    "remove_design",
)


_ONLY_ASKS = ("get_legal_orders", "get_legal_values", "order_probe", "enter_game", "show_turn")
"""What changes nothing: a token that lets look only takes no seat (`login.go_in`)."""
_CHANGES = (
    *("create_game", "extend_turn", "set_clock", "get_invitation"),
    *("say_here", "set_autopilot", "take_seat", "set_seat_policy", "remove_player", "set_join"),
)
_OF_ACCOUNT = (
    *("get_kept_logins", "get_notices", "get_calendar", "get_tokens", "get_own_account", "get_accounts"),
    *("get_talk", "get_message_reports"),
)
"""What reads of an account what a program of its games need not know."""


def _handled(name: str) -> RequestType:
    kind, handler = BY_NAME[name], cast(Handler, _BY_NAME[name])
    is_open, needs_present = name in _OPEN_BEFORE_LOGIN, name in _NEEDS_PRESENT
    return RequestType(kind, handler, is_open, _QUICK.get(name), needs_present, _access(name))


def _access(name: str) -> Access:
    """Return what a request does.  One that is new is about the account until it is named here, or only reads."""
    if name in _ONLY_ASKS or name in _OPEN_BEFORE_LOGIN:
        return "read"
    if name in _NEEDS_PRESENT or name in _CHANGES:
        return "change"
    return "read" if name.startswith("get_") and name not in _OF_ACCOUNT else "account"


REQUESTS: Mapping[int, RequestType] = {BY_NAME[name].number: _handled(name) for name in _BY_NAME}
"""All requests of the protocol by frame number; a test ensures that none is missing."""
