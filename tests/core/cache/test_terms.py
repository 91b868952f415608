import pytest

from kube_objects.affinity import AffinityTerm
from kube_objects.selectors import EXISTS, IN, NOT_IN, LabelSelector, Requirement
from scheduler_core.cache.term_table import REQUIRED_ANTI_AFFINITY
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster

WEB = Requirement("app", IN, ("web",))
EITHER = Requirement("app", IN, ("db", "web", "web"))
TIER = Requirement("tier", EXISTS)
NOT_DB = Requirement("app", NOT_IN, ("db",))


@pytest.mark.parametrize(
    ("name", "requirements", "labels", "listed"),
    [
        ("label carried", [WEB], {"app": "web"}, True),
        ("label not carried", [WEB], {"app": "db"}, False),
        ("no labels", [WEB], {}, False),
        ("one of two", [EITHER], {"app": "db", "x": "y"}, True),
        ("behind other requirements", [NOT_DB, TIER, WEB], {"app": "web"}, True),
        ("no label is a must", [TIER], {}, True),
        ("everything", [], {}, True),
        ("nothing", None, {"app": "web"}, False),
    ],
)
def test_terms_that_may_match(
    name: str, requirements: list[Requirement] | None, labels: dict[str, str], listed: bool
) -> None:
    nodes = cluster([make_node("n")])
    pod = make_pod("p").node("n").anti_affinity("zone", {}).build()
    selector = None if requirements is None else LabelSelector(tuple(requirements))
    assert pod.pod_anti_affinity is not None
    affinity = pod.pod_anti_affinity
    pod.pod_anti_affinity = type(affinity)((AffinityTerm("zone", selector, frozenset({"default"})),))
    nodes.table.add_pod(pod, "n")
    assert [count.total for count in nodes.terms(REQUIRED_ANTI_AFFINITY, labels)] == [1] * listed
    assert len(nodes.terms(REQUIRED_ANTI_AFFINITY)) == 1
    nodes.table.remove_pod(pod, "n")
    assert nodes.terms(REQUIRED_ANTI_AFFINITY, labels) == nodes.terms(REQUIRED_ANTI_AFFINITY) == []
