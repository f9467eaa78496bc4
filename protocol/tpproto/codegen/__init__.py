"""The packers and unpackers of the binary dialects, generated from the schema on first use."""
