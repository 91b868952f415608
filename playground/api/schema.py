"""The OpenAPI document: decorators and extensions that describe requests and responses of views."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import Direction, OpenApiResponse, extend_schema

from playground.api.response_serializers import documented
from playground.problems import Problems

ERRORS = {
    400: "what is wrong with the request",
    403: "no session, or no CSRF token",
    404: "not found, or owned by another user",
    405: "not with this method",
    409: "it contradicts what is there",
    413: "too large",
    415: "not this content type",
    410: "this part of the history cannot be brought back",
    429: "too much at a time",
    503: "the database does not respond, or no worker did in time",
}
READ = (400, 403, 404, 503)
EXPLAINED = (*READ, 409, 410, 413, 429)
WRITE = (400, 403, 404, 409, 413, 415, 429, 503)


# A Kubernetes object, or a record of docs/reference/commands-and-trace.md.
ANYTHING = OpenApiTypes.OBJECT


class Session(OpenApiAuthenticationExtension):
    """The security scheme of `PageAuthentication`."""

    target_class = "playground.api.authentication.PageAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "Behind a login. Writes need the header X-CSRFToken with the value of the cookie csrftoken.",
        }


class Strict(OpenApiSerializerExtension):
    """The schema of request bodies that reject unknown fields."""

    target_class = "playground.api.strict_fields.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


class Schema(AutoSchema):
    """Schemas whose operation IDs come from the URLs, as in docs/reference/http-api.md."""

    def get_operation_id(self) -> str:
        words = self.path.removeprefix("/api/v1/").replace("{", "").replace("}", "").strip("/").split("/")
        return "_".join([self.method.lower(), *words])

    def _get_request_body(self, direction: Direction = "request") -> dict[str, Any] | None:
        body: dict[str, Any] | None = super()._get_request_body(direction)
        return body and {**body, "required": True}

    def get_tags(self) -> list[str]:
        parts = self.path.removeprefix("/api/v1/").strip("/").split("/")
        return [parts[0] if len(parts) < 3 else parts[2]]


def answers(
    answer: Any, *, write: bool = False, status: int = 200, errors: tuple[int, ...] = (), **options: Any
) -> Callable[[Any], Any]:
    """Decorate a handler with its successful response, by media type if `answer` is a dict, and its errors.

    The default `errors` are READ, or WRITE if `write` is set.
    """
    good: dict[Any, Any] = {status: documented(answer)}
    if isinstance(answer, dict):
        good = {(status, media): documented(each) for media, each in answer.items()}
    bad = {code: OpenApiResponse(documented(Problems), ERRORS[code]) for code in errors or (WRITE if write else READ)}
    return extend_schema(responses={**good, **bad}, **options)
