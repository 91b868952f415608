"""What a namespace's limit ranges and quotas give and refuse to what controllers write, in upstream's words."""

import re
from typing import Any

import pytest

from kube_apiserver.admission import resource_quota
from kube_apiserver.admission.amounts import charged, summed
from kube_controllers.api import Api, WriteRefused
from kube_controllers.objects import Objects, View
from kube_objects.manifests import annotations, format_time, namespace, with_meta
from tests.core.controllers.chaos import template, workload
from tests.core.controllers.recordings.test_commands import Session
from tests.core.controllers.test_living import run, simulation_of
from tests.core.controllers.upstream_cases import view_of

ANNOTATION = "kubernetes.io/limit-ranger"


def rule(kind: str, named: str, **asked: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": named, "namespace": "default"}, "spec": asked}


def quota(named: str = "q", /, *, scopes: Any = None, scope_selector: Any = None, **hard: str) -> dict[str, Any]:
    """`requests__cpu="1"`: what Python takes for a name."""
    names = {name.replace("__", "."): amount for name, amount in hard.items()}
    asked = {"hard": names, "scopes": scopes, "scopeSelector": scope_selector}
    return rule("ResourceQuota", named, **{field: value for field, value in asked.items() if value is not None})


def limits(of: str = "Container", named: str = "bounds", **asked: Any) -> dict[str, Any]:
    return rule("LimitRange", named, limits=[{"type": of, **asked}])


def pod(named: str = "web-1", *resources: Any, **spec: Any) -> dict[str, Any]:
    """With a container for each of the resources."""
    containers = [{"name": f"c{at}", "resources": each} for at, each in enumerate(resources or ({},))]
    return rule("Pod", named, containers=containers, **spec)


def claim(size: str, **spec: Any) -> dict[str, Any]:
    return rule("PersistentVolumeClaim", "data", resources={"requests": {"storage": size}}, **spec)


def asks(**amounts: str) -> dict[str, Any]:
    return {"requests": amounts}


def refused(obj: dict[str, Any], *there: dict[str, Any]) -> str:
    """What the API server says; "" if it takes it."""
    try:
        Api(view_of(*there)).create(obj)
    except WriteRefused as error:
        return error.message
    return ""


EXCEEDED = 'pods "web-1" is forbidden: exceeded quota: q, requested: '
QUOTAS: list[tuple[dict[str, Any], list[dict[str, Any]], str]] = [
    (
        pod("web-1", asks(cpu="300m")),
        [quota(requests__cpu="1"), pod("a", asks(cpu="500m")), pod("b", asks(cpu="250m"))],
        f"{EXCEEDED}requests.cpu=300m, used: requests.cpu=750m, limited: requests.cpu=1",
    ),
    (pod("web-1", asks(cpu="250m")), [quota(requests__cpu="1"), pod("a", asks(cpu="750m"))], ""),
    (
        pod("web-1", {"limits": {"cpu": "2", "memory": "1Gi"}}),
        [quota(cpu="1", limits__memory="512Mi", pods="9")],
        f"{EXCEEDED}cpu=2,limits.memory=1Gi, used: cpu=0,limits.memory=0, limited: cpu=1,limits.memory=512Mi",
    ),
    (
        pod("web-1", asks(cpu="1"), {}, initContainers=[{"name": "first"}]),
        [quota(requests__cpu="9", limits__memory="1Gi", **{"requests.ephemeral-storage": "1Gi"})],
        'pods "web-1" is forbidden: failed quota: q: must specify limits.memory for: c0,c1,first; '
        "requests.cpu for: c1,first",
    ),
    (pod("web-1", {}, resources={"requests": {"cpu": "1"}}), [quota(requests__cpu="1")], ""),
    # One that says too little is told so before another quota's end is.
    (
        pod("web-1", {}),
        [quota("a", pods="0"), quota("b", cpu="1")],
        'pods "web-1" is forbidden: failed quota: b: must specify cpu for: c0',
    ),
    (
        pod(),
        [quota(**{"count/pods": "1"}), pod("ended") | {"status": {"phase": "Succeeded"}}],
        f"{EXCEEDED}count/pods=1, used: count/pods=1, limited: count/pods=1",
    ),
    (pod(), [quota(pods="1"), pod("ended") | {"status": {"phase": "Failed"}}], ""),
    (pod(), [with_meta(quota(pods="0"), namespace="other")], ""),
    (
        pod("web-1", asks(**{"example.com/gpu": "2"})),
        [quota(**{"requests.example.com/gpu": "1"})],
        f"{EXCEEDED}requests.example.com/gpu=2, used: requests.example.com/gpu=0, limited: requests.example.com/gpu=1",
    ),
    # Scopes
    (pod(), [quota(pods="0", scopes=["NotBestEffort"])], ""),
    (pod("web-1", asks(cpu="1")), [quota(pods="0", scopes=["BestEffort"])], ""),
    (pod(), [quota(pods="0", scopes=["BestEffort"])], f"{EXCEEDED}pods=1, used: pods=0, limited: pods=0"),
    (pod(), [quota(pods="1", scopes=["BestEffort"]), pod("other", asks(cpu="1"))], ""),
    (pod(activeDeadlineSeconds=9), [quota(pods="0", scopes=["NotTerminating"])], ""),
    (
        pod(activeDeadlineSeconds=9),
        [quota(pods="0", scopes=["Terminating", "BestEffort"])],
        f"{EXCEEDED}pods=1, used: pods=0, limited: pods=0",
    ),
    (
        pod(priorityClassName="high"),
        [
            quota(
                pods="0",
                scope_selector={
                    "matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]
                },
            )
        ],
        f"{EXCEEDED}pods=1, used: pods=0, limited: pods=0",
    ),
    (
        pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"namespaces": ["b"]}]}}),
        [quota(pods="0", scopes=["CrossNamespacePodAffinity"])],
        f"{EXCEEDED}pods=1, used: pods=0, limited: pods=0",
    ),
    (pod(), [quota(pods="0", scopes=["CrossNamespacePodAffinity"])], ""),
    # Other kinds
    (
        claim("2Gi", storageClassName="fast"),
        [quota(**{"requests.storage": "9Gi", "fast.storageclass.storage.k8s.io/requests.storage": "1Gi"})],
        'persistentvolumeclaims "data" is forbidden: exceeded quota: q, requested: '
        "fast.storageclass.storage.k8s.io/requests.storage=2Gi, used: "
        "fast.storageclass.storage.k8s.io/requests.storage=0, limited: "
        "fast.storageclass.storage.k8s.io/requests.storage=1Gi",
    ),
    (
        rule("Job", "nightly") | {"apiVersion": "batch/v1"},
        [quota(**{"count/jobs.batch": "0"})],
        'jobs.batch "nightly" is forbidden: exceeded quota: q, requested: count/jobs.batch=1, '
        "used: count/jobs.batch=0, limited: count/jobs.batch=0",
    ),
]


@pytest.mark.parametrize(("obj", "there", "said"), QUOTAS, ids=range(len(QUOTAS)))
def test_a_quota_refuses(obj: dict[str, Any], there: list[dict[str, Any]], said: str) -> None:
    assert refused(obj, *there) == said


BOUNDS: list[tuple[dict[str, Any], list[dict[str, Any]], str]] = [
    (
        pod("web-1", asks(cpu="50m")),
        [limits(min={"cpu": "100m"})],
        "minimum cpu usage per Container is 100m, but request is 50m",
    ),
    (pod(), [limits("Pod", min={"cpu": "1"})], "minimum cpu usage per Pod is 1.  No request is specified"),
    (
        pod("web-1", {"limits": {"memory": "2Gi"}}),
        [limits(max={"memory": "1024Mi"})],
        "maximum memory usage per Container is 1Gi, but limit is 2Gi",
    ),
    (
        pod("web-1", {"limits": {"cpu": "2"}, "requests": {"cpu": "500m"}}),
        [limits(maxLimitRequestRatio={"cpu": "3"})],
        "cpu max limit to request ratio per Container is 3, but provided ratio is 4.000000",
    ),
    # The same of two containers is said once; two things are, in brackets; the first limit range speaks.
    (
        pod("web-1", {"limits": {"cpu": "2"}}, {"limits": {"cpu": "2"}}),
        [limits(max={"cpu": "1"}), limits("Pod", "more", max={"cpu": "1"})],
        "maximum cpu usage per Container is 1, but limit is 2",
    ),
    (
        pod("web-1", {"limits": {"cpu": "2", "memory": "2Gi"}}),
        [limits(max={"cpu": "1", "memory": "1Gi"})],
        "[maximum cpu usage per Container is 1, but limit is 2, "
        "maximum memory usage per Container is 1Gi, but limit is 2Gi]",
    ),
]


@pytest.mark.parametrize(("obj", "there", "said"), BOUNDS, ids=range(len(BOUNDS)))
def test_a_limit_range_refuses(obj: dict[str, Any], there: list[dict[str, Any]], said: str) -> None:
    assert refused(obj, *there) == f'pods "web-1" is forbidden: {said}'


def test_a_limit_range_bounds_claims() -> None:
    bounds = limits("PersistentVolumeClaim", min={"storage": "2Gi"}, max={"storage": "4Gi"})
    forbidden = 'persistentvolumeclaims "data" is forbidden: '
    too_little = f"{forbidden}minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi"
    assert refused(claim("1Gi"), bounds) == too_little
    assert refused(claim("2Gi"), bounds) == ""
    assert refused(claim("5Gi"), bounds).endswith("is 4Gi, but request is 5Gi")


def test_a_limit_range_gives_what_containers_do_not_say() -> None:
    given = limits(default={"cpu": "1", "memory": "1Gi"}, defaultRequest={"cpu": "200m"})
    template_of = pod("web-1", {}, {"limits": {"cpu": "2"}}, initContainers=[{"name": "first"}])
    made = Api(view_of(given)).create(template_of)
    full = {"requests": {"cpu": "200m", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
    assert [one["resources"] for one in made["spec"]["containers"]] == [
        full,
        {"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}},
    ]
    assert made["spec"]["initContainers"] == [{"name": "first", "resources": full}]
    assert annotations(made)[ANNOTATION] == (
        "LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; "
        "memory request for container c1; memory limit for container c1; "
        "cpu, memory request for init container first; cpu, memory limit for init container first"
    )
    # The manifest that it was made of stays as it was: others are made of it.
    assert template_of["spec"]["containers"][0] == {"name": "c0", "resources": {}}
    assert annotations(template_of) == {}


def test_what_nobody_looked_through_limits_nothing() -> None:
    strange: list[dict[str, Any]] = [
        rule("LimitRange", "text", limits="all"),
        rule("LimitRange", "list", limits=[3, {"type": "Container", "max": 3, "default": ["cpu"]}]),
        rule("ResourceQuota", "list", hard=["pods"]),
        rule("ResourceQuota", "scope", hard={"cpu": "much"}, scopes="none", scopeSelector={"matchExpressions": 4}),
    ]
    assert refused(pod(), *strange[:3]) == ""
    assert "must specify cpu" in refused(pod(), *strange)


def test_what_one_look_wrote_counts_for_it_too() -> None:
    api = Api(view_of(quota(requests__cpu="1"), pod("old", asks(cpu="400m")), now=5))
    first = api.create(pod("a", asks(cpu="400m")))
    with pytest.raises(WriteRefused, match=r"requested: requests\.cpu=400m, used: requests\.cpu=800m"):
        api.create(pod("b", asks(cpu="400m")))
    api.delete(first)
    assert api.create(pod("b", asks(cpu="400m")))["metadata"]["creationTimestamp"] == format_time(5)


def test_what_is_used_follows_as_objects_come_change_and_go() -> None:
    """Added up and taken away it is what one finds who counts them all."""
    objects = Objects()
    bound, other = quota(cpu="9", pods="9", scopes=["NotBestEffort"]), with_meta(quota(pods="5"), namespace="b")
    for one in (bound, other):
        objects.put(one)

    def check(used: dict[str, str]) -> None:
        assert objects.spending(bound).status["used"] == used
        assert resource_quota.spending(bound, objects.of_kind).status["used"] == used

    check({"cpu": "0", "pods": "0"})
    for at in range(3):
        objects.put(pod(f"p{at}", asks(cpu="500m")))
    objects.put(pod("best"))
    check({"cpu": "1500m", "pods": "3"})
    objects.put(pod("p0", asks(cpu="500m")) | {"status": {"phase": "Running"}})
    check({"cpu": "1500m", "pods": "3"})
    objects.put(pod("p0", asks(cpu="500m")) | {"status": {"phase": "Succeeded"}})
    objects.put(pod("p1", asks(cpu="2")))
    check({"cpu": "2500m", "pods": "2"})
    for at in range(3):
        objects.remove("Pod", f"default/p{at}")
    check({"cpu": "0", "pods": "0"})
    objects.put(quota(cpu="9"))
    assert objects.spending(quota(cpu="9")).status["used"] == {"cpu": "0"}
    assert View(objects, 0, None).spending(other).status["used"] == {"pods": "0"}  # type: ignore[arg-type]
    assert namespace(other) == "b"


def test_what_a_pod_asks_for_is_that_of_its_largest_moment() -> None:
    """Source: podRequests: an init container runs beside those before it that go on."""

    def one(named: str, cpu: str, **more: Any) -> dict[str, Any]:
        return {"name": named, "resources": asks(cpu=cpu), **more}

    beside = one("beside", "1", restartPolicy="Always")
    spec = {"containers": [one("main", "1")], "initContainers": [one("first", "2"), beside, one("second", "3")]}
    assert str(summed(spec, "requests")["cpu"]) == "4"
    spec["initContainers"].reverse()
    assert str(summed(spec, "requests")["cpu"]) == "3"
    with_more = {**spec, "overhead": {"cpu": "250m"}}
    assert [str(each(with_more, "requests")["cpu"]) for each in (summed, charged)] == ["3", "3250m"]
    assert charged(with_more, "limits") == {}


# In a simulation


def test_a_replica_set_stops_at_a_quota_and_goes_on_when_there_is_more() -> None:
    simulation = simulation_of(quota(requests__cpu="250m"), workload("Deployment", "web", replicas=3))
    records = run(simulation, 60)
    assert len(simulation.cluster.store.list("Pod")) == 2
    said = [
        event["message"] for one in records for event in one.data.get("events", ()) if event["reason"] == "FailedCreate"
    ]
    assert said
    assert all(
        each.endswith(
            " is forbidden: exceeded quota: q, requested: requests.cpu=100m, used: requests.cpu=200m, "
            "limited: requests.cpu=250m"
        )
        for each in said
    )
    list(simulation.apply({"kind": "update", "objects": [quota(requests__cpu="300m")]}))
    run(simulation, 1200)
    assert len(simulation.cluster.store.list("Pod")) == 3


def test_pods_get_the_defaults_of_their_namespace_and_are_scheduled_by_them() -> None:
    bare = template("web")
    del bare["spec"]["containers"][0]["resources"]
    simulation = simulation_of(
        limits(defaultRequest={"cpu": "3"}), workload("Deployment", "web", replicas=3, template=bare)
    )
    run(simulation, 60)
    pods = simulation.cluster.store.list("Pod")
    assert len(pods) == 3
    # A node has 4 CPU: the third finds none.
    assert sorted(bool(one.node_name) for one in pods) == [False, True, True]


LONG = "a" * 60
TEMPLATE = {**template("web"), "spec": {**template("web")["spec"], "restartPolicy": "Never"}}
SELECTED = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
TOO_LONG: list[tuple[dict[str, Any], str, str]] = [
    (
        workload("StatefulSet", LONG, replicas=1, serviceName="web", **SELECTED),
        f'Create Pod {LONG}-0 in StatefulSet {LONG} failed error: Pod "{LONG}-0" is invalid',
        rf"{LONG}-[a-z0-9]+",
    ),
    (
        rule("Job", f"{LONG}-nightly", template=TEMPLATE) | {"apiVersion": "batch/v1"},
        f'Error creating: Pod "{LONG[:58]}',
        f"{LONG}-nightly",
    ),
]


@pytest.mark.parametrize(("owner", "beginning", "label"), TOO_LONG, ids=["StatefulSet", "Job"])
def test_a_label_that_is_longer_than_63_bytes_refuses_the_pods_of_its_owner(
    owner: dict[str, Any], beginning: str, label: str
) -> None:
    """Upstream: kubernetes/kubernetes#64023."""
    records = run(simulation_of(owner), 20)
    events = [event for record in records for event in record.data.get("events", ())]
    messages = [event["message"] for event in events if event["reason"] == "FailedCreate"]
    assert messages and all(message.startswith(beginning) for message in messages)
    invalid = f'is invalid: metadata.labels: Invalid value: "{label}": must be no more than 63 bytes'
    assert all(re.search(f"{invalid}$", message) for message in messages)
    assert not any("the engine failed" in str(record.data.get("reason")) for record in records)


def test_the_player_of_recordings_obeys_them() -> None:
    session = Session()
    assert session.run("create quota q --hard=requests.cpu=100m,count/jobs.batch=0") == 0
    assert session.run("apply -f d.yaml") == 0
    assert len(session.all("Pod")) == 1
    assert session.run("create job one --image=a") == 1
    assert 'jobs.batch "one" is forbidden: exceeded quota: q' in session.out
    assert session.run("run bare --image=a") == 1
    assert "failed quota: q: must specify requests.cpu for: bare" in session.out
    assert session.run("delete quota q") == 0
    assert session.run("create quota low --hard=pods=0 --scopes=BestEffort") == 0
    assert session.run("run bare --image=a") == 1
    assert 'pods "bare" is forbidden: exceeded quota: low, requested: pods=1' in session.out
    assert session.run("scale deploy web --replicas=3") == 0
    assert len(session.all("Pod")) == 3
