"""`kubectl apply`, client-side and server-side. The last applied object determines what is removed.

Source: kubectl/pkg/cmd/apply, apimachinery managedfields (whole values are compared here, not fields).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver.admission.daemon_sets import TEMPLATE_GENERATION
from kube_controllers.api import WriteRefused
from kube_objects.manifests import Manifest, annotations, meta, name
from tests.conformance.controllers.arguments import Fault
from tests.conformance.controllers.checks import ApiServer
from tests.conformance.controllers.patches import merged, taken_away

_OF_SERVER = (
    "uid",
    "creationTimestamp",
    "generation",
    "resourceVersion",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def noted(given: Manifest) -> dict[str, Any]:
    """Return the object with itself as the annotation of the last applied configuration."""
    text = json.dumps(given, separators=(",", ":"), sort_keys=True) + "\n"
    return {**given, "metadata": {**meta(given), "annotations": {**annotations(given), LAST_APPLIED: text}}}


def last_applied(obj: Manifest) -> str:
    """Return the last applied object. Raises Fault."""
    found = annotations(obj).get(LAST_APPLIED)
    if found is None:
        raise Fault(f"error: no last-applied-configuration annotation found on resource: {name(obj)}")
    return str(found)


def applied(before: Manifest, given: Manifest, server: ApiServer) -> Manifest:
    """Return the object after a client-side apply. Raises Refused."""
    last = json.loads(annotations(before).get(LAST_APPLIED, "{}"))
    found = server.applied(before, last, noted(given))
    return dict(merged(merged(before, taken_away(last, given)), noted(given))) if found is None else found


def replaced(before: Manifest, given: Manifest) -> Manifest:
    """Return the given object with the fields that a server keeps.

    Source: rest.BeforeUpdate; util.CreateOrUpdateAnnotation, which updates the annotation of the last applied
    configuration if there is one.
    """
    sent = noted(given) if LAST_APPLIED in annotations(given) else given
    of_server = {field: value for field, value in meta(before).items() if field in _OF_SERVER}
    own = {"status": before["status"]} if "status" in before else {}
    noted_by_server = {key: value for key, value in annotations(before).items() if key == TEMPLATE_GENERATION}
    notes = {"annotations": {**annotations(sent), **noted_by_server}} if noted_by_server else {}
    return {**sent, **own, "metadata": {**of_server, **meta(sent), **notes}}


def applied_by_server(before: Manifest, given: Manifest, last: Manifest, by_force: bool, server: ApiServer) -> Manifest:
    """Return the object after a server-side apply; `last` was applied so before.

    A field that another manager changed since belongs to that manager: it stays if it is no longer given, and is a
    conflict if it is. Raises Refused.
    """
    # Values are compared as they are stored: those of a list have what the server filled in.
    was = server.filled(last) if last else last
    conflicts = [] if by_force else sorted(_conflicts(before, given, server.filled(given), was, ""))
    if conflicts:
        raise WriteRefused(
            f'Apply failed with {len(conflicts)} conflict(s) of "{name(given)}": {conflicts}', "Conflict"
        )
    return dict(merged(merged(before, _still_ours(taken_away(last, given), was, before)), given))


def _still_ours(gone: Mapping[str, Any], last: Any, now: Any) -> dict[str, Any]:
    """Return the fields that are no longer given and that no other manager changed."""
    found: dict[str, Any] = {}
    for key, one in gone.items():
        then, there = last.get(key), now.get(key) if isinstance(now, Mapping) else None
        if one is not None and isinstance(there, Mapping):
            found[key] = _still_ours(one, then, there)
        elif one is None and then == there:
            found[key] = None
    return found


def _conflicts(before: Any, given: Any, stored: Any, last: Any, path: str) -> Iterator[str]:
    """Yield the conflicts. `stored` is the given object in its stored form."""
    for key, value in given.items():
        if key not in before or before[key] == stored[key]:
            continue
        then = last.get(key) if isinstance(last, Mapping) else None
        if isinstance(value, Mapping) and isinstance(before[key], Mapping):
            yield from _conflicts(before[key], value, stored[key], then, f"{path}.{key}")
        elif then != before[key]:
            yield f"{path}.{key}"
