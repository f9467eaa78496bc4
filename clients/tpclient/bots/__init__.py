"""Programs that play: a loop that takes every turn, and policies that choose the orders."""
