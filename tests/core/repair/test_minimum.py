"""Against exhaustive search: small clusters whose pods have several reasons to wait, at random from a seed.

`exhaustive.py` tries every set of edits, for as many clusters as it is told; these are some of them.
"""

import pytest

from scheduler_core.edits.costs import Prices
from scheduler_core.plugins.table import EDITS
from simulator.repair.pod_diagnosis import diagnose_pod
from tests.core.repair.exhaustive import check
from tests.core.repair.random_clusters import POD, cluster, config, emulation, played

# Among them those that once had a cheaper set than the one that was found.
SEEDS = (2, 7, 28, 29, 64, 97, 136, 149, 170, 181, 187, 303, 374, 997)
# Sets of one seed that are tried; the cheapest come first.
MOST_SETS = 60


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_costs_less_than_the_minimum(seed: int) -> None:
    assert not check(seed, MOST_SETS).wrong


def test_rules_use_the_kinds_of_edits_that_they_are_known_to_use() -> None:
    """The search's bounds rest on it."""
    for seed in range(40):
        simulation = played(cluster(seed), config(seed), emulation(seed))
        pod = simulation.cluster.find_pod(POD)
        assert pod is not None
        met = diagnose_pod(simulation, pod, Prices())
        assert met is not None
        for row in range(len(met.nodes)):
            for need in met.needs(row):
                kinds = {edit.kind for option in need.options for edit in option}
                assert not need.plugin or kinds <= set(EDITS[need.plugin]), need.plugin
