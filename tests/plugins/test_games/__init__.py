"""Rulesets for tests only, found through entry points like any other."""
