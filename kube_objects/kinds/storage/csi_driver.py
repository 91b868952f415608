"""CSIDriver."""

from dataclasses import dataclass

from kube_objects import read
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import NEEDED_FIRST, Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL


@dataclass(slots=True, kw_only=True)
class CSIDriver(KubeObject):
    storage_capacity: bool = False


def parse(manifest: Manifest, problems: Problems) -> CSIDriver:
    meta = read_meta("CSIDriver", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    return CSIDriver(**meta, storage_capacity=read.boolean(spec, "storageCapacity", "spec", problems))


KIND = Kind(
    name="CSIDriver",
    group="storage.k8s.io",
    older=("v1beta1",),
    type=CSIDriver,
    parse=parse,
    fields={"spec": {"storageCapacity": ALL}},
    wakes_pods=True,
    example="""\
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata:
  name: disk.example.com
spec:
  storageCapacity: true
""",
    form=(
        IDENTITY,
        Section("Makes volumes", (Input("says how much room is left", ("spec", "storageCapacity"), "check"),)),
    ),
    applied=NEEDED_FIRST + 3,
)
