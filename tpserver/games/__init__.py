"""Games: which are in memory, taking orders, closing turns, clocks, and how each seat sees its game."""
