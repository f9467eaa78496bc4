"""Rulesets that only the tests play, found through the same entry points as any stranger's."""
