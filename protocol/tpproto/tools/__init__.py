"""Programs for people who write clients or look at recorded bytes: `python -m tpproto`."""
