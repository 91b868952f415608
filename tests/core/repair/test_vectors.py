"""Pods of the conformance vectors that find no node: a repair flips each, or none exists. These are the first few.

`python -m tests.core.repair.vectors` goes over all of them.
"""

import pytest

from tests.conformance.cli.vectors import label_of
from tests.core.repair.vectors import FITS, PROVEN, REPAIRED, files, outcomes

# Families whose vectors have such pods, of the default version.
FAMILIES = ("fit", "gates", "interpodaffinity", "mixed", "nodeaffinity", "nodeports", "taints", "topologyspread")


@pytest.mark.parametrize("family", FAMILIES)
def test_each_has_a_repair_or_none_exists(family: str) -> None:
    found = list(outcomes([file for file in files() if label_of(file) == family], most=2))
    assert found
    assert {result for _, _, result in found} <= {REPAIRED, PROVEN, FITS}, found
    assert REPAIRED in {result for _, _, result in found} or family == "topologyspread", found
