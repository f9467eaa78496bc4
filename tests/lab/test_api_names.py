"""The names that a game uses are counted, under whatever alias or in whatever mapping they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.api_names import Game, ruleset_members
from tests.support.process import PLUGINS
from tprules.api import Ruleset

MOST_OF_REVERSI = 43
MOST_MEMBERS = 33
"""Lower a number with each that goes; the aim for members is 25."""

API = "from tprules import api\n"
PLANTED = {
    # exported names
    "from tprules.api import Order": "Order",
    "from tprules.api import Order as Move": "Order",
    "import tprules.api as x\nx.Order": "Order",
    "import tprules.api\ntprules.api.Order": "Order",
    "from tprules import api as x\nx.Order": "Order",
    "from tprules.api import *\nOrder": "Order",
    API + "getattr(api, 'Order')": "Order",
    "from importlib import import_module\nx = import_module('tprules.api')\nx.Order": "Order",
    "from tprules.kit.seats import places": "places",
    API + "def f(order: 'api.Order'): ...": "Order",
    "from tprules import api": "",
    # members that a subclass overrides
    API + "class A(api.Ruleset):\n    name, seats = 'a', 2": "Ruleset Ruleset.name Ruleset.seats",
    API + "class A(api.Ruleset):\n    def scores(self): ...\n    def other(self): ...":
        "Ruleset Ruleset.scores",
    API + "R = api.Ruleset\nclass A(R[int]): ...\nclass B(A):\n    help = ''": "Ruleset Ruleset.help",
    API + "class A(api.Ruleset): ...\nA.help = ''": "Ruleset Ruleset.help",
    API + "class A(api.Ruleset): ...\nsetattr(A, 'help', '')": "Ruleset Ruleset.help",
    API + "A = type('A', (api.Ruleset,), {'help': ''})": "Ruleset Ruleset.help",
    API + "M = {'help': ''}\nA = type('A', (api.Ruleset,), {**M})": "Ruleset Ruleset.help",
    # members that are read or called
    API + "api.Role.FLEET": "Role Role.FLEET",
    API + "def f(plan: api.Plan[int]):\n    return plan.before[0].args": "Plan Plan.before Order.args",
    API + "def f(orders: list[api.Order]):\n    for one in sorted(orders):\n        one.stamp":
        "Order Order.stamp",
    API + "class A(api.Ruleset):\n    def setup(self, options, seats, dice):\n        dice.roll()":
        "Ruleset Ruleset.setup Dice.roll",
    API + "class A(api.Ruleset):\n    def setup(self, options, seats, dice):\n        self.scores(0, 0)":
        "Ruleset Ruleset.setup Ruleset.scores",
    "def f(turn):\n    turn.take_orders()[0].stamp": "?.take_orders Order.stamp",
    "from operator import attrgetter\nattrgetter('take_orders')": "?.take_orders",
    API + "def f(order):\n    match order:\n        case api.Order(stamp=3): ...": "Order Order.stamp",
    "class World:\n    stamp: int\ndef f(world: World):\n    world.stamp":
        "",
    # keyword arguments
    "from tprules.api import Phase\nPhase(name='a', removal='')": "Phase Phase.name Phase.removal",
    "from tprules.api import Phase as P\nP[int](**{'name': 'a'})": "Phase Phase.name",
    "from tprules.api import Phase\nN = 'name'\nM = {N: 'a', **dict(title=3)}\nPhase(**M)":
        "Phase Phase.name Phase.title",
    "from tprules.api import Choice\ndef f(m):\n    Choice(1, **m)": "Choice Choice.name Choice.most",
    "from functools import partial\nfrom tprules.api import Phase\npartial(Phase, name='a')": "Phase Phase.name",
    "from tprules.api import Order\ndef f(order: Order):\n    order._replace(stamp=3)": "Order Order.stamp",
    API + "def f(turn: api.Turn):\n    turn.report(None, '', by=3)":
        "Turn Turn.report Turn.report(by=)",
    API + "class Short:\n    P = api.Phase\nShort.P(name='a')": "Phase Phase.name",
    API + "class Short: ...\nShort.P = api.Phase\ndef f(short: Short):\n    short.P(name='a')": "Phase Phase.name",
    API + "from types import SimpleNamespace\nS = SimpleNamespace(P=api.Phase)\nS.P(name='a')": "Phase Phase.name",
    API + "class World:\n    orders: list[api.Order]\ndef f(world: World):\n    world.orders[0].stamp":
        "Order Order.stamp",
    API + "def f(turn: api.Turn):\n    turn.event('', own=3)": "Turn Turn.event",
    "from tprules.kit.words import called\ncalled('', each='')": "called called(each=)",
    "from tprules.api import Number, Turns\nNumber(help='')\nTurns(help='')": "Number Turns Param.help",
    # strings with a meaning
    "from tprules.api import Phase\nPhase(ends_after='each')": 'Phase Phase.ends_after Phase.ends_after:"each"',
    "from tprules.api import Phase\nE = 'each'\nPhase(**{'ends_after': E})":
        'Phase Phase.ends_after Phase.ends_after:"each"',
    "from tprules.api import Phase\nPhase('', 1, 2, 3, 4, 'each')": 'Phase Phase.ends_after:"each"',
    "from tprules.api import Places\nPlaces('on {board}')": 'Places Places.words:"{board}"',
    API + "class A(api.Ruleset):\n    checks = api.Checks(('over', 'other'))":
        'Ruleset Ruleset.checks Checks Checks.steps:"over"',
    API + "def own(plan, order):\n    order.args\napi.Checks(('over', own))":
        'Checks Checks.steps:"over" Order.args',
    "from tprules.api import Kind\nKind(1, 'each')": "Kind",
}  # fmt: skip
"""Module -> the names in it."""


@pytest.mark.parametrize("text", PLANTED)
def test_planted_names_are_counted(text: str, tmp_path: Path) -> None:
    module = tmp_path / "game.py"
    module.write_text(text, encoding="utf-8")
    found = Game([module])
    assert {name.replace(": ", ":") for name in found.names} == set(PLANTED[text].split())
    assert not found.uncounted


def test_names_are_followed_through_the_modules_of_a_game(tmp_path: Path) -> None:
    """A module in which the game hides an alias does not hide the names."""
    (tmp_path / "short.py").write_text("from tprules import api as a\nR = a.Ruleset", encoding="utf-8")
    (tmp_path / "game.py").write_text("from short import R, a\nclass A(R):\n    help = ''\na.Order", encoding="utf-8")
    paths = sorted(tmp_path.iterdir())
    assert set(Game(paths).names) == {"Ruleset", "Ruleset.help", "Order"}
    assert Game(paths[:1]).uncounted == {"short"}


def test_reversi_and_the_ruleset_do_not_grow() -> None:
    assert len(Game([PLUGINS / "reversi" / "__init__.py"]).names) <= MOST_OF_REVERSI
    assert len(ruleset_members()) <= MOST_MEMBERS
    assert (
        {"name", "seats", "show", "is_gone"} <= set(ruleset_members()) <= set(dir(Ruleset)) | {*Ruleset.__annotations__}
    )
