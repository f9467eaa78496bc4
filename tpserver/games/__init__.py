"""Games: those in memory, their orders, turns, clocks and message boards, and the views of their seats."""
