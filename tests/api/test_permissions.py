"""Who may do what: tried as somebody would who may not."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client, override_settings

from playground.api import paths
from playground.models import Cluster, Command
from tests.web import Api, api_routes, node, pod

OTHERS: list[tuple[str, str, Any]] = [
    # method, path below the cluster, body
    ("get", "", None),
    ("delete", "", None),
    ("post", "restore/", None),
    ("post", "commands/", {"kind": "reset"}),
    ("get", "commands/1/", None),
    ("get", "commands/1/effect/", None),
    ("post", "objects/check/", {"text": "{}"}),
    ("get", "reset/", None),
    ("get", "repairs/?pod=default/p", None),
    ("get", "tokens/", None),
    ("post", "tokens/", {"role": "view"}),
    ("delete", "tokens/1/", None),
    ("get", "kubeconfig/", None),
    ("get", "clients/", None),
    ("get", "repairs/costs/", None),
    ("put", "repairs/costs/", {"costs": {}, "locks": []}),
    ("get", "changes/", None),
    ("post", "undo/", None),
    ("post", "redo/", None),
    ("put", "breakpoints/", []),
    ("post", "branches/", {"at": "now"}),
    ("get", "branches/compare/?with=1", None),
    ("post", "pause/", None),
    ("post", "pace/", {"cycles_per_second": 1}),
    ("get", "records/", None),
    ("get", "cycles/", None),
    ("get", "timings/", None),
    ("get", "cycles/1/", None),
    ("get", "cycles/1/matrix/", None),
    ("get", "cycles/1/reasons/", None),
    ("get", "cycles/1/nodes/n/", None),
    ("get", "cycles/1/nodes/n/ledger/", None),
    ("get", "cycles/1/compare/?a=n&b=n", None),
    ("get", "cycles/1/claims/", None),
    ("get", "cycles/1/nodes/n/claims/", None),
    ("get", "devices/?nodes=n", None),
    ("get", "nodes/n/devices/", None),
    ("get", "groups/default/g/", None),
    ("get", "gates/", None),
    ("get", "upgrade/?to=v1.36.3", None),
    ("get", "upgrade/part/?to=v1.36.3", None),
    ("get", "cycles/1/spread/", None),
    ("get", "cycles/1/spread/0/pods/?domain=z", None),
    ("get", "cycles/1/preemption/", None),
    ("get", "cycles/1/storyboard/", None),
    ("get", "cycles/1/timings/", None),
    ("get", "nodes/", None),
    ("get", "node-changes/?since=0", None),
    ("get", "nodes/n/", None),
    ("get", "queue/", None),
    ("get", "pods/?nodes=n", None),
    ("get", "owners/", None),
    ("get", "pods/default/p/", None),
    ("get", "pods/default/p/moves/", None),
    ("get", "objects/", None),
    ("get", "objects/Node/n/", None),
    ("get", "source/", None),
    ("post", "cycles/1/again/", {}),
    ("get", "repairs/many/", None),
    ("get", "capacity/copies/?pod=default/p", None),
    ("get", "capacity/nodes/", None),
    ("get", "capacity/drain/", None),
    ("get", "capacity/failures/", None),
    ("get", "workloads/", None),
    ("get", "ownerless/", None),
    ("get", "rollout/?kind=Job&key=default/j", None),
    ("get", "reconciles/", None),
    ("get", "charts/", None),
    ("get", "charts/csv/", None),
    ("get", "config/", None),
    ("post", "config/check/", {"yaml": ""}),
    ("get", "config/form/", None),
    ("post", "config/try/", {"yaml": "", "cycle": 1}),
    ("get", "config/versions/", None),
    ("get", "config/versions/1/", None),
    ("get", "export/config/", None),
    ("get", "export/cluster/", None),
    ("get", "export/second-scheduler/", None),
    ("get", "export/static-pod/", None),
    ("get", "export/scenario/", None),
    ("get", "export/trace/", None),
    ("post", "import/", {"text": "{}"}),
    ("get", "lesson/", None),
    ("post", "lesson/restart/", None),
    ("post", "lesson/checks/c/begin/", None),
    ("post", "lesson/checks/c/predict/", {"chosen": []}),
    ("post", "lesson/checks/c/look/", None),
    ("post", "comparisons/", {"sides": [{"config": "default"}]}),
    ("get", "comparisons/1/", None),
    ("delete", "comparisons/1/", None),
    ("post", "comparisons/1/cancel/", None),
    ("post", "comparisons/1/open/", {"side": 0, "seed": 0, "attempts": 1}),
    ("get", "comparisons/1/difference/", None),
    ("get", "comparisons/1/export/", None),
    ("post", "shares/", {}),
]
EVERYWHERE = [("get", "/api/v1/clusters/"), ("get", "/api/v1/examples/"), ("get", "/api/v1/conformance/")]
EVERYWHERE += [("get", "/api/v1/shares/"), ("delete", "/api/v1/shares/x/"), ("post", "/api/v1/shares/try/")]
EVERYWHERE += [("get", "/api/schema/"), ("get", "/api/docs/"), ("post", "/api/v1/clusters/")]


@pytest.fixture
def victim(make_user: Callable[[str], Any]) -> Cluster:
    """Somebody else's cluster, with something at every address."""
    owner = Api(make_user("owner"))
    cluster = owner.cluster([node("n"), pod("p")])
    owner.command(cluster, kind="run", until="idle")
    return Cluster.objects.get(pk=cluster)


def test_the_table_lists_every_address() -> None:
    of_clusters = {route.removeprefix(paths.CLUSTER) for route in api_routes() if route.startswith(paths.CLUSTER)}
    assert len({path for _, path, _ in OTHERS}) == len(of_clusters)


def test_others_find_nothing(victim: Cluster, make_user: Callable[[str], Any]) -> None:
    attacker = Api(make_user("attacker"))
    found = []
    for method, path, body in OTHERS:
        call = getattr(attacker.client, method)
        options = {} if method == "get" else {"content_type": "application/json", "headers": attacker.headers}
        answer = call(f"/api/v1/clusters/{victim.pk}/{path}", body, **options)
        nothing = call(f"/api/v1/clusters/999999/{path}", body, **options)
        # Not even the words tell the two apart.
        same = answer.content.replace(f"clusters/{victim.pk}/".encode(), b"clusters/999999/") == nothing.content
        commands = Command.objects.filter(cluster=victim).count()
        found.append((method, path, answer.status_code, nothing.status_code, same, commands))
    assert found == [(method, path, 404, 404, True, 2) for method, path, _ in OTHERS]


def test_nobody_gets_in_without_a_session(victim: Cluster) -> None:
    found = []
    for method, path, body in OTHERS:
        call = getattr(Client(), method)
        answer = call(f"/api/v1/clusters/{victim.pk}/{path}", body, content_type="application/json")
        found.append((method, path, answer.status_code, bool(answer.json()["problems"])))
    assert found == [(method, path, 403, True) for method, path, _ in OTHERS]


@pytest.mark.parametrize(("method", "path"), EVERYWHERE)
def test_nothing_is_public(exposed: None, method: str, path: str) -> None:
    assert getattr(Client(), method)(path).status_code == 403


def test_lists_hold_only_your_own(victim: Cluster, make_user: Callable[[str], Any]) -> None:
    attacker = Api(make_user("attacker"))
    own = attacker.cluster()
    assert [found["id"] for found in attacker.get("clusters/")] == [own]


def test_a_user_who_was_shut_out_stays_out(make_user: Callable[[str], Any]) -> None:
    user = make_user("former")
    api = Api(user)
    api.get("clusters/")
    user.is_active = False
    user.save()
    api.get("clusters/", 403)


@pytest.mark.parametrize("headers", [{}, {"X-CSRFToken": "x" * 32}, {"X-CSRFToken": "x" * 64}])
def test_writes_need_the_token(api: Api, small: Cluster, headers: dict[str, str]) -> None:
    """A page of another origin can make the browser send cookies, but does not know the token."""
    writes = [case for case in OTHERS if case[0] != "get"]
    found = []
    for method, path, body in writes:
        call = getattr(api.client, method)
        answer = call(f"/api/v1/clusters/{small.pk}/{path}", body, "application/json", headers=headers)
        found.append((method, path, answer.status_code, Command.objects.filter(cluster=small).count()))
    assert found == [(method, path, 403, 1) for method, path, _ in writes]


def test_writes_from_another_origin_are_refused(api: Api) -> None:
    headers = {**api.headers, "Origin": "http://evil.example"}
    answer = api.client.post("/api/v1/clusters/", {"name": "x"}, "application/json", headers=headers)
    assert answer.status_code == 403


def test_a_form_of_another_page_is_no_write(api: Api, small: Cluster) -> None:
    """What a plain HTML form can send across origins without asking."""
    for content_type in ("text/plain", "application/x-www-form-urlencoded"):
        answer = api.client.post(
            f"/api/v1/clusters/{small.pk}/commands/", '{"kind": "reset"}', content_type, headers=api.headers
        )
        assert answer.status_code == 415


def test_names_that_we_do_not_go_by_are_refused(api: Api) -> None:
    """DNS rebinding: another name that points at this machine is another origin to the browser."""
    assert api.client.get("/api/v1/clusters/", headers={"Host": "evil.example"}).status_code == 400
    assert api.client.get("/", headers={"Host": "evil.example:8000"}).status_code == 400


@pytest.mark.parametrize("address", ["10.0.0.5", "192.168.1.9", "2001:db8::1", ""])
def test_the_implicit_user_is_for_this_machine_only(web: None, address: str) -> None:
    client = Client(REMOTE_ADDR=address)
    assert client.get("/api/v1/clusters/").status_code == 403
    assert client.get("/").status_code == 403


def test_nobody_can_log_in_as_the_implicit_user(api: Api) -> None:
    api.get("clusters/")
    with override_settings(LOCAL=False):
        client = Client()
        for password in ("", "!", "local"):
            client.post("/accounts/login/", {"username": "local", "password": password})
            assert client.get("/api/v1/clusters/").status_code == 403


def test_login_and_logout(make_user: Callable[[str], Any]) -> None:
    make_user("ada")
    client = Client()
    assert client.get("/?cluster=3").headers["Location"] == "/accounts/login/?next=/%3Fcluster%3D3"
    answer = client.post("/accounts/login/?next=/%3Fcluster%3D3", {"username": "ada", "password": "ada-password"})
    assert answer.headers["Location"] == "/?cluster=3"
    assert client.get("/api/v1/clusters/").status_code == 200
    client.post("/accounts/logout/")
    assert client.get("/api/v1/clusters/").status_code == 403


def test_login_leads_nowhere_else(make_user: Callable[[str], Any]) -> None:
    make_user("ada")
    form = {"username": "ada", "password": "ada-password"}
    answer = Client().post("/accounts/login/?next=https://evil.example/", form)
    assert answer.headers["Location"] == "/"


def test_passwords_cannot_be_tried_forever(make_user: Callable[[str], Any]) -> None:
    make_user("ada")
    client = Client()
    for _ in range(10):
        client.post("/accounts/login/", {"username": "ada", "password": "wrong"})
    answer = client.post("/accounts/login/", {"username": "ada", "password": "ada-password"})
    assert "Too many wrong passwords" in answer.content.decode()
    # Somebody at another address is not locked out with them.
    other = Client(REMOTE_ADDR="203.0.113.7")
    other.post("/accounts/login/", {"username": "ada", "password": "ada-password"})
    assert other.get("/api/v1/clusters/").status_code == 200
