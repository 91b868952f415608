"""Tokens of ServiceAccounts: whom they authenticate, what they may do, where they are accepted, and when they end."""

import json
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from playground.kubernetes import callers
from playground.kubernetes.credentials import account_tokens
from playground.models import Cluster, KubernetesToken
from tests.api.kubernetes.credentials.test_kubernetes_tokens import Kubectl, kubectl
from tests.class_room import join, opened
from tests.web import Api, Manifest, node, pod

CORE, RBAC = "api/v1/namespaces/default", "apis/rbac.authorization.k8s.io/v1"
REVIEWS = "apis/authentication.k8s.io/v1"
USER = "system:serviceaccount:default:ci"
GROUPS = ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]


@pytest.fixture
def owner(make_user: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Api:
    from playground.clusters import commands
    from playground.engine import command_runner

    api = Api(make_user("ada"))
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    return api


@pytest.fixture
def cluster(owner: Api) -> int:
    return owner.cluster([node("node-1"), pod("web")])


def account(name: str = "ci") -> Manifest:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "default"}}


def grant(admin: Kubectl, role: str, name: str = "ci") -> None:
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"{name}-{role}"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "ServiceAccount", "namespace": "default", "name": name}],
    }
    admin("POST", f"{RBAC}/clusterrolebindings", 201, binding)


def request_token(client: Kubectl, spec: Manifest | None = None, status: int = 201, name: str = "ci") -> Any:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec or {}}
    return client("POST", f"{CORE}/serviceaccounts/{name}/token", status, body)


def login(client: Kubectl, spec: Manifest | None = None) -> Kubectl:
    """Return a client that has a token of the ServiceAccount ci, minted by `client`."""
    return with_token(client, request_token(client, spec)["status"]["token"])


def with_token(client: Kubectl, token: str) -> Kubectl:
    other = object.__new__(Kubectl)
    other.path, other.token = client.path, token
    return other


def claims_of(token: str) -> Any:
    payload = token.split(".")[1]
    return json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def review(client: Kubectl, token: str, audiences: list[str] | None = None) -> Any:
    spec = {"token": token, **({"audiences": audiences} if audiences else {})}
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec}
    return client("POST", f"{REVIEWS}/tokenreviews", 201, body)["status"]


def test_a_token_authenticates_its_account_with_the_rights_that_are_bound_to_it(owner: Api, cluster: int) -> None:
    admin = kubectl(owner, cluster, "admin")
    made = admin("POST", f"{CORE}/serviceaccounts", 201, account())
    ci = login(admin)
    claims = claims_of(ci.token)
    assert (claims["sub"], claims["exp"] - claims["iat"]) == (USER, 3600)
    assert claims["kubernetes.io"]["serviceaccount"] == {"name": "ci", "uid": made["metadata"]["uid"]}
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    info = ci("POST", f"{REVIEWS}/selfsubjectreviews", 201, body)["status"]["userInfo"]
    extra = {"authentication.kubernetes.io/credential-id": [f"JTI={claims['jti']}"]}
    assert info == {"username": USER, "uid": made["metadata"]["uid"], "groups": GROUPS, "extra": extra}
    refusal = ci("GET", f"{CORE}/pods", 403)["message"]
    what = 'cannot list resource "pods" in API group "" in the namespace "default"'
    assert refusal == f'pods is forbidden: User "{USER}" {what}'
    grant(admin, "system:aggregate-to-view")
    assert ci("GET", f"{CORE}/pods", 200)["items"]
    ci("GET", f"{CORE}/secrets", 403)
    ci("POST", f"{CORE}/configmaps", 403, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})


def test_a_token_review_says_whose_token_it_is(owner: Api, cluster: int) -> None:
    admin = kubectl(owner, cluster, "admin")
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    token, issuer = login(admin).token, "https://kubernetes.default.svc.cluster.local"
    status = review(admin, token)
    assert (status["authenticated"], status["user"]["username"], status["user"]["groups"]) == (True, USER, GROUPS)
    assert status["audiences"] == [issuer]
    vault = login(admin, {"audiences": ["vault", "b"]}).token
    invalid = "[invalid bearer token, token audiences"
    assert review(admin, vault)["error"] == f'{invalid} ["vault" "b"] is invalid for the target audiences ["{issuer}"]]'
    assert review(admin, vault, ["vault", "c"])["audiences"] == ["vault"]
    assert review(admin, token, ["vault"])["error"].startswith(invalid)
    assert review(admin, "nonsense")["error"] == "invalid bearer token"
    assert review(admin, admin.token)["user"]["username"] == "playground:admin"
    assert review(admin, admin.token, ["vault"])["error"] == "invalid bearer token"
    with_token(admin, vault)("GET", "version", 401)


@pytest.mark.parametrize(
    ("seconds", "detail"),
    [
        (599, "may not specify a duration less than 10 minutes"),
        (0, "may not specify a duration less than 10 minutes"),
        ((1 << 32) + 1, "may not specify a duration larger than 2^32 seconds"),
    ],
)
def test_a_lifetime_is_refused(owner: Api, cluster: int, seconds: int, detail: str) -> None:
    admin = kubectl(owner, cluster, "admin")
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    start = f'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: {seconds}: '
    assert request_token(admin, {"expirationSeconds": seconds}, 422)["message"] == start + detail


def test_a_token_ends_in_the_time_of_the_cluster(owner: Api, cluster: int) -> None:
    admin = kubectl(owner, cluster, "admin")
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    ci = login(admin, {"expirationSeconds": 600})
    owner.command(cluster, kind="advance_clock", seconds=660)
    ci("POST", f"{REVIEWS}/selfsubjectreviews", 201, {"apiVersion": "authentication.k8s.io/v1"})
    owner.command(cluster, kind="advance_clock", seconds=1)
    ci("GET", "version", 401)
    assert review(admin, ci.token)["error"] == "[invalid bearer token, service account token has expired]"


BOUND = [
    ("Pod", f"{CORE}/pods/web", "service account token has been invalidated"),
    ("Secret", f"{CORE}/secrets/held", "service account token has been invalidated"),
    ("Node", "api/v1/nodes/node-1", "service account token has been invalidated"),
    ("", f"{CORE}/serviceaccounts/ci", 'serviceaccounts "ci" not found'),
]


@pytest.mark.parametrize(("kind", "path", "error"), BOUND)
def test_a_token_ends_with_the_object_that_it_is_bound_to(
    owner: Api, cluster: int, kind: str, path: str, error: str
) -> None:
    admin = kubectl(owner, cluster, "admin")
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    admin("POST", f"{CORE}/secrets", 201, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "held"}})
    bound = admin("GET", path, 200)
    if kind == "Pod":
        admin("DELETE", path, 200, {"gracePeriodSeconds": 0})
        manifest = pod("web")
        manifest["spec"]["serviceAccountName"] = "ci"
        bound = admin("POST", f"{CORE}/pods", 201, manifest)
    reference = {"apiVersion": "v1", "kind": kind, "name": bound["metadata"]["name"]}
    ci = login(admin, {"boundObjectRef": reference} if kind else None)
    status = review(admin, ci.token)
    assert status["authenticated"]
    if kind == "Pod":
        assert status["user"]["extra"]["authentication.kubernetes.io/pod-uid"] == [bound["metadata"]["uid"]]
    admin("DELETE", path, 200, {"gracePeriodSeconds": 0})
    assert review(admin, ci.token)["error"] == f"[invalid bearer token, {error}]"
    ci("GET", "version", 401)
    again = {name: bound[name] for name in ("apiVersion", "kind")} | {"metadata": {"name": bound["metadata"]["name"]}}
    if kind != "Node":
        again |= {"spec": {"containers": [{"name": "a", "image": "a"}]}} if kind == "Pod" else {}
    made = admin("POST", path.rpartition("/")[0], 201, again)
    assert made["metadata"]["uid"] != bound["metadata"]["uid"]
    assert "does not match" in review(admin, ci.token)["error"]
    ci("GET", "version", 401)


def test_a_token_opens_its_own_cluster_only(owner: Api, cluster: int, client: Client) -> None:
    admin = kubectl(owner, cluster, "admin")
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    grant(admin, "cluster-admin")
    ci = login(admin)
    ci("GET", f"{CORE}/secrets", 200)
    other = owner.cluster([node("node-1")])
    there = kubectl(owner, other, "admin")
    there("POST", f"{CORE}/serviceaccounts", 201, account())
    ci.path = there.path
    ci("GET", "version", 401)
    assert review(there, ci.token)["error"] == "invalid bearer token"
    bearer = {"Authorization": f"Bearer {ci.token}"}
    for path in (
        "/api/v1/clusters/",
        f"/api/v1/clusters/{cluster}/",
        f"/api/v1/clusters/{cluster}/tokens/",
        "/metrics",
    ):
        assert client.get(path, headers=bearer).status_code in (401, 403), path


@pytest.mark.parametrize("change", ["claims", "none", "signature", "cut"])
def test_a_forged_token_authenticates_nobody(owner: Api, cluster: int, change: str) -> None:
    admin = kubectl(owner, cluster, "admin")
    for name in ("ci", "root"):
        admin("POST", f"{CORE}/serviceaccounts", 201, account(name))
    head, payload, signature = login(admin).token.split(".")
    if change == "claims":
        payload = encoded({**claims_of(f".{payload}"), "sub": "system:serviceaccount:default:root"})
    elif change == "none":
        head, signature = encoded({"alg": "none", "typ": "JWT"}), ""
    elif change == "signature":
        signature = signature[::-1]
    else:
        signature = signature[:-1]
    with_token(admin, f"{head}.{payload}.{signature}")("GET", "version", 401)


def encoded(value: Any) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_token_can_do_no_more_than_who_minted_it(owner: Api, cluster: int) -> None:
    view, edit, admin = (kubectl(owner, cluster, role) for role in ("view", "edit", "admin"))
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    grant(admin, "cluster-admin")
    assert 'cannot create resource "serviceaccounts/token"' in request_token(view, status=403)["message"]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r"}, "rules": []}
    roles, ci = f"{RBAC}/namespaces/default/roles", login(edit)
    # A ServiceAccount that mints a token passes on its own limit.
    for limited in (ci, login(ci)):
        limited("GET", f"{CORE}/secrets", 200)
        refusal = limited("POST", roles, 403, role)["message"]
        assert refusal.endswith('in the namespace "default": a user with the role "edit" minted the token')
        limited("GET", f"{CORE}/pods", 403, user="jane")
        limited("GET", "metrics", 403)
    login(admin)("POST", roles, 201, role)


def test_a_token_ends_when_its_minter_loses_access(owner: Api, cluster: int) -> None:
    edit, admin = kubectl(owner, cluster, "edit"), kubectl(owner, cluster, "admin")
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    ci, user = login(edit), Cluster.objects.get(pk=cluster).owner
    caller = callers._by_account_token(ci.token, cluster)
    for is_active, code in ((False, 401), (True, 200)):
        user.is_active = is_active
        user.save()
        ci("GET", "version", code)
        assert caller.may_stay() is is_active, "a watch that is open asks this"
    grant(admin, "cluster-admin")
    second = login(ci)
    KubernetesToken.objects.get(role="edit").delete()
    assert not caller.may_stay()
    for revoked in (ci, second):
        revoked("GET", "version", 401)


def test_a_token_of_a_guest_ends_with_the_class(owner: Api, cluster: int) -> None:
    taught = opened(owner, cluster)
    guest = join(taught["code"], "Ada")
    client = kubectl(guest, guest.cluster([node("node-1")]), "admin")
    client("POST", f"{CORE}/serviceaccounts", 201, account())
    ci = login(client)
    ci("GET", "version", 200)
    owner.delete(f"classes/{taught['id']}/")
    ci("GET", "version", 401)


def test_a_token_that_was_minted_without_one_needs_a_local_playground(api: Api, settings: Any) -> None:
    cluster = api.cluster([node("node-1")])
    minter = account_tokens.minter(None, callers._LOCAL)
    row = Cluster.objects.get(pk=cluster)
    claims = {
        "exp": 1 << 33, "nbf": 0, "iss": "https://kubernetes.default.svc.cluster.local", "jti": "a", "sub": USER,
        "kubernetes.io": {"namespace": "default", "serviceaccount": {"name": "default", "uid": "u"}},
        "playground": minter,
    }  # fmt: skip
    token = account_tokens.sign(row, claims)
    with pytest.raises(account_tokens.InvalidTokenError, match='serviceaccounts "default" not found'):
        account_tokens.authenticate(token, cluster)
    settings.LOCAL = False
    with pytest.raises(account_tokens.InvalidTokenError, match="may not use the cluster any more"):
        account_tokens.authenticate(token, cluster)


def test_controllers_write_a_token_into_a_secret_of_its_type(owner: Api, cluster: int) -> None:
    admin, edit = kubectl(owner, cluster, "admin"), kubectl(owner, cluster, "edit")
    admin("POST", f"{CORE}/serviceaccounts", 201, account())
    grant(admin, "cluster-admin")

    def secret(secret_name: str, **account: str) -> Manifest:
        annotations = {f"kubernetes.io/service-account.{key}": value for key, value in account.items()}
        kind = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token"}
        return {**kind, "metadata": {"name": secret_name, "annotations": annotations}}

    admin("POST", f"{CORE}/secrets", 201, secret("alone", name="ci"))
    owner.command(cluster, kind="set_actors", actors=["replicaset"])
    for name, wanted in (("ci", {"name": "ci"}), ("other", {"name": "ci", "uid": "x"}), ("none", {"name": "nobody"})):
        admin("POST", f"{CORE}/secrets", 201, secret(name, **wanted))
    filled = edit("GET", f"{CORE}/secrets/ci", 200)
    assert b64decode(filled["data"]["namespace"]) == b"default"
    uid = admin("GET", f"{CORE}/serviceaccounts/ci", 200)["metadata"]["uid"]
    assert filled["metadata"]["annotations"]["kubernetes.io/service-account.uid"] == uid
    assert "kube-controller-manager" in [entry["manager"] for entry in filled["metadata"]["managedFields"]]
    for empty in ("alone", "other", "none"):
        assert "data" not in edit("GET", f"{CORE}/secrets/{empty}", 200)
    ci = with_token(admin, b64decode(filled["data"]["token"]).decode())
    ci("GET", f"{CORE}/secrets", 200)
    assert review(admin, ci.token)["user"] == {"username": USER, "uid": uid, "groups": GROUPS}
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r"}, "rules": []}
    told = ci("POST", f"{RBAC}/namespaces/default/roles", 403, role)["message"]
    assert told.endswith('a user with the role "edit" minted the token'), "whoever may edit can read the Secret"
    admin("PATCH", f"{CORE}/secrets/ci", 415)
    admin("DELETE", f"{CORE}/secrets/ci", 200)
    ci("GET", "version", 401)
    assert review(admin, ci.token)["error"] == "[invalid bearer token, Token has been invalidated]"
