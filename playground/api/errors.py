"""The exception handler of the API, which gives every error the form of docs/reference/http-api.md."""

import logging
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from kube_objects.sentences import say
from playground.database_errors import UNAVAILABLE, refusal_of
from playground.problems import Problem, Refused, problem

logger = logging.getLogger(__name__)
# Clients that retry automatically wait for so many seconds.
LATER = {"Retry-After": "1"}


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return `{"problems": […]}` for an error of the request; None for a bug of the server, which DRF reports."""
    if unavailable := refusal_of(error):
        logger.warning("%s: %s", unavailable.problems[0]["rule"], error)
        return Response({"problems": unavailable.problems}, status=unavailable.status, headers=LATER)
    if isinstance(error, Refused):
        offered = {"offers": error.offers, "lost": error.lost} if error.offers else {}
        headers = LATER if error.status == UNAVAILABLE else None
        return Response({"problems": error.problems, **offered}, status=error.status, headers=headers)
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        problems = list(_of_validation(error.detail, ""))
    elif isinstance(error, Http404 | exceptions.NotFound):
        problems = [problem(context["request"].path, say("Not found"))]
    elif isinstance(error, PermissionDenied):
        problems = [problem("", say("is not allowed"))]
    else:
        problems = [problem("", str(getattr(error, "detail", error)))]
    response.data = {"problems": problems}
    return response


def _of_validation(detail: Any, path: str) -> Iterator[Problem]:
    """Yield the problems in a serializer's errors, which are nested like its fields."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _of_validation(inner, path if name == "non_field_errors" else _join(path, name))
    elif isinstance(detail, list):
        for i, inner in enumerate(detail):
            yield from _of_validation(inner, f"{path}[{i}]" if isinstance(inner, dict | list) else path)
    else:
        yield problem(path, str(detail))


def _join(path: str, name: object) -> str:
    if isinstance(name, int):
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else str(name)
