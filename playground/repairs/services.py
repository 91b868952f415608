"""What edits cost when a repair is searched for, and what may not be touched: saved with the cluster."""

from typing import Any

from playground.models import Cluster
from playground.problems import Refused, of_found
from scheduler_core.edits.costs import CostsError, read_prices


def set_prices(cluster_id: int, costs: Any, locks: Any) -> None:
    """Raises Refused with all that is wrong."""
    try:
        prices = read_prices(costs, locks)
    except CostsError as error:
        raise Refused([of_found(problem) for problem in error.problems]) from error
    Cluster.objects.filter(pk=cluster_id).update(repair_prices=prices.as_dict())
