"""Explanations that need stored records only."""

from playground.engine import history_reads
from playground.models import NodeEpoch
from playground.response_types import named
from scheduler_core.facts.calculation import CalculationAnswer
from simulator.explain.reasons import ExplainedReasons, reason_tree

named("Calculation")(CalculationAnswer)


def reasons(cluster_id: int, number: int) -> ExplainedReasons | None:
    """Return the reason tree of a cycle from its record and matrix; None if there is no such cycle."""
    record = history_reads.read_cycle(cluster_id, number)
    if record is None:
        return None
    cycle = record["cycle"]
    matrix = history_reads.read_stored_matrix(cluster_id, number)
    epoch = NodeEpoch.objects.filter(cluster_id=cluster_id, epoch=cycle["epoch"] if matrix is None else matrix.epoch)
    return reason_tree(cycle, matrix, epoch.values_list("names", flat=True).first() or [])
