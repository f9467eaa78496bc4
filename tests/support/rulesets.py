"""The shipped rulesets of this project, as installed."""

from importlib.metadata import EntryPoint, entry_points


def shipped() -> dict[str, EntryPoint]:
    """Return them by their names, not loaded yet; those of the tests are not among them."""
    points = sorted(entry_points(group="tpserver.rulesets"), key=lambda point: point.name)
    return {point.name: point for point in points if point.module.partition(".")[0] == "tprules"}
