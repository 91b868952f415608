"""Workloads whose selector says which pods belong together: all that scheduling reads of them."""

from dataclasses import dataclass

from kube_objects import field_errors, read
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.selectors import label_selector
from kube_objects.read import Manifest, Problems
from kube_objects.selectors import LabelSelector
from kube_objects.sentences import say


@dataclass(slots=True, kw_only=True)
class Workload(KubeObject):
    """A ReplicationController, ReplicaSet or StatefulSet; only its selector matters to scheduling."""

    selector: LabelSelector | None = None


def parse_workload(kind: str, manifest: Manifest, problems: Problems) -> Workload:
    """Parse a ReplicaSet or StatefulSet."""
    meta = read_meta(kind, manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    selector = label_selector(spec, "selector", "spec", problems)
    if selector is None and spec.get("selector") is None:
        problems.append(field_errors.required("spec.selector", say("as in the template's labels")))
    return Workload(**meta, selector=selector)
