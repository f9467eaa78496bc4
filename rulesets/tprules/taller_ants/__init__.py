"""Taller-Ants: spiders above the ground, ants below, fungus between them.

``RULES.md`` in this folder has the rules. "R25" is rule 25 there.
"""

from tprules.taller_ants.ruleset import RULESET as RULESET
