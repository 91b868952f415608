"""Guests of a class and viewers of a shared moment, at every address of the page's API: none shows a Secret."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache

from playground.access import viewing
from playground.engine import command_runner
from playground.exchange import scenarios
from playground.models import Cluster, ClusterObject, Share, ShareView
from playground.shares import services
from simulator.exchange import share_file
from tests.api.classes.test_class_attacks import READABLE, READABLE_ELSEWHERE
from tests.api.test_permissions import OTHERS
from tests.class_room import join, opened
from tests.share_links import Guest
from tests.web import Api, Manifest, node, pod

VALUE, NAME = base64.b64encode(b"a value that nobody else may read").decode(), "well-hidden"
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
SECRET: Manifest = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": NAME, "namespace": "default", "annotations": {APPLIED: VALUE, "note": "x"}},
    "data": {"password": VALUE},
    "stringData": {"other": VALUE},
}
MORE = [f"objects/Secret/default/{NAME}/", f"source/?kind=Secret&key=default/{NAME}", f"source/?search={NAME}"]
MORE += ["objects/?kind=Secret", f"objects/?search={NAME}", "records/?after=0&limit=1000"]


@pytest.fixture
def teacher(make_user: Callable[[str], Any]) -> Api:
    cache.clear()
    return Api(make_user("teacher"))


@pytest.fixture
def cluster(teacher: Api) -> int:
    made = teacher.cluster([node("n"), node("m"), pod("p")])
    teacher.command(made, kind="create", objects=[SECRET])
    teacher.command(made, kind="run", until="idle")
    return made


def stored_secret(cluster: int) -> Manifest:
    return ClusterObject.objects.get(cluster=cluster, kind="Secret", key=f"default/{NAME}").manifest


def test_the_kinds_are_those_that_a_view_token_may_not_read() -> None:
    assert viewing.hidden_kinds() == {"Secret"}


def test_a_follower_sees_no_secret(teacher: Api, cluster: int, questions: None) -> None:
    follower = join(opened(teacher, cluster)["code"], "Mallory")
    for path in [*(path for method, path, _ in OTHERS if method == "get"), *MORE]:
        answer = follower.client.get(f"/api/v1/clusters/{cluster}/{path}")
        text = answer.content.decode()
        assert VALUE not in text, path
        # The history tells which objects were changed, by their names.
        is_of_objects = path.startswith(("objects/", "source/"))
        assert NAME not in text or answer.status_code == 404 or not is_of_objects, path
    assert VALUE in teacher.client.get(f"/api/v1/clusters/{cluster}/{MORE[1]}").content.decode()
    assert teacher.get(f"clusters/{cluster}/{MORE[0]}")["data"] == {"password": VALUE}


def test_a_fork_has_no_value_of_a_secret(teacher: Api, cluster: int, monkeypatch: pytest.MonkeyPatch) -> None:
    taught = opened(teacher, cluster)
    follower = join(taught["code"], "Mallory")
    made = follower.post(f"classes/{taught['id']}/fork/", {"at": "now"}, 201)
    command_runner.apply_commands(made["id"])
    copy = stored_secret(made["id"])
    assert VALUE not in json.dumps(copy)
    assert copy["metadata"]["annotations"] == {"note": "x"}
    scenario = follower.client.get(f"/api/v1/clusters/{made['id']}/export/scenario/").content.decode()
    assert VALUE not in scenario
    assert VALUE in json.dumps(stored_secret(cluster))


@pytest.mark.parametrize("is_stored", [False, True], ids=["link", "stored"])
def test_a_link_of_an_earlier_version_is_opened_without_values(teacher: Api, cluster: int, is_stored: bool) -> None:
    """Earlier versions wrote Secrets into links as they are."""
    with_values = share_file.Share("old", scenarios.scenario_of(Cluster.objects.get(pk=cluster)))
    text = share_file.text_of(with_values.document())
    assert VALUE in text
    old = Share.objects.create(
        token="t" * 22,
        owner_id=Cluster.objects.get(pk=cluster).owner_id,
        title="old",
        emulates=with_values.scenario.emulations[-1],
        digest=services.digest_of(with_values),
        document=text,
        size=len(text),
    )
    link = share_file.pack(text)
    assert link is not None
    which = {"id": old.token} if is_stored else {"link": link}
    opened_view = Guest().open(200, **which)
    tried = teacher.post("shares/try/", which, 201)
    for number in (opened_view["cluster"], tried["cluster"]["id"]):
        command_runner.apply_commands(number)
        assert VALUE not in json.dumps(stored_secret(number))
    scenario = teacher.client.get(f"/api/v1/clusters/{tried['cluster']['id']}/export/scenario/").content.decode()
    assert NAME in scenario and VALUE not in scenario
    services.delete(old)
    assert not ShareView.objects.filter(key=opened_view["key"]).exists()


def test_a_shared_moment_has_no_value_of_a_secret(teacher: Api, cluster: int, questions: None) -> None:
    made = teacher.post(f"clusters/{cluster}/shares/", {"stored": True}, 201)
    guest = Guest()
    shown = guest.open(id=made["path"].strip("/").rpartition("/")[2])
    command_runner.apply_commands(shown["cluster"])
    assert VALUE not in json.dumps(stored_secret(shown["cluster"]))
    headers = {"X-Share-Key": shown["key"]}
    readable = READABLE | READABLE_ELSEWHERE
    for method, path, body in OTHERS:
        call = getattr(guest.client, method)
        options = {} if method == "get" else {"content_type": "application/json"}
        answer = call(f"/api/v1/clusters/{shown['cluster']}/{path}", body, headers=headers, **options)
        # A path that is readable may have nothing at it.
        assert answer.status_code == 403 or (method == "get" and path in readable), (method, path)
        assert VALUE not in answer.content.decode(), path
    for path in MORE:
        answer = guest.client.get(f"/api/v1/clusters/{shown['cluster']}/{path}", headers=headers)
        assert VALUE not in answer.content.decode(), path
