"""Games as text for the operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tprules.api import Outcome, Ruleset, parse_options
from tpserver.admin.columns import table
from tpserver.games.agreements import words_of
from tpserver.games.anonymity import WORDS as ANONYMOUS
from tpserver.games.delay import delay_of
from tpserver.games.delay import words as delay_words
from tpserver.games.game import Game
from tpserver.games.guests import WORDS as GUEST_WORDS
from tpserver.games.guests import guests_of
from tpserver.games.press import WORDS, press_of
from tpserver.games.versions import version_words
from tpserver.store.games import GameRow, SeatRow
from tpserver.store.proposals import OPEN


def when(at: float) -> str:
    """Return a time in unix seconds as readable UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def game_list(rows: Iterable[tuple[GameRow, Sequence[SeatRow]]], installed: Mapping[str, Ruleset[Any]]) -> list[str]:
    """Return one line per game; ``installed`` are the rulesets by name."""
    return table(
        ("NAME", "RULESET", "VERSION", "STATE", "TURN", "SEATS", "CLOCK"),
        [
            (
                row.name,
                row.ruleset,
                version_words(row, installed.get(row.ruleset)),
                row.state,
                row.turn,
                f"{sum(not seat.empty for seat in seats)}/{len(seats)}",
                row.clock,
            )
            for row, seats in rows
        ],
    )


DIGEST, SEED = "  digest     ", "  seed       "
"""How the lines of a page begin that tell these; the seed is told when a game is over."""


def game_page(game: Game, events: Counter[str], now: float) -> list[str]:
    """Return everything about a game that an operator may want to know, without secrets of the players."""
    row = game.row
    lines = [
        f"{game.name}: {game.rules.title or game.rules.name}",
        f"  ruleset    {row.ruleset}, version {version_words(row, game.rules)}",
        f"  state      {row.state}{f': {row.held_reason}' if row.held_reason else ''}",
        f"  turn       {game.state.turn}: {game.title()}",
        f"  clock      {row.clock}{_deadline(row, now)}",
        f"  in words   {game.clock.words()}",
        f"  press      {press_of(row)}: {WORDS[press_of(row)]}",
        *([f"  players    anonymous: {ANONYMOUS}"] if row.anonymous else []),
        f"  joining    {row.join}; {GUEST_WORDS[guests_of(row)]}",
        f"  watching   {delay_words(delay_of(row))}",
        f"  absence    {game.policy.words()}",
        f"  made       {when(row.created)}" + (f", started {when(row.started)}" if row.started is not None else ""),
        f"{DIGEST}{game.digest}",
    ]
    if row.bots:
        lines.append(f"  bots       {row.bots}")
    if game.over:
        # Before the end, the seed would reveal what is still to come.
        lines.append(f"{SEED}{row.seed.decode('utf-8', 'replace')}")
    usual = _usual_options(game)
    options = [f"{name}={_short(value)}" for name, value in sorted(row.options.items()) if value != usual.get(name)]
    lines.append(f"  options    {'  '.join(options) or 'all as usual'}")
    if events:
        lines.append(f"  events     {counts(events)}")
    lines.append("  seats")
    awaited = set(game.awaited())
    for player in game.players:
        state = "open" if not player.name else "awaited" if player.seat in awaited else ""
        done = "done" if player.seat in game.finished else ""
        left = game.bank(player.seat) - game.bank_used(player.seat, now)
        bank = "" if game.clock.bank is None else f"{round(left)} s in its time bank"
        gone = "resigned" if player.seat in game.resigned else ""
        away = "absent" if game.is_absent(player.seat) else "bot plays" if player.record.autopilot else ""
        back = game.on_vacation(player.seat, now)
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
    """Return the names of the accounts that have the seats of a game."""
    rows = [(player.seat + 1, player.account_name or "-", "bot" if player.bot else "") for player in game.players]
    return table(("SEAT", "ACCOUNT", ""), rows)


def seats_page(game: Game, of_all: Mapping[int, tuple[int, int]]) -> list[str]:
    """Return who plays the seats of a game and who is away; ``of_all``: turns due and kept in all games, by account."""
    awaited = set(game.awaited())
    rows = []
    for player in game.players:
        state = "absent" if game.is_absent(player.seat) else "awaited" if player.seat in awaited else ""
        if player.record.autopilot:
            state = f"bot for {player.record.autopilot} turns"
        elif game.bot_plays(player.seat):
            state = "bot" if player.bot else "absent, bot plays"
        record, every = player.record, of_all.get(player.account or 0, (0, 0))
        known = player.account is not None
        in_all = f"{every[1]}/{every[0]}" if known and not game.hides_players else "-"  # else it would tell who it is
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
    words = game.policy.words()
    return [f"{words[0].upper()}{words[1:]}.", *table(heads, rows)]


def _usual_options(game: Game) -> dict[str, Any]:
    try:
        return game.ask(lambda: parse_options(game.rules.options, {}), "read its options")
    except Exception:
        return {}  # the game is held for this, or was already


def final_table(outcome: Outcome, name_of: Callable[[int], str]) -> list[str]:
    """Return places, names and the ruleset's columns, the best first."""
    columns: list[str] = []
    for figures in outcome.figures.values():
        columns += [name for name in figures if name not in columns]
    rows = [
        (place, name_of(seat), *(outcome.figures.get(seat, {}).get(column, "-") for column in columns))
        for seat, place in outcome.ranked()
    ]
    return table(("PLACE", "NAME", *(column.upper() for column in columns)), rows)


def count_events(events: Iterable[Sequence[Any]]) -> Counter[str]:
    """Count events ([name, facts], as stored in snapshots) by name."""
    return Counter(str(event[0]) for event in events)


def counts(events: Counter[str]) -> str:
    """Return counts as one line, such as internal combat: 5, external combat: 7; or that there were none."""
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
