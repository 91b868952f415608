"""StorageClass: how volumes are made, and when."""

from dataclasses import dataclass

from kube_objects import read
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import NEEDED_FIRST, Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.selectors import topology_term
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.selectors import NodeSelectorTerm


@dataclass(slots=True, kw_only=True)
class StorageClass(KubeObject):
    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: tuple[NodeSelectorTerm, ...] = ()


def parse(manifest: Manifest, problems: Problems) -> StorageClass:
    return StorageClass(
        **read_meta("StorageClass", manifest, problems),
        provisioner=read.required_text(manifest, "provisioner", "", problems),
        volume_binding_mode=read.choice(
            manifest, "volumeBindingMode", "", problems, ("Immediate", "WaitForFirstConsumer"), "Immediate"
        ),
        allowed_topologies=tuple(
            topology_term(item, path, problems)
            for path, item in read.mappings(manifest, "allowedTopologies", "", problems)
        ),
    )


KIND = Kind(
    name="StorageClass",
    group="storage.k8s.io",
    older=("v1beta1",),
    type=StorageClass,
    parse=parse,
    fields={"provisioner": ALL, "volumeBindingMode": ALL, "allowedTopologies": ALL},
    wakes_pods=True,
    event_words={"Add": "new storage class", "Update": "a storage class was changed"},
    example="""\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: fast-disk
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
""",
    form=(
        IDENTITY,
        Section(
            "Makes volumes",
            (
                Input("driver", ("provisioner",), hint="disk.example.com"),
                Input("binds", ("volumeBindingMode",), "choice"),
                Input(
                    "only where",
                    ("allowedTopologies", 0, "matchLabelExpressions"),
                    "rows",
                    columns=(
                        Input("label", ("key",), hint="topology.kubernetes.io/zone"),
                        Input("values", ("values",), "words", "zone-a, zone-b"),
                    ),
                ),
            ),
        ),
    ),
    applied=NEEDED_FIRST + 2,
)
