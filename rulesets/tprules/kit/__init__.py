"""Modules that several games share.  Their use is optional, and they do not depend on each other."""
