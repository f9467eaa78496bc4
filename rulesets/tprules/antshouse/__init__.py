"""Antshouse: ants cross a pavement and return while kids throw things.

Each kid owns an ant and throws at the other ants.
"""

from tprules.antshouse.ruleset import RULESET as RULESET
