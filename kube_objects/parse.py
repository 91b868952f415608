"""Conversion of manifests to typed objects, with the API server's defaults and the validation that scheduling needs."""

from collections.abc import Mapping
from typing import Any

from kube_objects import read
from kube_objects.kinds.storage_kind import LONGEST_KIND, kind_of_uid, storage_kind
from kube_objects.kinds.table import BY_TYPE, KINDS
from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.parsers.meta import read_meta
from kube_objects.pod import Pod
from kube_objects.read import Problems
from kube_objects.sentences import say
from kube_objects.text.problems import ObjectError, Problem


def parse_object(manifest: Mapping[str, Any]) -> KubeObject:
    """Return the typed object. Raises `ObjectError` with all problems of the manifest."""
    problems: Problems = []
    parsed = read_object(manifest, problems)
    if parsed is None or problems:
        raise ObjectError(problems)
    return parsed


def parse_pod(manifest: Mapping[str, Any]) -> Pod:
    """Return the typed Pod. Raises `ObjectError` for any other kind, too."""
    parsed = parse_object(manifest)
    if not isinstance(parsed, Pod):
        raise ObjectError([Problem("kind", manifest.get("kind"), say('must be "Pod"'))])
    return parsed


def parse_node(manifest: Mapping[str, Any]) -> Node:
    """Return the typed Node. Raises `ObjectError` for any other kind, too."""
    parsed = parse_object(manifest)
    if not isinstance(parsed, Node):
        raise ObjectError([Problem("kind", manifest.get("kind"), say('must be "Node"'))])
    return parsed


def read_object(manifest: Mapping[str, Any], problems: Problems) -> KubeObject | None:
    """Parse like `parse_object`, but append problems. Return None if the kind of the manifest is unknown."""
    kind, api_version = manifest.get("kind"), manifest.get("apiVersion")
    if type(kind) is str and type(api_version) is str:
        known = BY_TYPE.get((api_version, kind))
        if known is not None:
            return known.parse(manifest, problems)
        if kind and api_version:
            return _other_kind(kind, api_version, manifest, problems)
    _check_type(manifest, problems)
    return None


def is_read(api_version: str, kind: str) -> bool:
    """Return whether scheduling reads objects of this kind."""
    return (api_version, kind) in BY_TYPE


def is_of_another_version(api_version: str, kind: str) -> bool:
    """Return whether scheduling reads the kind, but not in this version."""
    known = KINDS.get(kind)
    return known is not None and api_version != known.api_version and _group(api_version) == known.group


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def _other_kind(kind: str, api_version: str, manifest: Mapping[str, Any], problems: Problems) -> KubeObject | None:
    known = KINDS.get(kind)
    if known is not None and is_of_another_version(api_version, kind):
        rule = say("Kubernetes 1.34 does not serve {kind} in this version", kind=kind)
        hint = say('use "{wanted}"', wanted=known.api_version)
        problems.append(Problem("apiVersion", api_version, rule, hint))
        return None
    kind = storage_kind(api_version, kind)
    if len(kind) > LONGEST_KIND:
        problems.append(Problem("kind", kind, f"must be no more than {LONGEST_KIND} characters, with its group"))
    # Only the server knows which of them belong to a namespace; those that do say so in what kubectl prints.
    metadata = manifest.get("metadata")
    namespaced = isinstance(metadata, Mapping) and bool(metadata.get("namespace"))
    found = read_meta(kind, manifest, problems, namespaced, _any_name, kind_of_uid(kind))
    return KubeObject(**found)


def _check_type(manifest: Mapping[str, Any], problems: Problems) -> None:
    kind = read.required_text(manifest, "kind", "", problems, "an object needs kind and apiVersion")
    known = KINDS.get(kind)
    hint = say('for kind {kind} it is "{wanted}"', kind=kind, wanted=known.api_version) if known else ""
    read.required_text(manifest, "apiVersion", "", problems, hint)


def _any_name(name: str) -> str:
    """Return the error of a name that is too long.

    Other rules depend on the kind: roles may have colons in their names.
    """
    return "" if len(name) <= 253 else "must be no more than 253 characters"
