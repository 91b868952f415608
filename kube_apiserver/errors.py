"""API errors as Status objects with upstream's messages. Source: apimachinery/pkg/api/errors."""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_apiserver.causes import Cause
from kube_apiserver.resources import Resource
from kube_objects import go_numbers


class ApiError(Exception):
    """An error response. `status` is its Status object; `warnings` are sent with it."""

    def __init__(self, code: int, reason: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.warnings: list[str] = []
        self.status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            **({"reason": reason} if reason else {}),
            **({"details": details} if details is not None else {}),
            "code": code,
        }

    @property
    def retry_after(self) -> int:
        """Return the seconds after which the client may retry, or 0 for no hint."""
        return int((self.status.get("details") or {}).get("retryAfterSeconds", 0))


class ExistsError(ApiError):
    """The error of a name that another object has."""


class NoSuchPathError(ApiError):
    """The error of a path that the server doesn't serve."""


def no_such_path() -> NoSuchPathError:
    return NoSuchPathError(404, "NotFound", "the server could not find the requested resource", {})


def not_found(resource: Resource, name: str) -> ApiError:
    return ApiError(404, "NotFound", f'{resource.qualified} "{name}" not found', _details(resource, name))


def exists(resource: Resource, name: str, *, is_going: bool = False) -> ExistsError:
    """Return the error of a name in use. `is_going`: the object with the name is being deleted."""
    start = "object is being deleted: " if is_going else ""
    message = f'{start}{resource.qualified} "{name}" already exists'
    return ExistsError(409, "AlreadyExists", message, _details(resource, name))


def modified(resource: Resource, name: str) -> ApiError:
    return conflict(
        resource,
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
    )


def apply_conflict(message: str, causes: Sequence[Cause]) -> ApiError:
    return ApiError(409, "Conflict", message, {"causes": list(causes)})


def invalid(resource: Resource, name: str, causes: Sequence[Cause]) -> ApiError:
    """Return the error of invalid fields. Each cause has reason, message and field."""
    # A repeated error occurs once in the message and twice in the causes. Source: ErrorList.ToAggregate.
    text = list(dict.fromkeys(f"{each['field']}: {each['message']}" for each in causes))
    joined = text[0] if len(text) == 1 else f"[{', '.join(text)}]"
    message = f'{resource.manifest_kind}{f".{resource.group}" if resource.group else ""} "{name}" is invalid: {joined}'
    details = {"name": name, "group": resource.group, "kind": resource.manifest_kind, "causes": list(causes)}
    return ApiError(422, "Invalid", message, {key: value for key, value in details.items() if value})


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def unauthorized() -> ApiError:
    return ApiError(401, "Unauthorized", "Unauthorized")


def forbidden(message: str) -> ApiError:
    return ApiError(403, "Forbidden", message)


def refused(resource: Resource, name: str, why: str) -> ApiError:
    """Return the error of an admission plugin that refuses a write."""
    message = f'{resource.qualified} "{name}" is forbidden: {why}'
    return ApiError(403, "Forbidden", message, _details(resource, name))


def conflict(resource: Resource, name: str, why: str) -> ApiError:
    message = f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}'
    return ApiError(409, "Conflict", message, _details(resource, name))


def invalid_options(kind: str, causes: Sequence[Cause]) -> ApiError:
    """Return the error of invalid request options."""
    texts = [f"{each['field']}: {each['message']}" for each in causes]
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = {"group": "meta.k8s.io", "kind": kind, "causes": list(causes)}
    return ApiError(422, "Invalid", f'{kind}.meta.k8s.io "" is invalid: {text}', details)


def not_allowed() -> ApiError:
    message = "the server does not allow this method on the requested resource"
    return ApiError(405, "MethodNotAllowed", message, {})


def not_understood(accepted: Sequence[str]) -> ApiError:
    text = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return ApiError(415, "UnsupportedMediaType", text)


def not_acceptable(accepted: Sequence[str]) -> ApiError:
    text = f"only the following media types are accepted: {', '.join(accepted)}"
    return ApiError(406, "NotAcceptable", text, {})


def too_old(version: int, first: int) -> ApiError:
    return ApiError(410, "Expired", f"too old resource version: {version} ({first})")


def list_too_old() -> ApiError:
    return ApiError(410, "Expired", "The resourceVersion for the provided list is too old.")


def continue_too_old(token: str) -> ApiError:
    """Return the error of an expired continue token. `token` continues with the current objects."""
    text = (
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list."
    )
    error = ApiError(410, "Expired", text)
    error.status["metadata"] = {"continue": token}
    return error


def too_new(version: int, current: int) -> ApiError:
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    text = f"Timeout: Too large resource version: {version}, current: {current}"
    return ApiError(504, "Timeout", text, {"causes": [cause], "retryAfterSeconds": 1})


def too_many(message: str, retry_after: int) -> ApiError:
    return ApiError(429, "TooManyRequests", message, {"retryAfterSeconds": retry_after})


def too_large(message: str) -> ApiError:
    return ApiError(413, "RequestEntityTooLarge", message)


def storage_too_large() -> ApiError:
    """Return etcd's error for an object that is too large. An API server forwards it without a reason."""
    return ApiError(500, "", "etcdserver: request is too large")


def timeout(message: str) -> ApiError:
    return ApiError(504, "Timeout", message)


def unavailable(message: str) -> ApiError:
    """Return the error of a server that is temporarily unable to answer. Source: NewServiceUnavailable."""
    return ApiError(503, "ServiceUnavailable", message)


def request_timeout() -> ApiError:
    """Return the error of a request that took too long. Source: apiserver/pkg/endpoints/handlers/finisher."""
    return timeout("Timeout: request did not complete within requested timeout - context deadline exceeded")


def parse_int(text: str) -> int:
    """Return a signed 64-bit number, or raise ApiError with Go's message."""
    try:
        return go_numbers.parse_int(text)
    except go_numbers.GoNumberError as wrong:
        raise bad_request(str(wrong)) from wrong


def internal(text: str) -> ApiError:
    return ApiError(500, "InternalError", f"Internal error occurred: {text}", {"causes": [{"message": text}]})


def _details(resource: Resource, name: str) -> dict[str, str]:
    found = {"name": name, "group": resource.group, "kind": resource.name}
    return {key: value for key, value in found.items() if value}
