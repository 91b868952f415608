"""A StatefulSet and its objects, as in upstream's tests: it is synced step by step, and each step is checked.

Source: pkg/controller/statefulset/stateful_set_control_test.go (v1.36).
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from kube_controllers.contract import PutObject, RemoveObject
from kube_controllers.controller_revisions import sort_revisions
from kube_controllers.objects import Objects, View
from kube_controllers.pods import is_ready, phase
from kube_controllers.stateful_set import stateful_pods as rules
from kube_controllers.stateful_set.stateful_set_controller import StatefulSetController
from kube_controllers.statuses import with_condition
from kube_objects.manifests import (
    Manifest,
    format_time,
    is_deleted,
    key,
    kind,
    name,
    number,
    owners,
    spec,
    status,
    with_meta,
    with_spec,
    with_status,
)

RETAIN, DELETE = "Retain", "Delete"
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
    """A StatefulSet and its objects. Each sync is followed by checks of its invariants."""

    def __init__(self, given: Manifest, seed: int = 0) -> None:
        self.objects, self.now, self.draw = Objects(), 1_000_000.0, random.Random(seed)
        self.actor = StatefulSetController()
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
        return sort_revisions(self.objects.of_kind("ControllerRevision"))

    def count(self, of: str) -> int:
        return number(status(self.set).get(of), 0)

    # What happens

    def ask(self, **asked: Any) -> None:
        """Change the StatefulSet."""
        changed = with_spec(self.set, **asked)
        self.objects.put(with_meta(changed, generation=self.set["metadata"]["generation"] + 1))

    def ask_image(self, image: str) -> None:
        template = spec(self.set)["template"]
        container = {**template["spec"]["containers"][0], "image": image}
        self.ask(template={**template, "spec": {**template["spec"], "containers": [container]}})

    def sync(self) -> None:
        self.now += 1.0
        for change in self.actor.reconcile(self.set, View(self.objects, self.now, self.draw)).changes:
            if isinstance(change, PutObject):
                self.created += kind(change.obj) == "Pod" and self.objects.get("Pod", key(change.obj)) is None
                self.objects.put(change.obj)
            elif isinstance(change, RemoveObject):
                self.deleted += kind(change.obj) == "Pod"
                self.objects.remove(kind(change.obj), key(change.obj))
        self.check()

    def set_phase(self, pod: Manifest, value: str) -> None:
        self.objects.put(with_status(pod, {**status(pod), "phase": value}))

    def set_ready(self, pod: Manifest, since: float | None = None) -> None:
        running = with_status(pod, {"phase": "Running"})
        self.objects.put(with_condition(running, "Ready", "True", "", "", self.now if since is None else since))

    def step_forward(self) -> None:
        """Let one of the Pods make progress."""
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
        """Scale down; each deleted Pod is seen terminating first. Source: scaleDownStatefulSetControl."""
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
        """Check the Pod's identity, and the owners of its claims. Source: checkClaimInvarients."""
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
