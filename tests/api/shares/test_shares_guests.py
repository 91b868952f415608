"""A shared moment is read by anybody who has its link, and changed by nobody."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.share_links import Guest, trace
from tests.web import Api

CHANGES: list[tuple[str, str, Any]] = [
    ("post", "commands/", {"kind": "reset"}),
    ("delete", "", None),
    ("patch", "", {"name": "x"}),
]
CHANGES += [("post", "pause/", None), ("post", "pace/", {"cycles_per_second": 1}), ("post", "branches/", {"at": "now"})]
CHANGES += [
    ("post", "shares/", {}),
    ("post", "import/", {"text": "{}"}),
    ("put", "breakpoints/", []),
    ("post", "undo/", None),
]
CHANGES += [
    ("post", "config/try/", {"yaml": ""}),
    ("post", "cycles/1/again/", {}),
    ("post", "comparisons/", {"sides": []}),
]
READS = [
    "",
    "records/",
    "cycles/",
    "cycles/1/",
    "cycles/1/matrix/",
    "cycles/1/reasons/",
    "nodes/",
    "nodes/n0/",
    "queue/",
]
READS += ["node-changes/?since=0", "pods/?nodes=n0", "pods/default/p0/", "pods/default/p0/moves/", "objects/"]
READS += ["objects/Node/n0/", "config/", "config/versions/", "config/versions/1/", "config/form/"]
CLOSED = ["branches/", "breakpoints/", "commands/1/", "comparisons/", "lesson/", "export/scenario/", "export/trace/"]


@pytest.mark.parametrize("path", READS)
def test_a_guest_reads(opened: Any, path: str) -> None:
    Guest().get(opened, path)
    assert Guest().client.get(f"/api/v1/clusters/{opened['cluster']}/{path}").status_code == 403


@pytest.mark.parametrize(("method", "path", "body"), CHANGES, ids=[f"{method} {path}" for method, path, _ in CHANGES])
def test_a_guest_changes_nothing(opened: Any, owner: Api, method: str, path: str, body: Any) -> None:
    """Nor does somebody with an account who brings the key."""
    address, before = f"/api/v1/clusters/{opened['cluster']}/{path}", trace(opened["cluster"])
    for client, headers in ((Guest().client, {}), (owner.client, owner.headers)):
        headers = {**headers, "X-Share-Key": opened["key"]}
        answer = getattr(client, method)(address, body, content_type="application/json", headers=headers)
        assert answer.status_code == 403
    assert trace(opened["cluster"]) == before


@pytest.mark.parametrize("path", CLOSED)
def test_some_reads_are_the_owners_alone(opened: Any, path: str) -> None:
    Guest().get(opened, path, 403)


def test_a_key_opens_one_cluster(opened: Any, owner: Api, played: int) -> None:
    guest = Guest()
    for cluster in (played, 999_999):
        guest.get({**opened, "cluster": cluster}, "", 404)
    for key in ("", "x", "x" * 43, opened["key"][:-1], opened["key"] + "x", "'; --", "\u00e9"):
        guest.get({**opened, "key": key}, "", 404)
    # With a key one is a guest, whatever account one has besides.
    headers = {"X-Share-Key": opened["key"]}
    assert owner.client.get(f"/api/v1/clusters/{played}/", headers=headers).status_code == 404


def test_views_are_in_nobodys_list(opened: Any, owner: Api, played: int, make_user: Callable[[str], Any]) -> None:
    assert [row["id"] for row in owner.get("clusters/")] == [played]
    Api(make_user("other")).get(f"clusters/{opened['cluster']}/", 404)


def test_nobody_logs_in_as_the_host(opened: Any) -> None:
    client = Client()
    for password in ("", "!", "(shared moments)"):
        client.post("/accounts/login/", {"username": "(shared moments)", "password": password})
        assert client.get("/api/v1/clusters/").status_code == 403


# ── the page ──


@pytest.mark.parametrize("path", ["/s/", "/s/who-is-evicted/", "/s/nothing/"])
def test_the_page_is_for_anybody(exposed: None, path: str) -> None:
    answer = Client().get(path)
    assert answer.status_code == 200
    assert f'data-share="{path.split("/")[2]}"' in answer.content.decode()
    # It has a button that makes something in the visitor's name.
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/s/?embed=1", "/s/who-is-evicted/?embed=1"])
def test_an_embed_may_be_framed_and_gets_nothing(exposed: None, path: str) -> None:
    answer = Client().get(path)
    assert "data-embed" in answer.content.decode()
    assert "X-Frame-Options" not in answer.headers
    policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert policy.replace("frame-ancestors *", "frame-ancestors 'none'").count("'none'") == 3
    assert "script-src 'self' 'nonce-" in policy
    assert not answer.cookies


@pytest.mark.parametrize(
    "path", ["/?embed=1", "/accounts/login/?embed=1", "/s/?embed=0", "/s/?embed=yes", "/s/x/?embed="]
)
def test_nothing_else_may_be_framed(api: Api, path: str) -> None:
    headers = api.client.get(path).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_a_name_is_no_markup(exposed: None) -> None:
    text = Client().get("/s/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E/").content.decode(errors="replace")
    assert "<script>alert" not in text
