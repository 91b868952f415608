"""The metrics in the formats that Prometheus reads."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from playground.metrics.definitions import COUNTERS, HISTOGRAMS
from playground.metrics.tally import Tally
from playground.operations import gauges
from scheduler_core.emulations import DEFAULT

# name, help, label
PENDING = (
    "scheduler_pending_pods",
    "Number of pending pods, by the queue type: active, backoff, unschedulable (tried and failed) or gated.",
    ("queue",),
)
LEASES = ("playground_leases", "Leases on clusters: held, or expired with nobody to take over yet.", ("state",))
BUILD = ("playground_build_info", "Which kube-scheduler is emulated.", ("emulates",))
SINGLE = {
    "clusters": ("playground_clusters", "Clusters."),
    "waiting": ("playground_commands_waiting", "Commands that are posted and not yet at their end."),
    "unattended": ("playground_clusters_unattended", "Clusters that have commands waiting and no worker."),
    "stored": ("playground_stored_bytes", "What all clusters take in the database, nearly."),
    "viewers": ("playground_stream_viewers", "Open WebSockets, over all web processes."),
    "workers": ("playground_workers", "Workers that give signs of life."),
}
GAUGES = (PENDING[0], LEASES[0], BUILD[0], *(name for name, _ in SINGLE.values()))


def exposition(accept: str) -> tuple[bytes, str]:
    """Return the body and its content type, in the best format that `accept` names."""
    encode, content_type = choose_encoder(accept)
    registry = CollectorRegistry()
    registry.register(_Collector())
    return encode(registry), content_type


class _Collector(Collector):
    """A collector that reads database and broker, so that every web process returns the same values."""

    def collect(self) -> Iterable[Metric]:
        yield from _tallied(gauges.sum_tallies())
        yield _gauge(*PENDING, gauges.count_pending_pods())
        yield _gauge(*LEASES, gauges.count_leases())
        yield _gauge(*BUILD, {DEFAULT.version: 1})
        single = {
            "clusters": gauges.count_clusters(),
            "waiting": gauges.count_waiting_commands(),
            "unattended": gauges.count_unattended_clusters(),
            "stored": gauges.sum_stored_bytes(),
            **dict(gauges.count_connections()),
        }
        for key, value in single.items():
            yield GaugeMetricFamily(*SINGLE[key], value=value)

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registering the collector reads nothing."""
        return ()


def _tallied(tally: Tally) -> Iterator[Metric]:
    for counter in COUNTERS:
        family = CounterMetricFamily(counter.name, counter.help, labels=counter.labels)
        for labels, (value,) in tally.values(counter):
            family.add_metric(labels, value)
        yield family
    for histogram in HISTOGRAMS:
        shown = HistogramMetricFamily(histogram.name, histogram.help, labels=histogram.labels)
        for labels, (total, *counts) in tally.values(histogram):
            upto, buckets = 0.0, []
            for bound, count in zip((*histogram.buckets, float("inf")), counts, strict=True):
                upto += count
                buckets.append((floatToGoString(bound), upto))
            shown.add_metric(labels, buckets, total)
        yield shown


def _gauge(name: str, help_text: str, labels: tuple[str, ...], values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, help_text, labels=labels)
    for label, value in values.items():
        family.add_metric([label], value)
    return family
