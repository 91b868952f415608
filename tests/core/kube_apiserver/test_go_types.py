"""The table of Go's types is made when the first request needs it, and several may be the first."""

import sys
from collections.abc import Iterator
from threading import Barrier, Thread

import pytest

from kube_apiserver.writes import go_types

POD = "io.k8s.api.core.v1.Pod"
THREADS = 8


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Nothing is made yet, and threads take turns very often."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_nobody_finds_a_type_half_made() -> None:
    want = _sizes(go_types.named(POD))
    for _ in range(5):
        go_types.named.cache_clear()
        go_types._made.clear()
        found: list[dict[str, int]] = []
        together = Barrier(THREADS)

        def look(found: list[dict[str, int]] = found, together: Barrier = together) -> None:
            together.wait()
            found.append(_sizes(go_types.named(POD)))

        threads = [Thread(target=look) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [want] * THREADS


def _sizes(struct: go_types.Struct) -> dict[str, int]:
    """How many fields each part of it has."""
    sizes: dict[str, int] = {}
    left = [struct]
    while left:
        one = left.pop()
        if one.name not in sizes:
            sizes[one.name] = len(one.fields)
            shapes = [each.shape.item or each.shape for each in one.fields.values()]
            left += [shape.struct for shape in shapes if shape.struct is not None]
    return sizes
