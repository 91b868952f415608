"""The costs of repairs of a cluster, as they are read."""

from typing import Any

from playground.models import Cluster
from scheduler_core.edits.costs import Prices, table


def prices(cluster: Cluster) -> Prices:
    kept = cluster.repair_prices
    return Prices(kept.get("costs", {}), tuple(kept.get("locks", ())))


def table_of(cluster: Cluster) -> dict[str, Any]:
    """`{"costs": [row], "locks": [pattern]}`, see `scheduler_core.repair.costs.table`."""
    found = prices(cluster)
    return {"costs": table(found), "locks": list(found.locks)}
