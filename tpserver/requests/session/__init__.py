"""Sessions: the steps of every request, with its limits, refusals and responses."""
