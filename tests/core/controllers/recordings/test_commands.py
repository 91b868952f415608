"""Commands of a recording that ours do not have: what they do to a cluster, and what they refuse."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_controllers.api import WriteRefused
from kube_controllers.pods import phase
from kube_objects.manifests import Manifest, generation, name, spec
from tests.conformance.cli.api_server import Rules
from tests.conformance.controllers.kubectl import Kubectl
from tests.conformance.controllers.patches import merged
from tests.conformance.controllers.player import QUIET, Player
from tests.conformance.controllers.wait_conditions import is_met, seconds_of
from tests.core.controllers.chaos import template, workload


def budget() -> dict[str, Any]:
    wanted = {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": wanted}


def job(**asked: Any) -> dict[str, Any]:
    inside = template("web")
    inside["spec"]["restartPolicy"] = "Never"
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}, "spec": {"template": inside, **asked}}


FILES = {
    "d.yaml": workload("Deployment", "web", replicas=2),
    "d3.yaml": workload("Deployment", "web", replicas=3),
    "s.yaml": workload("StatefulSet", "web", replicas=2),
    "ds.yaml": workload("DaemonSet", "web"),
    "od.yaml": workload("DaemonSet", "web", updateStrategy={"type": "OnDelete"}),
    "b.yaml": budget(),
    "j.yaml": job(completions=2, parallelism=2, completionMode="Indexed"),
    "p.yaml": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": template("p")["spec"]},
}


class Session:
    """Lines, one after the other, in a cluster that is at rest in between."""

    def __init__(self, nodes: Sequence[str] = ("node-1", "node-2")) -> None:
        self.player = Player(nodes, QUIET)
        self.kubectl = Kubectl(self.player, {file: json.dumps(obj) for file, obj in FILES.items()}, Rules())
        self.out = ""

    def run(self, line: str) -> int:
        """Its exit status."""
        answer = self.kubectl.run(shlex.split(line))
        self.out = answer.out + answer.err
        self.player.rest()
        return answer.code

    def kubelet(self, how: str, times: int = 1) -> None:
        for _ in range(times):
            self.player.kubelet(how, None, None, 1)
            self.player.rest()

    def all(self, kind: str) -> list[Manifest]:
        found: list[Manifest] = self.player.life.manager.objects.of_kind(kind)
        return found

    def events(self) -> list[str]:
        return [f"{event.reason} {event.count}" for event in self.player.log.take()]


# lines that go well, then one with its exit status and a part of what it says
FALSE_TEST = '[{"op":"test","path":"/spec/replicas","value":9}]'
LINES = [
    (["apply -f d.yaml", "rollout pause deploy/web"], "rollout pause deploy/web", 1, "already paused"),
    (["apply -f d.yaml", "rollout pause deploy/web"], "rollout restart deploy/web", 1, "paused"),
    (["apply -f d.yaml"], "rollout resume deploy/web", 1, "is not paused"),
    (["apply -f d.yaml"], "rollout status deploy/web --timeout=2s", 1, "timed out"),
    (["apply -f d.yaml"], "rollout status deploy/web --watch=false", 0, "waited for"),
    (["apply -f od.yaml"], "rollout status ds/web", 1, "RollingUpdate"),
    (["apply -f d.yaml"], "scale deploy web --replicas=3 --current-replicas=4", 1, "Expected replicas to be 4, was 2"),
    (["apply -f d.yaml"], "scale deploy web --replicas=3 --current-replicas=2", 0, "scaled"),
    (["apply -f d.yaml"], "scale deploy web --replicas=-1", 1, "greater than or equal to 0"),
    (["apply -f j.yaml"], "scale job web --replicas=1", 1, "could not find"),
    (["apply -f d.yaml"], "set image deploy/web other=x", 1, 'unable to find container named "other"'),
    (["apply -f d.yaml"], "set resources deploy web --limits=cpu=200m", 0, "updated"),
    (["apply -f j.yaml"], "set image job/web main=x", 1, "immutable"),
    (["apply --server-side -f d.yaml"], "apply --server-side --field-manager=me -f d.yaml", 0, "serverside-applied"),
    (["apply -f d.yaml"], "apply view-last-applied deploy/web", 0, '"replicas":2'),
    (["create -f d.yaml"], "apply view-last-applied deploy/web", 1, "no last-applied-configuration annotation"),
    (["create -f d.yaml"], "apply set-last-applied -f d.yaml", 1, "no last-applied-configuration annotation"),
    (["create -f d.yaml"], "apply set-last-applied --create-annotation -f d.yaml", 0, "configured"),
    (["apply -f d.yaml"], "rollout history deploy/web --revision=1", 0, "REVISION"),
    (["apply -f d.yaml"], "rollout history deploy/web --revision=7", 1, "unable to find the specified revision"),
    ([], "create cm c --from-file=none.yaml", 1, "error reading none.yaml"),
    (["apply --server-side -f d.yaml"], "apply --server-side --field-manager=me -f d3.yaml", 1, "conflict"),
    (
        ["apply --server-side -f d.yaml"],
        "apply --server-side --field-manager=me --force-conflicts -f d3.yaml",
        0,
        "app",
    ),
    (["apply -f d.yaml"], 'patch deploy web -p \'{"spec":{"suspend":true}}\'', 0, "patched"),
    (["apply -f d.yaml"], "create rolebinding b --user=jane", 1, "exactly one of clusterrole or role"),
    (["apply -f d.yaml"], "create rolebinding b --role=r --user=jane", 0, "created"),
    (["apply -f d.yaml"], "create ingress i --rule=example.com/web*=web:80", 0, "created"),
    (["apply -f d.yaml"], "create service clusterip web", 1, "spec.ports: Required value"),
    (["apply -f j.yaml"], 'patch job web -p \'{"spec":{"completions":3}}\'', 1, "in tandem with spec.parallelism"),
    (["apply -f j.yaml"], 'patch job web -p \'{"spec":{"completions":3,"parallelism":3}}\'', 0, "patched"),
    (["apply -f s.yaml"], 'patch sts web -p \'{"spec":{"serviceName":"x"}}\'', 1, "updates to statefulset spec"),
    (
        ["apply -f d.yaml"],
        f"patch deploy web --type=json -p '{FALSE_TEST}'",
        1,
        "",
    ),
    (["taint node node-1 a=b:NoSchedule"], "taint node node-1 a=c:NoSchedule", 1, "already has a taint(s)"),
    (["taint node node-1 a=b:NoSchedule"], "taint node node-1 a=c:NoSchedule --overwrite", 0, "tainted"),
    ([], "taint node node-1 a-", 1, "not found"),
    (["label node node-1 a=b"], "label node node-1 a=c", 1, "--overwrite is false"),
    (["apply -f ds.yaml"], "drain node-1", 1, "DaemonSet-managed"),
    (["apply -f ds.yaml"], "drain node-1 --ignore-daemonsets", 0, "drained"),
    (["apply -f p.yaml"], "drain node-1 node-2", 1, "declare no controller"),
    (["apply -f p.yaml"], "drain node-1 node-2 --force", 0, "drained"),
    ([], "delete deploy web --ignore-not-found", 0, ""),
    ([], "apply -n shop -f p.yaml", 1, 'namespaces "shop" not found'),
    (["create namespace shop"], "apply -n shop -f p.yaml", 0, "created"),
    ([], "apply -n shop -f d.yaml", 1, "does not match the namespace"),
    (["apply -f d.yaml"], "wait --for=condition=available deploy/web --timeout=2s", 1, "timed out"),
    (["apply -f d.yaml"], "wait --for=jsonpath={.spec.replicas}=2 deploy/web", 0, "met"),
    (["apply -f d.yaml"], "wait --for=delete deploy/web --timeout=2s", 1, "timed out"),
    ([], "wait --for=delete deploy/web", 0, ""),
    (["apply -f p.yaml"], "replace --force -f p.yaml", 0, "replaced"),
    (["apply -f p.yaml"], "delete pod none p", 1, 'pod "p" deleted'),
    (["apply -f p.yaml"], "delete pod none p --ignore-not-found", 0, 'pod "p" deleted'),
    (["apply -f d.yaml"], "scale deploy none web --replicas=3", 1, "deployment.apps/web scaled"),
    (["apply -f p.yaml"], "create -f p.yaml -f d.yaml", 1, "deployment.apps/web created"),
    ([], "apply -f d.yaml,p.yaml", 0, "pod/p created"),
    ([], "create --dry-run=server -f p.yaml", 0, "pod/p created"),
    (["apply -f d.yaml"], "expose deploy web --port=80", 0, "service/web created"),
    ([], "frobnicate pods", 1, "unknown command"),
    ([], "run p --image=x --overrides='{'", 1, "error parsing"),
    (["apply -f d.yaml"], "patch deploy web", 1, "there has to be one"),
    (["apply -f d.yaml"], "delete pod -l 'app in (web,db),tier notin (x)'", 0, "deleted"),
    (["apply -f d.yaml"], "get pod -l 'app notin (web,db)' -o name", 0, ""),
    (["apply -f p.yaml"], "delete pod --field-selector=metadata.name=p", 0, 'pod "p" deleted'),
    (["apply -f p.yaml"], "get pod --field-selector=metadata.name!=p -o name", 0, ""),
    ([], "wait --for=condition=Ready pod -l app=none --timeout=1s", 1, "no matching resources found"),
    ([], """run p --image=x --overrides='{"spec":{"nodeName":"node-2"}}'""", 0, "pod/p created"),
]


@pytest.mark.parametrize(
    ("before", "line", "code", "said"), LINES, ids=[" then ".join([*before, line]) for before, line, _, _ in LINES]
)
def test_a_line_ends_as_kubectl_does(before: list[str], line: str, code: int, said: str) -> None:
    session = Session()
    assert [session.run(one) for one in before] == [0] * len(before)
    assert (session.run(line), said in session.out) == (code, True), session.out


_RECREATE = {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}
_POLICY = {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}]}
_SCHEDULED = {"jobTemplate": {"spec": job()["spec"]}}


def scheduled(**wanted: Any) -> dict[str, Any]:
    about = {"name": "web"}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": about, "spec": {**_SCHEDULED, **wanted}}


def without_labels(of: str) -> dict[str, Any]:
    return workload(of, "web", template={**template("web"), "metadata": {}})


REFUSED = {
    "labels that are not selected": (without_labels("Deployment"), "does not match template"),
    "labels of daemons that are not selected": (without_labels("DaemonSet"), "does not match template"),
    "fewer than none": (workload("Deployment", "web", replicas=-1), "spec.replicas"),
    "a rollout that stands still": (
        workload("Deployment", "web", strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}),
        "may not be 0 when",
    ),
    "two ways at once": (workload("Deployment", "web", strategy=_RECREATE), "'Recreate'"),
    "no time to be ready": (
        workload("Deployment", "web", minReadySeconds=9, progressDeadlineSeconds=9),
        "greater than minReadySeconds",
    ),
    "surging and missing": (
        workload("DaemonSet", "web", updateStrategy={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}),
        "may not be set when maxUnavailable is non-zero",
    ),
    "a job for ever": ({**job(), "spec": {"template": template("web")}}, "restartPolicy"),
    "indexes without an end": (job(completionMode="Indexed", parallelism=2), "spec.completions"),
    "a job of another group": (workload("Job", "web"), 'no matches for kind "Job" in version "apps/v1"'),
    "a field of another kind": (
        workload("Deployment", "web", podReplacementPolicy="Failed"),
        'strict decoding error: unknown field "spec.podReplacementPolicy"',
    ),
    "a field of another part": (
        workload("StatefulSet", "web", strategy={"type": "Recreate"}),
        'unknown field "spec.strategy"',
    ),
    "a number as a text": (workload("Deployment", "web", replicas="2"), "cannot unmarshal string"),
    "limits of indexes that are not there": (job(backoffLimitPerIndex=1), "indexed completion mode"),
    "an index that is not there": (
        job(completionMode="Indexed", completions=2, successPolicy={"rules": [{"succeededIndexes": "0,1-5"}]}),
        'too large index: "5"',
    ),
    "no such time": (scheduled(schedule="61 * * * *"), "spec.schedule"),
    "no such place": (scheduled(schedule="@daily", timeZone="Nowhere/Here"), "Nowhere/Here"),
    "two budgets in one": ({**budget(), "spec": {"minAvailable": 1, "maxUnavailable": 1}}, "cannot be both set"),
}


@pytest.mark.parametrize("named", REFUSED)
def test_what_an_api_server_refuses(named: str) -> None:
    given, why = REFUSED[named]
    session = Session()
    session.kubectl.files = {"w.yaml": json.dumps(given)}
    assert (session.run("apply -f w.yaml"), why in session.out) == (1, True), session.out
    assert session.all(given["kind"]) == []


@pytest.mark.parametrize("surge", [0, 1])
def test_those_that_take_daemons_surge_or_miss_some(surge: int) -> None:
    rolling = {"maxSurge": surge, "maxUnavailable": 1 - surge}
    session = Session()
    given = workload("DaemonSet", "web", updateStrategy={"rollingUpdate": rolling})
    session.kubectl.files = {"w.yaml": json.dumps(given)}
    assert session.run("apply -f w.yaml") == 0, session.out


def test_a_strategic_patch_says_which_fields_of_a_map_may_stay() -> None:
    before = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
    patch = {"$retainKeys": ["type"], "type": "Recreate"}
    assert merged(before, patch) == {"type": "Recreate"}
    assert merged(before, patch, strategic=False) == {**before, **patch}


@pytest.mark.parametrize("rolling", [{"maxUnavailable": "0%"}, {"maxUnavailable": 2, "partition": 0}])
def test_a_field_behind_a_gate_that_is_off_is_left_out(rolling: Mapping[str, Any]) -> None:
    """Measured from kube-apiserver v1.36.2: patched, and the generation stays."""
    session = Session()
    kept = {field: value for field, value in rolling.items() if field != "maxUnavailable"}
    strategy = {"rollingUpdate": kept} if kept else {}
    session.kubectl.files = {"s.yaml": json.dumps(workload("StatefulSet", "web", updateStrategy=strategy))}
    assert session.run("apply -f s.yaml") == 0, session.out
    asked = json.dumps({"spec": {"updateStrategy": {"rollingUpdate": rolling}}})
    assert session.run(f"patch sts web -p '{asked}'") == 0, session.out
    [found] = session.all("StatefulSet")
    assert (spec(found)["updateStrategy"], generation(found)) == (
        {"rollingUpdate": {"partition": 0}, "type": "RollingUpdate"},
        1,
    )


def test_a_status_is_written_by_its_subresource_alone() -> None:
    session = Session()
    session.run("apply -f d.yaml")
    patch = '{"status":{"conditions":[{"type":"Ready","status":"False"}]},"spec":{"unschedulable":true}}'
    session.run(f"patch node node-1 -p '{patch}'")
    (node, _) = session.all("Node")
    assert (node["status"]["conditions"][0]["status"], spec(node)["unschedulable"]) == ("True", True)
    session.run(f"patch node node-2 --subresource=status -p '{patch}'")
    node = session.all("Node")[1]
    assert (node["status"]["conditions"][0]["status"], "unschedulable" in spec(node)) == ("False", False)


@pytest.mark.parametrize("file", ["s.yaml", "ds.yaml"])
def test_who_comes_again_takes_over_what_was_left_behind(file: str) -> None:
    """Its pods, and its revisions, of which one has the name that its own would have."""
    session = Session()
    session.run(f"apply -f {file}")
    session.kubelet("ready", 2)
    pods = {name(pod) for pod in session.all("Pod")}
    kind = FILES[file]["kind"]
    session.run(f"delete {kind.lower()} web --cascade=orphan")
    assert ({name(pod) for pod in session.all("Pod")}, session.all(kind)) == (pods, [])
    assert session.run(f"apply -f {file}") == 0
    (owner,), (revision,) = session.all(kind), session.all("ControllerRevision")
    assert {name(pod) for pod in session.all("Pod")} == pods
    owned = [*session.all("Pod"), revision]
    assert {one["metadata"]["ownerReferences"][0]["uid"] for one in owned} == {owner["metadata"]["uid"]}
    session.run(f"set image {kind.lower()}/web main=app:2")
    assert len(session.all("ControllerRevision")) == 2


def test_daemons_that_fail_again_and_again_stay_longer_each_time() -> None:
    """The first one goes at once; the next ones after a second, two, four."""
    session = Session(["node-1"])
    session.run("apply -f ds.yaml")
    stayed = []
    for _ in range(4):
        session.player.wait(0.25)
        begin = session.player.now
        assert session.player.kubelet("fail", None, None, 1) == 1
        while phase(session.all("Pod")[0]) == "Failed":
            session.player.wait(0.25)
        stayed.append(round(session.player.now - begin))
    assert stayed == [0, 1, 2, 4]


def test_typed_commands_make_what_they_say() -> None:
    session = Session()
    for line in (
        "create deployment db --image=redis:7 --replicas=2",
        "create job once --image=busybox -- echo hi",
        "create cronjob often --image=busybox --schedule='*/5 * * * *'",
        "create poddisruptionbudget db --selector=app=db --min-available=50%",
        "create quota q --hard=pods=9",
        "create priorityclass high --value=1000",
        "run alone --image=nginx --restart=Never",
        "autoscale deployment db --min=1 --max=4 --cpu-percent=60",
    ):
        assert session.run(line) == 0, session.out
    assert {name(pod).split("-")[0] for pod in session.all("Pod")} == {"db", "once", "alone"}
    assert spec(session.all("Job")[0])["template"]["spec"]["containers"][0]["command"] == ["echo", "hi"]
    assert spec(session.all("HorizontalPodAutoscaler")[0])["scaleTargetRef"]["name"] == "db"
    assert spec(session.all("PodDisruptionBudget")[0])["minAvailable"] == "50%"
    assert session.run("create job twice --from=cronjob/often") == 0
    assert session.all("Job")[1]["metadata"]["ownerReferences"][0]["name"] == "often"


def test_a_drain_goes_on_until_the_budget_lets_it() -> None:
    session = Session(["node-1"])
    for line in ("apply -f b.yaml", "apply -f d.yaml"):
        session.run(line)
    session.kubelet("ready")
    assert session.run("drain node-1 --timeout=12s") == 1
    assert "global timeout reached" in session.out
    assert len(session.all("Pod")) == 2
    assert session.run("drain node-1 --timeout=12s --disable-eviction") == 0


def test_a_claim_whose_template_comes_later_is_made_at_the_next_try() -> None:
    """Tries after 0, 5, 15, 35, … ms; who settles for a second sees nine, and the next is after 2,555 ms."""
    session = Session()
    wants = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
    pod = FILES["p.yaml"]
    template = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "gpu"}}
    asked = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}
    session.kubectl.files = {
        "p.yaml": json.dumps({**pod, "spec": {**pod["spec"], "resourceClaims": wants}}),
        "t.yaml": json.dumps({**template, "spec": {"spec": asked}}),
    }
    assert session.run("apply -f p.yaml") == 0, session.out
    assert session.events() == ["FailedResourceClaimCreation 9"]
    assert session.run("apply -f t.yaml") == 0, session.out
    (claim,) = session.all("ResourceClaim")
    (made,) = session.all("Pod")
    told = [{"name": "gpu", "resourceClaimName": claim["metadata"]["name"]}]
    assert made["status"]["resourceClaimStatuses"] == told


def test_json_patches_change_what_they_name() -> None:
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": "/b/-", "value": 3},
        {"op": "replace", "path": "/b/0", "value": 0},
        {"op": "remove", "path": "/a~1x"},
        {"op": "add", "path": "/c", "value": {}},
        {"op": "test", "path": "/c", "value": {}},
    ]
    assert Rules().patched({"a/x": 1, "b": [1, 2]}, "json", patch) == {"b": [0, 2, 3], "c": {}}
    with pytest.raises(WriteRefused):
        Rules().patched({"a": 2}, "json", [{"op": "test", "path": "/a", "value": 1}])


def test_what_is_waited_for() -> None:
    obj = {"kind": "Job", "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
    assert (is_met(obj, "condition=complete"), is_met(obj, "condition=Complete=false")) == (True, False)
    assert (is_met(None, "delete"), is_met(obj, "delete"), is_met(None, "condition=complete")) == (True, False, False)
    assert (seconds_of("1m30s", 0), seconds_of("250ms", 0), seconds_of("", 30)) == (90.0, 0.25, 30)
