"""Antshouse: ants cross a pavement and return home, while their owners, kids, throw things at the other ants."""

from tprules.antshouse.ruleset import RULESET as RULESET
