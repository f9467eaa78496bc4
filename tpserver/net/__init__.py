"""Bytes and connections: listeners, the stream of frames, and what one client may take.  No rules, no SQL."""
