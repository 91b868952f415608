"""Cases of upstream's stateful_set_control_test.go: what a StatefulSet does step by step, and what holds after each.

Source: pkg/controller/statefulset/stateful_set_control_test.go (v1.36). There the pods come forward in a random order;
here in that of two seeds. What upstream's fake clients fail at is left out, and what a gate has that is off.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kube_controllers.controller_revisions import revision_of, with_revision
from kube_controllers.pods import phase
from kube_controllers.stateful_set import stateful_pods as rules
from kube_objects.manifests import (
    labels,
    name,
    owners,
    spec,
    status,
    with_status,
)
from tests.core.controllers.stateful_set.stepped_set import DELETE, RETAIN, Controlled, a_set

SEEDS = range(2)
POLICIES: Mapping[str, Mapping[str, str] | None] = {
    "Retain": {"whenScaled": RETAIN, "whenDeleted": RETAIN},
    "ScaleDownOnly": {"whenScaled": DELETE, "whenDeleted": RETAIN},
    "SetDeleteOnly": {"whenScaled": RETAIN, "whenDeleted": DELETE},
    "Delete": {"whenScaled": DELETE, "whenDeleted": DELETE},
    "nullPolicy": None,
}
PARALLEL = {"podManagementPolicy": "Parallel"}
MODES: Mapping[str, Mapping[str, Any]] = {"Monotonic": {}, "Burst": PARALLEL}


def images(controlled: Controlled) -> list[str]:
    return [spec(pod)["containers"][0]["image"] for pod in controlled.pods()]


def counts(controlled: Controlled) -> tuple[int, int, int]:
    return controlled.count("replicas"), controlled.count("readyReplicas"), controlled.count("updatedReplicas")


# TestStatefulSetControl: each under every retention policy, in order and at once


def creates_pods(controlled: Controlled) -> None:
    """Source: CreatesPodsWithPodIndexLabelFeature."""
    controlled.scale_up()
    assert counts(controlled) == (3, 3, 3)
    found = [(labels(pod)["apps.kubernetes.io/pod-index"], name(pod)) for pod in controlled.pods()]
    assert found == [("0", "foo-0"), ("1", "foo-1"), ("2", "foo-2")]


def scales_up(controlled: Controlled) -> None:
    controlled.scale_up()
    controlled.ask(replicas=4)
    controlled.scale_up()
    assert counts(controlled) == (4, 4, 4)


def scales_down(controlled: Controlled) -> None:
    controlled.scale_up()
    controlled.ask(replicas=0)
    controlled.scale_down()
    assert counts(controlled) == (0, 0, 0)


def replaces_pods(controlled: Controlled) -> None:
    controlled.ask(replicas=5)
    controlled.scale_up()
    assert counts(controlled)[0] == 5
    kinds = {owner["kind"] for claim in controlled.claims() for owner in owners(claim)}
    assert "Pod" not in kinds
    for ordinal in (0, 2, 4):
        controlled.objects.remove("Pod", f"default/foo-{ordinal}")
    controlled.one_by_one = False  # those above are up
    for ordinal in (0, 2, 4):
        controlled.sync()
        controlled.set_phase(controlled.pod(ordinal), "Running")
        controlled.sync()
        controlled.set_ready(controlled.pod(ordinal))
    controlled.sync()
    assert (len(controlled.pods()), controlled.count("replicas")) == (5, 5)


def recreates(ended: str) -> Callable[[Controlled], None]:
    def play(controlled: Controlled) -> None:
        controlled.sync()
        before = controlled.created
        assert (before, controlled.deleted) == (3 if rules.is_parallel(controlled.set) else 1, 0)
        controlled.set_phase(controlled.pod(0), ended)
        controlled.sync()
        assert controlled.deleted == 1
        controlled.sync()
        assert (controlled.created, controlled.deleted, phase(controlled.pod(0))) == (before + 1, 1, "Pending")

    return play


def recreates_claims(controlled: Controlled) -> None:
    """Source: RecreatesPVCForPendingPod."""
    controlled.sync()
    controlled.objects.remove("PersistentVolumeClaim", "default/datadir-foo-0")
    controlled.sync()
    assert "datadir-foo-0" in map(name, controlled.claims())


PLAYS: Mapping[str, Callable[[Controlled], None]] = {
    "CreatesPods": creates_pods,
    "ScalesUp": scales_up,
    "ScalesDown": scales_down,
    "ReplacesPods": replaces_pods,
    "RecreatesFailedPod": recreates("Failed"),
    "RecreatesSucceededPod": recreates("Succeeded"),
    "RecreatesPVCForPendingPod": recreates_claims,
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("play", PLAYS)
def test_control(play: str, mode: str, policy: str) -> None:
    asked = {**MODES[mode], "persistentVolumeClaimRetentionPolicy": POLICIES[policy]}
    for seed in SEEDS:
        PLAYS[play](Controlled(a_set(3, **asked), seed))


# TestStatefulSetControlRollingUpdate, …OnDeleteUpdate, …RollingUpdateWithPartition, …Rollback

CHANGES: Mapping[str, tuple[int, int]] = {
    "image update": (3, 3),
    "image update and scale up": (3, 5),
    "image update and scale down": (5, 3),
}


def updated(mode: str, change: str, seed: int, **asked: Any) -> Controlled:
    before, after = CHANGES[change]
    controlled = Controlled(a_set(before, **MODES[mode], **asked), seed)
    controlled.scale_up()
    controlled.ask_image("foo")
    controlled.ask(replicas=after)
    controlled.update()
    return controlled


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("mode", MODES)
def test_rolling_update_and_rollback(mode: str, change: str) -> None:
    for seed in SEEDS:
        controlled = updated(mode, change, seed)
        assert images(controlled) == ["foo"] * CHANGES[change][1]
        first = controlled.revisions()[0]
        controlled.ask(template=spec(with_revision(controlled.set, first))["template"])
        controlled.update()
        assert images(controlled) == ["nginx"] * CHANGES[change][1]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("mode", MODES)
def test_on_delete_update(mode: str, change: str, policy: str) -> None:
    """Those that are there stay as they are, those that come are new; started anew they are all new."""
    before, after = CHANGES[change]
    asked = {"updateStrategy": {"type": "OnDelete"}, "persistentVolumeClaimRetentionPolicy": POLICIES[policy]}
    for seed in SEEDS:
        controlled = updated(mode, change, seed, **asked)
        assert images(controlled) == ["nginx"] * min(before, after) + ["foo"] * max(after - before, 0)
        controlled.ask(replicas=0)
        controlled.scale_down()
        assert not any(owner["kind"] == "Pod" for claim in controlled.claims() for owner in owners(claim))
        controlled.ask(replicas=after)
        controlled.scale_up()
        assert images(controlled) == ["foo"] * after


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("change", ["image update", "image update and scale up"])
@pytest.mark.parametrize("mode", MODES)
def test_rolling_update_with_partition(mode: str, change: str, policy: str) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    asked = {"updateStrategy": strategy, "persistentVolumeClaimRetentionPolicy": POLICIES[policy]}
    for seed in SEEDS:
        found = images(updated(mode, change, seed, **asked))
        assert found == ["nginx"] * 2 + ["foo"] * (CHANGES[change][1] - 2)


# TestStatefulSetHonorRevisionHistoryLimit, TestStatefulSetControlLimitsHistory


@pytest.mark.parametrize(
    ("mode", "limit"), [("Monotonic", 2), ("Burst", 2), ("Monotonic", 0), ("Monotonic", -2), ("Monotonic", 5)]
)
def test_limits_history(mode: str, limit: int) -> None:
    """Beside those in use: the current one, and that to update to. A limit below zero is none."""
    controlled = Controlled(a_set(3, **MODES[mode], revisionHistoryLimit=limit))
    controlled.scale_up()
    for at in range(10):
        controlled.ask_image(f"foo-{at}")
        controlled.update()
        controlled.sync()
        found = len(controlled.revisions())
        assert found == at + 2 if limit < 0 else found <= limit + 2


# TestStatefulSetControl_getSetRevisions

REVISIONS = [
    # templates that were, the one that is, revisions in the end, the current one, that to update to and its number
    ("creates initial revision", [], "a", 1, "a", "a", 1),
    ("creates revision on update", ["a"], "b", 2, "a", "b", 2),
    ("must not recreate a new revision of same set", ["a", "b"], "b", 2, "a", "b", 2),
    ("must rollback to a previous revision", ["a", "b", "c"], "b", 3, "a", "b", 4),
]


@pytest.mark.parametrize(
    ("known", "present", "count", "current", "update", "revision"),
    [case[1:] for case in REVISIONS],
    ids=[case[0] for case in REVISIONS],
)
def test_revisions(known: list[str], present: str, count: int, current: str, update: str, revision: int) -> None:
    controlled = Controlled(a_set(0, revisionHistoryLimit=10, updateStrategy={"type": "OnDelete"}))
    for image in (*known, present):
        controlled.ask_image(image)
        controlled.sync()
    found = {name(one): one for one in controlled.revisions()}
    used = [found[status(controlled.set)[f"{which}Revision"]] for which in ("current", "update")]
    inside = [one["data"]["spec"]["template"]["spec"]["containers"][0]["image"] for one in used]
    assert (len(found), inside, revision_of(used[1])) == (count, [current, update], revision)


# TestParallelScale: at most two syncs, each of which makes or takes up to 500


@pytest.mark.parametrize(("before", "after"), [(3, 30), (10, 1), (501, 0), (0, 1000)])
def test_parallel_scale(before: int, after: int) -> None:
    controlled = Controlled(a_set(before, **PARALLEL))
    for wanted in (before, after):
        controlled.ask(replicas=wanted)
        controlled.sync()
        controlled.sync()
        assert (controlled.count("replicas"), len(controlled.pods())) == (wanted, wanted)


# Those about minReadySeconds


@pytest.mark.parametrize(("seconds", "available"), [(7200, 1), (1800, 0)])
def test_availability(seconds: float, available: int) -> None:
    """Source: TestStatefulSetAvailability."""
    controlled = Controlled(a_set(1, minReadySeconds=3600))
    controlled.scale_up()
    controlled.set_ready(with_status(controlled.pod(0), {}), controlled.now - seconds)
    controlled.sync()
    assert controlled.count("availableReplicas") == available


def with_ready_pods(replicas: int, seconds: float, **asked: Any) -> Controlled:
    """Pods that became ready so many seconds ago, and a new image."""
    controlled = Controlled(a_set(replicas, **PARALLEL, **asked))
    controlled.sync()
    for pod in controlled.pods():
        controlled.set_ready(pod, controlled.now - seconds)
    policy = {"podManagementPolicy": "OrderedReady"}
    controlled.ask(**policy)
    controlled.one_by_one = True
    return controlled


def test_a_rolling_update_respects_min_ready_seconds() -> None:
    """Source: TestStatefulSetRollingUpdateRespectsMinReadySeconds."""
    controlled = with_ready_pods(2, 10, minReadySeconds=30)
    controlled.ask_image("updated-image")
    controlled.sync()
    assert (controlled.count("availableReplicas"), len(controlled.pods())) == (0, 2)
    controlled.now += 60
    controlled.sync()
    assert controlled.count("availableReplicas") == 2
    assert len(controlled.pods()) == 1


def test_scaling_down_respects_min_ready_seconds() -> None:
    """Source: TestStatefulSetScaleDownRespectsMinReadySeconds."""
    controlled = with_ready_pods(3, 10, minReadySeconds=30)
    controlled.ask(replicas=1)
    controlled.sync()
    assert (controlled.count("availableReplicas"), len(controlled.pods())) == (0, 3)


def test_on_delete_is_said_to_be_updated_whatever_is_available() -> None:
    """Source: TestStatefulSetOnDeleteStrategyIgnoresMinReadySeconds."""
    controlled = with_ready_pods(2, 10, minReadySeconds=30, updateStrategy={"type": "OnDelete"})
    before = status(controlled.set)["updateRevision"]
    controlled.ask_image("updated-image")
    controlled.sync()
    assert controlled.count("availableReplicas") == 0
    assert status(controlled.set)["updateRevision"] not in ("", before)


def test_without_min_ready_seconds_who_is_ready_is_available() -> None:
    """Source: TestStatefulSetZeroMinReadySeconds."""
    controlled = with_ready_pods(2, 0, minReadySeconds=0)
    controlled.sync()
    assert controlled.count("availableReplicas") == 2


def test_an_update_with_a_partition_respects_min_ready_seconds() -> None:
    """Source: TestStatefulSetPartitionRollingUpdateWithMinReadySeconds."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    controlled = with_ready_pods(4, 10, minReadySeconds=30, updateStrategy=strategy)
    controlled.ask_image("updated-image")
    controlled.sync()
    assert (controlled.count("availableReplicas"), len(controlled.pods())) == (0, 4)


def test_creates_pods_with_start_ordinal() -> None:
    """Source: CreatesPodsWithStartOrdinal."""
    controlled = Controlled(a_set(3, ordinals={"start": 2}))
    controlled.check = lambda: None
    controlled.scale_up()
    assert counts(controlled) == (3, 3, 3)
    assert [rules.ordinal_of(pod) for pod in controlled.pods()] == [2, 3, 4]
