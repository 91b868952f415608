"""An operator by kopf, in a process of its own, as operators run."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests.clients.conftest import Cluster
from tests.services import STOP_SECONDS, spawn

OPERATOR = Path(__file__).with_name("labelling.py")


def test_an_operator_labels_pods_when_they_are_bound(make_cluster: Callable[..., Cluster], tmp_path: Path) -> None:
    cluster = make_cluster(actors=True)
    cluster.kubectl("run before --image=nginx")
    with (tmp_path / "log").open("wb") as log:
        operator = spawn(
            [sys.executable, "-m", "kopf", "run", "--all-namespaces", str(OPERATOR)],
            env={**os.environ, "KUBECONFIG": str(cluster.kubeconfig)},
            stdout=log,
            stderr=log,
        )
    try:
        # What was there, and what comes.
        for name in ("before", "after"):
            if name == "after":
                cluster.kubectl("run after --image=nginx")
            cluster.kubectl(f"wait pod/{name} --for=jsonpath={{.metadata.labels.bound-to}} --timeout=60s")
            found = cluster.kubectl(f"get pod {name} -o jsonpath={{.spec.nodeName}}={{.metadata.labels.bound-to}}")
            node, _, label = found.partition("=")
            assert node == label != ""
    finally:
        operator.terminate()
        operator.wait(STOP_SECONDS)
    assert operator.returncode == 0, (tmp_path / "log").read_text()
