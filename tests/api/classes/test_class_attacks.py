"""Attacks of a follower on the teacher's cluster: a follower may only read."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from playground import limits
from playground.accounts import guests
from playground.api import paths
from playground.models import ClassQuestion, Classroom, Cluster, Command, Follower
from tests.api.test_permissions import OTHERS
from tests.class_room import change, join, opened
from tests.web import Api, api_routes, node, pod

# What the page of a follower reads; everything else is not there.
READABLE = {
    "",
    "changes/",
    "records/",
    "cycles/",
    "cycles/1/",
    "cycles/1/matrix/",
    "cycles/1/reasons/",
    "cycles/1/nodes/n/",
    "cycles/1/nodes/n/ledger/",
    "cycles/1/compare/?a=n&b=m",
    "cycles/1/preemption/",
    "cycles/1/timings/",
    "nodes/",
    "node-changes/?since=0",
    "nodes/n/",
    "queue/",
    "owners/",
    "pods/?nodes=n",
    "pods/default/p/",
    "pods/default/p/moves/",
    "objects/",
    "objects/Node/n/",
    "source/",
    "config/",
    "gates/",
    "config/form/",
    "config/versions/",
    "config/versions/1/",
}
# There is nothing to be read here in the victim's cluster, but it would be.
READABLE_ELSEWHERE = {
    "cycles/1/claims/",
    "cycles/1/nodes/n/claims/",
    "devices/?nodes=n",
    "nodes/n/devices/",
    "groups/default/g/",
    "cycles/1/spread/",
    "cycles/1/spread/0/pods/?domain=z",
    "cycles/1/compare/?a=n&b=n",
}


@pytest.fixture(autouse=True)
def no_wrong_codes_yet(web: None) -> None:
    cache.clear()


@pytest.fixture
def teacher(make_user: Callable[[str], Any]) -> Api:
    return Api(make_user("teacher"))


@pytest.fixture
def victim(teacher: Api) -> Cluster:
    made = teacher.cluster([node("n"), node("m"), pod("p")])
    teacher.command(made, kind="run", until="idle")
    return Cluster.objects.get(pk=made)


def everything(cluster: Cluster) -> list[Any]:
    """What a write would change."""
    found = Cluster.objects.filter(pk=cluster.pk).values().get()
    return [found, Command.objects.filter(cluster=cluster).count(), Cluster.objects.count()]


@pytest.fixture
def attacker(teacher: Api, victim: Cluster) -> Api:
    """A follower, and with the pointer in hand: as much as a follower can be."""
    taught = opened(teacher, victim.pk)
    follower = join(taught["code"], "Mallory")
    change(teacher, taught["id"], pointer=Follower.objects.get().pk)
    return follower


FORBIDDEN = [case for case in OTHERS if case[0] != "get" or case[1] not in READABLE | READABLE_ELSEWHERE]
MORE: list[tuple[str, str, Any]] = [("patch", "", {"name": "mine"}), ("put", "", {"name": "mine"})]
MORE += [("head", path, None) for path in ("", "export/scenario/")]


def test_followers_write_nothing(victim: Cluster, attacker: Api) -> None:
    before = everything(victim)
    found = []
    for method, path, body in FORBIDDEN:
        call = getattr(attacker.client, method)
        options = {} if method == "get" else {"content_type": "application/json", "headers": attacker.headers}
        status = call(f"/api/v1/clusters/{victim.pk}/{path}", body, **options).status_code
        found.append((method, path, status, everything(victim) == before))
    assert found == [(method, path, 404, True) for method, path, _ in FORBIDDEN]


def test_nor_in_any_other_way(victim: Cluster, attacker: Api) -> None:
    before = everything(victim)
    for method, path, body in MORE:
        options = {} if method == "head" else {"content_type": "application/json", "headers": attacker.headers}
        answer = getattr(attacker.client, method)(f"/api/v1/clusters/{victim.pk}/{path}", body, **options)
        assert answer.status_code in (404, 405), (method, path)
    # A comparison or a branch of one's own that takes the teacher's cluster in.
    own = attacker.cluster()
    side = {"sides": [{"cluster": victim.pk}, {"config": "default"}]}
    attacker.post(f"clusters/{own}/comparisons/", side, 400)
    attacker.get(f"clusters/{own}/branches/compare/", 404, **{"with": victim.pk})
    assert attacker.client.get(f"/debug/cache/{victim.pk}").status_code in (401, 403, 404)
    attacker.delete(f"clusters/{own}/")
    assert everything(victim) == before


def test_followers_read_what_the_page_needs(victim: Cluster, attacker: Api, teacher: Api, questions: None) -> None:
    for path in sorted(READABLE):
        seen = attacker.client.get(f"/api/v1/clusters/{victim.pk}/{path}")
        theirs = teacher.client.get(f"/api/v1/clusters/{victim.pk}/{path}")
        assert (seen.status_code, theirs.status_code) == (200, 200), path
    for cluster in (teacher.cluster(), 999999):
        for path in sorted(READABLE):
            assert attacker.client.get(f"/api/v1/clusters/{cluster}/{path}").status_code == 404, path


TEACHERS: list[tuple[str, str, Any]] = [
    ("patch", "", {"locked": True}),
    ("patch", "", {"pointer": None}),
    ("delete", "", None),
    ("delete", "followers/{follower}/", None),
    ("post", "questions/", {"ask": "outcome"}),
    ("post", "questions/close/", None),
]


@pytest.mark.parametrize(("method", "path", "body"), TEACHERS)
def test_followers_do_not_lead(attacker: Api, method: str, path: str, body: Any) -> None:
    number, follower = Classroom.objects.get().pk, Follower.objects.get().pk
    address = f"/api/v1/classes/{number}/{path.format(follower=follower)}"
    answer = getattr(attacker.client, method)(address, body, content_type="application/json", headers=attacker.headers)
    assert answer.status_code == 404
    found = Classroom.objects.get()
    assert (found.locked, found.ended, found.pointer_id) == (False, None, follower)
    assert not ClassQuestion.objects.exists()


CLASS = [
    ("get", "", None),
    ("patch", "", {"locked": True}),
    ("delete", "", None),
    ("delete", "followers/1/", None),
    ("post", "leave/", None),
    ("post", "questions/", {"ask": "outcome"}),
    ("post", "questions/close/", None),
    ("post", "questions/1/answer/", {"chosen": ["n"]}),
    ("post", "fork/", {"at": "now"}),
]


def test_the_table_lists_every_address_of_a_class() -> None:
    of_classes = {route.removeprefix(paths.CLASS) for route in api_routes() if route.startswith(paths.CLASS)}
    assert len({path for _, path, _ in CLASS}) == len(of_classes)


@pytest.mark.parametrize(("method", "path", "body"), CLASS)
def test_others_find_no_class(
    attacker: Api, make_user: Callable[[str], Any], method: str, path: str, body: Any
) -> None:
    stranger, number = Api(make_user("stranger")), Classroom.objects.get().pk
    options = {} if method == "get" else {"content_type": "application/json", "headers": stranger.headers}
    call = getattr(stranger.client, method)
    assert call(f"/api/v1/classes/{number}/{path}", body, **options).status_code == 404
    nobody = getattr(Client(), method)(f"/api/v1/classes/{number}/{path}", body, content_type="application/json")
    assert nobody.status_code == 403
    if method != "get":
        no_token = getattr(attacker.client, method)(f"/api/v1/classes/{number}/{path}", body, "application/json")
        assert no_token.status_code == 403


def test_somebody_elses_cluster_cannot_be_shown(
    attacker: Api, victim: Cluster, make_user: Callable[[str], Any]
) -> None:
    stranger = Api(make_user("stranger"))
    for who in (attacker, stranger):
        assert who.post("classes/", {"cluster": victim.pk}, 404)["problems"][0]["path"] == "cluster"
    # Whoever is there for a class opens none, not even on a cluster of their own.
    refused = attacker.post("classes/", {"cluster": attacker.cluster()}, 403)
    assert refused["problems"][0]["rule"] == "guests cannot create classes"
    own = opened(stranger, stranger.cluster())
    change(stranger, own["id"], 404, cluster=victim.pk)


def test_a_follower_of_one_class_is_nobody_in_another(attacker: Api, make_user: Callable[[str], Any]) -> None:
    other = Api(make_user("other"))
    taught = opened(other, other.cluster())
    join(taught["code"], "Ada")
    attacker.get(f"classes/{taught['id']}/", 404)
    # A pointer is handed to followers of the same class only.
    mallory = Follower.objects.exclude(classroom=taught["id"]).get()
    problems = change(other, taught["id"], 404, pointer=mallory.pk)["problems"]
    assert problems[0]["path"] == "pointer"


def post_join(client: Client, **form: str) -> Any:
    client.get("/join/")
    token = client.cookies["csrftoken"].value
    return client.post("/join/", form, headers={"X-CSRFToken": token})


def test_codes_cannot_be_guessed_forever(teacher: Api, victim: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WRONG_CODES", 5)
    code, client = opened(teacher, victim.pk)["code"], Client()
    for _ in range(5):
        assert post_join(client, code="AAAAAAAA", name="Mallory").status_code == 404
    assert post_join(client, code=code, name="Mallory").status_code == 429
    assert post_join(Client(), code=code, name="Mallory").status_code == 429
    assert not Follower.objects.exists()
    # Somebody at another address is not locked out with them.
    assert post_join(Client(REMOTE_ADDR="203.0.113.7"), code=code, name="Ada").status_code == 302


def test_the_door_needs_the_token(teacher: Api, victim: Cluster) -> None:
    code = opened(teacher, victim.pk)["code"]
    client = Client(enforce_csrf_checks=True)
    assert client.post("/join/", {"code": code, "name": "Mallory"}).status_code == 403


def test_a_class_is_full_some_time(teacher: Api, victim: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLASS_FOLLOWERS", 2)
    code = opened(teacher, victim.pk)["code"]
    first = join(code, "1")
    join(code, "2")
    assert post_join(Client(), code=code, name="3").status_code == 409
    # Who is in may come again.
    join(code, "one", first)
    assert Follower.objects.count() == 2


NAMES = [
    ("", 400),
    ("   ", 400),
    ("a" * 41, 400),
    ("a\u202eb", 400),
    ("a\x00b", 400),
    ("zero\u200bwidth", 400),
    ("<img src=x onerror=alert(1)>", 302),
    ("김 민지 🙂", 302),
    ("two\nlines", 302),
]


@pytest.mark.parametrize(("name", "status"), NAMES, ids=[repr(name) for name, _ in NAMES])
def test_names(teacher: Api, victim: Cluster, name: str, status: int) -> None:
    code = opened(teacher, victim.pk)["code"]
    answer = post_join(Client(), code=code, name=name)
    assert answer.status_code == status
    # What comes back on the form is text.
    assert "<img" not in answer.content.decode()
    assert [each.name for each in Follower.objects.all()] == ([" ".join(name.split())] if status == 302 else [])


def test_guests_have_little_room(attacker: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "GUEST_CLUSTERS", 1)
    attacker.cluster()
    attacker.post("clusters/", {"name": "one more"}, 409)
    attacker.post(f"classes/{Classroom.objects.get().pk}/fork/", {"at": "now"}, 409)


def test_a_guest_is_no_login(attacker: Api) -> None:
    name = Follower.objects.get().user.get_username()
    client = Client()
    for password in ("", "!", name):
        client.post("/accounts/login/", {"username": name, "password": password})
        assert client.get("/api/v1/clusters/").status_code == 403
    assert guests.is_guest(Follower.objects.get().user_id)


def test_after_the_end_there_is_nothing(attacker: Api, teacher: Api, victim: Cluster) -> None:
    number = Classroom.objects.get().pk
    code = Classroom.objects.get().code
    teacher.delete(f"classes/{number}/")
    for path in sorted(READABLE):
        assert attacker.client.get(f"/api/v1/clusters/{victim.pk}/{path}").status_code == 404, path
    attacker.post(f"classes/{number}/fork/", {"at": "now"}, 404)
    attacker.post(f"classes/{number}/questions/1/answer/", {"chosen": ["n"]}, 404)
    assert post_join(Client(), code=code, name="late").status_code == 404
