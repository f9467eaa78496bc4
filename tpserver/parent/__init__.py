"""The parent of a server: a small process that starts it, watches it, and starts another when it had to be ended."""
