"""TaE's numbered test vectors, played through the intake and closing.

The lines are those of RULES.md, which explains the notation. `V17-2` is the second case of vector V17.
"""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import count

import pytest

from tprules.api import Dice, OptionError, Refusal, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_phase
from tprules.tae import RULESET
from tprules.tae.board import Board
from tprules.tae.orders import BOARD_REASONS, SHIPS, TARGET
from tprules.tae.world import AT_HOME, WORDS, Settings, World, drawn, seat_player

LETTERS = "mspr"
LEADERS = "MSPR"
NOWHERE = 10**9
"""The number of no object."""

# Reason -> Fail code, from section 4 of the page.
CODES = {
    **dict.fromkeys(["over", "off", "offboard", "kind", "destroyed", "artifact", "ground"], 2),
    **dict.fromkeys(["phase", "busy", "actions", "target", "pool", "home", "leader", "colony"], 3),
    **dict.fromkeys(["science", "joins", "contested"], 3),
    **dict.fromkeys(["owner", "side"], 5),
    **dict.fromkeys(["notsystem", "choice"], 1),
    "nosuch": 4,
}


def _cases() -> list[object]:
    text = (files("tprules.tae") / "RULES.md").read_text(encoding="utf-8")
    cases = []
    for name, line in re.findall(r"^\* (V\d+)(.*)$", text, re.MULTILINE):
        for number, case in enumerate(re.findall(r"`([^`]+)`", line), 1):
            cases.append(pytest.param(case, id=f"{name}-{number}"))
    return cases


CASES = _cases()


def test_the_page_has_49_vectors_and_100_cases():
    """No line of the page is skipped by the reader."""
    assert len({case.id.split("-")[0] for case in CASES}) == 49
    assert len(CASES) == 100


@pytest.mark.parametrize("case", CASES)
def test_vector(case: str):
    """The case plays as the page says."""
    if case.startswith("new "):
        _check_new_game(case)
    elif case.startswith("map "):
        _check_map(case)
    else:
        Playing(case).run()


def _check_new_game(case: str) -> None:
    given, expected = case.removeprefix("new ").split(" => ")
    options = dict(part.split("=") for part in given.split())
    players = int(options.pop("players", "2"))
    if expected.startswith("bad "):
        with pytest.raises(OptionError) as refused:
            opening(RULESET, parse_options(RULESET.options, options), players, b"")
        assert refused.value.option == expected.removeprefix("bad ")
        return
    world = opening(RULESET, parse_options(RULESET.options, options), players, b"").state.world
    hands = ",".join(str(len(one.colonists)) for one in world.players)
    assert f"{_size(world.board)} hands {hands} pool {sum(world.pool)}" == expected
    assert world.first == 0
    for one in world.players:
        assert one.places == [AT_HOME] * 4
        assert len(one.bombers) == 2
        assert one.scores == [0, 0, 0, 0]


def _check_map(case: str) -> None:
    text, expected = case.removeprefix("map ").split(" => ")
    option = RULESET.options["board"]
    if expected.startswith("bad "):
        what, line, column = re.fullmatch(r"bad (.*) (\d+):(\d+)", expected).groups()
        with pytest.raises(OptionError) as refused:
            option.parse("board", text)
        assert f"line {line}, column {column}: {what}" in refused.value.text
        assert refused.value.option == "board"
        return
    drawn = option.parse("board", text.replace("\\n", "\n"))
    assert drawn == option.parse("board", text.replace("\\n", "").replace("/", "\n"))
    assert _size(Board.drawn(drawn)) == expected


def _size(board: Board) -> str:
    return f"{board.width}x{board.height} A{board.ground.count('A')} M{board.ground.count('M')}"


class Playing:
    """One case: a setup, and turns of orders with what they lead to."""

    def __init__(self, case: str) -> None:
        setup, *turns = case.split("; ")
        self.turns = [turn.split(" => ") for turn in turns]
        rows, settings = re.fullmatch(r"\[(.*?)\] ?(.*)", setup).groups()
        self.settings = dict(part.split("=") for part in settings.split())
        self.seats = int(self.settings.get("n", 2))
        self.state = State(self._world(rows), "normal")
        self.seed = self._seed()

    def _world(self, drawing: str) -> World:
        rows = [row.split() for row in reversed(drawing.split("/"))]
        tokens = [token for row in rows for token in row]
        ground = "".join("M" if token in {"#", "r"} else "." for token in tokens)
        pieces = [token.rstrip("*") for token in tokens]
        world = World(
            width=len(rows[0]),
            ground=ground,
            settings=Settings(
                hand_size=6,
                actions=2,
                exchange=self.settings.get("exchange", "1") == "1",
                protect_artifacts=self.settings.get("protect_artifacts", "0") == "1",
                min_artifacts=int(self.settings.get("min", 0)),
                max_turns=int(self.settings.get("max_turns", 1000)),
                idle_turns=int(self.settings.get("idle_turns", 0)),
            ),
            pool=[int(number) for number in self.settings.get("pool", "30,57,30,36").split(",")],
            colonies={square: LETTERS.index(piece) for square, piece in enumerate(pieces) if piece in LETTERS},
            artifacts={square for square, token in enumerate(tokens) if token.endswith("*")},
            destroyed={square for square, piece in enumerate(pieces) if piece == "x"},
            first=int(self.settings.get("first", 0)),
            next_id=2 + 2 * len(tokens),
        )
        for seat in range(self.seats):
            player = seat_player(world, 2)
            for letter in self.settings.get(f"h{seat}", "mmsspr"):
                player.colonists[world.next_id] = LETTERS.index(letter)
                world.next_id += 1
            *scores, artifacts = [int(number) for number in self.settings.get(f"sc{seat}", "0,0,0,0,0").split(",")]
            player.scores, player.artifacts = scores, artifacts
        for square, piece in enumerate(pieces):
            if piece[0].isdigit():
                world.players[int(piece[0])].places[LEADERS.index(piece[1])] = square
        world.renumber()
        return world

    def _seed(self) -> bytes:
        """Return a seed whose draws in the first turn begin with the types that the setup wants."""
        wanted = [LETTERS.index(letter) for letter in self.settings.get("draw", "")]
        for number in count():
            seed = str(number).encode()
            draws = []
            for name in ("exchange", "refill"):
                pool, dice = list(self.state.world.pool), Dice.named(seed, 0, 0, name)
                draws.append([drawn(pool, dice) for _ in wanted])
            if draws == [wanted, wanted]:
                return seed
        raise AssertionError("unreachable")

    def run(self) -> None:
        for orders, expected in self.turns:
            before = [([*one.scores], one.artifacts) for one in self.state.world.players]
            self.used: set[int] = set()
            self.last: dict[int, int] = {}
            failures = []
            for text in orders.split():
                if text != "-":
                    failures += self._give(text)
            if self.state.over:
                self._compare(expected, before, [], [])
                continue
            hidden = self._all_views() if "secret" in expected.split() else None
            self.state.seen.clear()
            done = advance(RULESET, self.state, self.seed)
            if hidden is not None:
                assert hidden == self._all_views(), "orders show before they are executed"
            self.state = done.state
            reported = [(report.to, report.body) for report in done.reports if report.subject == "Order failed"]
            assert len(reported) == len(failures), reported
            for (to, body), (seat, reason) in zip(reported, failures, strict=True):
                assert to == seat
                assert _sentence(reason).search(body), body
            self._compare(expected, before, done.reports, done.events)

    # Orders.

    def _give(self, text: str) -> list[tuple[int, str]]:
        seat, verb, mark, reason = re.fullmatch(r"(\d):([^!?]+)(?:([!?])(\w+))?", text).groups()
        failures = []
        for on, name, args in self._orders(int(seat), verb):
            if name == "Exchange" and args == {SHIPS: []}:
                # The wire's rule goes before the page's: an empty list is a draft and counts for nothing.
                change = insertion(RULESET, self.state, int(seat), on, name, args)
                assert change.order.draft
                apply(self.state, change)
                continue
            if mark == "!":
                with pytest.raises(Refusal) as refused:
                    insertion(RULESET, self.state, int(seat), on, name, args)
                assert (refused.value.reason, refused.value.code) == (reason, CODES[reason])
                assert refused.value.text
                continue
            apply(self.state, insertion(RULESET, self.state, int(seat), on, name, args))
            self.used |= {on, *(ship for ship, _ in args.get(SHIPS, ()))}
            if mark == "?":
                failures.append((int(seat), reason))
        return failures

    def _orders(self, seat: int, verb: str) -> list[tuple[int, str, dict[str, object]]]:
        who, kind, rest = re.fullmatch(r"([=~]?)([clbx+])(.*)", verb).groups()
        owner = (seat + 1) % self.seats if who == "~" else seat
        again = self.last[seat] if who == "=" else None
        player = self.state.world.players[owner]
        if kind == "x":
            ships = self._ships(owner, rest)
            if ships:
                self.last[seat] = ships[0]
            return [(self.state.world.players[seat].home + 1, "Exchange", {SHIPS: [[ship, 1] for ship in ships]})]
        if kind == "+":
            return [(ship, "Reinforce", {}) for ship in self._ships(owner, rest)]
        if kind == "c":
            piece = again or self._ships(owner, rest[0])[0]
            name, place = ("ColonizeMining" if rest[0] == "r" else "Colonize"), rest[1:]
        elif kind == "l":
            piece, name, place = player.leaders[LEADERS.index(rest[0])], "Move", rest[1:]
        else:
            piece = again or next(bomber for bomber in player.bombers if bomber not in self.used)
            name, place = "Attack", rest
        self.last[seat] = piece
        return [(piece, name, {TARGET: self._target(seat, place)})]

    def _ships(self, owner: int, letters: str) -> list[int]:
        """Return a ship of each of these types that has no order yet."""
        hand = self.state.world.players[owner].colonists
        found: list[int] = []
        for letter in letters:
            free = (ship for ship in hand if ship not in self.used and ship not in found)
            found.append(next(ship for ship in free if LETTERS[hand[ship]] == letter))
        return found

    def _target(self, seat: int, place: str) -> int:
        world = self.state.world
        if place.startswith("h"):
            return world.players[int(place[1:] or seat)].home
        x, y = [int(number) for number in f"{place},0".split(",")[:2]]
        if x >= world.board.width or y >= world.board.height:
            return NOWHERE
        return world.system(y * world.board.width + x)

    # Results.

    def _compare(self, expected: str, before: list, reports: list, events: list) -> None:
        world, outcome = self.state.world, RULESET.outcome(self.state.world)
        seen: dict[str, object] = {}
        wanted: dict[str, object] = {}
        scores = {
            f"{seat}{letter}": value
            for seat, (kinds, artifacts) in enumerate(before)
            for letter, value in zip("mspra", [*kinds, artifacts], strict=True)
        }
        fought = False
        subjects = [report.subject for report in reports if report.to is None]
        for token in re.findall(r"\[.*?\]|\{.*?\}|\S+", expected):
            if token[0] == "[":
                wanted["board"], seen["board"] = token[1:-1], self._drawing()
            elif token[0] == "{":
                wanted["regions"], seen["regions"] = token[1:-1], self._regions()
            elif re.fullmatch(r"\d[mspra]\d+", token):
                scores[token[:2]] = int(token[2:])
            elif token.startswith(("int:", "ext:")):
                fought = True
                combat = world.combat
                assert combat is not None, f"no combat follows, but {token}"
                sides, strengths = combat.sides, combat.strengths
                wanted["combat"] = token
                seen["combat"] = (
                    f"{combat.kind[:3]}:{LEADERS[combat.type]}:{sides[0]}v{sides[1]}:{strengths[0]}-{strengths[1]}"
                )
                announced = [report.body for report in reports if report.subject == "COMBAT!" and report.to is None]
                assert len(announced) == 1
                assert combat.kind.upper() in announced[0]
                assert WORDS[combat.type].leader in announced[0]
            elif token.startswith("won"):
                winner, final = re.fullmatch(r"won(\d):(\d+-\d+)", token).groups()
                (event,) = events
                wanted["won"] = (int(winner), final)
                seen["won"] = (event.facts["winner"], "-".join(str(value) for value in event.facts["final"]))
                assert "Combat Complete!" in subjects
            elif token == "secret":
                self._check_secret()
            else:
                name, value = token.split(":")
                wanted[name], seen[name] = value, self._figure(name, value, outcome)
        now = {
            f"{seat}{letter}": value
            for seat, one in enumerate(world.players)
            for letter, value in zip("mspra", [*one.scores, one.artifacts], strict=True)
        }
        wanted["scores"], seen["scores"] = scores, now
        wanted["is over"], seen["is over"] = "over:" in expected, self.state.over
        if not self.state.over:
            wanted["phase"], seen["phase"] = "combat" if fought else "normal", self.state.phase
        if reports and not fought:
            wanted["finished"] = "GAME OVER!" if self.state.over else "Turn Order"
            seen["finished"] = subjects[-1]
        assert seen == wanted

    def _figure(self, name: str, value: str, outcome: object) -> str:
        world = self.state.world
        if name == "act":
            return ",".join(str(seat) for seat in sorted(find_phase(RULESET, self.state.phase).active(world)))
        if name == "next":
            return str(world.first)
        if name == "pool":
            return str(sum(world.pool))
        if name == "over":
            return ",".join(str(seat) for seat in outcome.winners())
        if name == "why":
            return outcome.why
        kind, seat = name[:-1], int(name[-1])
        player = world.players[seat]
        if kind == "hand":
            hand = "".join(sorted((LETTERS[ship] for ship in player.colonists.values()), key=LETTERS.index))
            return str(len(hand)) if value.isdigit() else hand
        if kind == "bombs":
            return str(len(player.bombers))
        assert kind == "final", f"unknown result {name}"
        return ",".join(str(outcome.figures[seat][words.points]) for words in WORDS)

    def _drawing(self) -> str:
        world = self.state.world
        leaders = world.leaders()
        tokens = []
        for square, ground in enumerate(world.board.ground):
            if square in leaders:
                token = f"{leaders[square][0]}{LEADERS[leaders[square][1]]}"
            elif square in world.colonies:
                token = LETTERS[world.colonies[square]]
            elif square in world.destroyed:
                token = "x"
            else:
                token = "#" if ground == "M" else "."
            tokens.append(token + "*" * (square in world.artifacts))
        return self._rows(tokens)

    def _regions(self) -> str:
        world = self.state.world
        return self._rows([str(world.regions.get(square, ".")) for square in range(len(world.board.ground))])

    def _rows(self, tokens: list[str]) -> str:
        width = self.state.world.board.width
        rows = [" ".join(tokens[start : start + width]) for start in range(0, len(tokens), width)]
        return " / ".join(reversed(rows))

    # Secrecy.

    def _all_views(self) -> list[object]:
        world = self.state.world
        return [_view(world, seat) for seat in [None, *range(self.seats)]]

    def _check_secret(self) -> None:
        """A view does not change with the types in others' hands, their scores, or the mix of the pool."""
        for viewer in [None, *range(self.seats)]:
            other = RULESET.load(RULESET.dump(self.state.world), RULESET.version)
            other.pool.reverse()
            for seat, player in enumerate(other.players):
                if seat != viewer:
                    player.colonists = {ship: (kind + 1) % 4 for ship, kind in player.colonists.items()}
                    player.scores = [score + 1 for score in player.scores]
            assert other != self.state.world
            assert _view(other, viewer) == _view(self.state.world, viewer)


def _view(world: World, seat: int | None) -> dict[int, object]:
    return {oid: RULESET.show(world, oid, level) for oid, level in RULESET.sight(world, seat).items()}


def _sentence(reason: str) -> re.Pattern[str]:
    """Return what a report of a failure for this reason looks like."""
    assert reason in BOARD_REASONS, f"orders do not fail because of {reason}"
    parts = re.split(r"\{\w+\}", BOARD_REASONS[reason][1])
    return re.compile(".+".join(re.escape(part) for part in parts))
