"""Fixtures of the ruleset tests: the modules beside them."""

from __future__ import annotations

import pytest

from tests.rulesets import bad_rulesets as rulesets_with_faults
from tests.rulesets import goldens as golden_playthroughs
from tests.rulesets.tae.disguise import disguise as with_other_secrets


@pytest.fixture(scope="session")
def disguise():
    """Return a TaE world with other secrets, which must look the same to a seat."""
    return with_other_secrets


@pytest.fixture(scope="session")
def bad_rulesets():
    """Rulesets with one fault each."""
    return rulesets_with_faults


@pytest.fixture(scope="session")
def goldens():
    """The writer of golden playthroughs."""
    return golden_playthroughs
