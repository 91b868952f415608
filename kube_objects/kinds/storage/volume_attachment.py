"""VolumeAttachment: a volume that is attached to a node."""

from dataclasses import dataclass

from kube_objects import read
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.storage import optional_text
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL


@dataclass(slots=True, kw_only=True)
class VolumeAttachment(KubeObject):
    attacher: str = ""
    node_name: str = ""
    persistent_volume_name: str | None = None


def parse(manifest: Manifest, problems: Problems) -> VolumeAttachment:
    meta = read_meta("VolumeAttachment", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    source = read.mapping(spec, "source", "spec", problems) or {}
    return VolumeAttachment(
        **meta,
        attacher=read.required_text(spec, "attacher", "spec", problems),
        node_name=read.required_text(spec, "nodeName", "spec", problems),
        persistent_volume_name=optional_text(source, "persistentVolumeName", "spec.source", problems),
    )


KIND = Kind(
    name="VolumeAttachment",
    group="storage.k8s.io",
    type=VolumeAttachment,
    parse=parse,
    fields={"spec": {"attacher": ALL, "nodeName": ALL, "source": {"persistentVolumeName": ALL}}},
    wakes_pods=True,
    example="""\
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata:
  name: disk-1-node-1
spec:
  attacher: disk.example.com
  nodeName: node-1
  source:
    persistentVolumeName: disk-1
""",
    form=(
        IDENTITY,
        Section(
            "Attaches volumes",
            (
                Input("driver", ("spec", "attacher"), hint="disk.example.com"),
                Input("volume", ("spec", "source", "persistentVolumeName")),
                Input("node", ("spec", "nodeName")),
            ),
        ),
    ),
)
