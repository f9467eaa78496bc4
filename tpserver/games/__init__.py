"""Games in memory: orders, turns, turn clocks, message boards and views."""
