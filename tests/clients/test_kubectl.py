"""kubectl v1.34 at work on whole applications."""

import re
from collections.abc import Callable
from pathlib import Path

from tests.clients.conftest import Cluster

APPS = Path(__file__).with_name("apps")


def test_a_public_application_comes_up_and_is_rolled_out_anew(make_cluster: Callable[..., Cluster]) -> None:
    kubectl = make_cluster(actors=True).kubectl
    assert kubectl(f"apply -k {APPS}/guestbook").count(" created\n") == 7
    for name in ("frontend", "redis-master", "redis-replica"):
        assert "successfully rolled out" in kubectl(f"rollout status deploy/{name} -n guestbook --timeout=60s")
    assert kubectl(f"diff -k {APPS}/guestbook") == ""
    again = kubectl(f"apply -k {APPS}/guestbook")
    # Its `env: []` is stored as nothing, so kubectl sends it each time, also to a real server.
    assert "deployment.apps/redis-master configured\n" in again
    assert again.count(" unchanged\n") == 6
    assert kubectl("get deploy frontend -n guestbook --no-headers").split()[1:4] == ["3/3", "3", "3"]
    kubectl("set image deploy/frontend frontend=gb-frontend:v5 -n guestbook")
    kubectl("rollout status deploy/frontend -n guestbook --timeout=60s")
    told = kubectl(f"diff -k {APPS}/guestbook", want=1)
    assert re.search(r"^-.* image: gb-frontend:v5$", told, re.MULTILINE)
    assert re.search(r"^\+.* image: gcr.io/google-samples/gb-frontend:v4$", told, re.MULTILINE)
    kubectl("rollout undo deploy/frontend -n guestbook")
    kubectl("rollout status deploy/frontend -n guestbook --timeout=60s")
    assert kubectl(f"diff -k {APPS}/guestbook") == ""
    assert len(kubectl("rollout history deploy/frontend -n guestbook").split("\n")[2:4]) == 2
    kubectl("delete namespace guestbook --timeout=60s")
    assert "NotFound" in kubectl("get namespace guestbook", want=1)


def test_an_application_of_bases_and_patches_waits_for_its_volume(make_cluster: Callable[..., Cluster]) -> None:
    kubectl = make_cluster(actors=True).kubectl
    assert kubectl(f"apply -k {APPS}/wordpress").count(" created\n") == 6
    kubectl("wait deploy/demo-wordpress --for=condition=Available --timeout=60s")
    image = "{.items[*].spec.containers[*].image} {.items[*].spec.initContainers[*].name}"
    assert kubectl(f"get pods -l tier=frontend -o jsonpath='{image}'") == "wordpress:6.8-apache wait-for-mysql"
    assert "condition not met" in kubectl("wait deploy/demo-mysql --for=condition=Available --timeout=0s", want=1)
    assert 'persistentvolumeclaim "demo-mysql" not bound' not in kubectl("describe pod -l tier=mysql")
    volume = """{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}, "spec": {
        "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "by-hand",
        "hostPath": {"path": "/data"}}}"""
    kubectl("create -f -", stdin=volume)
    kubectl("wait pvc/demo-mysql --for=jsonpath={.status.phase}=Bound --timeout=60s")
    kubectl("wait deploy/demo-mysql --for=condition=Available --timeout=60s")


def test_a_drain_waits_for_the_budget(make_cluster: Callable[..., Cluster]) -> None:
    kubectl = make_cluster(actors=True).kubectl
    kubectl("create deployment web --image=nginx --replicas=3")
    kubectl("create pdb web --selector=app=web --min-available=3")
    kubectl("rollout status deploy/web --timeout=60s")
    kubectl("wait pdb/web --for=jsonpath={.status.expectedPods}=3 --timeout=60s")
    told = kubectl("drain node-0 --timeout=1s", want=1)
    assert "would violate the pod's disruption budget" in told
    kubectl("""patch pdb web --type=merge -p '{"spec":{"minAvailable":2}}'""")
    kubectl("wait pdb/web --for=jsonpath={.status.disruptionsAllowed}=1 --timeout=60s")
    assert "node/node-0 drained" in kubectl("drain node-0 --timeout=60s")
    kubectl("rollout status deploy/web --timeout=60s")
    assert "node-0" not in kubectl("get pods -o jsonpath={.items[*].spec.nodeName}").split()
    assert "SchedulingDisabled" in kubectl("get node node-0")
    kubectl("uncordon node-0")


def test_what_changes_by_hand_and_what_is_told(make_cluster: Callable[..., Cluster], tmp_path: Path) -> None:
    cluster = make_cluster()
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/color: red/color: green/' \"$1\"\n")
    editor.chmod(0o755)
    cluster.kubectl("create configmap paint --from-literal=color=red")
    assert cluster.run("env", f"KUBE_EDITOR={editor}", "kubectl", "edit", "cm", "paint") == "configmap/paint edited\n"
    assert cluster.kubectl("get cm paint -o jsonpath={.data.color}") == "green"
    assert "terminationGracePeriodSeconds\t<integer>" in cluster.kubectl("explain pod.spec")
    assert cluster.kubectl("top nodes", want=1) == "error: Metrics API not available\n"
    assert cluster.kubectl("top pods", want=1) == "error: Metrics API not available\n"
    told = cluster.page.get(f"clusters/{cluster.number}/")["can_undo"]
    assert told["what"] == "update ConfigMap default/paint"
    assert told["client"].startswith("kubectl/v1.34")
