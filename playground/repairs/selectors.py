"""The costs of edits and the locks of a cluster."""

from typing import TypedDict

from playground.models import Cluster
from scheduler_core.edits.costs import ExplainedCost, Prices, list_costs


def read_prices(cluster: Cluster) -> Prices:
    saved = cluster.repair_prices
    return Prices(saved.get("costs", {}), tuple(saved.get("locks", ())))


class ExplainedCosts(TypedDict):
    costs: list[ExplainedCost]
    locks: list[str]


def cost_table(cluster: Cluster) -> ExplainedCosts:
    """Return the default and the chosen cost of each edit, and the locks."""
    saved = read_prices(cluster)
    return {"costs": list_costs(saved), "locks": list(saved.locks)}
