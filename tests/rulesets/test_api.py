"""The ruleset API: dice, options, parameters, order intake, closings.

The game is an orchard. Both players pick apples in secret, and the harvest is counted without any action of the
players. Then one of them serves, while the other may already write notes for the next round.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tprules.api import (
    BotTurn,
    Checks,
    Choice,
    Code,
    Coordinates,
    Dice,
    Flag,
    Integer,
    IntegerList,
    Kind,
    Number,
    ObjectRef,
    OneOf,
    OptionError,
    Order,
    OrderType,
    Outcome,
    Phase,
    Plan,
    PlayerRef,
    Refusal,
    ResourceList,
    Role,
    Ruleset,
    Selection,
    Shown,
    Stage,
    String,
    Text,
    Turn,
    Turns,
    WorldError,
    canonical,
    digest,
    parse_options,
    player,
    with_names,
)
from tprules.api.advance import RulesFault, advance, copied, dump_state, load_state, opening
from tprules.api.bots import MOST_ORDERS, bot_orders
from tprules.api.order_checks import LONGEST_QUEUE, State, apply, insertion, probe, removal

BASKETS = (1, 2)
TREE = 3


@dataclass
class World:
    log: list[str] = field(default_factory=list)
    round: int = 0
    apples: int = 5


class Take(OrderType[World]):
    number, name, kinds = 1, "Take", ("basket",)
    params = {"apples": Selection("Which ones", most=3)}

    def choices(self, plan: Plan[World], on: int, param: str) -> Sequence[Choice]:
        return [Choice(10 + number, f"apple {number}", 2) for number in range(plan.world.apples)]

    def check(self, plan: Plan[World], order: Order) -> None:
        if any(before.type == "Take" for before in plan.before):
            raise Refusal("take once a round", reason="twice")


class Eat(OrderType[World]):
    number, name, kinds = 2, "Eat", ("basket", "spoon")
    params = {"bites": Number("How many", 1, 9, 2)}

    def check(self, plan: Plan[World], order: Order) -> None:
        if not any(before.type == "Take" for before in plan.before):
            raise Refusal("take something before you eat", "bites", reason="hungry")


class Note(OrderType[World]):
    number, name, kinds = 3, "Note", ("basket", "spoon")
    params = {"text": String("What", 20)}


class Serve(OrderType[World]):
    number, name, kinds = 4, "Serve", ("basket",)


def _log(turn: Turn[World]) -> None:
    turn.world.log += [f"P{order.seat} {order.type} {json.dumps(dict(order.args))}" for order in turn.orders()]
    turn.queues.clear()


def _count(turn: Turn[World]) -> None:
    turn.world.log.append(f"count {turn.number}.{turn.step} {turn.dice('count').below(1000)}")
    turn.report(1, "Counted", f"by {player(0)}")
    turn.event("count", apples=turn.world.apples)


def _next_round(turn: Turn[World]) -> None:
    turn.world.round += 1


class Orchard(Ruleset[World]):
    name = "orchard"
    seats = range(2, 3)
    options = {"apples": Integer(5, "On the tree", 1, 9)}
    orders = (Take, Eat, Note, Serve)
    kinds = {
        "world": Kind(Role.UNIVERSE, "World"),
        "basket": Kind(Role.PLANET, "Basket"),
        "spoon": Kind(Role.FLEET, "Spoon"),
        "tree": Kind(Role.PLANET, "Tree"),
    }
    phases = (
        Phase("pick", lambda world: (0, 1), (Take, Eat, Note), (_log,), lambda world: "count"),
        Phase("count", lambda world: (), (), (_count,), lambda world: "serve"),
        Phase(
            "serve",
            lambda world: (world.round % 2,),
            (Serve,),
            (_log, _next_round),
            lambda world: "pick",
            ends_after="each",
            default_orders=lambda world, seat: [Order(seat, BASKETS[seat], "Serve")],
            planners=lambda world: (1 - world.round % 2,),
            deferred_orders=(Note,),
            removal="free",
        ),
    )

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        return World(apples=options["apples"])

    def dump(self, world: World) -> Any:
        return [world.log, world.round, world.apples]

    def load(self, data: Any, version: int) -> World:
        return World(list(data[0]), *data[1:])

    def sight(self, world: World, seat: int | None) -> Mapping[int, str]:
        return {0: "", 1: "", 2: "", TREE: "", **({} if seat is None else {4 + seat: ""})}

    def show(self, world: World, oid: int, level: str) -> Shown:
        if oid == 0:
            return Shown("world", "World")
        if oid == TREE:
            return Shown("tree", "Tree")
        return Shown("basket" if oid in BASKETS else "spoon", "Thing", owner=(oid - 1) % 3 if oid < 3 else oid - 4)

    def outcome(self, world: World) -> Outcome | None:
        return Outcome({0: 1, 1: 1}, "enough") if world.round == 3 else None

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        return ()


RULES = Orchard()
SEED = b"apples"


@pytest.fixture
def state() -> State[World]:
    """A game that has just opened."""
    return opening(RULES, parse_options(RULES.options, {}), 2, SEED).state


def give(state: State[World], seat: int, on: int, name: str, slot: int = -1, **args: Any) -> Order:
    """Insert an order, and return it as it was accepted."""
    change = insertion(RULES, state, seat, on, name, args, slot)
    apply(state, change)
    return change.order


def reason(state: State[World], seat: int, on: int, name: str, slot: int = -1, **args: Any) -> tuple[str, int]:
    """Return reason and code with which an order is refused."""
    before = canonical(dump_state(RULES, state))
    with pytest.raises(Refusal) as refused:
        insertion(RULES, state, seat, on, name, args, slot)
    assert refused.value.text
    assert canonical(dump_state(RULES, state)) == before
    return refused.value.reason, int(refused.value.code)


# Dice.


def test_dice_are_the_same_for_ever():
    """Literal draws: a change of the dice would change every game that runs."""
    dice = Dice.named(b"seed", "turn", 7)
    assert [dice.below(153) for _ in range(10)] == [119, 29, 80, 0, 30, 90, 42, 12, 124, 61]
    dice = Dice.named(b"seed", "turn", 7)
    assert [dice.roll() for _ in range(12)] == [6, 3, 6, 4, 1, 4, 4, 4, 2, 5, 5, 1]
    dice = Dice.named(b"seed", "other")
    assert dice.shuffled(range(8)) == [5, 6, 7, 1, 2, 4, 3, 0]
    assert dice.pick("abcdef") == "b"
    dice = Dice(b"\0" * 32)
    assert [dice.below(2**32), dice.below(1), dice.below(3)] == [4063986572, 0, 2]


def test_dice_reach_every_side_and_no_other():
    """Each of 6 sides comes up about equally often in 6000 rolls."""
    dice = Dice.named(b"fair")
    rolls = [dice.roll() for _ in range(6000)]
    assert set(rolls) == {1, 2, 3, 4, 5, 6}
    assert all(850 < rolls.count(side) < 1150 for side in set(rolls))


@pytest.mark.parametrize("sides", [0, -1, 2**32 + 1])
def test_dice_need_a_possible_number_of_sides(sides):
    """Anything but 1 to 2**32 sides is an error of the ruleset."""
    with pytest.raises(ValueError, match="sides"):
        Dice(b"").below(sides)


def test_streams_do_not_disturb_each_other():
    """More draws from one stream leave the others as they were."""
    one, other = Dice.named(b"s", "a"), Dice.named(b"s", "b")
    first = other.below(10**6)
    one.below(10**6)
    assert Dice.named(b"s", "b").below(10**6) == first
    assert Dice.named(b"s", "a").below(10**6) != first


# Options.


@pytest.mark.parametrize(
    ("option", "raw", "value"),
    [
        (Integer(1, "", 0, 9), " 7 ", 7),
        (Integer(1, "", -5, 9), -5, -5),
        (IntegerList((1, 2), "", 2, 0, 9), "3,4", [3, 4]),
        (IntegerList((1, 2), "", 2, 0, 9), [3, 4], [3, 4]),
        (Flag(True), "off", False),
        (Flag(True), "1", True),
        (OneOf("a", "", ("a", "b")), " b ", "b"),
        (Text(""), "text", "text"),
        (Text("", "", lambda text: text.split("/")), "a/b", ["a", "b"]),
    ],
)
def test_an_option_takes_what_an_operator_types(option, raw, value):
    """Text and typed values are understood."""
    assert option.parse("it", raw) == value


@pytest.mark.parametrize(
    ("option", "raw", "says"),
    [
        (Integer(1, "", 0, 9), "10", "'10' is not a whole number from 0 to 9"),
        (Integer(1, "", 0, 9), "1.0", "whole number"),
        (Integer(1, "", 0, 9), True, "whole number"),
        (Integer(1, "", 0, 9), "9" * 5000, "whole number"),
        (Integer(1, "", 0, 9), "\u0663", "whole number"),
        (IntegerList((1, 2), "", 2, 0, 9), "3", "2 whole numbers from 0 to 9, with commas"),
        (IntegerList((1, 2), "", 2, 0, 9), "3,x", "2 whole numbers"),
        (IntegerList((1, 2), "", 2, 0, 9), "3,4,5", "2 whole numbers"),
        (Flag(True), "maybe", "on or off"),
        (OneOf("a", "", ("a", "b")), "c", "one of a, b"),
        (Text("", longest=3), "abcd", "at most 3 characters"),
        (Text("", "", lambda text: int(text)), "x", "invalid literal"),
        (Text(""), 5, "give text"),
    ],
)
def test_an_option_says_what_is_allowed(option, raw, says):
    """The error names the option, what was given, and the limits."""
    with pytest.raises(OptionError, match="option it: ") as refused:
        option.parse("it", raw)
    assert says in refused.value.text
    assert refused.value.option == "it"


def test_options_are_filled_in_and_unknown_ones_named():
    """Defaults fill gaps; a wrong name is answered with the nearest."""
    assert parse_options(RULES.options, {}) == {"apples": 5}
    assert parse_options(RULES.options, {"apples": "2"}) == {"apples": 2}
    with pytest.raises(OptionError, match="did you mean apples\\? \\(options: apples\\)"):
        parse_options(RULES.options, {"aples": 2})


# Parameters.


@pytest.mark.parametrize(
    ("param", "raw", "value"),
    [
        (Coordinates(), (1, -2, 3), [1, -2, 3]),
        (Turns(low=1, high=5), 5, 5),
        (ObjectRef(), 2**32 - 1, 2**32 - 1),
        (PlayerRef(), 1, 1),
        (Number("", 2, 8, 3), 5, 5),
        (Selection(), [], []),
        (Selection(), ((7, 1), [8, 2]), [[7, 1], [8, 2]]),
        (String("", 3), "äöü", "äöü"),
        (ResourceList(), [[1, 5]], [[1, 5]]),
    ],
)
def test_a_parameter_is_parsed_to_plain_data(param, raw, value):
    """The result can be written as JSON."""
    assert param.parse("it", raw) == value
    assert json.loads(canonical(param.parse("it", raw))) == value


@pytest.mark.parametrize(
    ("param", "bad"),
    [
        (Coordinates(), [None, [1, 2], [1, 2, 3, 4], [1, 2, 3.0], "123", [True, 0, 0]]),
        (Turns(low=1, high=5), [None, 0, 6, 2.0, "3", True]),
        (ObjectRef(), [None, -1, 2**32, "1", [1]]),
        (PlayerRef(), [None, -1, 1.0, "0"]),
        (Number("", 2, 8, 3), [None, 1, 9, 3, 5.0, "5"]),
        (Selection(most=3), [None, 5, "ab", [1], [[1]], [[1, 1, 1]], [[1, 0]], [[1, -1]], [[1, 1], [1, 1]], [[1, 4]]]),
        (String("", 3), [None, 5, "abcd", "\ud800"]),
        (ResourceList(), [None, [[1]], [[1, -1]], {"1": 2}]),
    ],
)
def test_a_malformed_parameter_is_refused_by_name(param, bad):
    """Code 1 (frame), and the parameter's name, for everything that is no possible argument."""
    for raw in bad:
        with pytest.raises(Refusal) as refused:
            param.parse("it", raw)
        assert refused.value.code is Code.FRAME
        assert refused.value.param == "it"
        assert refused.value.text.startswith("it: ")


def test_text_has_255_characters_at_most_unless_a_ruleset_says_otherwise():
    assert String().parse("it", "x" * 255) == "x" * 255
    with pytest.raises(Refusal, match="text of at most 255 characters"):
        String().parse("it", "x" * 256)


# The intake.


def test_the_common_checks_come_in_their_order(state):
    """over, nosuch, owner, kind, phase, active, form, choice, then the type's own."""
    assert reason(state, 0, 99, "Take") == ("nosuch", 4)
    assert reason(state, 0, 5, "Take") == ("nosuch", 4), "out of sight is as good as not there"
    assert reason(state, 0, TREE, "Take") == ("owner", 5)
    assert reason(state, 0, 2, "Serve") == ("owner", 5)
    assert reason(state, 0, 4, "Take") == ("kind", 2)
    assert reason(state, 0, 1, "Dance") == ("kind", 4)
    assert reason(state, 0, 1, "Serve") == ("phase", 3)
    assert reason(state, 0, 1, "Eat", bites=2) == ("form", 1)
    assert reason(state, 0, 1, "Eat", bites=1, more=1) == ("form", 1)
    assert reason(state, 0, 1, "Take", apples=[[99, 1]]) == ("choice", 1)
    assert reason(state, 0, 1, "Take", apples=[[10, 3]]) == ("choice", 1)
    assert reason(state, 0, 1, "Eat", bites=1) == ("hungry", 3)
    state.over = True
    assert reason(state, 0, 99, "Dance") == ("over", 2)


def test_a_ruleset_has_its_own_words_for_the_common_refusals(state):
    """``reword`` changes code, word and text, ``steps`` the order."""

    def polite(plan: Plan[World], order: Order) -> None:
        if order.args.get("text") == "no":
            raise Refusal("be polite", "text", reason="rude", code=Code.PROTOCOL)

    def reworded(refusal: Refusal) -> Refusal:
        return Refusal(refusal.text, reason="stranger", code=Code.GONE) if refusal.reason == "owner" else refusal

    class Other(Orchard):
        checks = Checks(("form", polite, "nosuch", "owner"), reworded)

    for args, on, expected in [
        ({"text": 5}, 99, ("form", 1)),
        ({"text": "no"}, 99, ("rude", 0)),
        ({"text": "yes"}, 99, ("nosuch", 4)),
        ({"text": "yes"}, 2, ("stranger", 6)),
    ]:
        with pytest.raises(Refusal) as refused:
            insertion(Other(), state, 0, on, "Note", args)
        assert (refused.value.reason, refused.value.code) == expected


def test_an_insertion_in_the_middle_deals_the_stamps_anew(state):
    """Within a queue stamps rise from first to last; those of other queues stay."""
    give(state, 0, 1, "Note", text="a")
    give(state, 0, 4, "Note", text="b")
    give(state, 0, 1, "Note", text="c")
    order = give(state, 0, 1, "Note", slot=0, text="first")
    assert [(other.args["text"], other.stamp) for other in state.queues[1]] == [("first", 1), ("a", 3), ("c", 4)]
    assert [(other.args["text"], other.stamp) for other in state.queues[4]] == [("b", 2)]
    assert order.stamp == 1
    assert state.stamp == 4
    assert [other.args["text"] for other in state.of_seat(0)] == ["first", "b", "a", "c"]


def test_an_insertion_is_checked_as_the_whole_new_queue(state):
    """Orders behind a new one in front are judged again."""
    give(state, 0, 1, "Take", apples=[[10, 1]])
    assert reason(state, 0, 1, "Eat", slot=0, bites=1) == ("hungry", 3)
    give(state, 0, 1, "Eat", slot=1, bites=1)
    assert reason(state, 0, 1, "Take", slot=0, apples=[[11, 1]]) == ("twice", 3)


@pytest.mark.parametrize("slot", [-2, -1000])
def test_a_slot_that_is_no_position_is_a_bad_frame(state, slot):
    """-1 is the end; anything below cannot be meant, wherever the object is."""
    assert reason(state, 0, 1, "Note", slot=slot, text="x") == ("form", 1)
    assert not state.queues


@pytest.mark.parametrize("slot", [1, 2**31])
def test_a_slot_beyond_the_end_is_refused(state, slot):
    """Only -1 and 0 fit an empty queue."""
    assert reason(state, 0, 1, "Note", slot=slot, text="x") == ("slot", 4)


def test_a_queue_has_an_end(state):
    """Nobody fills the memory with orders."""
    order = give(state, 0, 1, "Note", text="x")
    state.queues[1] = [order._replace(stamp=number) for number in range(LONGEST_QUEUE)]
    assert reason(state, 0, 1, "Note", text="x") == ("full", 3)


def test_a_queue_has_as_many_slots_as_its_kind_says(state):
    """A draft takes none, and an objection of the order itself is reported first."""
    rules = type("Narrow", (Orchard,), {"kinds": {**RULES.kinds, "basket": replace(RULES.kinds["basket"], slots=2)}})()
    apply(state, insertion(rules, state, 0, 1, "Take", {"apples": []}))
    for _ in range(2):
        apply(state, insertion(rules, state, 0, 1, "Note", {"text": "x"}))
    for name, args in (("Note", {"text": "x"}), ("Take", {"apples": [[10, 1]]})):
        with pytest.raises(Refusal, match="this queue holds at most 2 orders") as full:
            insertion(rules, state, 0, 1, name, args)
        assert (full.value.reason, int(full.value.code)) == ("full", 3)
    assert insertion(rules, state, 0, 1, "Take", {"apples": []}).order.draft
    apply(state, removal(rules, state, 0, 1, 2))
    assert insertion(rules, state, 0, 1, "Note", {"text": "x"}).queue


def test_an_empty_choice_is_a_draft_that_counts_for_nothing(state):
    """It is kept and shown, judged by nobody, and dropped with a message."""
    draft = give(state, 0, 1, "Take", apples=[])
    assert draft.draft
    assert state.queues[1] == [draft]
    give(state, 0, 1, "Take", apples=[[10, 1]])
    again = give(state, 0, 1, "Take", slot=0, apples=[])
    assert again.draft
    done = advance(RULES, state, SEED)
    assert done.state.world.log[0] == 'P0 Take {"apples": [[10, 1]]}'
    (dropped,) = [report for report in done.reports if report.subject.startswith("Draft")]
    assert (dropped.to, dropped.subject) == (0, "Drafts dropped")
    assert dropped.body.endswith("for 2 orders:\n2 x Take, object 1")
    assert done.state.queues == {}


def test_a_thousand_dropped_drafts_are_one_report_to_each_seat(state):
    """One draft is named by itself; of many objects only so many are listed."""
    draft = give(state, 0, 1, "Take", apples=[])
    assert "Draft dropped" in [report.subject for report in advance(RULES, state, SEED).reports]
    state.queues = {on: [draft._replace(on=on, stamp=number) for number in range(10)] for on in range(1, 200)}
    (dropped,) = [report for report in advance(RULES, state, SEED).reports if report.subject.startswith("Draft")]
    assert "for 1990 orders" in dropped.body
    assert dropped.body.endswith("and others")
    assert len(dropped.body.splitlines()) == 52
    assert len(dropped.references) == 51


def test_a_removal_is_checked(state):
    """An order that a later one needs stays until that one is removed."""
    give(state, 0, 1, "Take", apples=[[10, 1]])
    give(state, 0, 4, "Eat", bites=3)
    with pytest.raises(Refusal, match="remove that first") as refused:
        removal(RULES, state, 0, 1, 0)
    assert (refused.value.reason, refused.value.code) == ("needed", 3)
    change = removal(RULES, state, 0, 4, 0)
    assert change.order.type == "Eat"
    apply(state, change)
    apply(state, removal(RULES, state, 0, 1, 0))
    assert state.queues == {}


@pytest.mark.parametrize(
    ("seat", "on", "slot", "expected"), [(0, 1, 0, "slot"), (0, 1, -1, "slot"), (0, 2, 0, "owner"), (0, 9, 0, "nosuch")]
)
def test_only_own_orders_that_are_there_are_removed(state, seat, on, slot, expected):
    """Everything else is refused."""
    give(state, 1, 2, "Note", text="mine")
    with pytest.raises(Refusal) as refused:
        removal(RULES, state, seat, on, slot)
    assert refused.value.reason == expected


def test_a_probe_changes_nothing_and_forgets_the_own_queue(state):
    """It is judged as if the object had no orders, with those of other objects."""
    give(state, 0, 1, "Take", apples=[[10, 1]])
    before = digest(dump_state(RULES, state))
    assert probe(RULES, state, 0, 1, "Take", {"apples": [[11, 2]]}).args == {"apples": [[11, 2]]}
    assert probe(RULES, state, 0, 4, "Eat", {"bites": 1}).type == "Eat"
    assert probe(RULES, state, 0, 1, "Take", {"apples": []}).draft
    with pytest.raises(Refusal, match="before you eat"):
        probe(RULES, state, 0, 1, "Eat", {"bites": 1})
    assert digest(dump_state(RULES, state)) == before


def test_what_others_plan_is_no_part_of_a_plan(state):
    """Both may take, and neither sees it."""
    give(state, 0, 1, "Take", apples=[[10, 1]])
    give(state, 1, 2, "Take", apples=[[10, 1]])
    assert [order.seat for order in state.plan(0).before] == [0]
    assert state.plan(1).before == tuple(state.of_seat(1))


# Opening.


@pytest.mark.parametrize(
    ("seats", "players", "wanted"),
    [(range(2, 3), 1, "2"), (range(2, 3), 3, "2"), (range(2, 5), 5, "2 to 4"), (range(2, 5), 0, "2 to 4")],
)
def test_a_number_of_players_that_the_game_is_not_for_is_refused(monkeypatch, seats, players, wanted):
    """Before the ruleset is asked for a world, so that no ruleset has to look."""
    monkeypatch.setattr(Orchard, "seats", seats)
    monkeypatch.setattr(Orchard, "setup", lambda *_: pytest.fail("setup was called"))
    with pytest.raises(OptionError, match=rf"{players} players cannot play; orchard is for {wanted}$") as refused:
        opening(RULES, parse_options(RULES.options, {}), players, SEED)
    assert refused.value.option == "players"


# Closing.


def test_a_closing_is_pure_and_repeats(state):
    """The same state and seed give the same bytes; the caller's state stays."""
    give(state, 1, 2, "Take", apples=[[12, 1]])
    give(state, 0, 1, "Note", text="hello")
    before = canonical(dump_state(RULES, state))
    one, two = advance(RULES, state, SEED), advance(RULES, state, SEED)
    assert one.digest == two.digest == digest(dump_state(RULES, one.state))
    assert one.reports == two.reports
    assert canonical(dump_state(RULES, state)) == before
    assert advance(RULES, state, b"pears").digest != one.digest


def test_phases_with_nobody_to_move_are_passed(state):
    """Orders run in the order of their stamps, the count has no turn of its own, one closing is one turn."""
    give(state, 1, 2, "Note", text="one")
    give(state, 0, 1, "Note", text="two")
    done = advance(RULES, state, SEED)
    assert done.state.world.log[:2] == ['P1 Note {"text": "one"}', 'P0 Note {"text": "two"}']
    assert done.state.world.log[2].startswith("count 0.1 ")
    assert (done.state.phase, done.state.turn) == ("serve", 1)
    assert [(report.to, report.subject) for report in done.reports] == [(1, "Counted")]
    assert [(event.name, dict(event.facts)) for event in done.events] == [("count", {"apples": 5})]


def test_planners_order_ahead_and_their_orders_wait(state):
    """A note given while the other serves is kept, and runs in the next round."""
    state = advance(RULES, state, SEED).state
    give(state, 1, 2, "Note", text="later")
    give(state, 0, 1, "Serve")
    state = advance(RULES, state, SEED).state
    assert (state.phase, state.world.round) == ("pick", 1)
    assert [order.args["text"] for order in state.queues[2]] == ["later"]
    assert state.world.log[-1] == "P0 Serve {}"
    assert advance(RULES, state, SEED).state.world.log[2] == 'P1 Note {"text": "later"}'


def test_who_is_neither_active_nor_planning_gives_no_orders(state):
    """A phase takes orders from its own seats only."""

    class Alone(Orchard):
        phases = (replace(Orchard.phases[0], active=lambda world: (0,)), *Orchard.phases[1:])

    with pytest.raises(Refusal, match="not your turn") as refused:
        insertion(Alone(), state, 1, 2, "Note", {"text": "x"})
    assert (refused.value.reason, refused.value.code) == ("active", 3)


def test_who_is_absent_gets_the_orders_of_the_phase(state):
    """An active seat without an order of the player serves anyway."""
    state = advance(RULES, state, SEED).state
    stamp = state.stamp
    done = advance(RULES, state, SEED)
    assert done.state.world.log[-1] == "P0 Serve {}"
    assert done.state.stamp == stamp + 1
    (told,) = [report for report in done.reports if report.subject == "Played for you"]
    assert (told.to, told.body) == (0, "You gave no order, so the rules gave Serve for you.")
    state.queues = {1: [Order(0, 1, "Serve", {}, stamp)]}
    assert "Played for you" not in [report.subject for report in advance(RULES, state, SEED).reports]


def test_the_end_takes_no_orders_and_closes_no_more(state):
    """After three rounds there is an outcome, queues are empty, and another closing is an error."""
    for _ in range(5):
        state = advance(RULES, state, SEED).state
    give(state, 1, 2, "Note", text="too late")
    done = advance(RULES, state, SEED)
    assert done.outcome == Outcome({0: 1, 1: 1}, "enough")
    assert done.outcome.winners() == [0, 1]
    assert done.state.over
    assert done.state.queues == {}
    assert reason(done.state, 0, 1, "Note", text="x") == ("over", 2)
    with pytest.raises(RulesFault, match="the game is over"):
        advance(RULES, done.state, SEED)


def test_a_bot_hears_why_an_order_is_refused_and_gives_so_many_and_no_more(state):
    heard = []

    def stubborn(turn: BotTurn[World]) -> None:
        heard.extend(turn.give(Order(turn.seat, 99, "Note", {"text": "x"})) for _ in range(MOST_ORDERS))
        heard.append(turn.give(Order(turn.seat, 1, "Note", {"text": "x"})))

    assert bot_orders(RULES, state, 0, Dice.named(SEED, "bot"), stubborn) == []
    assert [refusal.reason for refusal in heard] == ["nosuch"] * MOST_ORDERS + ["full"]


def test_an_order_for_a_later_phase_does_not_end_a_bots_turn(state):
    """One that runs in this phase does."""

    class Ahead(Orchard):
        phases = (
            replace(Orchard.phases[0], orders=(Take,), deferred_orders=(Note,), ends_after="each"),
            *Orchard.phases[1:],
        )

    def eager(turn: BotTurn[World]) -> None:
        assert turn.give(Order(turn.seat, 1, "Note", {"text": "x"})) is None
        assert turn.give(Order(turn.seat, 1, "Take", {"apples": [[10, 1]]})) is None
        refused = turn.give(Order(turn.seat, 1, "Note", {"text": "x"}))
        assert refused is not None
        assert refused.reason == "ended"

    given = bot_orders(Ahead(), state, 0, Dice.named(SEED, "bot"), eager)
    assert [order.type for order in given] == ["Note", "Take"]


def test_seats_that_share_a_place_are_ranked_in_the_order_of_seats():
    assert Outcome({2: 1, 1: 2, 3: 1, 0: 2}, "enough").ranked() == [(2, 1), (3, 1), (0, 2), (1, 2)]


def test_a_phase_that_names_seats_for_ever_is_a_fault(state):
    class Endless(Orchard):
        phases = (replace(Orchard.phases[0], active=lambda world: itertools.repeat(0)), *Orchard.phases[1:])

    with pytest.raises(RulesFault, match="more than 10000 seats"):
        advance(Endless(), state, SEED)


def test_a_game_may_open_with_a_phase_of_its_own_doing():
    """Phases with nobody to move run before the first turn."""

    class CountFirst(Orchard):
        phases = (Orchard.phases[1], Orchard.phases[2], Orchard.phases[0])

    opened = opening(CountFirst(), {"apples": 2}, 2, SEED)
    assert (opened.state.phase, opened.state.turn) == ("serve", 0)
    assert opened.state.world.log[0].startswith("count -1.0 ")
    assert [event.name for event in opened.events] == ["count"]


def test_phases_in_a_circle_with_nobody_to_move_are_a_fault(state):
    """Not a hang: the error says where it turned."""

    class Circle(Orchard):
        phases = (
            Orchard.phases[0],
            Phase("count", lambda world: (), (), (), lambda world: "count"),
        )

    with pytest.raises(RulesFault, match="1000 phases in a row with nobody to move; the last was 'count'"):
        advance(Circle(), state, SEED)


def test_a_state_is_written_down_and_read_again(state):
    """Queues, drafts, stamps and all."""
    give(state, 0, 1, "Take", apples=[])
    give(state, 1, 2, "Take", apples=[[10, 2]])
    data = json.loads(canonical(dump_state(RULES, state)))
    again = load_state(RULES, data)
    assert again == state
    assert digest(dump_state(RULES, again)) == digest(dump_state(RULES, state))
    assert advance(RULES, again, SEED).digest == advance(RULES, state, SEED).digest


# Words.


@dataclass
class Kept:
    """A world that the codec takes care of."""

    apples: dict[int, int] = field(default_factory=dict)
    eaten: int = field(default=0, init=False)
    """Of which nothing is stored."""


def grow(turn: Turn[Kept]) -> None:
    turn.world.apples[2] = 1
    turn.world.apples[1] = 1


def spoil(turn: Turn[Kept]) -> None:
    turn.world.apples[1] = "two"


def eat(turn: Turn[Kept]) -> None:
    turn.world.eaten = 1


def kept_by_the_codec(stage: Stage) -> Any:
    """Return the orchard with a dataclass for its world and nothing about how that is stored."""
    phase = replace(Orchard.phases[0], stages=(stage,), next_phase=lambda world: "pick")
    hooks = {name: getattr(Ruleset, name) for name in ("dump", "load")}
    setup = {"setup": lambda self, options, seats, dice: Kept(), "outcome": lambda self, world: None}
    return type("Named", (Orchard,), {"world": Kept, "phases": (phase,), **hooks, **setup})()


class PickApples(OrderType[World]):
    """An order type that declares nothing."""


class Meadow(Ruleset[World]):
    name = "green-meadow"
    phases = (Phase[World]("a", lambda world: (), (PickApples,), ()),)


class Heath(Meadow):
    name = "heath"
    phases = (Phase[World]("b", lambda world: (), (Take, PickApples), (), deferred_orders=(Note,)), *Meadow.phases)

    def dump(self, world: World) -> Any:
        return {}


def test_declarations_follow_from_others():
    """Each class has its own, also one that is based on another."""
    assert (PickApples.name, PickApples().name, PickApples.number) == ("Pick Apples", "Pick Apples", 1)
    assert (Meadow.title, Meadow().title, Heath.title) == ("Green meadow", "Green meadow", "Heath")
    assert (Meadow.orders, Heath().orders) == ((PickApples,), (Take, PickApples, Note))
    assert (Meadow.world, Heath().world) == (World, None)


def test_a_phase_is_followed_by_itself(state):
    phase = replace(RULES.phases[0], next_phase=None)
    rules = type("Circle", (Orchard,), {"phases": (phase,)})()
    assert advance(rules, state, SEED).state.phase == state.phase == phase.name


def test_a_closing_gives_the_world_that_a_restart_would_find():
    """The caller's world stays as it was, and the order of a dictionary is the stored one."""
    rules = kept_by_the_codec(grow)
    state = opening(rules, {}, 2, SEED).state
    done = advance(rules, state, SEED)
    assert (state.world, state.turn) == (Kept(), 0)
    assert done.state == load_state(rules, json.loads(canonical(done.data)))
    assert [*done.state.world.apples] == [1, 2]
    done.data["world"]["apples"].clear()
    assert done.state.world == Kept({1: 1, 2: 1})


def test_a_world_that_could_not_be_loaded_is_not_stored():
    """The closing fails, and says where; a game goes on from what it was before."""
    rules = kept_by_the_codec(spoil)
    with pytest.raises(WorldError, match=r"apples\[1\]: 'two' is not a whole number"):
        advance(rules, opening(rules, {}, 2, SEED).state, SEED)
    rules = kept_by_the_codec(eat)
    with pytest.raises(RulesFault, match=r"not equal to what load\(\) makes of its dump\(\)"):
        advance(rules, opening(rules, {}, 2, SEED).state, SEED)


def test_a_ruleset_may_store_its_world_itself(state):
    """A copy is what it loads from its dump."""
    world = copied(RULES, state).world
    world.log.append("changed")
    assert (world.apples, state.world.log) == (5, [])


def test_names_are_put_in_by_the_host_only():
    """A name that looks like a place holder is not looked into again."""
    text = f"{player(0)} beats {player(11)}"
    assert with_names(text, lambda seat: {0: "{player 11}", 11: "Bob"}[seat]) == "{player 11} beats Bob"


def test_equal_data_have_equal_bytes():
    """The order of keys does not matter; what is no JSON is an error."""
    assert canonical({"b": 1, "a": [1, "ä"]}) == canonical({"a": [1, "ä"], "b": 1}) == '{"a":[1,"ä"],"b":1}'.encode()
    assert digest([1]) == "080a9ed428559ef602668b4c00f114f1a11c3f6b02a435f0bdc154578e4d7f22"
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))
