"""The limits of user input."""

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Limits:
    """The defaults let a cluster of some 1,500 nodes and 8,000 pods through, as `kubectl get -o yaml` prints it.

    `values` counts every scalar, list and mapping, those behind a YAML alias once for each place that it stands in.
    """

    bytes: int = 64 << 20
    depth: int = 100
    values: int = 5_000_000
    documents: int = 20_000
    objects: int = 100_000
    problems: int = 500
    lines: int = 200_000
    """Rows of a CSV file."""
