"""Lines of a recording: their time, their files, and what they write of objects that a server has filled in."""

import json
from typing import Any

import pytest

from kube_objects.manifests import generation, name, spec
from tests.conformance.cli.shell import run_line
from tests.core.controllers.recordings.test_commands import Session


@pytest.mark.parametrize(
    ("line", "code", "seconds"),
    [
        ("timeout 3 kubectl wait deploy/web --for=condition=Never", 124, 3.0),
        ("timeout -k 1 -s INT 0.5m kubectl wait deploy/web --for=condition=Never --timeout=9s || exit 7", 7, 9.15),
        ("timeout 2s kubectl get pods -w | cat", 0, 2.0),
        ("timeout 4 kubectl drain node-1 >/dev/null; echo $? | grep 124", 0, 4.0),
        ("sleep 1.5; kubectl get pods", 0, 1.65),
        ("timeout 2 sleep 5", 124, 2.0),
        ("kubectl drain node-1 --timeout=3s", 1, 3.15),
    ],
)
def test_time_of_a_line_is_that_of_the_cluster(line: str, code: int, seconds: float) -> None:
    """A budget lets none of the pods go."""
    session = Session(["node-1"])
    assert session.run("apply -f d.yaml -f b.yaml") == 0, session.out
    session.kubelet("ready")
    begun = session.player.now
    answer = run_line(line, session.kubectl)
    assert (answer.code, round(session.player.now - begun, 2)) == (code, seconds), answer


def test_an_object_is_edited_by_the_editor_of_a_line() -> None:
    session = Session()
    assert session.run("apply -f d.yaml") == 0, session.out
    for editor, code in (("sed -i s/app:1/app:2/", 0), ("true", 0), ("false", 1)):
        assert run_line(f"KUBE_EDITOR='{editor}' kubectl edit deploy web", session.kubectl).code == code
    [found] = session.all("Deployment")
    assert (spec(found)["template"]["spec"]["containers"][0]["image"], generation(found)) == ("app:2", 2)


def test_the_next_object_of_a_file_comes_sooner_than_a_kubelet_ends_a_pod() -> None:
    """As measured: who preempts finds the room taken by a pod of more priority that came with it."""
    session = Session(["node-1"])

    def pod(named: str, cpu: str, priority: str) -> dict[str, Any]:
        inside = {"containers": [{"name": "main", "image": "x", "resources": {"requests": {"cpu": cpu}}}]}
        metadata = {"name": named, "namespace": "default"}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {**inside, "priorityClassName": priority},
        }

    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": named}, "value": value}
        for named, value in (("none", 0), ("low", 1), ("high", 2))
    ]
    classes[-1]["preemptionPolicy"] = "Never"
    files = {"a.yaml": [*classes, pod("full", "4", "none")], "b.yaml": [pod("l", "3", "low"), pod("h", "3", "high")]}
    session.kubectl.files = {file: "\n---\n".join(map(json.dumps, objects)) for file, objects in files.items()}
    assert [session.run(f"apply -f {file}") for file in files] == [0, 0], session.out
    assert {name(one): bool(spec(one).get("nodeName")) for one in session.all("Pod")} == {"l": False, "h": True}


def test_variables_come_from_a_config_map() -> None:
    session = Session()
    session.kubectl.files = {**session.kubectl.files, "dir/a.b": "1", "dir/in/c": "2", "e": "3"}
    for line in (
        "apply -f d.yaml",
        "create cm c --from-literal=x=1 --from-file=dir --from-file=f=e",
        "set env deploy/web Y=1 X=0",
        "set env deploy/web --from=configmap/c Y-",
    ):
        assert session.run(line) == 0, session.out
    [config] = session.all("ConfigMap")[-1:]
    assert config["data"] == {"x": "1", "a.b": "1", "f": "3"}
    [found] = session.all("Deployment")
    env = spec(found)["template"]["spec"]["containers"][0]["env"]
    keys = {one["name"]: one["valueFrom"]["configMapKeyRef"]["key"] for one in env}
    assert keys == {"X": "x", "A_B": "a.b", "F": "f"}


@pytest.mark.parametrize(
    ("patch", "code", "strategy"),
    [
        ("""-p '{"spec":{"strategy":{"type":"Recreate"}}}'""", 1, "RollingUpdate"),
        ("""-p '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'""", 0, "Recreate"),
        ("""--type=json -p '[{"op":"replace","path":"/spec/strategy","value":{"type":"Recreate"}}]'""", 0, "Recreate"),
        ("""--type=json -p '[{"op":"test","path":"/spec/revisionHistoryLimit","value":9}]'""", 1, "RollingUpdate"),
    ],
)
def test_patches_are_of_what_a_server_filled_in(patch: str, code: int, strategy: str) -> None:
    session = Session()
    assert session.run("apply -f d.yaml") == 0, session.out
    assert session.run(f"patch deploy web {patch}") == code, session.out
    [found] = session.all("Deployment")
    assert (spec(found)["strategy"]["type"], spec(found)["revisionHistoryLimit"]) == (strategy, 10)


def test_a_line_may_change_the_files_and_what_it_has_read() -> None:
    """`sed -i`, another file, and YAML that is piped back."""
    session = Session()
    session.kubectl.files = {"d.yaml": "\n".join(["apiVersion: v1", "kind: ConfigMap", "metadata: {name: web}"])}
    for line in (
        "sed -i s/web/db/ d.yaml && kubectl apply -f d.yaml",
        "sed s/db/api/ d.yaml > e.yaml; kubectl apply -f e.yaml",
        "kubectl get cm api -o yaml | sed 's/name: api/name: piped/; /uid/d' | kubectl create -f -",
        "kubectl create -f - <<EOF\n{apiVersion: v1, kind: ConfigMap, metadata: {name: here}}\nEOF",
        "for n in a b; do kubectl create cm $n; done",
    ):
        assert run_line(line, session.kubectl).code == 0, line
    assert {name(one) for one in session.all("ConfigMap")} == {
        "db",
        "api",
        "piped",
        "here",
        "a",
        "b",
        "kube-root-ca.crt",
    }
    assert session.run("apply -f .") == 0
