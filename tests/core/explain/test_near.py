"""Near misses: what is a slip of the pen, and what are two names; and both sides of a fact."""

from typing import Any

import pytest

from kube_objects.selectors import Requirement
from kube_objects.taints import Taint, Toleration
from scheduler_core.facts.typos import edit_distance, find_intended_word, is_typo
from scheduler_core.plugins.node_affinity.facts import _beside
from scheduler_core.plugins.taint_toleration.facts import _untolerated

SLIPS = [
    # asked           has              a slip?
    ("dedicatd", "dedicated", True),
    ("dedicated", "dedicated", False),
    ("Dedicated", "dedicated", True),
    ("spto", "spot", True),
    ("zone-a", "zone-b", False),
    ("node-07", "node-70", False),
    ("us-east-1a", "us-east-1b", False),
    ("a100", "h100", False),
    ("gpu", "cpu", False),
    ("ssd", "", False),
    ("x" * 100, "x" * 99, False),
]


@pytest.mark.parametrize(("asked", "has", "want"), SLIPS)
def test_a_slip(asked: str, has: str, want: bool) -> None:
    assert is_typo(asked, has) is want


def test_distance_counts_a_swap_as_one() -> None:
    assert [edit_distance(a, b) for a, b in (("", "ab"), ("ab", "ba"), ("kitten", "sitting"))] == [2, 1, 3]
    assert find_intended_word("dedicatd", ["dedicate", "dedicated", "zone"]) == "dedicate"
    assert find_intended_word("app", ["zone"]) == ""


TAINT = Taint("dedicated", "gpu", "NoSchedule")
TOLERATIONS = [
    # tolerations                                                    the parts that differ: (part, pod, node, near)
    ([Toleration("dedicatd", "Equal", "gpu", "NoSchedule")], [("key", "dedicatd", "dedicated", True)]),
    ([Toleration("dedicated", "Equal", "cpu", "")], [("value", "cpu", "gpu", False)]),
    ([Toleration("dedicated", "Exists", "", "NoExecute")], [("effect", "NoExecute", "NoSchedule", False)]),
    ([Toleration("zone", "Exists")], [("tolerations", "zone", "dedicated=gpu:NoSchedule", False)]),
    ([], [("tolerations", "", "dedicated=gpu:NoSchedule", False)]),
    (
        [Toleration("dedicatd", "Equal", "cpu"), Toleration("dedicatd", "Equal", "gpu")],
        [("key", "dedicatd", "dedicated", True)],
    ),
]


@pytest.mark.parametrize(("tolerations", "want"), TOLERATIONS)
def test_a_toleration_beside_the_taint(tolerations: list[Toleration], want: list[tuple[Any, ...]]) -> None:
    fact = _untolerated(TAINT, tolerations)
    assert fact.fails and fact.of == str(TAINT)
    assert [tuple(line.values()) for line in fact.data["compare"]] == want


REQUIREMENTS = [
    # wanted                                     labels                        (part, pod, node, near)
    (Requirement("disk", "In", ("nvme",)), {"disk": "nmve"}, ("disk", "disk=nvme", "disk=nmve", True)),
    (Requirement("disk", "In", ("nvme",)), {"disc": "nvme"}, ("key", "disk", "disc", True)),
    (Requirement("disk", "In", ("nvme",)), {"zone": "a"}, ("disk", "disk=nvme", "", False)),
    (Requirement("disk", "NotIn", ("hdd",)), {"disk": "hdd"}, ("disk", "disk!=hdd", "disk=hdd", False)),
]


@pytest.mark.parametrize(("wanted", "labels", "want"), REQUIREMENTS)
def test_a_requirement_beside_the_labels(wanted: Requirement, labels: dict[str, str], want: tuple[Any, ...]) -> None:
    assert tuple(_beside(wanted, labels).values()) == want
