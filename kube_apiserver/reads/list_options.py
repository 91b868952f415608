"""Validation of the options of a list or a watch. Source: apimachinery internalversion/validation."""

from collections.abc import Iterator, Mapping

from kube_apiserver import causes, errors
from kube_apiserver.causes import Cause

_MATCH, _EXACT, _NOT_OLDER = "resourceVersionMatch", "Exact", "NotOlderThan"
_LONGEST = 100


def check(query: Mapping[str, str], *, is_watch: bool) -> None:
    """Raise ApiError for invalid query parameters."""
    wrong = list((_validate_watch if is_watch else _validate_list)(query))
    if wrong:
        raise errors.invalid_options("ListOptions", wrong)


def _validate_list(query: Mapping[str, str]) -> Iterator[Cause]:
    match, version = query.get(_MATCH, ""), query.get("resourceVersion", "")
    if match and not version:
        yield causes.forbidden(_MATCH, f"{_MATCH} is forbidden unless resourceVersion is provided")
    yield from _beside_continue(query)
    if match not in ("", _EXACT, _NOT_OLDER):
        yield causes.unsupported(_MATCH, match[:_LONGEST], (_EXACT, _NOT_OLDER, ""))
    if (match, version) == (_EXACT, "0"):
        yield causes.forbidden(_MATCH, f'{_MATCH} "exact" is forbidden for resourceVersion "0"')
    if query.get("sendInitialEvents"):
        yield causes.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")


def _validate_watch(query: Mapping[str, str]) -> Iterator[Cause]:
    match, sends = query.get(_MATCH, ""), bool(query.get("sendInitialEvents"))
    if sends and match != _NOT_OLDER:
        yield causes.forbidden(_MATCH, f"sendInitialEvents requires setting {_MATCH} to {_NOT_OLDER}")
    if match and not sends:
        yield causes.forbidden(_MATCH, f"{_MATCH} is forbidden for watch unless sendInitialEvents is provided")
    if match not in ("", _NOT_OLDER):
        yield causes.unsupported(_MATCH, match[:_LONGEST], (_NOT_OLDER,))
    yield from _beside_continue(query)


def _beside_continue(query: Mapping[str, str]) -> Iterator[Cause]:
    if query.get(_MATCH) and query.get("continue"):
        yield causes.forbidden(_MATCH, f"{_MATCH} is forbidden when continue is provided")
