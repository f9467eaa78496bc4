"""Rulesets in the server: discovery, description frames and call limits."""
