"""Taller-Ants: spiders above the ground, ants below it, and the fungus between them.

``RULES.md`` in this folder has the rules: "R25" is its rule of that number.
"""

from tprules.taller_ants.ruleset import RULESET as RULESET
