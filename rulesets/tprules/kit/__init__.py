"""Bricks that several games share.  A game may use them or not; each stands alone."""
