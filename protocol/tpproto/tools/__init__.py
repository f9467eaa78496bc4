"""Tools for client authors and for recorded bytes: `python -m tpproto`."""
