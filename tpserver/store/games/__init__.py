"""Stored games, with their journals, snapshots, boards and leases."""
