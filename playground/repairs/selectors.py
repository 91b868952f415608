"""The costs of repairs of a cluster, as they are read."""

from typing import TypedDict

from playground.models import Cluster
from scheduler_core.edits.costs import ExplainedCost, Prices, table


def prices(cluster: Cluster) -> Prices:
    saved = cluster.repair_prices
    return Prices(saved.get("costs", {}), tuple(saved.get("locks", ())))


class ExplainedCosts(TypedDict):
    costs: list[ExplainedCost]
    locks: list[str]


def table_of(cluster: Cluster) -> ExplainedCosts:
    """What is usual beside what is set, and what may not be touched."""
    found = prices(cluster)
    return {"costs": table(found), "locks": list(found.locks)}
