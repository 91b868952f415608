"""How commands end, as measured from kubectl v1.34.5 against kube-apiserver v1.36.2."""

import json

import pytest

from tests.conformance.cli.shell import run_line
from tests.core.controllers.recordings.test_commands import Session

REFUSED = [
    "scale deploy -l app=none --replicas=2",
    "scale deploy --replicas=2",
    "scale deploy web --replicas=5 --timeout=1s",
    "scale deploy web --replicas=5 --resource-version=0",
    "set image deploy/web",
    "set image deploy main=x",
    "set image deploy/web main=x --local",
    "set env deploy/web A=2 --overwrite=false",
    "set env deploy/web 'bad name=1'",
    "set resources deploy web -c none --limits=cpu=1",
    "set",
    "label deploy web",
    "label deploy web a=1 a-",
    "label pods --all -l app=p a=c",
    "annotate deploy web",
    "annotate deploy web a=1 a-",
    "taint node node-1",
    "taint node a=b:NoSchedule",
    "taint node/node-1 a=b:NoSchedule",
    "taint nodes --all -l a=b k=v:NoSchedule",
    "cordon",
    "uncordon --all",
    "drain node-1 -l a=b",
    "rollout",
    "delete deploy --all -l app=web",
    "delete deploy web --cascade=maybe",
    "delete pod p --now --grace-period=3",
    "delete pod p --force --grace-period=3",
    "delete pod p -o yaml",
    "create deploy z --image=a --port=99999",
    "create deploy z --image=a --image=b -- sleep 1",
    "create job q --image=a --from=cj/c",
    "create pdb b --selector=app=x",
    "create pdb b --min-available=1",
    "create -f d.yaml --dry-run=server",
    "apply -f d.yaml -l app=none",
    "replace",
    "patch deploy -p '{}'",
    "patch deploy web -p junk",
    "patch deploy web --type=other -p '{}'",
    """patch deploy web --type=json -p '[{"op":"remove","path":"/spec/template/spec/containers/5"}]'""",
    "get pods -o other",
    "get pods -l app=none -o jsonpath={.items[0].metadata.name}",
]


@pytest.fixture(scope="module")
def session() -> Session:
    found = Session(["node-1"])
    assert found.run("apply -f d.yaml -f p.yaml") == 0, found.out
    assert found.run("set env deploy/web A=1") == 0, found.out
    return found


@pytest.mark.parametrize("line", REFUSED)
def test_kubectl_refuses(line: str, session: Session) -> None:
    assert session.run(line) == 1, session.out


ORDERS = [
    ('{"containers":[{"name":"new","image":"a"}]}', "new main"),
    (
        '{"$setElementOrder/containers":[{"name":"main"},{"name":"new"}],"containers":[{"name":"new","image":"a"}]}',
        "main new",
    ),
    ('{"containers":[{"$patch":"replace"},{"name":"new","image":"a"}]}', "new"),
    ('{"containers":[{"name":"main","$patch":"delete"},{"name":"new","image":"a"}]}', "new"),
]


@pytest.mark.parametrize(("patch", "names"), ORDERS, ids=[names for _, names in ORDERS])
def test_lists_have_the_order_of_an_api_server(patch: str, names: str) -> None:
    session = Session(["node-1"])
    assert session.run("create -f d.yaml") == 0, session.out
    whole = json.dumps({"spec": {"template": {"spec": json.loads(patch)}}})
    assert session.run(f"patch deploy web -p '{whole}'") == 0, session.out
    assert session.run("get deploy web -o jsonpath={.spec.template.spec.containers[*].name}") == 0
    assert session.out == names


PIPES = [
    "kubectl set image -f d.yaml main=k:1 --local -o yaml | kubectl apply -f -",
    "kubectl set image deploy/web main=k:1 --dry-run=client -o yaml | kubectl apply -f -",
    "kubectl get deploy web -o yaml | sed s/app:1/k:1/ | kubectl apply -f - && kubectl apply -f d.yaml "
    "&& kubectl set image deploy/web main=k:1",
]


@pytest.mark.parametrize("line", PIPES)
def test_what_one_prints_another_takes(line: str) -> None:
    session = Session(["node-1"])
    assert session.run("create -f d.yaml") == 0, session.out
    answer = run_line(line, session.kubectl)
    assert answer.code == 0, answer.err
    assert session.run("get deploy web -o jsonpath={.spec.template.spec.containers[0].image}") == 0
    assert session.out == "k:1"


def test_a_trial_of_a_drain_lets_all_pods_be() -> None:
    session = Session(["node-1"])
    assert session.run("apply -f d.yaml") == 0, session.out
    before = [one["metadata"]["uid"] for one in session.all("Pod")]
    assert session.run("drain node-1 --dry-run=client") == 0, session.out
    assert [one["metadata"]["uid"] for one in session.all("Pod")] == before


def test_who_drains_sees_within_a_second_that_a_pod_is_gone() -> None:
    """Measured: the pod of a job is gone when its controller has counted it, a second after it is deleted."""
    session = Session(["node-1"])
    assert session.run("create -f j.yaml") == 0, session.out
    session.kubelet("ready")
    assert session.run("drain node-1 --timeout=3s") == 0, session.out


def test_what_replaces_an_object_takes_the_place_of_its_notes() -> None:
    """Measured: annotations of a Deployment are of its generation; that of a DaemonSet's template is the server's."""
    session = Session(["node-1"])
    assert session.run("apply -f d.yaml -f ds.yaml") == 0, session.out
    assert session.run("replace -f d.yaml -f ds.yaml") == 0, session.out
    [deployment], [daemon_set] = session.all("Deployment"), session.all("DaemonSet")
    assert deployment["metadata"]["generation"] == 2
    assert list(deployment["metadata"]["annotations"]) == ["deployment.kubernetes.io/revision"]
    assert daemon_set["metadata"]["annotations"] == {"deprecated.daemonset.template.generation": "1"}
