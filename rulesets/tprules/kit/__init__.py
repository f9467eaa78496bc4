"""Optional modules that several games share, independent of each other."""
