"""Service: the pods that it selects are spread by default."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kube_objects import read
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, selects_pods
from kube_objects.kinds.kind import Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL


@dataclass(slots=True, kw_only=True)
class Service(KubeObject):
    selector: Mapping[str, str] = field(default_factory=dict)


def parse(manifest: Manifest, problems: Problems) -> Service:
    meta = read_meta("Service", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    return Service(**meta, selector=read.label_map(spec, "selector", "spec", problems))


KIND = Kind(
    name="Service",
    type=Service,
    parse=parse,
    fields={"spec": {"selector": ALL}},
    label_maps=("spec.selector",),
    example="""\
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: default
spec:
  selector:
    app: web
""",
    form=(IDENTITY_IN_NAMESPACE, selects_pods("spec", "selector")),
)
