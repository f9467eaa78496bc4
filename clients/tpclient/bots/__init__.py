"""Programs that play: a loop that takes every turn, and a policy that gives orders at random in any game."""
