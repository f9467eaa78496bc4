"""The parent of a server: a small process that starts it, watches it, and starts another after one had to be ended."""
