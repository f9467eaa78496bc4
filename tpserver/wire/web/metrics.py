"""Metrics for Prometheus, at a separate listener.

The module needs prometheus-client, which is loaded only with metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from twisted.web.resource import Resource
from twisted.web.server import Site

from tpserver.events import TURN_BUCKETS

SECONDS = 10.0
"""Maximum seconds without a request on a connection."""

# Not annotated by Twisted.
_Resource: Any = Resource
_Site: Any = Site


class NoMetrics(Exception):
    """Metrics are not available. The message is one sentence, without a full stop."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, or one for each value of a label. A "counter" never decreases while the process runs."""

    name: str
    help: str
    kind: Literal["gauge", "counter"]
    value: float | Mapping[str, float]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Closings:
    """Closings by duration: the number up to each of TURN_BUCKETS seconds and above, and the total seconds."""

    counts: list[int]
    seconds: float


def metrics_factory(read: Callable[[], tuple[Iterable[Figure], Closings]]) -> Any:
    """Return a Twisted factory that answers GET /metrics with the result of ``read``. Raises NoMetrics."""
    try:
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.core import (
            CounterMetricFamily,
            GaugeMetricFamily,
            HistogramMetricFamily,
        )
        from prometheus_client.exposition import CONTENT_TYPE_LATEST
        from prometheus_client.registry import Collector
    except ImportError:
        raise NoMetrics("metrics need prometheus-client: pip install 'tpserver[metrics]'") from None

    class Figures(Collector):
        def collect(self) -> Iterator[Any]:
            figures, closings = read()
            for figure in figures:
                family = CounterMetricFamily if figure.kind == "counter" else GaugeMetricFamily
                labels = [figure.label] if figure.label else []
                made = family(f"tpserver_{figure.name}", figure.help, labels=labels)
                if isinstance(figure.value, Mapping):
                    for word, number in figure.value.items():
                        made.add_metric([word], number)
                else:
                    made.add_metric([], figure.value)
                yield made
            total, buckets = 0, []
            for bound, count in zip((*map(str, TURN_BUCKETS), "+Inf"), closings.counts, strict=True):
                total += count
                buckets.append((bound, total))
            yield HistogramMetricFamily(
                "tpserver_turn_seconds", "Seconds to close a turn, until it is saved.", buckets, closings.seconds
            )

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures())

    class Metrics(_Resource):  # type: ignore[misc] # see above
        isLeaf = True

        def render_GET(self, request: Any) -> bytes:
            if request.path != b"/metrics":
                request.setResponseCode(404)
                return b"Metrics are at /metrics.\n"
            request.setHeader("Content-Type", CONTENT_TYPE_LATEST)
            return bytes(generate_latest(registry))

    site = _Site(Metrics(), timeout=SECONDS)
    site.noisy = False
    site.log = lambda request: None
    return site
