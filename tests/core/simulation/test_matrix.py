"""The stored form of a matrix: small, and read back exactly."""

import json
import zlib
from typing import Any

import numpy as np
import pytest

from scheduler_core.framework.status import SUCCESS, Status
from simulator.simulation import Matrix, Simulation
from tests.conformance.testing.nodes import make_node
from tests.conformance.testing.pods import make_pod

FITS = [SUCCESS, Status.unschedulable("Insufficient cpu").with_plugin("NodeResourcesFit")]


def matrix(rows: list[int], feasible: list[int], raw: list[list[int]], verdicts: Any = ()) -> Matrix:
    scores = np.array(raw, np.int64).reshape(len(raw), len(feasible))
    return Matrix(
        epoch=3,
        rows=np.array(rows, np.int32),
        status=np.array([0 if i in feasible else 1 for i in range(len(rows))], np.int32),
        statuses=FITS,
        filter_plugins=["NodeResourcesFit"],
        feasible=np.array(feasible, np.int32),
        score_plugins=[f"Plugin{i}" for i in range(len(raw))],
        weights=[1] * len(raw),
        raw=scores,
        normalized=np.minimum(scores, 100),
        totals=scores.sum(axis=0, dtype=np.int64) if len(raw) else np.zeros(len(feasible), np.int64),
        verdicts=[np.array(column, np.int32) for column in verdicts],
        evaluated=len(rows) if verdicts else None,
    )


MATRICES = [
    ("no node", matrix([], [], [])),
    ("none feasible", matrix([0, 1, 2], [], [])),
    ("feasible, not scored", matrix([4, 5, 0], [1], [])),
    ("from the middle on, round the end", matrix([7, 8, 9, 0, 1], [0, 2, 4], [[1, 2, 3], [100, 0, 50]])),
    ("many nodes", matrix(list(range(40_000)), [39_999, 3], [[7, 8]])),
    ("numbers of every size", matrix([0, 1], [0, 1], [[-128, 127], [-(1 << 15), 1 << 16], [-(1 << 40), (1 << 62)]])),
    ("complete", matrix([0, 1], [0], [[5]], [[0, 1], [1, 0]])),
]


@pytest.mark.parametrize("given", [c[1] for c in MATRICES], ids=[c[0] for c in MATRICES])
def test_read_back_it_is_the_same(given: Matrix) -> None:
    restored = Matrix.from_plain(given.to_plain())
    names = [f"n{i}" for i in range(40_000)]
    assert restored.to_json(names) == given.to_json(names)
    assert restored.to_plain() == given.to_plain()
    for name in ("rows", "status", "feasible", "raw", "normalized", "totals"):
        assert getattr(restored, name).dtype == getattr(given, name).dtype
        assert getattr(restored, name).shape == getattr(given, name).shape


def test_what_another_version_wrote_is_refused() -> None:
    text, body = MATRICES[0][1].to_plain().split(b"\n", 1)
    header = json.dumps({**json.loads(text), "format": 1}).encode()
    with pytest.raises(ValueError, match="format 1 of the matrix is not 2"):
        Matrix.from_plain(header + b"\n" + body)


def test_it_takes_less_than_two_bytes_a_node() -> None:
    """1,000 nodes that differ, so that every score differs: the most that a matrix of this size takes."""
    nodes = [
        make_node(f"n{i}").cpu(str(4 + i % 37)).memory(f"{8 + i % 51}Gi").zone(f"z{i % 5}").build() for i in range(1000)
    ]
    simulation = Simulation.create(seed=1)
    objects = [dict(obj.manifest) for obj in (*nodes, make_pod("p").cpu("1").memory("1Gi").build())]
    list(simulation.apply({"kind": "create", "objects": objects}))
    (record,) = simulation.apply({"kind": "schedule_one"})
    assert record.matrix is not None
    evaluated, scored = len(record.matrix.rows), record.matrix.raw.size
    assert (evaluated, scored) == (420, 4 * 420)
    assert len(zlib.compress(record.matrix.to_plain(), 1)) < 2 * evaluated
