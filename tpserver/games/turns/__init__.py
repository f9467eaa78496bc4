"""Turns: orders, deadlines, closings, pauses and suspensions."""
