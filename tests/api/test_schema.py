"""The OpenAPI document: complete, and true for whatever anybody sends."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from schemathesis.core.media_types import YAML_MEDIA_TYPES
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from playground.folders import ROOT
from playground.models import Cluster
from tests.web import Api, node, pod


@pytest.fixture
def owner(make_user: Callable[[str], Any]) -> Api:
    return Api(make_user("owner"))


@pytest.fixture
def cluster(owner: Api, questions: None) -> Cluster:
    made = owner.cluster([node("node-0"), pod("web-0"), pod("large", cpu="64")])
    owner.command(made, kind="run", until="idle")
    return Cluster.objects.get(pk=made)


_django = get_wsgi_application()


def at_this_machine(environ: dict[str, Any], start_response: Any) -> Any:
    """The playground, called by a client that is not across the network."""
    return _django({**environ, "REMOTE_ADDR": "127.0.0.1"}, start_response)


def document() -> dict[str, Any]:
    """The document without its login, which `test_permissions` is about: here everybody is logged in."""
    found: dict[str, Any] = SchemaGenerator().get_schema(public=True)
    for operations in found["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
    return found


schema = schemathesis.openapi.from_dict(document())
schema.app = at_this_machine
# Zero characters are refused everywhere, which OpenAPI cannot say in one place.
schema.config.generation.update(allow_x00=False)


# What the texts and objects in these must be like is not for a schema to say; nor that an offset needs
# a lane, and a moment within a cycle that cycle; nor which feature gates there are.
FREE = (
    "/v1/clusters/",
    "/commands/",
    "/comparisons/",
    "/import/",
    "/objects/check/",
    "/repairs/costs/",
    "/repairs/many/",
    "/config/try/",
    "/shares/open/",
    "/shares/try/",
    "/source/",
    "/again/",
    "/capacity/nodes/",
    "/upgrade/",
    "/upgrade/part/",
)


@schemathesis.deserializer(*YAML_MEDIA_TYPES)
def text_of(_context: Any, response: Any) -> str:
    """Files are told of as texts; one may hold several YAML documents."""
    return str(response.text)


@schema.parametrize()
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_answers_are_as_documented(case: schemathesis.Case, owner: Api, cluster: Cluster) -> None:
    # An address of a cluster that is not there says little about what is behind it.
    given = case.path_parameters.get("cluster_id")
    if isinstance(given, int) and 0 <= given < 10**18 and given % 4:
        case.path_parameters["cluster_id"] = cluster.pk
    needs_more = {"offset", "within"} & {*(case.query or {})}
    is_free = case.path.endswith(FREE) or (case.path.endswith("/queue/") and needs_more)
    excluded: list[Any] = [positive_data_acceptance] if is_free else []
    # A parameter without a value is as good as none, as forms send them.
    if "" in (case.query or {}).values():
        excluded.append(negative_data_rejection)
    cookies = {name: morsel.value for name, morsel in owner.client.cookies.items()}
    case.call_and_validate(
        headers={**owner.headers, "Accept-Encoding": "identity"},
        cookies=cookies,
        excluded_checks=excluded or None,
    )


def test_no_field_is_lost() -> None:
    """A serializer's instance that stands in two fields is documented in the last one alone, under the first's name."""
    schemas = document()["components"]["schemas"]
    fields = [(name, field, says) for name, one in schemas.items() for field, says in one.get("properties", {}).items()]
    assert [(name, field) for name, field, says in fields if "title" in says] == []


def test_the_document_has_no_gaps() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", "/dev/null")


def test_a_text_of_spaces_is_a_text() -> None:
    """A field that cuts spaces off refuses what is nothing else as blank, which the document does not say."""
    forms = [path for path in (ROOT / "playground").rglob("*.py") if "serializers.CharField(" in path.read_text()]
    assert len(forms) > 2
    wrong = [
        f"{path.name}: {line.strip()}"
        for path in forms
        for line in path.read_text().splitlines()
        if "serializers.CharField(" in line and not re.search(r"allow_blank=True|trim_whitespace=False", line)
    ]
    assert wrong == []
