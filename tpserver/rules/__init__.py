"""Rulesets as the host sees them: found by entry points, described in frames, kept within time."""
