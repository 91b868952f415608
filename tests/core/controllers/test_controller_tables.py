"""Cases of upstream's tests of replica sets, daemon sets, budgets and stateful sets (`tables/workloads.json`)."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kube_controllers.api import Api
from kube_controllers.contract import EmitEvent, Notes, Outcome, PutObject, RemoveObject
from kube_controllers.controller_revisions import HASH_LABEL
from kube_controllers.counting import CountedPod, Tally
from kube_controllers.daemon_set import nodes as daemon_nodes
from kube_controllers.daemon_set.daemon_set_controller import DaemonSetController
from kube_controllers.daemon_set.daemon_set_sync import DaemonSetSync, NodeFitCache
from kube_controllers.disruption.disruption_controller import DisruptionController
from kube_controllers.objects import View
from kube_controllers.pods import is_ready
from kube_controllers.replica_set.replica_set_controller import create_pods, status_of, to_delete
from kube_controllers.stateful_set.stateful_claims import update_claim_owners
from kube_controllers.stateful_set.stateful_pods import POD_NAME, identity_matches, parent_and_ordinal
from kube_objects.kinds.table import DESCRIBED
from kube_objects.manifests import (
    Manifest,
    controller_reference,
    format_time,
    key,
    kind,
    labels,
    name,
    spec,
    status,
    with_meta,
    with_spec,
    with_status,
)
from tests.core.controllers.upstream_cases import cases_of, differences, families_of, view_of

NOW = 1_000_000.0


def made(of: str, named: str, spec: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    about = {"name": named, "namespace": "default", "uid": f"uid of {of} {named}"}
    api_version = DESCRIBED[of].api_version if of in DESCRIBED else "v1"
    return {"apiVersion": api_version, "kind": of, "metadata": about, "spec": dict(spec or {}), "status": {}} | fields


def ready(value: bool, since: float = NOW) -> list[dict[str, Any]]:
    return [{"type": "Ready", "status": str(value), "lastTransitionTime": format_time(since)}]


# Replica sets


def replica_set_status(given: Any) -> Any:
    template = {"metadata": {"labels": given["template"]}}
    owner = made("ReplicaSet", "foo", {"template": template, "minReadySeconds": given["minReadySeconds"]})
    pods = []
    for at, one in enumerate(given["pods"]):
        told = {"phase": one["phase"], "conditions": ready(one["ready"], NOW - (one["ago"] or 0))}
        pods.append(CountedPod(with_meta(made("Pod", f"pod{at}", status=told), labels=one["labels"])))
    found = status_of(owner, Tally(pods), given["terminating"], "", NOW)
    counts = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "terminatingReplicas")
    return {field: found.get(field, 0) for field in counts}


def replica_set_conditions(given: Any) -> Any:
    owner = made("ReplicaSet", "foo", {"replicas": given["replicas"]}, status={"conditions": given["conditions"]})
    pods = [CountedPod(made("Pod", f"pod{at}")) for at in range(given["pods"])]
    found = status_of(owner, Tally(pods), 0, given["problem"], NOW).get("conditions", [])
    return [{field: value for field, value in one.items() if field != "lastTransitionTime"} for one in found]


def pods_to_delete(given: Any) -> Any:
    known = {
        "unscheduled": made("Pod", "unscheduled", status={"phase": "Pending"}),
        "scheduled": made("Pod", "scheduled", {"nodeName": "fake-node"}, status={"phase": "Pending"}),
        "not-ready": made("Pod", "not-ready", {"nodeName": "fake-node"}, status=_running(False)),
        "ready-on-1": made("Pod", "ready-on-1", {"nodeName": "fake-node-1"}, status=_running(True)),
        "ready-on-2": made("Pod", "ready-on-2", {"nodeName": "fake-node-2"}, status=_running(True)),
    }
    pods, related = ([CountedPod(known[one]) for one in given[field] or ()] for field in ("pods", "related"))
    return [
        name(pod) for pod in to_delete(pods, [Tally(pods if given["related"] is None else related)], given["diff"], NOW)
    ]


def _running(is_well: bool) -> dict[str, Any]:
    return {"phase": "Running", "conditions": ready(is_well)}


def slow_start(given: Any) -> Any:
    """The limit is that of a quota."""
    quota = made("ResourceQuota", "quota", {"hard": {"pods": str(given["limit"])}})
    api = Api(view_of(quota, now=NOW))
    owner = made("ReplicaSet", "foo", {"template": {"spec": {"containers": []}}})
    create_pods(owner, given["count"], api)
    created = sum(isinstance(change, PutObject) for change in api.changes)
    return {"successes": created, "calls": sum(isinstance(change, EmitEvent) for change in api.changes)}


# Daemon sets


def daemon_set(rolling: Mapping[str, Any] | None = None) -> dict[str, Any]:
    template = {"metadata": {"labels": {"name": "simple-daemon"}}, "spec": {"containers": [{"image": "a"}]}}
    asked: dict[str, Any] = {"selector": {"matchLabels": {"name": "simple-daemon"}}, "template": template}
    strategy = {"type": "OnDelete"} if rolling is None else {"type": "RollingUpdate", "rollingUpdate": rolling}
    return made("DaemonSet", "foo", {**asked, "updateStrategy": strategy})


def daemon_should_run(given: Any) -> Any:
    node = with_meta(made("Node", "test-node"), labels={"name": "simple-daemon", "type": "production"})
    node["spec"] = {"unschedulable": True} if given["unschedulable"] else {}
    template = {"metadata": {}, "spec": given["spec"]}
    pod = daemon_nodes.daemon_pod(with_spec(daemon_set(), template=template))
    return list(daemon_nodes.fits_node(pod, node))


def daemon_limits(given: Any) -> Any:
    found = [made("Node", f"node-{at}") for at in range(given["nodes"])]
    owner = daemon_set(given["rollingUpdate"])
    return list(DaemonSetSync(owner, [], Api(view_of(owner, *found)), Notes(), NodeFitCache())._update_limits())


class Cluster:
    """Objects to which a controller's changes are done at once."""

    def __init__(self, *objects: Manifest) -> None:
        self.view: View = view_of(*objects, now=NOW)

    def put(self, obj: Manifest) -> None:
        self.view.objects.put(obj)

    def one(self, of: str) -> Manifest:
        (found,) = self.view.of_kind(of)
        return found

    def carry_out(self, outcome: Outcome) -> list[tuple[str, Any]]:
        done = []
        for change in outcome.changes:
            if isinstance(change, RemoveObject):
                self.view.objects.remove(kind(change.obj), key(change.obj))
                done.append((f"- {kind(change.obj)}", change.obj))
            elif isinstance(change, PutObject):
                is_new = self.view.get(kind(change.obj), key(change.obj)) is None
                self.put(change.obj)
                done.append((f"{'+' if is_new else '='} {kind(change.obj)}", change.obj))
            else:
                done.append((change.reason, change.about))
        return done


class Rollout(Cluster):
    """A daemon set; each step changes it, its pods or the time."""

    def __init__(self, nodes: int) -> None:
        super().__init__(daemon_set(), *(with_meta(made("Node", f"node-{at}"), namespace=None) for at in range(nodes)))
        self.revisions: list[str] = []

    def play(self, step: Any) -> list[int] | None:
        what, *about = step
        owner = self.one("DaemonSet")
        match what:
            case "settle":  # upstream's fake shows at once what a sync has written, which here the next one sees
                found = [0, 0]
                while any(counts := self.play(["sync"]) or ()):
                    found = [before + count for before, count in zip(found, counts, strict=True)]
                return found
            case "sync":
                done = [of for of, _ in self.carry_out(DaemonSetController().reconcile(owner, self.view))]
                for pod in self.view.of_kind("Pod"):
                    if labels(pod)[HASH_LABEL] not in self.revisions:
                        self.revisions.append(labels(pod)[HASH_LABEL])
                return [done.count("+ Pod"), done.count("- Pod")]
            case "image":
                self._change_template(owner, containers=[{"image": about[0]}])
            case "tolerations":
                self._change_template(owner, tolerations=about[0])
            case "rollingUpdate":
                self.put(with_spec(owner, updateStrategy={"type": "RollingUpdate", "rollingUpdate": about[0]}))
            case "minReadySeconds":
                self.put(with_spec(owner, minReadySeconds=about[0]))
            case "taint":
                self.put(with_spec(self.view.objects.get("Node", about[0]) or {}, taints=[about[1]]))
            case "at":
                self.view.now = NOW + about[0]
            case "ready" | "unready":
                self._mark(what == "ready", *about)
            case "first revision":
                for pod in self.view.of_kind("Pod")[: about[0]]:
                    self.put(with_meta(pod, labels={**labels(pod), HASH_LABEL: self.revisions[0]}))
        return None

    def _change_template(self, owner: Manifest, **fields: Any) -> None:
        template = spec(owner)["template"]
        asked = {field: value for field, value in {**template["spec"], **fields}.items() if value is not None}
        self.put(with_spec(owner, template={**template, "spec": asked}))

    def _mark(self, value: bool, count: int | None = None, which: str = "any") -> None:
        """As many pods as there are to mark: any, of the newest revision, or old ones whose node has no new one."""
        pods, newest = self.view.of_kind("Pod"), self.revisions[-1]
        renewed = {daemon_nodes.target_of(pod) for pod in pods if labels(pod)[HASH_LABEL] == newest}
        for pod in reversed(pods) if count is not None and not value and which == "any" else pods:
            is_new, is_alone = labels(pod)[HASH_LABEL] == newest, daemon_nodes.target_of(pod) not in renewed
            chosen = {"any": True, "new": is_new, "old alone": not is_new and is_alone}[which]
            if count == 0 or not chosen or is_ready(pod) == value:
                continue
            self.put(with_status(pod, {**status(pod), "conditions": ready(value, self.view.now)}))
            count = None if count is None else count - 1
        assert not count


def daemon_rollout(given: Any) -> Any:
    rollout = Rollout(given["nodes"])
    found = [answer for step in given["steps"] if (answer := rollout.play(step)) is not None]
    if "readyAtTheEnd" in given:
        assert sum(map(is_ready, rollout.view.of_kind("Pod"))) == given["readyAtTheEnd"]
    return found


# Budgets


def budget(given: Any) -> Any:
    asked = {"selector": {"matchLabels": {"foo": "bar"}}, **given["budget"]}
    told = {one: format_time(NOW - ago) for one, ago in given.get("disrupted", {}).items()}
    cluster = Cluster(made("PodDisruptionBudget", "foobar", asked, status={"disruptedPods": told} if told else {}))
    found = []
    for step in given["steps"]:
        match step:
            case ["sync"]:
                done = cluster.carry_out(
                    DisruptionController().reconcile(cluster.one("PodDisruptionBudget"), cluster.view)
                )
                now = status(cluster.one("PodDisruptionBudget"))
                found.append(
                    {**now, "disruptedPods": sorted(now.get("disruptedPods", ())), "events": [of for of, _ in done]}
                )
            case ["pod", named, owner, is_well, *deleted]:
                pod = with_meta(made("Pod", named, status={"conditions": ready(is_well)}), labels={"foo": "bar"})
                if owner is not None:
                    pod = with_meta(pod, ownerReferences=[controller_reference(made(*owner))])
                cluster.put(with_meta(pod, deletionTimestamp=format_time(NOW)) if deleted else pod)
            case ["scale", of, named, count, _]:
                cluster.put(made(of, named, {"replicas": count}))
    return found


# Stateful sets


def claims_owners(given: Any, before: list[Any]) -> list[Any]:
    policy = {"whenScaled": given["whenScaled"], "whenDeleted": given["whenDeleted"]}
    template = {"metadata": {"name": "data"}}
    asked = {"replicas": given["replicas"], "persistentVolumeClaimRetentionPolicy": policy}
    owner = made("StatefulSet", "ss", {**asked, "volumeClaimTemplates": [template]})
    pod = made("Pod", f"ss-{given['ordinal']}")
    known = [controller_reference(owner if one == "set" else pod) if isinstance(one, str) else one for one in before]
    claim = with_meta(made("PersistentVolumeClaim", f"data-ss-{given['ordinal']}"), ownerReferences=known or None)
    api = Api(view_of(owner, pod, claim))
    update_claim_owners(owner, pod, api)
    found = api.get("PersistentVolumeClaim", key(claim))
    assert found is not None
    return [
        {"StatefulSet": "set", "Pod": "pod"}.get(one["kind"], one["kind"])
        for one in found["metadata"].get("ownerReferences") or ()
    ]


EXTRA = {"apiVersion": "custom/v1", "kind": "random", "name": "random", "uid": "abc"}
UNEXPECTED = {"apiVersion": "custom/v1", "kind": "Unknown", "name": "unknown", "uid": "xyz", "controller": True}


def claim_owners(given: Any) -> Any:
    """The same whatever owned it before."""
    answers = []
    for before in ([], ["pod"], ["set"], ["pod", "set"]):
        for extra in ([], [EXTRA]):
            others = [UNEXPECTED] if given["unexpectedController"] else []
            found = claims_owners(given, [*before, *extra, *others])
            answers.append({"pod": "pod" in found, "set": "set" in found})
            assert ("random" in found, "Unknown" in found) == (bool(extra), bool(others))
    return answers[0] if all(one == answers[0] for one in answers) else answers


def claim_owner_up_to_date(given: Any) -> Any:
    """The owners with which nothing is to be done, whatever other owners there are."""
    fine = [
        before
        for before in ([], ["pod"], ["set"], ["pod", "set"])
        if sorted(claims_owners(given, before)) == before
        and sorted(claims_owners(given, [*before, EXTRA])) == sorted([*before, "random"])
    ]
    assert len(fine) == 1
    return {"pod": "pod" in fine[0], "set": "set" in fine[0]}


def is_member(given: Any) -> Any:
    return parent_and_ordinal(made("Pod", given["pod"]))[0] == given["set"]


def identity(given: Any) -> Any:
    pod = with_meta(made("Pod", given["pod"]), labels={POD_NAME: "foo-1"} if given["label"] else None)
    return identity_matches(made("StatefulSet", "foo"), pod)


FAMILIES: Mapping[str, Callable[[Any], Any]] = {
    "replica_set_status": replica_set_status,
    "replica_set_conditions": replica_set_conditions,
    "pods_to_delete": pods_to_delete,
    "slow_start": slow_start,
    "daemon_should_run": daemon_should_run,
    "daemon_limits": daemon_limits,
    "daemon_rollout": daemon_rollout,
    "budget": budget,
    "parent_and_ordinal": lambda given: list(parent_and_ordinal(made("Pod", given))),
    "is_member": is_member,
    "identity": identity,
    "claim_owners": claim_owners,
    "claim_owner_up_to_date": claim_owner_up_to_date,
}


@pytest.mark.parametrize("family", [one for one in FAMILIES if one != "budget"])
def test_a_family_of_upstreams_cases(family: str) -> None:
    assert differences("workloads", family, FAMILIES[family]) == []


def test_budgets_say_what_upstreams_say_after_each_step() -> None:
    """Of each status those fields are compared that upstream looks at."""
    wrong = []
    for case in cases_of("workloads"):
        if case["family"] == "budget":
            for at, (found, wanted) in enumerate(zip(budget(case["given"]), case["wanted"], strict=True)):
                event = wanted.get("event")
                if any(found[field] != wanted[field] for field in wanted if field != "event") or (
                    event is not None and event not in found["events"]
                ):
                    wrong.append((case["name"], at, found, wanted))
    assert wrong == []


def test_every_case_has_a_family() -> None:
    assert families_of("workloads") == set(FAMILIES)
