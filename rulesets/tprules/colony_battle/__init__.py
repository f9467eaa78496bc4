"""Colony Battle: two ant queens race through three boards for one throne."""

from tprules.colony_battle.ruleset import RULESET as RULESET
