"""Antshouse: ants cross a pavement and come home again, while the kids who own them throw things at the others."""

from tprules.antshouse.ruleset import RULESET

__all__ = ["RULESET"]
