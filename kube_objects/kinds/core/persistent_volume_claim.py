"""PersistentVolumeClaim."""

from dataclasses import dataclass

from kube_objects import read
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.written import text
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.selectors import label_selector
from kube_objects.parsers.storage import CLASS_ANNOTATION, VOLUME_MODES, access_modes, optional_text, storage
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.selectors import LabelSelector


@dataclass(slots=True, kw_only=True)
class PersistentVolumeClaim(KubeObject):
    """`request` in bytes; `storage_class_name` None means unset (distinct from "")."""

    access_modes: tuple[str, ...] = ()
    storage_class_name: str | None = None
    volume_mode: str = "Filesystem"
    volume_name: str = ""
    request: int = 0
    selector: LabelSelector | None = None
    phase: str = ""
    volume_attributes_class_name: str | None = None


def parse(manifest: Manifest, problems: Problems) -> PersistentVolumeClaim:
    meta = read_meta("PersistentVolumeClaim", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    resources = read.mapping(spec, "resources", "spec", problems) or {}
    class_name = optional_text(spec, "storageClassName", "spec", problems)
    return PersistentVolumeClaim(
        **meta,
        access_modes=access_modes(spec, problems),
        storage_class_name=meta["annotations"].get(CLASS_ANNOTATION, class_name),
        volume_mode=read.choice(spec, "volumeMode", "spec", problems, VOLUME_MODES, "Filesystem"),
        volume_name=read.text(spec, "volumeName", "spec", problems),
        request=storage(resources, "requests", "spec.resources", problems),
        selector=label_selector(spec, "selector", "spec", problems),
        phase=read.text(status, "phase", "status", problems) or "Pending",
        volume_attributes_class_name=optional_text(spec, "volumeAttributesClassName", "spec", problems),
    )


KIND = Kind(
    name="PersistentVolumeClaim",
    type=PersistentVolumeClaim,
    parse=parse,
    fields={
        "spec": {
            "accessModes": ALL,
            "storageClassName": ALL,
            "volumeMode": ALL,
            "volumeName": ALL,
            "volumeAttributesClassName": ALL,
            "selector": ALL,
            "resources": {"requests": ALL},
        },
        "status": {"phase": ALL},
    },
    written=(text("volume_name", "spec", "volumeName"), text("phase", "status", "phase", "Pending")),
    wakes_pods=True,
    event_words={"Add": "new volume claim", "Update": "a volume claim was changed"},
    example="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: default
spec:
  storageClassName: fast-disk
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 10Gi
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section(
            "Asks for",
            (
                Input("size", ("spec", "resources", "requests", "storage"), hint="10Gi"),
                Input("access modes", ("spec", "accessModes"), "words", "ReadWriteOnce"),
                Input("volume mode", ("spec", "volumeMode"), "choice"),
                Input("storage class", ("spec", "storageClassName")),
                Input("volumes with labels", ("spec", "selector", "matchLabels"), "map"),
            ),
        ),
        Section("Bound to", (Input("volume", ("spec", "volumeName")),)),
    ),
)
