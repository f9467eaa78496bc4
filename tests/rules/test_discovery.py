"""Discovery of rulesets: entry points of installed packages, clear errors."""

from __future__ import annotations

import sys
import types
from dataclasses import fields, replace
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import Any

import pytest
from test_games.auction import RULESET as AUCTION
from test_games.auction import Auction

from tests.rulesets import bad_rulesets
from tprules import api
from tprules.api import Kind, Role, renamed, ruleset
from tpserver.cli.running import AS_IT_STARTED
from tpserver.rules.discovery import GROUP, Rulesets, UnknownRuleset, discover, fault_of


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GROUP)


def test_the_shipped_and_the_strangers_come_through_the_same_door():
    """TaE, and the test rulesets that are installed beside it."""
    found = discover()
    assert {"tae", "auction", "synthetic", "brittle"} <= set(found.usable)
    assert all(found.usable[name].name == name for name in found.usable)


def test_what_cannot_be_used_is_a_problem_with_a_reason_and_never_an_exception():
    found = discover()
    assert set(found.problems) >= {"missing", "nameless"}
    assert "ModuleNotFoundError" in found.problems["missing"]
    assert "version of its own" in found.problems["nameless"]
    assert not set(found.problems) & set(found.usable)


def test_a_ruleset_is_found_by_name_or_refused_with_what_there_is():
    found = discover()
    assert found.named("auction") is AUCTION
    with pytest.raises(UnknownRuleset, match="did you mean auction"):
        found.named("auktion")
    with pytest.raises(UnknownRuleset, match="cannot be used: loading"):
        found.named("missing")
    with pytest.raises(UnknownRuleset, match="there are: none"):
        Rulesets().named("chess")


def test_a_running_server_says_that_it_knows_what_was_there_when_it_started():
    """A user of a ruleset that was installed or fixed meanwhile gets advice."""
    found = replace(discover(), hint=AS_IT_STARTED)
    for name in ("isles", "missing"):
        with pytest.raises(UnknownRuleset, match="; the running server knows the rulesets as they were when it st"):
            found.named(name)
    assert found.named("auction") is AUCTION


def test_a_module_that_fails_while_it_is_loaded_names_file_and_line(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a_loose_ruleset.py").write_text("a = 1\nb = nothing\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = discover([point("loose", "a_loose_ruleset:RULESET")])
    said = "NameError: name 'nothing' is not defined (a_loose_ruleset.py line 2)"
    assert found.problems["loose"] == f"loading a_loose_ruleset:RULESET failed with {said}"


@pytest.mark.parametrize("which", ["MISSPELLED", "ADDITIONAL", "MISSPELLED_ORDER", "ADDITIONAL_OF_ORDER"])
def test_an_unknown_name_in_a_class_is_no_reason_not_to_load(which: str):
    """`ruleset check` fails for it, but a game of such a ruleset goes on."""
    misspelled = type(getattr(bad_rulesets, which))
    ruleset = type("Ruleset", (misspelled,), {"version": 1})()
    assert fault_of(ruleset, point("auction", "somewhere:RULESET")) == ""


def test_two_packages_that_offer_one_name_are_both_refused():
    """The choice between them must not depend on the order of installation."""
    found = discover([point("auction", "test_games.auction:RULESET"), point("auction", "test_games.brittle:RULESET")])
    assert found.usable == {}
    assert "test_games.auction:RULESET" in found.problems["auction"]
    assert "test_games.brittle:RULESET" in found.problems["auction"]


@pytest.mark.parametrize(
    "error", ["raise RuntimeError('no')", "raise SystemExit(3)", "raise BaseException('odd')", "x ="]
)
def test_a_module_that_does_anything_while_it_is_loaded(error: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    """Exiting the program included; the other rulesets are found."""
    (tmp_path / "a_bad_ruleset.py").write_text(error + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = discover([point("bad", "a_bad_ruleset:RULESET"), point("auction", "test_games.auction:RULESET")])
    assert set(found.usable) == {"auction"}
    assert "a_bad_ruleset" in found.problems["bad"]
    sys.modules.pop("a_bad_ruleset", None)


def test_the_operators_interrupt_is_not_taken_for_a_fault(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "an_interrupted_ruleset.py").write_text("raise KeyboardInterrupt\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        discover([point("bad", "an_interrupted_ruleset:RULESET")])


def variant(**changes: Any) -> Any:
    """Return an auction with other declarations."""
    made = type("Variant", (Auction,), {"name": "variant", "version": 1, **changes})
    return made()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": "other"}, "calls itself 'other'"),
        ({"version": 0}, "version is 0"),
        ({"version": "1"}, "version is '1'"),
        ({"seats": range(0)}, "number of seats"),
        ({"seats": range(3)}, "number of seats"),
        ({"phases": ()}, "no phases"),
        ({"phases": ("bidding",)}, "no phases"),
        ({"orders": Auction.orders * 2}, "same number"),
        ({"kinds": {**Auction.kinds, "house": Kind(Role.GALAXY, "House", resources=True)}}, "old clients draw nothing"),
        ({"kinds": None}, "does not declare kinds"),
        ({"orders": None, "kinds": None}, "does not declare orders, kinds"),
    ],
)
def test_a_ruleset_with_a_declaration_that_cannot_be_is_refused_naming_it(changes: dict[str, Any], why: str):
    assert why in fault_of(variant(**changes), point("variant", "x:y"))


def test_a_name_that_cannot_be_typed_is_refused():
    ruleset = variant(name="Big Game")
    assert "lower case" in fault_of(ruleset, point("Big Game", "x:y"))


def test_what_is_no_ruleset_is_refused_saying_what_it_is():
    assert "int, not an instance" in fault_of(5, point("five", "x:y"))
    assert "type, not an instance" in fault_of(Auction, point("auction", "x:y"))


def test_a_good_ruleset_has_no_fault():
    assert fault_of(AUCTION, point("auction", "x:y")) == ""
    assert isinstance(sys.modules["test_games"], types.ModuleType)


OLD = {
    **{f"from tprules.api import {old}": new for old, new in renamed.NAMES.items()},
    **{f"from tprules import api\napi.{old}": new for old, new in renamed.NAMES.items()},
    **{f"import {old}": new for old, new in renamed.MODULES.items()},
    **{
        f"from tprules.api import Ruleset\nclass Old(Ruleset):\n    {old} = None": new
        for old, new in {**renamed.HOOKS, **renamed.FUNCTIONS}.items()
    },
    **{f"from tprules.api import Phase\nPhase('one', {old}=None)": new for old, new in renamed.PHASE.items()},
}


@pytest.mark.parametrize("source", OLD)
def test_a_ruleset_of_an_earlier_api_is_told_the_names_of_today(
    source: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "of_yesterday.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "of_yesterday", raising=False)
    problem = discover([point("old", "of_yesterday:RULESET")]).problems["old"]
    assert f"is now called {OLD[source]}" in problem


def test_a_refusal_of_an_earlier_api_is_told_its_arguments_of_today():
    with pytest.raises(TypeError, match="is now Refusal"):
        api.Refusal(api.Code.GONE, "gone", "it is gone")


def test_the_names_of_today_are_there():
    assert all(hasattr(api, name) for name in renamed.NAMES.values())
    assert all(hasattr(api.Ruleset, name) for name in renamed.HOOKS.values())
    assert all(hasattr(ruleset, name) for name in renamed.FUNCTIONS.values())
    assert {one.name for one in fields(api.Phase)} >= set(renamed.PHASE.values())
    assert all(find_spec(name) for name in renamed.MODULES.values())
    assert not any(hasattr(api.Ruleset, name) for name in {**renamed.HOOKS, **renamed.FUNCTIONS})
