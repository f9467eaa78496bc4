"""Colony Battle's numbered vectors, one test for each number.

`positions.py` reads the notation of the rule page.
"""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from tprules.api import Refusal, Ships
from tprules.api.order_checks import removal
from tprules.colony_battle import RULESET
from tprules.colony_battle.designs import UNKNOWN_ITEM, design
from tprules.colony_battle.world import ANTLION, LEFT, TERMITE

FRAME, NEVER, LATER, NOTHING, DENIED, GONE = range(1, 7)
"""E-FRAME and so on: the codes of refusals."""


def test_every_vector_of_the_page_has_its_test():
    """41 numbers on the page, 41 tests that carry them."""
    text = (files("tprules.colony_battle") / "RULES.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^\* \*\*V(\d+)\*\*", text, re.MULTILINE)
    assert numbers == [str(number) for number in range(1, 42)]
    assert [f"test_v{number}" for number in numbers] == [name for name in globals() if re.match(r"test_v\d", name)]


def test_v1(position):
    """A soldier costs the queen her move; it appears in the same turn, north of her."""
    game = position("Q0@0:1,6").play(0, "Q0 move 2,6; Q0 spawn soldier")
    assert game.stands("Q0@0:1,6 S0@0:1,7 hp=3")


def test_v2(position):
    """A worker is free: the queen moves, and it appears beside her new square."""
    game = position("Q0@0:1,6").play(0, "Q0 move 2,6; Q0 spawn worker")
    assert game.stands("Q0@0:2,6 W0@0:2,7")


def test_v3(position):
    """A drone takes two turns, in which the queen stays; a young queen three."""
    game = position("Q0@0:1,6").play(0, "Q0 spawn drone")
    assert game.world.colonies[0].brood_left == 1
    game.play(0, "Q0 move 2,6")
    assert game.stands("Q0@0:1,6 D0@0:1,7")
    assert game.queue("Q0") == ["Move"]
    game = position("Q0@0:1,6").play(0, "Q0 spawn young; Q0 move 2,6").play(0)
    assert game.world.colonies[0].brood_left == 1
    assert game.at("0:1,7") == ""
    game.play(0)
    assert game.stands("Q0@0:1,6 Y0@0:1,7")
    assert game.queue("Q0") == ["Move"]
    assert game.play(0).stands("Q0@0:2,6")


def test_v4(position):
    """A drone's trail gives its own ants one step more, and enemies nothing."""
    game = position("D0@0:2,2 S0@0:2,1 S1@0:3,1").play(0, "D0 move 5,2")
    assert game.stands("D0@0:5,2")
    assert game.trail(0) == ["0:2,2", "0:3,2", "0:4,2"]
    assert game.play(0, "S0 move 4,2").stands("S0@0:4,2")
    assert game.play(1, "S1 move 3,5").stands("S1@0:3,3")
    assert game.trail(1) == []


def test_v5(position):
    """Three units move in a turn; the fourth keeps its order."""
    game = position("W0a@0:2,2 W0b@0:4,2 W0c@0:6,2 W0d@0:8,2")
    game.play(0, "W0a move 2,5; W0b move 4,5; W0c move 6,5; W0d move 8,5")
    assert game.stands("W0a@0:2,5 W0b@0:4,5 W0c@0:6,5 W0d@0:8,2")
    assert [game.queue(name) for name in ("W0a", "W0b", "W0c", "W0d")] == [[], [], [], ["Move"]]
    assert game.play(0).stands("W0d@0:8,5")


def test_v6(position):
    """No unit passes through another, of either colony. The order stays."""
    game = position("W0a@0:2,2 W0b@0:3,2").play(0, "W0a move 5,2")
    assert game.stands("W0a@0:4,3 W0b@0:3,2")
    assert game.queue("W0a") == ["Move"]


def test_v7(position):
    """An antlion destroys an ant that comes near, and itself with the last one; queens are immune."""
    game = position("A1@0:8,3 k=1 W0@0:4,3 Q0@0:8,8").play(0, "W0 move 6,3; Q0 move 8,7")
    assert game.gone("W0", "A1")
    assert game.stands("Q0@0:8,7")
    assert "Antlion spent" in game.told()
    game = position("A1@0:8,3 k=3 W0@0:4,3 Q0@0:8,6 S(e1)=0").play(0, "W0 move 6,3; Q0 move 8,5")
    assert game.gone("W0")
    assert game.stands("A1@0:8,3 k=2 Q0@0:8,5 hp=10")


def test_v8(position):
    """An antlion does not strike units that are there when it is placed, and can be converted then."""
    game = position("Q1@2:16,12 Y0@0:7,3").give(ANTLION, 1)
    game.order("Q1 place antlion 0:8,3")
    game.close()
    assert game.stands("Y0@0:7,3 A1@0:8,3 k=3")
    game.names["A1"] = game.world.occupied[game.square("0:8,3")]
    game.play(0, "Y0 convert A1")
    assert game.stands("A0@0:8,3 k=3")
    assert game.gone("Y0")


def test_v9(position):
    """A unit that enters the range dies there and loses its other orders. A unit inside dies with its next step."""
    game = position("Y0@0:3,3 A1@0:8,3 k=3").play(0, "Y0 move 7,3; Y0 convert A1")
    assert game.gone("Y0")
    assert game.stands("A1@0:8,3 k=2")
    assert game.queue("Y0") == []
    assert any("0:5,3" in report.body for report in game.done.reports if report.subject == "Unit lost")
    near = "W0@0:4,2 A1@0:6,2"
    assert position(near).play(0).stands("W0@0:4,2 A1@0:6,2 k=3")
    assert position(near).play(0, "W0 move 3,2").gone("W0")
    assert position("W0@0:3,2 A1@0:6,2").play(0, "W0 move 2,2").stands("W0@0:2,2")


def test_v10(position):
    """A young queen converts a soldier, which keeps its wounds; it cannot be ordered before, and queens not at all."""
    game = position("Y0@0:3,5 S1@0:8,5 hp=2")
    game.changed(0)
    assert game.refused("S1 attack Q1", seat=0) == DENIED
    assert game.refused("Y0 convert Q1") == FRAME
    game.play(0, "Y0 move 7,5; Y0 convert S1")
    assert game.stands("S0@0:8,5 hp=2")
    assert game.gone("Y0")


def test_v11(position):
    """The first square of a web stops a unit; the spider comes and kills it."""
    for piece in ("W0", "Y0"):
        game = position(f"spider@0:8,3 r=3 {piece}@0:4,3")
        game.changed(0)
        game.order(f"{piece} move 7,3")
        game.close()
        assert game.spider_at() == "0:6,3"
        assert game.gone(piece)
        assert "Caught in a web" in game.told(0)
        assert any("0:5,3 is lost: spider" in report.body for report in game.done.reports)


def test_v12(position):
    """A conversion that would exceed a limit is refused and nothing changes; the own young queen does not count."""
    workers = " ".join(f"W0{letter}@2:{x},4" for x, letter in enumerate("abcdefghij"))
    game = position(f"{workers} Y0@0:7,5 W1@0:8,5").play(0, "Y0 convert W1")
    assert game.stands("Y0@0:7,5 W1@0:8,5")
    assert "Order failed" in game.told(0)
    game = position("Y0@0:7,5 Y1@0:8,5").play(0, "Y0 convert Y1")
    assert game.stands("Y0@0:8,5")
    assert game.at("0:7,5") == ""
    assert game.world.alive(0, 3) == 1
    assert game.world.alive(1, 3) == 0


def test_v13(position):
    """A termite bomb goes off, another one dies of it and goes off as well; antlions do not mind."""
    game = position("W0@0:5,5 T1@0:6,5 T1b@0:9,5 S1@0:12,5 S0@0:10,5 A0@0:6,8").play(0, "W0 attack T1")
    assert game.gone("W0", "T1", "T1b", "S0")
    assert game.stands("S1@0:12,5 hp=1 A0@0:6,8 k=3")
    causes = [report.body.split(": ")[-1] for report in game.done.reports if report.subject == "Unit lost"]
    assert causes == ["battle.", "battle.", "blast.", "blast."]


def test_v14(position):
    """Both queens die of one blast: a draw. If one survives, she wins."""
    game = position("W0@0:5,5 T1@0:6,5 Q0@0:6,7 hp=2 Q1@0:7,6 hp=2").play(0, "W0 attack T1")
    assert game.state.over
    assert game.done.outcome.places == {0: 1, 1: 1}
    game = position("W0@0:5,5 T1@0:6,5 Q0@0:6,7 hp=2 Q1@0:7,6 hp=3").play(0, "W0 attack T1")
    assert game.done.outcome.places == {0: 2, 1: 1}


def test_v15(position):
    """An item is picked up unknown, carried home, known on delivery, and placed in a phase of its own."""
    game = position("Q0@0:1,6 W0@0:3,6 termite@0:5,6").play(0, "W0 move 4,6; W0 pickup")
    assert game.stands("W0@0:4,6 +I")
    item = game.names["item"]
    assert game.world.items[item].square == -1
    shown = [RULESET.show(game.world, item, RULESET.sight(game.world, seat)[item]) for seat in (0, 1)]
    assert shown[0] == shown[1]
    assert shown[0].name == "Item"
    assert shown[0].ships == (Ships(UNKNOWN_ITEM),)
    game.play(0, "W0 move 2,6")
    assert RULESET.show(game.world, item, "public").ships == (Ships(design(TERMITE)),)
    assert any("Termite Bomb" in one.body for one in game.done.reports if one.subject == "Item activated")
    assert (game.state.phase, game.world.seat) == ("place", 0)
    assert "Place your item" in game.told(0)
    game.order("Q0 place termite 1,5")
    game.close()
    assert game.stands("T0@0:1,5")
    assert (game.state.phase, game.world.seat) == ("main", 1)


def test_v16(position):
    """The item of a worker that dies stays where it died; under a worm it cannot be picked up."""
    game = position("W0@0:5,5 +I W1@0:6,5").play(1, "W1 attack W0")
    assert game.gone("W0", "W1")
    item = game.world.items[game.names["item"]]
    assert item.square == game.square("0:5,5")
    game = position("W0@0:5,5 +I W0b@0:5,6 worm@0:4,5-3,5 right").round_end()
    assert game.gone("W0")
    assert game.at("0:5,5") == "segment"
    assert game.world.items[game.names["item"]].square == game.square("0:5,5")
    game.play(0, "W0b pickup")
    assert not game.unit("W0b").item
    assert "Order failed" in game.told(0)
    game.round_end().round_end()
    assert game.at("0:5,5") == ""
    assert game.play(0, "W0b pickup").stands("W0b@0:5,6 +I")


def test_v17(position):
    """A site loses one turn a round while any worker is beside it; it keeps the rest without workers."""
    game = position("S(e1)=3 W0@0:7,6 W1@0:9,6").round_end()
    assert game.world.left[0] == 2
    for name in ("W0", "W1"):
        del game.world.units[game.names.pop(name)]
    assert game.round_end().world.left[0] == 2
    game.names["W0"] = game.world.add_unit(0, 0, game.square("0:7,6"))
    assert game.round_end().world.left[0] == 1
    assert "Excavation opened" not in game.told()
    assert game.round_end().world.left[0] == 0
    assert "Excavation opened" in game.told()
    for text, site, rounds in (("W0@2:7,1", 2, 10), ("W1@1:8,10", 1, 5)):
        game = position(text)
        for number in range(rounds):
            assert game.world.left[site] == rounds - number
            assert ("Excavation opened" in game.round_end().told()) == (number == rounds - 1)
        assert game.world.left[site] == 0


def test_v18(position):
    """Both sides of a battle lose a hit point; each unit attacks once a turn."""
    game = position("W0a@0:4,5 W0b@0:5,4 S1@0:5,5").play(0, "W0a attack S1; W0b attack S1")
    assert game.gone("W0a", "W0b")
    assert game.stands("S1@0:5,5 hp=1")
    game = position("S0@0:4,5 S1@0:5,5").play(0, "S0 attack S1; S0 attack S1")
    assert game.stands("S0@0:4,5 hp=2 S1@0:5,5 hp=2")
    assert game.queue("S0") == ["Attack"]
    game = position("W0a@0:4,5 S1@0:5,5").play(0, "W0a attack S1; W0a attack S1")
    assert game.gone("W0a")
    assert game.stands("S1@0:5,5 hp=2")


def test_v19(position):
    """A queen cannot fight back."""
    game = position("W0@0:5,5 Q1@0:6,5").play(0, "W0 attack Q1")
    assert game.stands("Q1@0:6,5 hp=9 W0@0:5,5 hp=1")
    assert "Queen hit" in game.told(1)


def test_v20(position):
    """The ends of an open shaft are neighbours for attacks and for steps."""
    game = position("S(e1)=0 Q0@0:8,6 S1@1:8,6").play(1, "S1 attack Q0")
    assert game.stands("Q0@0:8,6 hp=9")
    game.play(0, "Q0 move 1:8,6")
    assert game.stands("Q0@0:8,6")
    assert game.queue("Q0") == []
    assert "Order failed" in game.told(0)
    assert position("S(e1)=0 Q0@0:8,6 S1@1:8,8").play(0, "Q0 move 1:8,6").stands("Q0@1:8,6")


def test_v21(position):
    """Antlions and blasts do not reach another board."""
    game = position("S(e1)=0 A1@1:8,7 W0@0:8,6").play(0)
    assert game.stands("W0@0:8,6 A1@1:8,7 k=3")
    game.play(0, "W0 move 1:8,6")
    assert game.gone("W0")
    assert game.stands("A1@1:8,7 k=2")
    game = position("S(e1)=0 T0@0:8,6 S1@0:8,5 S0@1:8,6 W1@1:8,7").play(1, "S1 attack T0")
    assert game.gone("T0", "S1")
    assert game.stands("S0@1:8,6 hp=3 W1@1:8,7")


def test_v22(position):
    """The throne is closed, or taken, or it wins the game at once."""
    game = position("Q0@2:8,2").play(0, "Q0 move 2:8,1")
    assert game.stands("Q0@2:8,2")
    assert "Order failed" in game.told(0)
    game = position("Q0@2:8,2 S(th)=0 W1@2:8,1 S0@2:7,1").play(0, "Q0 move th")
    assert game.stands("Q0@2:8,2 W1@2:8,1")
    assert "Order failed" in game.told(0)
    game.play(0, "S0 attack W1")
    assert game.gone("W1")
    game.play(0, "Q0 move th")
    assert game.state.over
    assert game.done.outcome.places == {0: 1, 1: 2}
    assert game.done.outcome.why == "throne"
    assert "Game over" in game.told()


def test_v23(position):
    """Eating through a worm costs nothing and makes two, which move away from each other."""
    game = position("worm@0:8,3-3,3 right S0@0:5,4").play(0, "S0 attack segment:5,3")
    assert game.stands("S0@0:5,4 hp=3")
    assert game.worm() == (["8,3", "7,3", "6,3"], "right")
    assert "Worm split" in game.told()
    (other,) = set(game.world.worms) - {game.names["worm"]}
    assert game.body(game.world.worms[other]) == (["3,3", "4,3"], "left")
    game.round_end()
    assert game.worm()[0][0] == "9,3"
    assert game.body(game.world.worms[other])[0][0] == "2,3"
    game = position("W0@0:12,4", worms="0:12,3 right")
    (worm,) = game.world.worms.values()
    assert len(worm.segments) == 10
    game.play(0, "W0 move 12,3")
    assert game.stands("W0@0:12,4")
    assert "Order failed" in game.told(0)


def test_v24(position):
    """A brood without room waits, a worker does not; a brood beyond the limit waits as well."""
    enclosed = "Q0@0:0,6 S1a@0:0,7 S1b@0:1,6 S1c@0:0,5"
    game = position(enclosed).play(0, "Q0 spawn soldier")
    assert game.world.alive(0, 1) == 0
    assert (game.world.colonies[0].brood, game.world.colonies[0].brood_left) == (1, 0)
    del game.world.units[game.names.pop("S1b")]
    assert game.play(0).stands("S0@0:1,6")
    game = position(enclosed).play(0, "Q0 spawn worker")
    assert "Spawn failed" in game.told(0)
    assert game.queue("Q0") == []
    game = position("Q0@0:1,6 D0a@0:4,10 Y0@0:7,5 D1@0:8,5").play(0, "Q0 spawn drone; Y0 convert D1")
    game.play(0)
    assert game.world.alive(0, 2) == 2
    assert game.queue("Q0") == ["Spawn"]
    assert game.world.colonies[0].brood_left == 0
    del game.world.units[game.names.pop("D0a")]
    game.play(0)
    assert game.stands("D0@0:1,7")
    assert game.world.alive(0, 2) == 2


def test_v25(position):
    """Without an order a termite bomb goes to the first free square; without one it is asked for again later."""
    game = position("Q0@0:1,6").give(TERMITE, 0)
    assert game.close().stands("T0@0:1,7")
    game = position("Q0@0:1,6 W0a@0:1,7 W0b@0:2,6 W0c@0:1,5 W0d@0:0,6").give(TERMITE, 0)
    game.close()
    assert game.world.hand(0) == [game.names["item"]]
    assert (game.state.phase, game.world.seat) == ("main", 1)
    game.play(0)
    assert (game.state.phase, game.world.seat) == ("main", 1)
    game.play(0, "W0b move 3,6")
    assert (game.state.phase, game.world.seat) == ("place", 0)
    assert game.close().stands("T0@0:2,6")


def test_v26(position):
    """A worm crushes whatever it comes upon: a queen, an antlion, a termite bomb, which goes off."""
    game = position("worm@0:8,3-3,3 right Q1@0:9,3").round_end()
    assert game.state.over
    assert game.done.outcome.places == {0: 1, 1: 2}
    game = position("worm@0:8,3-3,3 right A1@0:9,3").round_end()
    assert game.gone("A1")
    game = position("worm@0:8,3-3,3 right T1@0:9,3 S0@0:13,3 S1@0:14,3").round_end()
    assert game.gone("T1")
    assert game.stands("S0@0:13,3 hp=1 S1@0:14,3 hp=3")


def test_v27(position):
    """At the end of a row a worm goes up or down, and turns."""
    game = position("worm@0:16,3-14,3 right").round_end()
    assert game.worm() == (["16,4", "16,3", "15,3"], "left")
    assert game.round_end().worm()[0][0] == "15,4"
    assert position("worm@0:0,3-2,3 left").round_end().worm() == (["0,2", "0,3", "1,3"], "right")
    assert position("worm@0:16,12-15,12 right").round_end().worm() == (["16,11", "16,12"], "left")
    game = position("worm@0:8,3-5,3 right wormb@0:9,3-12,3 left")
    game.round_end()
    assert game.worm()[0][0] == "8,4"
    assert game.worm()[1] == "left"


def test_v28(position):
    """An item's kind shows nowhere before it is activated. Another player's queue is secret."""
    game = position("Q0@0:1,6 W0@0:4,6 termite@0:5,6 antlion@0:9,9")
    ids = list(game.world.items)
    before = [RULESET.show(game.world, oid, RULESET.sight(game.world, 1)[oid]) for oid in ids]
    for oid in ids:
        game.world.items[oid].kind = ANTLION + TERMITE - game.world.items[oid].kind
    assert [RULESET.show(game.world, oid, RULESET.sight(game.world, 1)[oid]) for oid in ids] == before
    assert {(shown.name, shown.ships, shown.numbers, shown.resources) for shown in before} == {
        ("Item", (Ships(UNKNOWN_ITEM),), (), ())
    }
    game.world.items[ids[0]].kind = TERMITE
    game.names["item"] = ids[0]
    game.play(0, "W0 pickup")
    seen = [RULESET.show(game.world, ids[0], RULESET.sight(game.world, seat)[ids[0]]) for seat in (0, 1)]
    assert [shown.ships for shown in seen] == [(Ships(UNKNOWN_ITEM),)] * 2
    game.play(0, "W0 move 2,6")
    assert any("Termite Bomb" in one.body for one in game.done.reports if one.subject == "Item activated")
    game = position("Q0@0:1,6")
    game.order("Q0 spawn drone")
    with pytest.raises(Refusal, match="not yours") as refused:
        removal(RULESET, game.state, 1, game.names["Q0"], 0)
    assert refused.value.code == DENIED


def test_v29(position):
    """An antlion goes to any free square, but never to a site or a landing."""
    game = position("Q0@0:1,6 W0@0:3,3").give(ANTLION, 0)
    for place in ("e1", "e2", "th", "1:8,6", "2:8,11", "2:8,1"):
        assert game.refused(f"Q0 place antlion {place}") == NEVER
    assert game.refused("Q0 place antlion 3,3") == LATER
    game.order("Q0 place antlion 2:5,5")
    assert game.close().stands("A0@2:5,5 k=3")


def test_v30(position):
    """Refusals at insertion, with their codes. A spawn beyond the limit fails later, without a lock."""
    soldiers = " ".join(f"S0{letter}@2:{x},4" for x, letter in enumerate("abcde"))
    game = position(f"Q0@0:1,6 W0@0:5,5 W1@0:6,5 spider@0:12,12 r=0 termite@0:5,6 {soldiers}")
    game.changed(0)
    assert game.refused("Q0 attack W1") == NEVER
    assert game.refused("Q0 spawn 5") == FRAME
    assert game.refused("Q0 spawn 1+2") == FRAME
    assert game.refused("W0 attack spider") == NEVER
    assert game.refused("S0a pickup item") == NEVER
    assert game.refused("W1 move 7,7", seat=0) == DENIED
    assert game.refused("W0 move 999999") == NOTHING
    del game.world.units[game.names["W1"]]
    game.changed(0)
    assert game.refused("W0 attack W1") == GONE
    game.play(0, "Q0 spawn soldier; Q0 move 2,6")
    assert "Spawn failed" in game.told(0)
    assert game.stands("Q0@0:2,6")
    assert game.queue("Q0") == []


def test_v31(position):
    """A full web is given up for another at least ten squares away; webs grow by one a round."""
    game = position("spider@0:8,3 r=6").round_end()
    spider = game.spider
    old = game.square("0:8,3")
    goal = spider.goal
    assert not spider.weaves
    assert not any(game.world.in_web(square) for square in range(game.world.layout.area))
    assert game.world.layout.distance(old, goal) >= 10
    assert game.world.layout.distance(old, spider.square) == 6
    rounds = 1
    while not game.spider.weaves:
        game.round_end()
        rounds += 1
    assert rounds in (2, 3)
    assert (game.spider.square, game.spider.centre, game.spider.radius) == (goal, goal, 0)
    assert game.round_end().spider.radius == 1
    game = position("spider@0:8,3 r=0")
    assert [game.round_end().spider.radius for _ in range(6)] == [1, 2, 3, 4, 5, 6]


def test_v32(position):
    """A web that grows over a unit does not catch it; a step onto the web does."""
    game = position("spider@0:8,3 r=2 W1@0:11,3").round_end()
    assert game.spider.radius == 3
    assert game.stands("W1@0:11,3")
    assert not game.unit("W1").caught
    assert game.play(1, "W1 move 14,3").stands("W1@0:14,3")
    game = position("spider@0:8,3 r=2 W1@0:11,3").round_end().play(1, "W1 move 10,3")
    assert "Caught in a web" in game.told(1)
    assert game.spider_at() == "0:9,3"
    assert game.gone("W1")


def test_v33(position):
    """A spider's bite takes half of a queen's hit points, but never the last one."""
    game = position("spider@0:8,3 r=2 Q0@0:5,3").play(0, "Q0 move 6,3")
    assert game.unit("Q0").caught
    assert game.spider_at() == "0:7,3"
    assert game.stands("Q0@0:6,3 hp=5")
    assert "Queen bitten" in game.told(0)
    assert game.round_end().stands("Q0@0:6,3 hp=3")
    game = position("spider@0:8,3 r=2 Q0@0:5,3 hp=1").play(0, "Q0 move 6,3")
    assert game.stands("Q0@0:6,3 hp=1")


def test_v34(position):
    """A strike that an arrival sets off hits all units beside the spider."""
    game = position("spider@0:8,3 r=0 S1@0:8,2 W0@0:5,3").play(0, "W0 move 7,3")
    assert game.gone("W0", "S1")


def test_v35(position):
    """A termite bomb that a strike kills goes off when the strike has bitten all."""
    game = position("spider@0:8,3 r=0 Q0@0:8,4 T0@0:9,3 W0@0:5,3").play(0, "W0 move 7,3")
    assert game.gone("W0", "T0")
    assert game.stands("Q0@0:8,4 hp=3")
    assert game.told(0).index("Queen bitten") < game.told(0).index("Queen hit")


def test_v36(position):
    """A bent worm that is stuck turns round where it is and faces away from its second segment."""
    game = position("worm@0:16,3-13,3 right wormb@0:15,4-15,4 right spider@0:16,5")
    worm = game.world.worms[game.names["worm"]]
    worm.squares, worm.facing = [game.square(place) for place in ("16,4", "16,3", "15,3", "14,3")], LEFT
    game.changed()
    game.world.worms[game.names["wormb"]].facing = LEFT
    game.round_end()
    assert game.worm() == (["14,3", "15,3", "16,3", "16,4"], "left")
    assert game.round_end().worm() == (["13,3", "14,3", "15,3", "16,3"], "left")


def test_v37(position):
    """A worm does not enter the square that its own tail leaves."""
    game = position("worm@0:8,3-5,3 left")
    worm = game.world.worms[game.names["worm"]]
    worm.squares = [game.square(place) for place in ("8,3", "8,4", "7,4", "7,3")]
    game.changed()
    assert game.round_end().worm() == (["8,2", "8,3", "8,4", "7,4"], "right")


def test_v38(position):
    """An Attack that fails was the unit's attack of this turn."""
    game = position("W0@0:5,5 S1@0:6,5 S1b@0:9,9").play(0, "W0 attack S1b; W0 attack S1")
    assert "Order failed" in game.told(0)
    assert game.stands("W0@0:5,5 hp=1 S1@0:6,5 hp=3")
    assert game.queue("W0") == ["Attack"]
    assert game.play(0).stands("S1@0:6,5 hp=2")
    assert game.gone("W0")


def test_v39(position):
    """A NoOp that reaches the front in mid-turn counts from the next turn."""
    game = position("W0@0:2,2").play(0, "W0 move 3,2; W0 wait 1")
    assert game.stands("W0@0:3,2")
    assert game.queue("W0") == ["NoOp"]
    assert game.play(0).queue("W0") == []


def test_v40(position):
    """The queen enters the open throne over the trail of a drone of her colony."""
    game = position("S(th)=0 Q0@2:8,2 D0@2:8,1").play(0, "D0 move 9,1")
    assert game.trail(0) == ["2:8,1"]
    game.play(0, "Q0 move 8,1")
    assert game.stands("Q0@2:8,1")
    assert (game.world.ended, game.world.winner) == ("throne", 0)


def test_v41(position):
    """A worker steps onto a trail from a square beside it."""
    game = position("D0@0:2,2 W0@0:4,3").play(0, "D0 move 5,2")
    assert game.trail(0) == ["0:2,2", "0:3,2", "0:4,2"]
    game.play(0, "W0 move 4,2")
    assert game.stands("W0@0:4,2")
    assert game.queue("W0") == []
