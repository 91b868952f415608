"""helm v4: a chart of our own, installed, upgraded, rolled back, listed and taken away."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.clients.conftest import Cluster

CHART = str(Path(__file__).with_name("chart"))


def test_a_release_comes_changes_goes_back_and_goes(make_cluster: Callable[..., Cluster]) -> None:
    cluster = make_cluster(actors=True)
    wait = ("--wait", "--timeout", "60s")

    def deployed() -> str:
        return cluster.kubectl("get deploy hi -o jsonpath={.spec.template.spec.containers[0].image}={.status.replicas}")

    assert "STATUS: deployed" in cluster.run("helm", "install", "hi", CHART, *wait)
    assert deployed() == "greeter:1.0=2"
    # The hook ran and is taken away.
    assert cluster.kubectl("get jobs") == "No resources found in default namespace.\n"
    cluster.run("helm", "upgrade", "hi", CHART, "--set", "image=greeter:1.1,replicas=3", *wait)
    assert deployed() == "greeter:1.1=3"
    cluster.run("helm", "rollback", "hi", "1", *wait)
    assert deployed() == "greeter:1.0=2"
    (release,) = json.loads(cluster.run("helm", "list", "-o", "json"))
    assert (release["name"], release["revision"], release["status"]) == ("hi", "3", "deployed")
    history = json.loads(cluster.run("helm", "history", "hi", "-o", "json"))
    assert [each["status"] for each in history] == ["superseded", "superseded", "deployed"]
    cluster.run("helm", "uninstall", "hi", "--wait")
    assert json.loads(cluster.run("helm", "list", "-o", "json")) == []
    assert "NotFound" in cluster.kubectl("get deploy hi", want=1)
