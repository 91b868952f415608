"""CSINode: the drivers of a node, and how many volumes each attaches there."""

from dataclasses import dataclass

from kube_objects import field_errors, read
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import NEEDED_FIRST, Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL


@dataclass(slots=True, frozen=True)
class CSINodeDriver:
    name: str
    node_id: str = ""
    allocatable_count: int | None = None


@dataclass(slots=True, kw_only=True)
class CSINode(KubeObject):
    drivers: tuple[CSINodeDriver, ...] = ()


def parse(manifest: Manifest, problems: Problems) -> CSINode:
    meta = read_meta("CSINode", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    drivers: list[CSINodeDriver] = []
    for path, item in read.mappings(spec, "drivers", "spec", problems):
        name = read.required_text(item, "name", path, problems)
        if any(driver.name == name for driver in drivers):
            problems.append(field_errors.duplicate(f"{path}.name", name))
        allocatable = read.mapping(item, "allocatable", path, problems) or {}
        drivers.append(
            CSINodeDriver(
                name=name,
                node_id=read.text(item, "nodeID", path, problems),
                allocatable_count=read.integer(allocatable, "count", f"{path}.allocatable", problems, 0),
            )
        )
    return CSINode(**meta, drivers=tuple(drivers))


KIND = Kind(
    name="CSINode",
    group="storage.k8s.io",
    older=("v1beta1",),
    type=CSINode,
    parse=parse,
    fields={"spec": {"drivers": {"name": ALL, "nodeID": ALL, "allocatable": ALL}}},
    wakes_pods=True,
    example="""\
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata:
  name: node-1
spec:
  drivers:
    - name: disk.example.com
      nodeID: node-1
      allocatable:
        count: 16
""",
    form=(
        IDENTITY,
        Section(
            "Attaches volumes",
            (
                Input(
                    "drivers",
                    ("spec", "drivers"),
                    "rows",
                    columns=(
                        Input("driver", ("name",), hint="disk.example.com"),
                        Input("the node's name there", ("nodeID",), hint="node-1"),
                        Input("at most", ("allocatable", "count"), "number", "16"),
                    ),
                ),
            ),
        ),
    ),
    applied=NEEDED_FIRST + 5,
)
