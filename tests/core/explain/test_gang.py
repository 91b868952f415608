"""What a pod of a gang is told that waits: for its group, for members to come, for room, at Permit."""

import pytest

from simulator.explain.gang import UnknownGroupError, explain_gang, explain_group
from simulator.simulation import Simulation
from tests.core.cycle.test_group import apply, cluster, gang, lose_in_cycle, node, pod


def told(simulation: Simulation, name: str) -> list[str]:
    found = simulation.cluster.find_pod(f"default/{name}")
    assert found is not None
    return [sentence["text"] for sentence in explain_gang(simulation, found)]


def test_the_group_is_missing() -> None:
    simulation = cluster(node("n"), pod("a", "g"))
    (sentence,) = told(simulation, "a")
    assert sentence.startswith("the pod group default/g does not exist")


def test_members_have_still_to_come() -> None:
    simulation = cluster(node("n"), gang("g", 3), pod("a", "g"), pod("b", "g"))
    assert told(simulation, "a") == ["1 pod of the gang default/g has still to come: 3 are asked for, there are a, b"]


def test_members_that_found_no_room() -> None:
    simulation = cluster(node("n"), gang("g", 3), *(pod(name, "g") for name in ("a", "b", "c")))
    apply(simulation, kind="run", until="idle")
    assert told(simulation, "a") == [
        "3 pods more of the gang default/g need room: of 3 that are asked for 0 have it, a, b, c have not"
    ]


def test_who_is_no_member_or_placed_waits_for_no_gang() -> None:
    simulation = cluster(node("n"), gang("g", 2), pod("a", "g"), pod("b", "g"), pod("alone", cpu="9"))
    apply(simulation, kind="run", until="idle")
    assert [told(simulation, name) for name in ("a", "alone")] == [[], []]


def waits(simulation: Simulation, group: str) -> list[str]:
    return [sentence["text"] for sentence in explain_group(simulation, f"default/{group}")["waits"]]


def test_a_group_waits_for_what_its_pods_wait_for() -> None:
    members = [pod(name, "large", cpu="3") for name in ("a", "b")]
    simulation = cluster(
        node("n"), gang("large", 2), *members, pod("c", "lost"), gang("done", 1), pod("d", "done", "1")
    )
    apply(simulation, kind="run", until="idle")
    assert waits(simulation, "large") == [
        "2 pods more of the gang default/large need room: of 2 that are asked for 0 have it, a, b have not"
    ]
    assert waits(simulation, "lost")[0].startswith("the pod group default/lost does not exist")
    assert waits(simulation, "done") == []
    with pytest.raises(UnknownGroupError, match="default/nobody"):
        explain_group(simulation, "default/nobody")


def test_a_group_with_a_member_at_permit_says_until_when() -> None:
    simulation = cluster(node("n"), gang("g", 2), pod("a", "g"), pod("b", "g"))
    lose_in_cycle(simulation, "default/a")
    assert waits(simulation, "g") == [
        "1 pod of the gang default/g has still to come: 2 are asked for, there are b",
        "it waits at Permit until 300 s of the virtual clock, then it gives its room back",
    ]
