"""Options of a list or a watch that do not go together. Source: apimachinery internalversion/validation."""

from collections.abc import Iterator, Mapping

from kube_apiserver import causes, errors
from kube_apiserver.causes import Cause

_MATCH, _EXACT, _NOT_OLDER = "resourceVersionMatch", "Exact", "NotOlderThan"
_LONGEST = 100


def check(given: Mapping[str, str], *, is_watch: bool) -> None:
    """`given`: the parameters of the request; ApiError."""
    wrong = list((_of_watch if is_watch else _of_list)(given))
    if wrong:
        raise errors.of_options("ListOptions", wrong)


def _of_list(given: Mapping[str, str]) -> Iterator[Cause]:
    match, version = given.get(_MATCH, ""), given.get("resourceVersion", "")
    if match and not version:
        yield causes.forbidden(_MATCH, f"{_MATCH} is forbidden unless resourceVersion is provided")
    yield from _beside_continue(given)
    if match not in ("", _EXACT, _NOT_OLDER):
        yield causes.unsupported(_MATCH, match[:_LONGEST], (_EXACT, _NOT_OLDER, ""))
    if (match, version) == (_EXACT, "0"):
        yield causes.forbidden(_MATCH, f'{_MATCH} "exact" is forbidden for resourceVersion "0"')
    if given.get("sendInitialEvents"):
        yield causes.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")


def _of_watch(given: Mapping[str, str]) -> Iterator[Cause]:
    match, sends = given.get(_MATCH, ""), bool(given.get("sendInitialEvents"))
    if sends and match != _NOT_OLDER:
        yield causes.forbidden(_MATCH, f"sendInitialEvents requires setting {_MATCH} to {_NOT_OLDER}")
    if match and not sends:
        yield causes.forbidden(_MATCH, f"{_MATCH} is forbidden for watch unless sendInitialEvents is provided")
    if match not in ("", _NOT_OLDER):
        yield causes.unsupported(_MATCH, match[:_LONGEST], (_NOT_OLDER,))
    yield from _beside_continue(given)


def _beside_continue(given: Mapping[str, str]) -> Iterator[Cause]:
    if given.get(_MATCH) and given.get("continue"):
        yield causes.forbidden(_MATCH, f"{_MATCH} is forbidden when continue is provided")
