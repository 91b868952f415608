"""Every error of the API has the form of docs/api.md."""

import logging
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from playground.problems import Problem, Refused, problem
from playground.read_only import is_read_only
from scheduler_core.sentences import say

logger = logging.getLogger(__name__)


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: what went wrong as `{"problems": […]}`; None for what is our own fault."""
    if isinstance(error, DatabaseError) and is_read_only(error):
        logger.warning("the database is read-only: %s", error)
        refusal = problem("", say("the database is read-only"), hint=say("ask the operator to make it writable"))
        return Response({"problems": [refusal]}, status=503, headers={"Retry-After": "1"})
    if isinstance(error, OperationalError | InterfaceError):
        logger.warning("the database does not answer: %s", error)
        hint = say("try again in a moment; a command with the same key is not done twice")
        away = problem("", say("the database does not answer"), hint=hint)
        return Response({"problems": [away]}, status=503, headers={"Retry-After": "1"})
    if isinstance(error, Refused):
        offered = {"offers": error.offers, "lost": error.lost} if error.offers else {}
        return Response({"problems": error.problems, **offered}, status=error.status)
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        problems = list(_of_validation(error.detail, ""))
    elif isinstance(error, Http404 | exceptions.NotFound):
        problems = [problem(context["request"].path, say("there is nothing here"))]
    elif isinstance(error, PermissionDenied):
        problems = [problem("", say("is not allowed"))]
    else:
        problems = [problem("", str(getattr(error, "detail", error)))]
    response.data = {"problems": problems}
    return response


def _of_validation(detail: Any, path: str) -> Iterator[Problem]:
    """Serializers nest their errors as their fields are nested."""
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
