"""Games as text for the operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tprules.api import Outcome, Ruleset, parse_options
from tpserver.admin.columns import table, when
from tpserver.admin.listing import Listing, Row
from tpserver.games.core import attendance, phases, rules_calls
from tpserver.games.core.game import Game
from tpserver.games.seats.proposals import words_of
from tpserver.games.stored.compat import version_words
from tpserver.games.terms.anonymity import WORDS as ANONYMOUS
from tpserver.games.terms.chat_rules import WORDS, press_of
from tpserver.games.terms.delay import delay_of
from tpserver.games.terms.delay import words as delay_words
from tpserver.games.terms.guests import WORDS as GUEST_WORDS
from tpserver.games.terms.guests import guests_of
from tpserver.games.turns import turn_time
from tpserver.store.games.proposals import OPEN
from tpserver.store.games.rows import GameRow, SeatRow


def game_list(
    rows: Iterable[tuple[GameRow, Sequence[SeatRow]]],
    installed: Mapping[str, Ruleset[Any]],
    places: Mapping[int, str] | None = None,
) -> Listing:
    """Return a row for each game; ``installed`` are the rulesets by name.

    In a cluster ``places`` are the addresses of the nodes that hold games, by game.
    """
    head = ("NAME", "RULESET", "VERSION", "STATE", "TURN", "SEATS", "CLOCK")
    listed = []
    for row, seats in rows:
        rules, node = installed.get(row.ruleset), None if places is None else places.get(row.id)
        taken = sum(not seat.empty for seat in seats)
        data = {
            "name": row.name,
            "ruleset": row.ruleset,
            "version": row.ruleset_version,
            "installed": None if rules is None else rules.version,
            "state": row.state,
            "turn": row.turn,
            "taken": taken,
            "seats": len(seats),
            "clock": row.clock,
            "node": node,
        }
        counts, version = f"{taken}/{len(seats)}", version_words(row, rules)
        cells = (row.name, row.ruleset, version, row.state, row.turn, counts, row.clock)
        listed.append(Row(data, cells if places is None else (*cells, node or "-")))
    empty = "There are no games yet; make one with: tpserver game create NAME --ruleset R --seats N"
    return Listing(("name", "ruleset"), listed, head if places is None else (*head, "NODE"), empty)


DIGEST, SEED = "  digest     ", "  seed       "
"""Beginnings of the lines with digest and seed of a page. The seed is shown after the end of the game."""


def game_page(game: Game, events: Counter[str], now: float) -> list[str]:
    """Return all facts about a game for the operator, without secrets of the players."""
    row = game.row
    lines = [
        f"{game.name}: {game.rules.title}",
        f"  ruleset    {row.ruleset}, version {version_words(row, game.rules)}",
        f"  state      {row.state}{f': {row.held_reason}' if row.held_reason else ''}",
        f"  turn       {game.state.turn}: {phases.title(game)}",
        f"  clock      {row.clock}{_deadline(row, now)}",
        f"  in words   {game.clock.words()}",
        f"  press      {press_of(row)}: {WORDS[press_of(row)]}",
        *([f"  players    anonymous: {ANONYMOUS}"] if row.anonymous else []),
        f"  joining    {row.join}; {GUEST_WORDS[guests_of(row)]}",
        f"  watching   {delay_words(delay_of(row))}",
        f"  absence    {game.policy.words(game.clock.is_endless())}",
        f"  made       {when(row.created)}" + (f", started {when(row.started)}" if row.started is not None else ""),
        f"{DIGEST}{game.digest}",
    ]
    if row.bots:
        lines.append(f"  bots       {row.bots}")
    if game.over:
        # Before the end, the seed would reveal the future of the game.
        lines.append(f"{SEED}{row.seed.decode('utf-8', 'replace')}")
    usual = _usual_options(game)
    options = [f"{name}={_short(value)}" for name, value in sorted(row.options.items()) if value != usual.get(name)]
    lines.append(f"  options    {'  '.join(options) or 'all as usual'}")
    if events:
        lines.append(f"  events     {counts(events)}")
    lines.append("  seats")
    awaited = set(attendance.awaited_if_playable(game))
    for player in game.players:
        state = "open" if not player.name else "awaited" if player.seat in awaited else ""
        done = "done" if player.seat in game.finished else ""
        left = turn_time.bank_of(game, player.seat) - turn_time.bank_used(game, player.seat, now)
        bank = "" if game.clock.bank is None else f"{round(left)} s in its time bank"
        gone = "resigned" if player.seat in game.resigned else ""
        away = "absent" if attendance.is_absent(game, player.seat) else "bot plays" if player.record.autopilot else ""
        back = turn_time.on_vacation(game, player.seat, now)
        vacation = "" if back is None else f"on vacation until {when(back)}"
        states = ("bot" if player.bot else "", state, away, done, gone, vacation, bank)
        words = ", ".join(word for word in states if word)
        name = player.name or "-"
        lines.append(f"    {player.seat + 1}  {name}{f' ({words})' if words else ''}")
    open_ = [one for one in game.proposals if one.state == OPEN]
    if open_:
        lines.append("  proposals")
    for proposal in open_:
        who = "-" if proposal.seat is None else game.name_of(proposal.seat)
        agree = ", ".join(game.name_of(seat) for seat in proposal.agreeing) or "nobody"
        lines.append(
            f"    {proposal.number}  {who}: {words_of(proposal)}; agreed by {agree}, until {when(proposal.until)}"
        )
    if game.outcome is not None:
        lines += ["", *final_table(game.outcome, game.name_of)]
    return lines


def players_page(game: Game) -> list[str]:
    """Return the names of the accounts in the seats of a game."""
    rows = [(player.seat + 1, player.account_name or "-", "bot" if player.bot else "") for player in game.players]
    return table(("SEAT", "ACCOUNT", ""), rows)


def seats_page(game: Game, of_all: Mapping[int, tuple[int, int]]) -> list[str]:
    """Return the players of the seats, with absences; ``of_all``: turns due and kept in all games, by account."""
    awaited = set(attendance.awaited_if_playable(game))
    rows = []
    for player in game.players:
        state = "absent" if attendance.is_absent(game, player.seat) else "awaited" if player.seat in awaited else ""
        if player.record.autopilot:
            state = f"bot for {player.record.autopilot} turns"
        elif attendance.bot_plays(game, player.seat):
            state = "bot" if player.bot else "absent, bot plays"
        record, every = player.record, of_all.get(player.account or 0, (0, 0))
        known = player.account is not None
        in_all = f"{every[1]}/{every[0]}" if known and not game.hides_players else "-"  # else it reveals the account
        rows.append(
            (
                player.seat + 1,
                player.name or "-",
                state,
                record.missed if known else "-",
                f"{record.kept}/{record.due}" if known else "-",
                in_all,
            )
        )
    heads = ("SEAT", "NAME", "STATE", "MISSED NOW", "TURNS KEPT", "IN ALL GAMES")
    words = game.policy.words(game.clock.is_endless())
    return [f"{words[0].upper()}{words[1:]}.", *table(heads, rows)]


def _usual_options(game: Game) -> dict[str, Any]:
    try:
        return rules_calls.ask(game, lambda: parse_options(game.rules.options, {}), "read its options")
    except Exception:
        return {}  # the game is suspended for this, or was already


def final_table(outcome: Outcome, name_of: Callable[[int], str], roles: Mapping[int, str] | None = None) -> list[str]:
    """Return places, names, roles if any, and the ruleset's columns, the best first."""
    roles = roles or {}
    columns: list[str] = []
    for figures in outcome.figures.values():
        columns += [name for name in figures if name not in columns]
    rows = [
        (
            place,
            name_of(seat),
            *([roles.get(seat, "-")] if roles else []),
            *(outcome.figures.get(seat, {}).get(column, "-") for column in columns),
        )
        for seat, place in outcome.ranked()
    ]
    return table(("PLACE", "NAME", *(["ROLE"] if roles else []), *(column.upper() for column in columns)), rows)


def count_events(events: Iterable[Sequence[Any]]) -> Counter[str]:
    """Count events ([name, facts], as stored in snapshots) by name."""
    return Counter(str(event[0]) for event in events)


def counts(events: Counter[str]) -> str:
    """Return counts as one line, such as "internal combat: 5, external combat: 7", or a text for none."""
    return ", ".join(f"{name}: {number}" for name, number in sorted(events.items())) or "no events"


def _deadline(row: GameRow, now: float) -> str:
    if row.deadline is not None:
        due = "" if row.due in (None, row.deadline) else f", turn due {when(row.due or 0.0)}"
        return f"{due}, turn ends {when(row.deadline)} (in {max(0, round(row.deadline - now))} s)"
    if row.left is not None:
        return f", {max(0, round(row.left))} s left when paused"
    return ""


def _short(value: Any, longest: int = 40) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= longest else f"{text[:longest]}…"
