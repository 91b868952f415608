"""Cases of upstream's stateful_set_control_test.go: what a StatefulSet does step by step, and what holds after each.

Source: pkg/controller/statefulset/stateful_set_control_test.go (v1.36). There the pods come forward in a random order;
here in that of two seeds. What upstream's fake clients fail at is left out, and what a gate has that is off.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from scheduler_core.actors.contract import Gone, Put
from scheduler_core.actors.manifests import (
    Manifest,
    format_time,
    is_deleted,
    key,
    kind,
    labels,
    name,
    number,
    owners,
    spec,
    status,
    with_meta,
    with_spec,
    with_status,
)
from scheduler_core.actors.objects import Objects, View
from scheduler_core.actors.pods import is_ready, phase
from scheduler_core.actors.revisions import applied, in_order, revision_of
from scheduler_core.actors.stateful_set import pods as rules
from scheduler_core.actors.stateful_set.actor import StatefulSetActor
from scheduler_core.actors.statuses import with_condition

SEEDS = range(2)
RETAIN, DELETE = "Retain", "Delete"
POLICIES: Mapping[str, Mapping[str, str] | None] = {
    "Retain": {"whenScaled": RETAIN, "whenDeleted": RETAIN},
    "ScaleDownOnly": {"whenScaled": DELETE, "whenDeleted": RETAIN},
    "SetDeleteOnly": {"whenScaled": RETAIN, "whenDeleted": DELETE},
    "Delete": {"whenScaled": DELETE, "whenDeleted": DELETE},
    "nullPolicy": None,
}
PARALLEL = {"podManagementPolicy": "Parallel"}
MODES: Mapping[str, Mapping[str, Any]] = {"Monotonic": {}, "Burst": PARALLEL}
MOST_STEPS = 400


def a_set(replicas: int, **asked: Any) -> dict[str, Any]:
    """Source: newStatefulSet."""
    mounts = [{"name": "datadir", "mountPath": "/data"}]
    container = {"name": "nginx", "image": "nginx", "volumeMounts": mounts}
    claim = {"metadata": {"name": "datadir"}, "spec": {"resources": {"requests": {"storage": "1"}}}}
    made = {
        "replicas": replicas,
        "selector": {"matchLabels": {"foo": "bar"}},
        "serviceName": "governingsvc",
        "template": {"metadata": {"labels": {"foo": "bar"}}, "spec": {"containers": [container]}},
        "updateStrategy": {"type": "RollingUpdate"},
        "revisionHistoryLimit": 2,
        "volumeClaimTemplates": [claim],
        **{field: value for field, value in asked.items() if value is not None},
    }
    about = {"name": "foo", "namespace": "default", "uid": "test", "generation": 1}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": about, "spec": made, "status": {}}


class Controlled:
    """A set and what it owns; each sync is followed by the rules that hold for it."""

    def __init__(self, given: Manifest, seed: int = 0) -> None:
        self.objects, self.now, self.draw = Objects(), 1_000_000.0, random.Random(seed)
        self.actor = StatefulSetActor()
        self.check: Callable[[], None] = self.check_each
        self.one_by_one = not rules.is_parallel(given)
        self.created = self.deleted = 0
        self.objects.put(given)

    @property
    def set(self) -> Manifest:
        (found,) = self.objects.of_kind("StatefulSet")
        return found

    def pods(self) -> list[Manifest]:
        return sorted(self.objects.of_kind("Pod"), key=rules.ordinal_of)

    def pod(self, ordinal: int) -> Manifest:
        return next(pod for pod in self.pods() if rules.ordinal_of(pod) == ordinal)

    def claims(self) -> list[Manifest]:
        return self.objects.of_kind("PersistentVolumeClaim")

    def revisions(self) -> list[Manifest]:
        return in_order(self.objects.of_kind("ControllerRevision"))

    def count(self, of: str) -> int:
        return number(status(self.set).get(of), 0)

    # What happens

    def ask(self, **asked: Any) -> None:
        """The set is changed."""
        changed = with_spec(self.set, **asked)
        self.objects.put(with_meta(changed, generation=self.set["metadata"]["generation"] + 1))

    def ask_image(self, image: str) -> None:
        template = spec(self.set)["template"]
        container = {**template["spec"]["containers"][0], "image": image}
        self.ask(template={**template, "spec": {**template["spec"], "containers": [container]}})

    def sync(self) -> None:
        self.now += 1.0
        for change in self.actor.reconcile(self.set, View(self.objects, self.now, self.draw)).changes:
            if isinstance(change, Put):
                self.created += kind(change.obj) == "Pod" and self.objects.get("Pod", key(change.obj)) is None
                self.objects.put(change.obj)
            elif isinstance(change, Gone):
                self.deleted += kind(change.obj) == "Pod"
                self.objects.remove(kind(change.obj), key(change.obj))
        self.check()

    def set_phase(self, pod: Manifest, value: str) -> None:
        self.objects.put(with_status(pod, {**status(pod), "phase": value}))

    def set_ready(self, pod: Manifest, since: float | None = None) -> None:
        running = with_status(pod, {"phase": "Running"})
        self.objects.put(with_condition(running, "Ready", "True", "", "", self.now if since is None else since))

    def step_forward(self) -> None:
        """One of the pods is further than before."""
        pod = self.draw.choice(self.pods() or [{}])
        if phase(pod) == "Pending" and pod:
            self.set_phase(pod, "Running")
        elif phase(pod) == "Running":
            self.set_ready(pod)

    def until(self, done: Callable[[], bool]) -> None:
        for _ in range(MOST_STEPS):
            if done():
                return
            self.step_forward()
            self.sync()
        raise AssertionError(f"after {MOST_STEPS} steps: {status(self.set)}")

    def scale_up(self) -> None:
        """Source: scaleUpStatefulSetControl."""
        self.sync()
        self.until(lambda: self.count("readyReplicas") >= rules.replicas(self.set))

    def scale_down(self) -> None:
        """Each pod that goes is seen terminating before it is gone. Source: scaleDownStatefulSetControl."""
        for _ in range(MOST_STEPS):
            if self.count("replicas") <= rules.replicas(self.set):
                break
            last = self.pods()[-1]
            self.sync()
            self.objects.put(with_meta(last, deletionTimestamp=format_time(self.now)))
            self.sync()
            self.objects.remove("Pod", key(last))
            self.sync()
        alive = {name(pod) for pod in self.pods()}
        for claim in self.claims():
            if any(owner["kind"] == "Pod" and owner["name"] not in alive for owner in owners(claim)):
                self.objects.remove("PersistentVolumeClaim", key(claim))
        self.check()

    def update(self) -> None:
        """Source: updateStatefulSetControl, updateComplete."""
        self.one_by_one, self.check = False, self.check_update
        self.sync()
        self.until(self.is_updated)

    def is_updated(self) -> bool:
        wanted, now = rules.replicas(self.set), self.pods()
        if len(now) != wanted or self.count("readyReplicas") != wanted:
            return False
        if rules.update_type(self.set) == "OnDelete":
            return True
        first = rules.partition(self.set)
        if not first and self.count("currentReplicas") < wanted:
            return False
        revision = status(self.set)["updateRevision" if first else "currentRevision"]
        return all(rules.revision_of(pod) == revision for pod in now[first:])

    # What holds

    def check_each(self) -> None:
        """Source: assertMonotonicInvariants, assertBurstInvariants."""
        if self.one_by_one:
            up = [phase(pod) == "Running" and is_ready(pod) for pod in self.pods()]
            assert [rules.ordinal_of(pod) for pod in self.pods()] == list(range(len(up)))
            assert up == sorted(up, reverse=True), "a pod is up before the one below it"
        for pod in self.pods():
            self.check_pod(pod)

    def check_update(self) -> None:
        """Source: assertUpdateInvariants."""
        for pod in self.pods():
            self.check_pod(pod)
        if rules.update_type(self.set) == "OnDelete":
            return
        revisions = [rules.revision_of(pod) for pod in self.pods()]
        current = revisions[: self.count("currentReplicas")]
        updated = revisions[max(len(revisions) - self.count("updatedReplicas"), 0) :]
        assert set(current) <= {status(self.set)["currentRevision"]}
        assert set(updated) <= {status(self.set)["updateRevision"]}

    def check_pod(self, pod: Manifest) -> None:
        """Who it is, and its claim, of which the retention policy says whose it is. Source: checkClaimInvarients."""
        assert rules.identity_matches(self.set, pod) or is_deleted(pod)
        named = f"datadir-{name(pod)}"
        volumes = {one["name"]: one for one in spec(pod)["volumes"]}
        assert volumes["datadir"]["persistentVolumeClaim"]["claimName"] == named
        asked: Mapping[str, str] = spec(self.set).get("persistentVolumeClaimRetentionPolicy") or {}
        policy = {"whenScaled": RETAIN, "whenDeleted": RETAIN, **asked}
        claim = self.objects.get("PersistentVolumeClaim", f"default/{named}")
        if claim is None:
            assert policy["whenScaled"] == DELETE
            return
        if not (phase(pod) == "Running" and is_ready(pod)) or is_deleted(pod):
            return
        is_condemned = not rules.in_range(pod, self.set)
        of_pod = policy["whenScaled"] == DELETE and is_condemned
        of_set = policy["whenDeleted"] == DELETE and not of_pod
        wanted = [of for of, is_owner in (("Pod", of_pod), ("StatefulSet", of_set)) if is_owner]
        assert [owner["kind"] for owner in owners(claim)] == wanted


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
        controlled.ask(template=spec(applied(controlled.set, first))["template"])
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
