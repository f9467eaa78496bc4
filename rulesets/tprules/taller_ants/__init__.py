"""Taller-Ants: spiders above the ground, ants below it, and the fungus between them.

``RULES.md`` in this folder is the rule page: "R25" means its rule of that number, "(page, 4)" its section 4.
"""

from tprules.taller_ants.ruleset import RULESET

__all__ = ["RULESET"]
