"""Packers and unpackers of the binary dialects.

They are generated from the schema on first use.
"""
