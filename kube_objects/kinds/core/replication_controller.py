"""ReplicationController: only its selector matters to scheduling."""

from kube_objects import read
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, selects_pods
from kube_objects.kinds.kind import Kind
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.selectors import from_labels
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.selectors import LabelSelector
from kube_objects.workloads import Workload


def parse(manifest: Manifest, problems: Problems) -> Workload:
    """Parse a ReplicationController. Its selector is a map of labels. The default is the labels of its Pod template.

    Source: SetDefaults_ReplicationController.
    """
    meta = read_meta("ReplicationController", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    labels = read.label_map(spec, "selector", "spec", problems)
    if not labels:
        template = read.mapping(spec, "template", "spec", problems) or {}
        metadata = read.mapping(template, "metadata", "spec.template", problems) or {}
        labels = read.label_map(metadata, "labels", "spec.template.metadata", problems)
        meta["labels"] = meta["labels"] or labels
    return Workload(**meta, selector=LabelSelector(tuple(from_labels(labels))))


KIND = Kind(
    name="ReplicationController",
    type=Workload,
    parse=parse,
    fields={"spec": {"selector": ALL, "template": {"metadata": {"labels": ALL}}}},
    label_maps=("spec.selector",),
    example="""\
apiVersion: v1
kind: ReplicationController
metadata:
  name: web
  namespace: default
spec:
  selector:
    app: web
""",
    form=(IDENTITY_IN_NAMESPACE, selects_pods("spec", "selector")),
)
