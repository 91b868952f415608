"""A deployment with DATABASE_URL and REDIS_URL over HTTP, as a user uses it: web, workers, PostgreSQL, Redis.

The tests of the web side on PostgreSQL run in one process. Here every request and every task has its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml

from tests.resilience.client import Client
from tests.resilience.deployments import LOGIN, Distributed, deployed
from tests.resilience.stored_rows import Database
from tests.services import wait_for
from tests.web import node, pod

OBJECTS = [*(node(f"node-{i}", zone=f"zone-{i}") for i in range(3)), *(pod(f"web-{i}") for i in range(5))]
CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 8\n"


@pytest.fixture(scope="module")
def deployment() -> Iterator[Distributed]:
    with deployed(Distributed, workers=1, questions=1) as running:
        yield running


@pytest.fixture(scope="module")
def user(deployment: Distributed) -> Client:
    return Client(deployment.urls, LOGIN)


@pytest.fixture
def cluster(user: Client) -> int:
    return int(user.post_once("clusters/", {"name": "walked", "seed": 7})["id"])


def finish(user: Client, cluster: int, number: int) -> None:
    path = f"clusters/{cluster}/commands/{number}/"
    ended = wait_for(
        lambda: answer if (answer := user.get(path))["state"] not in ("queued", "running") else None,
        f"the end of command {number}",
    )
    assert ended["state"] == "done", ended


def bring(user: Client, cluster: int, text: str) -> Any:
    answer = user.post_once(f"clusters/{cluster}/import/", {"text": text})
    finish(user, cluster, answer["command"])
    return answer


def run(user: Client, cluster: int) -> None:
    # A second run changes nothing, so it may be sent twice.
    command = user.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})
    finish(user, cluster, command["number"])


def take_back(user: Client, cluster: int) -> None:
    finish(user, cluster, user.post_once(f"clusters/{cluster}/undo/", {})["number"])


def counts(user: Client, cluster: int) -> tuple[int, int]:
    """Return the number of Nodes and of bound Pods."""
    found = user.get(f"clusters/{cluster}/")["counts"]
    return found["nodes"], found["bound"]


def test_import_run_export_and_undo(user: Client, cluster: int) -> None:
    answer = bring(user, cluster, yaml.safe_dump_all([*OBJECTS, yaml.safe_load(CONFIG)]))
    assert answer["counts"] == {"KubeSchedulerConfiguration": 1, "Node": 3, "Pod": 5}
    run(user, cluster)
    assert counts(user, cluster) == (3, 5)
    exported = user.get_text(f"clusters/{cluster}/export/cluster/")
    pods = [item for item in yaml.safe_load(exported)["items"] if item["kind"] == "Pod"]
    assert sorted(pod["metadata"]["name"] for pod in pods) == [f"web-{i}" for i in range(5)]
    assert all(pod["spec"]["nodeName"] for pod in pods)
    assert "parallelism: 8" in user.get_text(f"clusters/{cluster}/export/config/")
    scenario = user.get_text(f"clusters/{cluster}/export/scenario/")

    bring(user, cluster, yaml.safe_dump(node("late")))
    assert counts(user, cluster) == (4, 5)
    take_back(user, cluster)
    assert counts(user, cluster) == (3, 5)

    # The export gives the same cluster to somebody else.
    other = int(user.post_once("clusters/", {"name": "copy"})["id"])
    bring(user, other, scenario)
    assert counts(user, other)[0] == 3


def test_a_guest_joins_a_class_and_leaves_with_it(user: Client, deployment: Distributed, cluster: int) -> None:
    bring(user, cluster, yaml.safe_dump_all(OBJECTS))
    taught = user.post_once("classes/", {"cluster": cluster})
    guest = Client(deployment.urls, None, "/join/")
    guest.send_form("/join/", {"code": taught["code"], "name": "Ada"})
    assert guest.get(f"classes/{taught['id']}/")["me"]["name"] == "Ada"
    assert guest.get(f"clusters/{cluster}/")["counts"]["nodes"] == 3
    asked = user.post_once(f"classes/{taught['id']}/questions/", {"ask": "chosen_node"})["question"]
    path = f"classes/{taught['id']}/questions/{asked['number']}/answer/"
    guest.post_once(path, {"chosen": asked["options"][:1]})
    user.delete(f"classes/{taught['id']}/")
    assert guest.status(f"clusters/{cluster}/") in (403, 404)


def test_an_experiment_compares_two_profiles(user: Client, cluster: int) -> None:
    bring(user, cluster, yaml.safe_dump_all(OBJECTS))
    sides = [{"config": "default", "label": "spread"}, {"config": {"yaml": CONFIG}, "label": "parallel"}]
    path = f"clusters/{cluster}/comparisons/"
    number = user.post_once(path, {"sides": sides, "seeds": [1, 2]})["id"]
    ended = wait_for(
        lambda: found if (found := user.get(f"{path}{number}/"))["state"] not in ("queued", "running") else None,
        "the end of the comparison",
    )
    assert ended["state"] == "done"
    assert [each["metrics"]["placed"] for each in ended["runs"]] == [5] * 4


@contextmanager
def read_only(database: Database) -> Iterator[None]:
    """Have PostgreSQL refuse writes, as a standby does, or a server whose disk is full."""
    name = urlsplit(database.url).path[1:]

    def switch(state: str) -> None:
        # A session keeps what it began with.
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {state}")
            connection.execute(end, [name])

    switch("on")
    try:
        yield
    finally:
        switch("off")


def test_a_database_that_is_read_only_for_a_while(user: Client, deployment: Distributed, cluster: int) -> None:
    created = user.post_once(f"clusters/{cluster}/commands/", {"kind": "create", "objects": OBJECTS})
    finish(user, cluster, created["number"])
    made = user.post_once(f"clusters/{cluster}/tokens/", {"name": "reader", "role": "edit"})
    token = yaml.safe_load(made["kubeconfig"])["users"][0]["user"]["token"]
    api, maps = f"/api/v1/clusters/{cluster}/", f"/k8s/{cluster}/api/v1/namespaces/default/configmaps"
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made"}}
    node_text = {"text": yaml.safe_dump(node("late"))}
    run_all = {"kind": "run", "until": "idle"}
    with read_only(deployment.database):
        # The first answers may still be those of sessions that ended.
        assert user.get(f"clusters/{cluster}/")["counts"]["nodes"] == 3
        wait_for(lambda: user.ask_once("POST", f"{api}commands/", run_all)[0] == 503, "a refusal")
        status, pods = user.ask_once("GET", f"/k8s/{cluster}/api/v1/pods", token=token)
        assert (status, len(pods["items"])) == (200, 5)
        status, answer = user.ask_once("POST", maps, config_map, token=token)
        assert (status, answer["reason"], answer["message"]) == (503, "ServiceUnavailable", "the database is read-only")
        for path, data in (("commands/", run_all), ("import/", node_text), ("undo/", {})):
            status, answer = user.ask_once("POST", f"{api}{path}", data)
            assert (status, answer["problems"][0]["rule"]) == (503, "the database is read-only"), path
    run(user, cluster)
    assert counts(user, cluster) == (3, 5)
    wait_for(lambda: user.ask_once("POST", maps, config_map, token=token)[0] in (201, 409), "the ConfigMap")


def test_nothing_failed_on_the_way(deployment: Distributed) -> None:
    assert "Traceback" not in deployment.logs()
