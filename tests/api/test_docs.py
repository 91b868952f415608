"""Compare docs/reference/http-api.md with the requests and fields of the API."""

import re
from typing import get_type_hints

from django.conf import settings

from tests.web import api_routes
from tools import http_api
from tools.page_types import document

TEXT = (settings.BASE_DIR / "docs" / "reference" / "http-api.md").read_text(encoding="utf-8")
VIEWS = (settings.BASE_DIR / "docs" / "reference" / "explanation-json.md").read_text(encoding="utf-8")


def test_the_requests_are_those_of_the_openapi_document() -> None:
    assert http_api.text(document()) == TEXT, "run `make docs`"


def test_every_field_of_the_state_is_documented() -> None:
    from playground.engine.cluster_states import ClusterAnswer, RunningCommand
    from playground.engine.lease_answers import LeaseAnswer

    state = TEXT.split("\n## Cluster state\n")[1].split("\n## ")[0]
    for shape in (ClusterAnswer, LeaseAnswer, RunningCommand):
        assert {name for name in get_type_hints(shape) if not re.search(rf"\b{name}\b", state)} == set()


def test_every_view_of_the_explanations_has_an_address() -> None:
    cells = re.findall(r"^\| [^|]+ \| [^|]+ \| (`[^|]+) \| `[^|]+ \|$", VIEWS, re.MULTILINE)
    addresses = [address for cell in cells for address in re.findall(r"`(.+?)`", cell)]
    paths = {re.sub(r"\{\w+\}", "{}", address) for address in addresses}
    below = {path if path.startswith("explain/") else f"clusters/{{}}/{path}" for path in paths}
    assert len(below) > 15 and below <= _served()


def _served() -> set[str]:
    routes = {re.sub(r"<\w+:(\w+)>", "{}", route) for route in api_routes()}
    return {route.removeprefix("v1/") for route in routes if route.startswith("v1/")}
