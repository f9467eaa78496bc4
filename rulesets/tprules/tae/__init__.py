"""TaE: Tigris and Euphrates in space, the lead ruleset."""

from tprules.tae.ruleset import RULESET as RULESET
