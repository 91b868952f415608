"""Too much of anything is refused, early, and in the form of every other error."""

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError
from rest_framework.exceptions import ParseError

from playground import limits
from playground.api.parsers import parse
from playground.models import Cluster
from playground.web import body_limit
from playground.web.body_limit import BodyLimit, limit_of
from tests.web import Api, node

DEEP = b'{"a":' * limits.JSON_DEPTH
TEXTS = [
    # name                  bytes                                    rule, or None if it is read
    ("an object", b'{"a": [1, 2.5, "x", null, true]}', None),
    ("as deep as may be", b"[" * limits.JSON_DEPTH + b"]" * limits.JSON_DEPTH, None),
    ("the largest number", b"9223372036854775807", None),
    ("the smallest number", b"-9223372036854775808", None),
    ("a character beyond the first plane", '"\N{GRINNING FACE}"'.encode(), None),
    ("the same, escaped", b'"\\ud83d\\ude00"', None),
    ("too deep", b"[" * (limits.JSON_DEPTH + 1) + b"]" * (limits.JSON_DEPTH + 1), "nested"),
    ("deep enough to break a reader", b"[" * 100_000 + b"]" * 100_000, "nested"),
    ("objects too deep", DEEP + b"{}" + b"}" * limits.JSON_DEPTH, "nested"),
    ("65 bits", b"9223372036854775808", "64 bits"),
    ("a number of a million digits", b"9" * 1_000_000, "64 bits"),
    ("a number beyond floats", b"1e999", "too large"),
    ("not a number", b"NaN", "NaN"),
    ("infinity", b"-Infinity", "-Infinity"),
    ("a zero character", b'"\\u0000"', "zero characters"),
    ("a zero byte", b'"\x00"', "zero characters"),
    ("half a character", b'"\\ud83d"', "UTF-8"),
    ("half a character in a key", b'{"\\uDE00": 1}', "UTF-8"),
    ("no UTF-8", b'"\xff"', "UTF-8"),
    ("no JSON", b"{", "JSON"),
    ("as many values as may be", b"[" + b"0," * (limits.JSON_VALUES - 2) + b"0]", None),
    ("one more", b"[" + b"0," * (limits.JSON_VALUES - 1) + b"0]", "values"),
    ("as many that are empty", b"[" + b"[]," * (limits.JSON_VALUES - 2) + b"{ }]", None),
    ("one more of these", b"[" + b"{}," * (limits.JSON_VALUES - 1) + b"[]]", "values"),
    ("commas and brackets in a text", b'["' + b",[{" * limits.JSON_VALUES + b'"]', None),
    ("the same behind escapes", rb'["\\", "\"' + b",[{" * limits.JSON_VALUES + b'"]', None),
    ("a text that does not end", b'["' + rb"\"" * limits.JSON_VALUES, "JSON"),
    ("nothing", b"", "JSON"),
]
FORM = b"multipart/form-data; boundary=x"
BODIES = [
    ("/api/v1/clusters/1/import/", FORM, limits.IMPORT_BYTES),
    ("/api/v1/clusters/1/import/", b"application/json", limits.JSON_BYTES),
    ("/api/v1/clusters/1/import/", b"", limits.JSON_BYTES),
    ("/api/v1/clusters/1/commands/", b"application/json", limits.JSON_BYTES),
    ("/api/v1/clusters/1/commands/", FORM, limits.JSON_BYTES),
    ("/api/v1/clusters/1/pace/", FORM, limits.OTHER_BYTES),
    ("/api/v1/clusters/x/import/", FORM, limits.OTHER_BYTES),
    ("/x/api/v1/clusters/1/import/", FORM, limits.OTHER_BYTES),
    ("/accounts/login/", b"", limits.OTHER_BYTES),
]


@pytest.mark.parametrize(("name", "text", "rule"), TEXTS, ids=[case[0] for case in TEXTS])
def test_json(name: str, text: bytes, rule: str | None) -> None:
    if rule is None:
        assert parse(text) == json.loads(text)
    else:
        with pytest.raises(ParseError, match=rule):
            parse(text)


@pytest.mark.parametrize(("path", "content_type", "most"), BODIES)
def test_body_limits_by_path(path: str, content_type: bytes, most: int) -> None:
    assert limit_of(path, content_type) == most


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads all of a body and answers its length."""
    length, more = 0, True
    while more:
        message = await receive()
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(length).encode()})


def answer_to(chunks: list[bytes], headers: list[tuple[bytes, bytes]]) -> tuple[int, bytes, int]:
    """Status and body of the answer, and how many chunks were read."""
    sent: list[dict[str, Any]] = []
    waiting = list(chunks)

    async def receive() -> dict[str, Any]:
        chunk = waiting.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/api/v1/clusters/", "headers": headers}
    async_to_sync(BodyLimit(echo))(scope, receive, send)
    return sent[0]["status"], sent[1]["body"], len(chunks) - len(waiting)


def test_a_body_of_the_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit.limits, "OTHER_BYTES", 10)
    assert answer_to([b"12345", b"67890"], [(b"content-length", b"10")]) == (200, b"10", 2)


def test_a_body_that_is_announced_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit.limits, "OTHER_BYTES", 10)
    status, body, read = answer_to([b"12345678901"], [(b"content-length", b"11")])
    assert (status, read) == (413, 0)
    assert json.loads(body)["problems"][0]["rule"] == "the request may have at most 10 bytes"


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"5")]])
def test_a_body_that_does_not_end(monkeypatch: pytest.MonkeyPatch, headers: list[tuple[bytes, bytes]]) -> None:
    monkeypatch.setattr(body_limit.limits, "OTHER_BYTES", 10)
    status, _, read = answer_to([b"12345"] * 1000, headers)
    assert (status, read) == (413, 3)


def test_what_is_not_json_is_a_problem_like_any_other(api: Api, small: Cluster) -> None:
    answer = api.client.post(f"/api/v1/clusters/{small.pk}/commands/", "{", "application/json", headers=api.headers)
    assert (answer.status_code, answer.json()["problems"][0]["path"]) == (400, "")


HUGE = "9" * 20


@pytest.mark.parametrize(
    "path", [f"clusters/{HUGE}/", f"clusters/1/commands/{HUGE}/", "clusters/-1/", "clusters/x/", "nope/"]
)
def test_addresses_of_nothing(api: Api, path: str) -> None:
    assert api.get(path, 404)["problems"]


@pytest.mark.parametrize("name", ["a%00b", "%2e%2e", "a'b", 'a"b', "%F0%9F%98%80", "%ff", "n" * 300])
def test_names_of_nothing(api: Api, small: Cluster, name: str) -> None:
    for path in (f"nodes/{name}/", f"pods/{name}/{name}/", f"objects/{name}/{name}/"):
        api.get(f"clusters/{small.pk}/{path}", 404)


def test_searching_for_odd_things_finds_nothing(api: Api, small: Cluster) -> None:
    for search in ("'", "%", "_", "\\", "🙂"):
        assert api.get(f"clusters/{small.pk}/objects/", search=search)["total"] == 0
    assert api.get(f"clusters/{small.pk}/objects/", 400, search="\0")["problems"][0]["path"] == "search"


def test_annotations_may_hold_anything_that_is_text(api: Api) -> None:
    odd = node("n")
    odd["metadata"]["annotations"] = {"note": "🙂 \\u0041 ' \" \n\t \u2028 <script>"}
    cluster = api.cluster([odd])
    assert api.get(f"clusters/{cluster}/objects/Node/n/")["metadata"]["annotations"] == odd["metadata"]["annotations"]


def test_a_database_that_does_not_answer(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is nobody's fault and passes: scripts may try again."""

    def broken(*_: Any) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr("playground.engine.cluster_states.read_states", broken)
    answer = api.client.get("/api/v1/clusters/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert answer.json()["problems"][0]["rule"] == "the database does not respond"
