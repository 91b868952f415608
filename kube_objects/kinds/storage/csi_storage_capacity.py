"""CSIStorageCapacity: the room that a driver has left somewhere."""

from dataclasses import dataclass

from kube_objects import read
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.selectors import label_selector
from kube_objects.parsers.storage import optional_amount
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.selectors import LabelSelector


@dataclass(slots=True, kw_only=True)
class CSIStorageCapacity(KubeObject):
    """`capacity`, `maximum_volume_size` in bytes; None when absent."""

    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity: int | None = None
    maximum_volume_size: int | None = None


def parse(manifest: Manifest, problems: Problems) -> CSIStorageCapacity:
    return CSIStorageCapacity(
        **read_meta("CSIStorageCapacity", manifest, problems),
        storage_class_name=read.required_text(manifest, "storageClassName", "", problems),
        node_topology=label_selector(manifest, "nodeTopology", "", problems),
        capacity=optional_amount(manifest, "capacity", problems),
        maximum_volume_size=optional_amount(manifest, "maximumVolumeSize", problems),
    )


KIND = Kind(
    name="CSIStorageCapacity",
    group="storage.k8s.io",
    type=CSIStorageCapacity,
    parse=parse,
    fields={"storageClassName": ALL, "nodeTopology": ALL, "capacity": ALL, "maximumVolumeSize": ALL},
    wakes_pods=True,
    example="""\
apiVersion: storage.k8s.io/v1
kind: CSIStorageCapacity
metadata:
  name: zone-a
  namespace: default
storageClassName: fast-disk
capacity: 1Ti
nodeTopology:
  matchLabels:
    topology.kubernetes.io/zone: zone-a
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section(
            "Offers",
            (
                Input("storage class", ("storageClassName",)),
                Input("room left", ("capacity",), hint="1Ti"),
                Input("largest volume", ("maximumVolumeSize",), hint="100Gi"),
            ),
        ),
        Section("Where it can be used", (Input("nodes with labels", ("nodeTopology", "matchLabels"), "map"),)),
    ),
)
