"""`kubectl apply`, in both its ways: what was applied last tells what is taken away.

Source: kubectl/pkg/cmd/apply, apimachinery managedfields (of fields, here whole values are looked at).
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
    """With itself as an annotation."""
    text = json.dumps(given, separators=(",", ":"), sort_keys=True) + "\n"
    return {**given, "metadata": {**meta(given), "annotations": {**annotations(given), LAST_APPLIED: text}}}


def last_applied(obj: Manifest) -> str:
    """What was applied last. Raises Fault."""
    found = annotations(obj).get(LAST_APPLIED)
    if found is None:
        raise Fault(f"error: no last-applied-configuration annotation found on resource: {name(obj)}")
    return str(found)


def applied(before: Manifest, given: Manifest, server: ApiServer) -> Manifest:
    """The object after a client has applied it. Raises Refused."""
    last = json.loads(annotations(before).get(LAST_APPLIED, "{}"))
    found = server.applied(before, last, noted(given))
    return dict(merged(merged(before, taken_away(last, given)), noted(given))) if found is None else found


def replaced(before: Manifest, given: Manifest) -> Manifest:
    """What is given takes the place of all but what a server keeps.

    Source: rest.BeforeUpdate; util.CreateOrUpdateAnnotation: what was applied is told anew where it is told.
    """
    sent = noted(given) if LAST_APPLIED in annotations(given) else given
    of_server = {field: value for field, value in meta(before).items() if field in _OF_SERVER}
    own = {"status": before["status"]} if "status" in before else {}
    noted_by_server = {key: value for key, value in annotations(before).items() if key == TEMPLATE_GENERATION}
    notes = {"annotations": {**annotations(sent), **noted_by_server}} if noted_by_server else {}
    return {**sent, **own, "metadata": {**of_server, **meta(sent), **notes}}


def applied_by_server(before: Manifest, given: Manifest, last: Manifest, by_force: bool, server: ApiServer) -> Manifest:
    """The object after a server has applied it; `last` is what was applied so before.

    What another has changed since is theirs: it stays where it is no longer given, and is a conflict where it is.
    Raises Refused.
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
    """Of what is no longer given, what nobody else has changed."""
    found: dict[str, Any] = {}
    for key, one in gone.items():
        then, there = last.get(key), now.get(key) if isinstance(now, Mapping) else None
        if one is not None and isinstance(there, Mapping):
            found[key] = _still_ours(one, then, there)
        elif one is None and then == there:
            found[key] = None
    return found


def _conflicts(before: Any, given: Any, stored: Any, last: Any, path: str) -> Iterator[str]:
    """`stored` is what is given, as it would be stored."""
    for key, value in given.items():
        if key not in before or before[key] == stored[key]:
            continue
        then = last.get(key) if isinstance(last, Mapping) else None
        if isinstance(value, Mapping) and isinstance(before[key], Mapping):
            yield from _conflicts(before[key], value, stored[key], then, f"{path}.{key}")
        elif then != before[key]:
            yield f"{path}.{key}"
