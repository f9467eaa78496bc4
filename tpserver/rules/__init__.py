"""Rulesets from the host's side: discovery by entry points, description frames, and time limits."""
