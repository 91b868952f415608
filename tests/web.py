"""Fixtures for tests of the web side: an API client in this process, the runner without Celery, and small objects.

Modules that need Django's settings are imported where they are used, because pytest reads this file before it sets
Django up.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playground.models import Cluster

Manifest = dict[str, Any]


@cache
def csrf_token() -> str:
    """Return the token of a page that was loaded once. Any page's token is valid if cookie and header agree."""
    from django.test import Client

    client = Client()
    for page in ("/", "/accounts/login/"):
        client.get(page)
        if token := client.cookies.get("csrftoken"):
            return token.value
    raise AssertionError("no page gives a CSRF token")


class Api:
    """An API client that sends the CSRF token as the page does. Methods check the status and return the JSON."""

    def __init__(self, user: Any = None) -> None:
        from django.test import Client

        self.client = Client(enforce_csrf_checks=True)
        if user is not None:
            self.client.force_login(user)
        self.client.cookies["csrftoken"] = csrf_token()
        self.headers = {"X-CSRFToken": csrf_token()}

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        answer = self.client.get(f"/api/v1/{path}", query)
        assert answer.status_code == status, answer.content
        return answer.json()

    def post(self, path: str, data: Any = None, status: int | None = None) -> Any:
        answer = self.client.post(f"/api/v1/{path}", data, "application/json", headers=self.headers)
        assert answer.status_code in ((200, 201, 202) if status is None else (status,)), answer.content
        return answer.json()

    def upload(self, path: str, form: dict[str, Any], status: int = 200) -> Any:
        answer = self.client.post(f"/api/v1/{path}", form, headers=self.headers)
        assert answer.status_code == status, answer.content
        return answer.json()

    def delete(self, path: str, status: int = 204) -> None:
        answer = self.client.delete(f"/api/v1/{path}", headers=self.headers)
        assert answer.status_code == status, answer.content

    def command(self, cluster_id: int, **command: Any) -> Any:
        """Post a command, apply it, and return its result."""
        from playground.engine import command_runner

        posted = self.post(f"clusters/{cluster_id}/commands/", command)
        command_runner.apply_commands(cluster_id)
        return self.get(f"clusters/{cluster_id}/commands/{posted['number']}/")

    def cluster(self, objects: list[Manifest] | None = None, **fields: Any) -> int:
        """Create a cluster with these objects; return its id."""
        made = self.post("clusters/", {"name": "test", **fields})
        if objects:
            assert self.command(made["id"], kind="create", objects=objects)["state"] == "done"
        return int(made["id"])


@pytest.fixture
def web(transactional_db: None, redis_url: str) -> Iterator[None]:
    """Provide an empty database, the broker, and no simulation in memory."""
    from django.test import override_settings

    from playground.engine import loaded_clusters

    loaded_clusters.forget_all()
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture
def api(web: None) -> Api:
    """Return a client of the local user."""
    return Api()


@pytest.fixture
def exposed(web: None) -> Iterator[None]:
    """Configure a public address, so that there is no implicit user."""
    from django.test import override_settings

    with override_settings(LOCAL=False):
        yield


@pytest.fixture
def make_user(exposed: None, django_user_model: Any) -> Callable[[str], Any]:
    """Make a user with an account."""
    return lambda name: django_user_model.objects.create_user(name, password=f"{name}-password")


@pytest.fixture
def small(web: None) -> "Cluster":
    """Create a cluster of three Nodes and eight Pods, one of them too large for any Node, before scheduling."""
    from playground.accounts.services import get_local_user
    from playground.clusters import lifecycle
    from playground.engine import command_runner

    objects = [node(f"node-{i}", zone=f"zone-{i}") for i in range(3)] + [pod(f"web-{i}") for i in range(7)]
    made = lifecycle.create_cluster(get_local_user(), "small", seed=7, objects=[*objects, pod("large", cpu="64")])
    command_runner.apply_commands(made.pk)
    made.refresh_from_db()
    return made


def node(name: str, *, cpu: str = "4", memory: str = "8Gi", zone: str = "", **spec: Any) -> Manifest:
    labels = {"kubernetes.io/hostname": name} | ({"topology.kubernetes.io/zone": zone} if zone else {})
    amounts = {"cpu": cpu, "memory": memory, "pods": "110"}
    metadata = {"name": name, "labels": labels}
    status = {"capacity": amounts, "allocatable": amounts}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def pod(name: str, *, cpu: str = "500m", memory: str = "512Mi", **spec: Any) -> Manifest:
    resources = {"requests": {"cpu": cpu, "memory": memory}}
    container = {"name": "main", "image": "example.com/app:1", "resources": resources}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


@pytest.fixture
def questions(web: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start a worker that answers questions: Celery's own, as a thread of this process, on the real broker."""
    from celery.contrib.testing.worker import start_worker
    from django.db import connections
    from kombu.transport.redis import Transport

    from playground.questions import moments
    from playground.questions.celery import app

    # It does not stop while it waits for a message, which is a second at a time.
    monkeypatch.setattr(Transport, "brpop_timeout", 0.1)
    moments.forget_all_moments()
    app.loader.import_default_modules()
    with start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=10):
        yield
    connections.close_all()


def api_routes() -> list[str]:
    """Every address of the API, as the packages list them."""
    from playground.api import urls

    lists = [getattr(each, "url_patterns", [each]) for each in urls.urlpatterns]
    return [str(route.pattern) for patterns in lists for route in patterns]
