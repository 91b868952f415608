"""Who may look inside, at what: /metrics, /configz, the cache debugger."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from playground.models import Cluster, ClusterObject, NodeState, PodState
from playground.operations.active_settings import without_password
from scheduler_core.config import to_dict
from scheduler_core.emulations import DEFAULT
from tests.web import Api, node, pod

TOKEN = "t" * 40
PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: packing
"""


@pytest.mark.parametrize("path", ["/metrics", "/configz", "/debug/cache/{id}"])
def test_at_home_everybody_is_an_operator(path: str, api: Api, small: Cluster) -> None:
    assert Client().get(path.format(id=small.pk)).status_code == 200
    assert Client().get(path.format(id=small.pk), headers={"Host": "evil.example.com"}).status_code == 400
    assert Client(REMOTE_ADDR="192.0.2.1").get(path.format(id=small.pk)).status_code == 403


VISITORS = [
    # name                   headers                                                   status
    ("nobody", {}, 401),
    ("the token", {"Authorization": f"Bearer {TOKEN}"}, 200),
    ("the token, by address", {"Authorization": f"Bearer {TOKEN}", "Host": "10.0.0.7:8000"}, 200),
    ("nobody, by address", {"Host": "10.0.0.7:8000"}, 400),
    ("another token", {"Authorization": f"Bearer {TOKEN}x"}, 401),
    ("no token", {"Authorization": "Bearer "}, 401),
    ("not a bearer", {"Authorization": f"Basic {TOKEN}"}, 401),
    ("no ASCII", {"Authorization": "Bearer é"}, 401),
]


@pytest.mark.parametrize("path", ["/metrics", "/configz", "/debug/cache/{id}"])
@pytest.mark.parametrize(("headers", "status"), [c[1:] for c in VISITORS], ids=[c[0] for c in VISITORS])
def test_elsewhere_a_token_opens(
    path: str, headers: dict[str, str], status: int, small: Cluster, exposed: None
) -> None:
    with override_settings(OPERATOR_TOKEN=TOKEN):
        answer = Client().get(path.format(id=small.pk), headers=headers)
    assert answer.status_code == status
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)


def test_no_token_setting_is_no_open_door(small: Cluster, exposed: None) -> None:
    for header in ("Bearer ", "Bearer", "", "Bearer None"):
        assert Client().get("/metrics", headers={"Authorization": header}).status_code == 401


@pytest.mark.parametrize("path", ["/metrics", "/configz", "/debug/cache/{id}"])
def test_elsewhere_staff_may_look(path: str, small: Cluster, make_user: Callable[[str], Any]) -> None:
    user, client = make_user("someone"), Client()
    client.force_login(user)
    assert client.get(path.format(id=small.pk)).status_code == 403
    user.is_staff = True
    user.save()
    assert client.get(path.format(id=small.pk)).status_code == 200
    assert client.post(path.format(id=small.pk)).status_code == 405


# ── /configz ──


def test_configz_shows_settings_and_no_secrets(web: None) -> None:
    with override_settings(SECRET_KEY="top-secret-" * 5):
        text = Client().get("/configz").content.decode()
    shown = json.loads(text)
    assert shown["componentconfig"] == to_dict(DEFAULT.load(None, DEFAULT.registry.points()))
    assert shown["playground"]["settings"]["LEASE_SECONDS"] == 15.0
    assert shown["playground"]["settings"]["SECRET_KEY"] == "(set)"
    assert shown["playground"]["limits"]["COMMANDS_WAITING"] == 1000
    from django.conf import settings

    assert settings.ENVIRONMENT.secret_key not in text


def test_configz_of_a_cluster_is_its_configuration_with_all_defaults(api: Api, web: None) -> None:
    cluster = api.cluster(config=PACKING)
    shown = Client().get(f"/configz?cluster={cluster}").json()
    assert shown == {"componentconfig": to_dict(DEFAULT.load(PACKING, DEFAULT.registry.points()))}
    api.command(cluster, kind="set_config", yaml=PACKING.replace("packing", "other"))
    (profile,) = Client().get(f"/configz?cluster={cluster}").json()["componentconfig"]["profiles"]
    assert profile["schedulerName"] == "other"


@pytest.mark.parametrize("number", ["999", "x", "-1", "", "9" * 30, "\u0661"])
def test_configz_of_no_cluster(number: str, web: None) -> None:
    assert Client().get("/configz", {"cluster": number}).status_code == 404


ADDRESSES = [
    # address                                              want
    ("sqlite:////data/playground.sqlite3", "sqlite:////data/playground.sqlite3"),
    ("postgres://user:pass@db:5432/name", "postgres://user:***@db:5432/name"),
    ("postgres://user@db/name?sslpassword=x", "postgres://user@db/name?***"),
    ("redis://:pa@ss@r:6379/0", "redis://:***@r:6379/0"),
    ("unix:///tmp/broker.sock", "unix:///tmp/broker.sock"),
]


@pytest.mark.parametrize(("address", "want"), ADDRESSES)
def test_passwords_are_left_out_of_addresses(address: str, want: str) -> None:
    assert without_password(address) == want


# ── the cache debugger ──


def debug(cluster_id: int) -> dict[str, Any]:
    answer = Client().get(f"/debug/cache/{cluster_id}")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_it_agrees_and_dumps_what_there_is(api: Api) -> None:
    gated = pod("gated", schedulingGates=[{"name": "example.com/wait"}])
    pods = [pod("web"), pod("large", cpu="64"), gated, pod("foreign", schedulerName="another")]
    cluster = api.cluster([node("a"), node("b", unschedulable=True), *pods])
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="create", objects=[pod("later")])
    found = debug(cluster)
    assert found["agrees"]
    assert set(found["compare"]) == {
        *("missedNodes", "redundantNodes", "nodeDifferences", "missedPods", "redundantPods", "podDifferences"),
        *("missedObjects", "redundantObjects"),
    }
    assert [(each["name"], [pod["pod"] for pod in each["pods"]]) for each in found["nodes"]] == [
        ("a", ["default/web"]),
        ("b", []),
    ]
    assert found["nodes"][0]["requested"] == {"cpu": 500, "memory": 512 * 2**20}
    queue = found["queue"]
    assert queue["summary"] == "activeQ:1; backoffQ:0; unschedulablePods:2"
    assert [entry["pod"] for entry in queue["active"]] == ["default/later"]
    (large,) = queue["unschedulable"]
    assert (large["pod"], large["attempts"]) == ("default/large", 1)
    assert large["plugins"] == ["NodeResourcesFit", "NodeUnschedulable"]
    assert [entry["pod"] for entry in queue["gated"]] == ["default/gated"]


def _lose_a_pod(cluster_id: int) -> None:
    PodState.objects.filter(cluster_id=cluster_id, pod="default/web-0").delete()


def _invent_a_pod(cluster_id: int) -> None:
    state = PodState.objects.filter(cluster_id=cluster_id, pod="default/web-0").latest("since")
    state.pk, state.uid, state.pod = None, "invented", "default/invented"
    state.save()


def _move_a_pod(cluster_id: int) -> None:
    states = PodState.objects.filter(cluster_id=cluster_id, pod="default/web-0")
    states.update(node="node-2" if states.latest("since").node != "node-2" else "node-1")


def _lose_a_node(cluster_id: int) -> None:
    NodeState.objects.filter(cluster_id=cluster_id, name="node-1").delete()


def _shrink_a_node(cluster_id: int) -> None:
    NodeState.objects.filter(cluster_id=cluster_id, name="node-1").update(
        allocatable={"cpu": 1, "memory": 1, "pods": 1}
    )


def _lose_an_object(cluster_id: int) -> None:
    ClusterObject.objects.filter(cluster_id=cluster_id, key="node-1").delete()


DAMAGES = [
    # name                  damage           found                 first
    ("a lost pod", _lose_a_pod, "redundantPods", "default/web-0"),
    ("an invented pod", _invent_a_pod, "missedPods", "default/invented"),
    ("a pod elsewhere", _move_a_pod, "podDifferences", None),
    ("a lost node", _lose_a_node, "redundantNodes", "node-1"),
    ("a smaller node", _shrink_a_node, "nodeDifferences", None),
    ("a lost object", _lose_an_object, "redundantObjects", "Node node-1"),
]


@pytest.mark.parametrize(("damage", "found", "first"), [c[1:] for c in DAMAGES], ids=[c[0] for c in DAMAGES])
def test_it_finds_what_differs(
    damage: Callable[[int], None], found: str, first: str | None, api: Api, small: Cluster
) -> None:
    api.command(small.pk, kind="run", until="idle")
    assert debug(small.pk)["agrees"]
    damage(small.pk)
    said = debug(small.pk)
    assert not said["agrees"]
    assert said["compare"][found]
    assert first is None or said["compare"][found] == [first]
    with pytest.raises(CommandError, match="differ"):
        call_command("debug_cache", str(small.pk), stdout=StringIO())


def test_no_such_cluster(web: None) -> None:
    assert Client().get("/debug/cache/999").status_code == 404
    with pytest.raises(CommandError, match="there is no cluster 999"):
        call_command("debug_cache", "999")
