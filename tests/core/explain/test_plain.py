"""Few words for what a node is rejected for."""

import re

import pytest

from scheduler_core.plugins.node_affinity.plugin import REASON as NODE_AFFINITY
from simulator.explain.known import find_known_reason, plain_words

SAID = [
    # upstream's reason, plain words, details
    ("Insufficient cpu", "too little {resource}", {"resource": "cpu"}),
    (NODE_AFFINITY, "not matching the pod's node affinity", {}),
    ("node(s) had untolerated taint {gpu: yes}", "taint {key}={value} not tolerated", {"key": "gpu", "value": "yes"}),
    ("node(s) were unschedulable", "cordoned", {}),
]


@pytest.mark.parametrize(("reason", "plain", "details"), SAID)
def test_a_reason_is_said_in_plain_words(reason: str, plain: str, details: dict[str, str]) -> None:
    found = find_known_reason(reason)
    assert found is not None
    assert (str(found[0].plain), found[1]) == (plain, details)


def test_the_table_is_for_javascript_and_its_places_are_groups() -> None:
    table = plain_words()
    assert len(table) >= 15
    for entry in table:
        assert "(?P" not in entry["pattern"]
        groups = set(re.findall(r"\(\?<(\w+)>", entry["pattern"]))
        assert set(re.findall(r"\{(\w+)\}", entry["plain"])) <= groups
