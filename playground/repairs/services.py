"""Changes of a cluster's repair costs and locks."""

from typing import Any

from playground.models import Cluster
from playground.problems import Refused, to_api_problem
from scheduler_core.edits.costs import CostsError, read_prices


def set_prices(cluster_id: int, costs: Any, locks: Any) -> None:
    """Store costs and locks. Raises Refused with all problems."""
    try:
        prices = read_prices(costs, locks)
    except CostsError as error:
        raise Refused([to_api_problem(problem) for problem in error.problems]) from error
    Cluster.objects.filter(pk=cluster_id).update(repair_prices=prices.as_dict())
