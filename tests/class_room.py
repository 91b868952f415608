"""Helpers for tests of classes: open one, and join it."""

from typing import Any

from tests.web import Api


def opened(teacher: Api, cluster: int) -> dict[str, Any]:
    """Open the teacher's class with this cluster."""
    found: dict[str, Any] = teacher.post("classes/", {"cluster": cluster}, 201)
    return found


def join(code: str, name: str, who: Api | None = None) -> Api:
    """Join as a follower with a browser of its own, through the page's form."""
    from django.test import Client

    client = who.client if who else Client(enforce_csrf_checks=True)
    client.get("/join/")
    token = client.cookies["csrftoken"].value
    answer = client.post("/join/", {"code": code, "name": name}, headers={"X-CSRFToken": token})
    assert answer.status_code == 302, answer.content
    api = who or Api.__new__(Api)
    api.client = client
    # Logging in changes the token.
    api.headers = {"X-CSRFToken": client.cookies["csrftoken"].value}
    return api


def change(teacher: Api, number: int, status: int = 200, **wanted: Any) -> Any:
    """Lock, unlock, hand over the pointer, or show another cluster."""
    path = f"/api/v1/classes/{number}/"
    answer = teacher.client.patch(path, wanted, "application/json", headers=teacher.headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def leave(follower: Api, number: int) -> None:
    """Leave the class."""
    path = f"/api/v1/classes/{number}/leave/"
    assert follower.client.post(path, None, "application/json", headers=follower.headers).status_code == 204


def turned_away(code: str, name: str) -> int:
    """Return the status with which the server rejects a visitor without an account."""
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.get("/join/")
    headers = {"X-CSRFToken": client.cookies["csrftoken"].value}
    return client.post("/join/", {"code": code, "name": name}, headers=headers).status_code
