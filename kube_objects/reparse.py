"""The parsing of new versions of objects, and of Pods of one template, which reuses unchanged parts."""

from typing import Any

from kube_objects.kinds.table import BY_TYPE
from kube_objects.meta import KubeObject, with_manifest
from kube_objects.parse import parse_object
from kube_objects.parsers.pod import read_again, read_sibling
from kube_objects.pod import Pod
from kube_objects.read import Manifest, Problems
from kube_objects.text.problems import ObjectError
from kube_objects.workloads import Workload

# The most specs that a `SiblingParser` holds.
_MOST_SPECS = 1024
_IDENTITY = ("name", "namespace", "uid", "labels", "annotations", "ownerReferences", "creationTimestamp")


def parse_version(manifest: Manifest, before: KubeObject | None) -> KubeObject:
    """Parse a manifest like `parse_object`, and reuse the parts that are the same instances as in the version before.

    Manifests are never changed in place, so the same instance was read before, and without problems.
    """
    if before is None or not _has_same_identity(manifest, before.manifest):
        return parse_object(manifest)
    problems: Problems = []
    parsed = _read_version(manifest, before, problems)
    if problems:
        raise ObjectError(problems)
    return parse_object(manifest) if parsed is None else parsed


def _has_same_identity(manifest: Manifest, known: Manifest) -> bool:
    if manifest.get("kind") != known.get("kind") or manifest.get("apiVersion") != known.get("apiVersion"):
        return False
    now, then = manifest.get("metadata") or {}, known.get("metadata") or {}
    if now is then:
        return True
    for field in _IDENTITY:
        value, known_value = now.get(field), then.get(field)
        if value is not known_value and value != known_value:
            return False
    return True


def _read_version(manifest: Manifest, before: KubeObject, problems: Problems) -> KubeObject | None:
    if isinstance(before, Pod):
        return read_again(before, manifest, problems)
    is_deleted = (manifest.get("metadata") or {}).get("deletionTimestamp") is not None
    if is_deleted or before.deletion_timestamp is not None:
        return None
    if type(before) is Workload:
        now, then = manifest.get("spec") or {}, before.manifest.get("spec") or {}
        return with_manifest(before, manifest) if now.get("selector") is then.get("selector") else None
    if (manifest.get("apiVersion"), manifest.get("kind")) not in BY_TYPE and type(before) is KubeObject:
        return with_manifest(before, manifest)
    return None


class SiblingParser:
    """A parser of Pods that reads the parts of a template once."""

    def __init__(self) -> None:
        # By the parts of the spec. The first Pod's manifest keeps these parts alive, so that their ids stay unique.
        self._first: dict[tuple[Any, ...], Pod] = {}

    def parse(self, manifest: Manifest) -> KubeObject:
        """Parse a manifest like `parse_object`."""
        template = _template_key(manifest.get("spec"))
        first = self._first.get(template)
        if first is not None:
            problems: Problems = []
            sibling = read_sibling(first, manifest, problems)
            if sibling is not None and not problems:
                return sibling
        parsed = parse_object(manifest)
        if first is None and isinstance(parsed, Pod):
            if len(self._first) >= _MOST_SPECS:
                del self._first[next(iter(self._first))]
            self._first[template] = parsed
        return parsed


def _template_key(spec: Any) -> tuple[Any, ...]:
    """Return a key of the spec's template: all fields but the Node, strings by value and others by id."""
    if type(spec) is not dict:
        return (id(spec),)
    return tuple(
        [(name, value if type(value) is str else id(value)) for name, value in spec.items() if name != "nodeName"]
    )
