"""Taller-Ants: spiders above the ground, ants below it, and the fungus between them."""

from tprules.taller_ants.ruleset import RULESET

__all__ = ["RULESET"]
