"""Portal: the process that keeps connections while the engine is replaced."""
