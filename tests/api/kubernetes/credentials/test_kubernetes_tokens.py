"""Tokens of the Kubernetes API: by role, listed, revoked; without one nobody comes in where there is a login."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from playground.kubernetes import tokens
from playground.models import Cluster, KubernetesToken
from tests.class_room import join, opened
from tests.web import Api, Manifest, node


class Kubectl:
    """A client with a kubeconfig."""

    def __init__(self, kubeconfig: str) -> None:
        config = yaml.safe_load(kubeconfig)
        self.token = config["users"][0]["user"]["token"]
        self.path = config["clusters"][0]["cluster"]["server"].partition("//")[2].partition("/")[2]

    def __call__(
        self,
        method: str,
        path: str,
        status: int,
        body: Manifest | None = None,
        session: str | None = None,
        **impersonated: str,
    ) -> Any:
        answer = Client(enforce_csrf_checks=True).generic(
            method,
            f"/{self.path}/{path}",
            json.dumps(body) if body else "",
            "application/json",
            headers={
                "Authorization": f"Bearer {self.token}",
                "User-Agent": "kubectl/v1.34.5 (linux)",
                **{f"Impersonate-{name.title()}": value for name, value in impersonated.items()},
                **({} if session is None else {"Kubectl-Session": session}),
            },
        )
        assert answer.status_code == status, answer.content
        return json.loads(answer.content)


@pytest.fixture
def owner(make_user: Callable[[str], Any]) -> Api:
    return Api(make_user("ada"))


@pytest.fixture
def cluster(owner: Api) -> int:
    return owner.cluster([node("node-1")])


def kubectl(owner: Api, cluster: int, role: str) -> Kubectl:
    return Kubectl(owner.post(f"clusters/{cluster}/tokens/", {"role": role, "name": role}, 201)["kubeconfig"])


def test_a_token_lets_in_by_its_role(owner: Api, cluster: int) -> None:
    view, edit, admin = (kubectl(owner, cluster, role) for role in ("view", "edit", "admin"))
    assert [each["metadata"]["name"] for each in view("GET", "api/v1/nodes", 200)["items"]] == ["node-1"]
    told = view("DELETE", "api/v1/nodes/node-1", 403)["message"]
    assert told.startswith('nodes "node-1" is forbidden: User "playground:view" cannot delete resource "nodes"')
    view("GET", "api/v1/secrets", 403)
    edit("GET", "api/v1/secrets", 200)
    edit("GET", "api/v1/nodes", 403, user="jane")
    admin("GET", "api/v1/nodes", 403, user="jane")
    admin("GET", "api/v1/nodes", 200, user="jane", group="system:masters")
    review = {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"}
    told = view("POST", "apis/authentication.k8s.io/v1/selfsubjectreviews", 201, review)
    assert told["status"]["userInfo"]["username"] == "playground:view"


def test_tokens_are_listed_with_who_used_them_and_revoked(owner: Api, cluster: int) -> None:
    client = kubectl(owner, cluster, "view")
    assert owner.get(f"clusters/{cluster}/tokens/")[0]["used"] is None
    client("GET", "version", 200)
    (listed,) = owner.get(f"clusters/{cluster}/tokens/")
    assert (listed["role"], listed["client"], bool(listed["used"])) == ("view", "kubectl/v1.34.5", True)
    assert client.token not in json.dumps(listed)
    assert not KubernetesToken.objects.filter(digest=client.token).exists()
    owner.delete(f"clusters/{cluster}/tokens/{listed['id']}/", 204)
    assert client("GET", "version", 401)["reason"] == "Unauthorized"
    owner.delete(f"clusters/{cluster}/tokens/{listed['id']}/", 404)


def test_without_a_token_of_this_cluster_nobody_comes_in(owner: Api, cluster: int) -> None:
    client = kubectl(owner, cluster, "admin")
    assert owner.client.get(f"/k8s/{cluster}/api/v1/nodes").status_code == 401, "a login is no token"
    client.path = f"k8s/{owner.cluster([])}"
    client("GET", "api/v1/nodes", 401)
    client.path, client.token = f"k8s/{cluster}", "playground-x"
    client("GET", "api/v1/nodes", 401)


def test_there_are_limits(owner: Api, cluster: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground import limits

    client = kubectl(owner, cluster, "view")
    monkeypatch.setattr(limits, "TOKENS_PER_CLUSTER", 1)
    owner.post(f"clusters/{cluster}/tokens/", {"role": "view"}, 409)
    owner.post(f"clusters/{cluster}/tokens/", {"role": "king"}, 400)
    monkeypatch.setattr(limits, "REQUESTS_AT_ONCE", 1)
    monkeypatch.setattr(limits, "REQUESTS_PER_SECOND", 0)
    client("GET", "version", 200)
    assert client("GET", "version", 429)["details"]["retryAfterSeconds"] == 1


def test_the_command_writes_a_kubeconfig(owner: Api, cluster: int, tmp_path: Any) -> None:
    authority = tmp_path / "ca.pem"
    authority.write_text("PEM")
    out = io.StringIO()
    call_command(
        "kubeconfig", str(cluster), "--server=https://x.example/", f"--certificate-authority={authority}", stdout=out
    )
    config = yaml.safe_load(out.getvalue())
    server = config["clusters"][0]["cluster"]
    assert server == {"server": f"https://x.example/k8s/{cluster}", "certificate-authority-data": "UEVN"}
    Kubectl(out.getvalue())("GET", "version", 200)
    with pytest.raises(CommandError, match="there is no cluster 999"):
        call_command("kubeconfig", "999")


def test_a_kubeconfig_carries_what_the_certificate_is_trusted_by(owner: Api, cluster: int, settings: Any) -> None:
    settings.CERTIFICATE_AUTHORITY = b"PEM"

    def server_of(base: str) -> dict[str, str]:
        found = yaml.safe_load(tokens.kubeconfig(Cluster(pk=cluster), base))
        return dict(found["clusters"][0]["cluster"])

    address = f"https://x.example/k8s/{cluster}"
    assert server_of("https://x.example/") == {"server": address, "certificate-authority-data": "UEVN"}
    # JavaScript's client goes to no http address without that.
    plain = {"server": f"http://127.0.0.1:8000/k8s/{cluster}", "insecure-skip-tls-verify": True}
    assert server_of("http://127.0.0.1:8000/") == plain
    settings.PUBLIC_ORIGINS = ["https://x.example"]
    out = io.StringIO()
    call_command("kubeconfig", str(cluster), stdout=out)
    (written,) = yaml.safe_load(out.getvalue())["clusters"]
    assert written["cluster"] == {"server": address, "certificate-authority-data": "UEVN"}


def test_what_clients_do_is_followed(owner: Api, cluster: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground import limits
    from playground.clusters import commands
    from playground.engine import command_runner

    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    edit, view = kubectl(owner, cluster, "edit"), kubectl(owner, cluster, "view")
    maps = "api/v1/namespaces/default/configmaps"

    def config_map(name: str) -> Manifest:
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}

    def told() -> list[tuple[Any, ...]]:
        names = ("client", "what", "kind", "key", "state", "back", "code", "reason", "times")
        return [tuple(each[name] for name in names) for each in owner.get(f"clusters/{cluster}/clients/")["writes"]]

    edit("POST", maps, 201, config_map("a"))
    edit("POST", f"{maps}?dryRun=All", 201, config_map("b"))
    edit("POST", f"{maps}?dryRun=All", 409, config_map("a"))
    edit("GET", f"{maps}/none", 404)
    edit("POST", maps, 409, config_map("a"))
    edit("POST", maps, 409, config_map("a"))
    view("DELETE", f"{maps}/a", 403)
    edit("DELETE", f"{maps}/a", 200)
    client = "kubectl/v1.34.5"
    made = (client, "create ConfigMap default/a", "ConfigMap", "default/a")
    gone = (client, "delete ConfigMap default/a", "ConfigMap", "default/a")
    assert told() == [
        (*gone, "done", 1, 0, "", 1),
        (*gone, "refused", 0, 403, "Forbidden", 1),
        (*made, "refused", 0, 409, "AlreadyExists", 2),
        (*made, "done", 2, 0, "", 1),
    ]
    owner.post(f"clusters/{cluster}/undo/", {}, 202)
    assert told()[0][4:6] == ("undone", 0)
    monkeypatch.setattr(limits, "REFUSALS_PER_CLUSTER", 1)
    edit("DELETE", f"{maps}/none", 404)
    assert [row[4] for row in told()] == ["refused", "undone", "done"]


def test_where_there_is_a_login_no_kubeconfig_is_without_a_token(owner: Api, cluster: int) -> None:
    assert owner.get(f"clusters/{cluster}/kubeconfig/", 409)["problems"][0]["hint"] == "create a token"


def test_who_sits_at_the_machine_gets_a_kubeconfig_without_a_token(api: Api) -> None:
    cluster = api.cluster([node("node-1")])
    answer = api.client.get(f"/api/v1/clusters/{cluster}/kubeconfig/")
    config = yaml.safe_load(answer.content)
    assert config["clusters"][0]["cluster"]["server"] == f"http://testserver/k8s/{cluster}"
    assert config["users"][0]["user"] == {}
    assert f"playground-{cluster}.yaml" in answer["Content-Disposition"]


def test_a_token_ends_with_the_account_of_its_owner(owner: Api, cluster: int) -> None:
    client, user = kubectl(owner, cluster, "admin"), Cluster.objects.get(pk=cluster).owner
    token = KubernetesToken.objects.get()
    for is_active, code in ((False, 401), (True, 200)):
        user.is_active = is_active
        user.save()
        client("GET", "version", code)
        found = tokens.find_by_id(token.pk, cluster)
        assert (found is not None) is is_active, "a watch that is open asks this"


def test_a_token_of_a_guest_ends_with_the_class(owner: Api, cluster: int) -> None:
    taught = opened(owner, cluster)
    guest = join(taught["code"], "Ada")
    own = guest.cluster([node("node-1")])
    client = kubectl(guest, own, "admin")
    client("GET", "version", 200)
    owner.delete(f"classes/{taught['id']}/")
    assert client("GET", "version", 401)["reason"] == "Unauthorized"


def test_pages_are_refused_by_their_origin_also_an_empty_one(owner: Api, cluster: int) -> None:
    client = kubectl(owner, cluster, "admin")
    for headers in ({"Origin": ""}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": ""}):
        sent = {"Authorization": f"Bearer {client.token}", **headers}
        assert Client().get(f"/{client.path}/version", headers=sent).status_code == 403, headers
