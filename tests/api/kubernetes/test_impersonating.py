"""Headers of impersonation, as an ASGI server hands them on: one name may come several times."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest

from tests.api.kubernetes.test_kubernetes import Kubernetes, kube

__all__ = ["kube"]
REVIEW = "apis/authentication.k8s.io/v1/selfsubjectreviews"
CASES: list[tuple[list[tuple[str, str]], dict[str, Any]]] = [
    (
        [("impersonate-user", "jane"), ("impersonate-group", "CN=dev,OU=eng"), ("impersonate-group", "plain"),
         ("impersonate-extra-key1", "one,two"), ("impersonate-extra-key1", "three"),
         ("impersonate-extra-acme.com%2fproject", "a")],
        {"username": "jane", "groups": ["CN=dev,OU=eng", "plain", "system:authenticated"],
         "extra": {"key1": ["one,two", "three"], "acme.com/project": ["a"]}},
    ),
    (
        [("impersonate-user", "CN=jane,OU=eng"), ("impersonate-uid", "7,8")],
        {"username": "CN=jane,OU=eng", "uid": "7,8", "groups": ["system:authenticated"]},
    ),
    (
        [("impersonate-user", "system:serviceaccount:shop:ci")],
        {"username": "system:serviceaccount:shop:ci",
         "groups": ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"]},
    ),
]  # fmt: skip


def ask(kube: Kubernetes, headers: list[tuple[str, str]]) -> Any:
    from playground.accounts.services import get_local_user
    from playground.kubernetes import views

    pairs = [("content-type", "application/json"), *headers]
    path = f"/k8s/{kube.cluster_id}/{REVIEW}"
    scope = {
        "type": "http", "method": "POST", "path": path, "query_string": b"", "client": ("127.0.0.1", 5),
        "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in pairs],
    }  # fmt: skip
    request = ASGIRequest(scope, BytesIO(b"{}"))
    request.user = get_local_user()  # type: ignore[assignment]  # the project has Django's own users
    answer = views.kubernetes(request, kube.cluster_id, REVIEW)
    return answer.status_code, json.loads(answer.content)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("headers", "info"), CASES)
def test_each_header_is_one_value(kube: Kubernetes, headers: list[tuple[str, str]], info: Any) -> None:
    code, told = ask(kube, headers)
    assert (code, told["status"]["userInfo"]) == (201, info)


@pytest.mark.parametrize("header", ["impersonate-group", "impersonate-uid", "impersonate-extra-x"])
def test_what_comes_without_a_user_is_refused(kube: Kubernetes, header: str) -> None:
    """The request would be carried out with all rights of its client."""
    code, told = ask(kube, [(header, "x")])
    assert (code, told["message"].endswith("without impersonating a user")) == (500, True)
