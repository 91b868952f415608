"""docs/reference/http-api.md lists what there is, and nothing else."""

import re
from typing import get_type_hints

from django.conf import settings

from tests.web import api_routes

TEXT = (settings.BASE_DIR / "docs" / "reference" / "http-api.md").read_text(encoding="utf-8")
VIEWS = (settings.BASE_DIR / "docs" / "reference" / "explanation-json.md").read_text(encoding="utf-8")


def test_every_address_is_documented() -> None:
    served = _served()
    # The table's first column; "·" separates addresses, and one may go on below the cluster of the one before it.
    documented = set()
    tops = tuple({f"{path.split('/')[0]}/" for path in served if not path.startswith("clusters/")})
    for cell in re.findall(r"^\| (`(?:GET|POST|PUT|DELETE) (?:[^|\\]|\\.)*) \|", TEXT, re.MULTILINE):
        for address in re.findall(r"`(?:(?:GET|POST|PUT|DELETE) )?([a-z][^`?]*/)[^`]*`", cell):
            path = re.sub(r"\{\w+\}", "{}", address)
            is_whole = path.startswith(("clusters/", *tops))
            documented.add(path if is_whole else f"clusters/{{}}/{path}")
    assert documented == served


def test_every_field_of_the_state_is_documented() -> None:
    from playground.engine.cluster_states import ClusterAnswer, RunningCommand
    from playground.engine.lease_answers import LeaseAnswer

    (state,) = re.findall(r"^`\{id, name.*?\}`", TEXT, re.MULTILINE | re.DOTALL)
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
