"""Values of counters and histograms, which can be added up over processes and time."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from playground.metrics.definitions import COUNTERS, HISTOGRAMS, Counter, Histogram

# Users choose profile names, so further profiles share one label value.
MOST_PROFILES = 20
OTHER = "other"
PROFILE = "profile"

_DEFINED: dict[str, Counter | Histogram] = {each.name: each for each in (*COUNTERS, *HISTOGRAMS)}


class Tally:
    """Values by metric and labels: `[n]` of a counter, `[sum, n in the first bucket, …, n beyond]` of a histogram."""

    def __init__(self) -> None:
        self._values: dict[str, dict[tuple[str, ...], list[float]]] = {}
        self._profiles: set[str] = set()

    def count(self, counter: Counter, *labels: str, by: float = 1) -> None:
        """Increase a counter; `labels` are in the order of its definition."""
        self._slot(counter, labels)[0] += by

    def observe(self, histogram: Histogram, value: float, *labels: str) -> None:
        self.observe_all(histogram, (value,), *labels)

    def observe_all(self, histogram: Histogram, values: Iterable[float], *labels: str) -> None:
        """Observe several values of one series."""
        slot = self._slot(histogram, labels)
        for value in values:
            slot[0] += value
            slot[1 + bisect_left(histogram.buckets, value)] += 1

    def add(self, other: "Tally") -> None:
        for name, series in other._values.items():
            definition = _DEFINED[name]
            for labels, values in series.items():
                slot = self._slot(definition, labels)
                for i, value in enumerate(values):
                    slot[i] += value

    def values(self, definition: Counter | Histogram) -> Iterator[tuple[tuple[str, ...], list[float]]]:
        """Yield labels and values, sorted by labels."""
        yield from sorted(self._values.get(definition.name, {}).items())

    def __bool__(self) -> bool:
        return bool(self._values)

    def _slot(self, definition: Counter | Histogram, labels: tuple[str, ...]) -> list[float]:
        series = self._values.get(definition.name)
        # An existing series has its final labels.
        if series is not None and (known := series.get(labels)) is not None:
            return known
        if PROFILE in definition.labels:
            labels = tuple(
                self._profile(value) if name == PROFILE else value
                for name, value in zip(definition.labels, labels, strict=True)
            )
        series = self._values.setdefault(definition.name, {})
        slot = series.get(labels)
        if slot is None:
            slot = series[labels] = [0.0] * _size(definition)
        return slot

    def _profile(self, name: str) -> str:
        if name == OTHER or name in self._profiles:
            return name
        if len(self._profiles) >= MOST_PROFILES:
            return OTHER
        self._profiles.add(name)
        return name

    # The stored form

    def dump(self) -> dict[str, Any]:
        """Return the JSON-ready form `{metric: [[labels, values], …]}`."""
        return {
            name: [[list(labels), values] for labels, values in series.items()] for name, series in self._values.items()
        }

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> "Tally":
        """Return the tally that `dump` returned, without unknown metrics and series of another version."""
        tally = cls()
        for name, series in data.items():
            definition = _DEFINED.get(name)
            if definition is None:
                continue
            for labels, values in series:
                if len(labels) == len(definition.labels) and len(values) == _size(definition):
                    tally._slot(definition, tuple(labels))[:] = values
        return tally


def _size(definition: Counter | Histogram) -> int:
    """Return how many numbers a series of this metric has."""
    return 2 + len(definition.buckets) if isinstance(definition, Histogram) else 1
