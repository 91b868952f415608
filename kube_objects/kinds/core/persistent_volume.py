"""PersistentVolume."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kube_objects import field_errors, read
from kube_objects.kinds.form import IDENTITY, REQUIREMENT, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.written import Written, text
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.selectors import node_selector
from kube_objects.parsers.storage import CLASS_ANNOTATION, VOLUME_MODES, access_modes, optional_text, storage
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.selectors import NodeSelector
from kube_objects.sentences import quoted

ClaimRef = tuple[str, str, str]
# Everything in a volume's spec that is not its source.
# The other fields of a volume's spec.
NOT_A_SOURCE = frozenset(
    {
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "nodeAffinity",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeAttributesClassName",
        "volumeMode",
    }
)


@dataclass(slots=True, kw_only=True)
class PersistentVolume(KubeObject):
    """`capacity` in bytes; `source` as in PodVolume."""

    capacity: int = 0
    access_modes: tuple[str, ...] = ()
    storage_class_name: str = ""
    volume_mode: str = "Filesystem"
    node_affinity: NodeSelector | None = None
    claim_ref: ClaimRef | None = None  # (namespace, name, uid)
    phase: str = ""
    source: str = ""
    source_spec: Mapping[str, object] = field(default_factory=dict)
    volume_attributes_class_name: str | None = None


def parse(manifest: Manifest, problems: Problems) -> PersistentVolume:
    meta = read_meta("PersistentVolume", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    affinity = read.mapping(spec, "nodeAffinity", "spec", problems)
    if affinity is not None and affinity.get("required") is None:
        hint = quoted("must specify required node constraints")
        problems.append(field_errors.required("spec.nodeAffinity.required", hint))
    claim = read.mapping(spec, "claimRef", "spec", problems)
    source = next((key for key, value in spec.items() if key not in NOT_A_SOURCE and isinstance(value, dict)), "")
    return PersistentVolume(
        **meta,
        capacity=storage(spec, "capacity", "spec", problems),
        access_modes=access_modes(spec, problems),
        storage_class_name=(
            meta["annotations"].get(CLASS_ANNOTATION) or read.text(spec, "storageClassName", "spec", problems)
        ),
        volume_mode=read.choice(spec, "volumeMode", "spec", problems, VOLUME_MODES, "Filesystem"),
        node_affinity=node_selector(affinity, "required", "spec.nodeAffinity", problems) if affinity else None,
        claim_ref=(
            (
                read.text(claim, "namespace", "spec.claimRef", problems),
                read.text(claim, "name", "spec.claimRef", problems),
                read.text(claim, "uid", "spec.claimRef", problems),
            )
            if claim is not None
            else None
        ),
        phase=read.text(status, "phase", "status", problems) or "Pending",
        source=source,
        source_spec=spec.get(source) or {},
        volume_attributes_class_name=optional_text(spec, "volumeAttributesClassName", "spec", problems),
    )


def _parse_claim_ref(json: Mapping[str, str] | None) -> ClaimRef | None:
    return None if json is None else (json.get("namespace") or "", json.get("name") or "", json.get("uid") or "")


def _dump_claim_ref(reference: ClaimRef | None, _: object) -> Any:
    if reference is None:
        return None
    namespace, name, uid = reference
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name}
    return {**claim, "uid": uid} if uid else claim


def _to_apply(cleaned: dict[str, Any], manifest: Mapping[str, Any]) -> None:
    """Return the manifest without the uid of its claim, which differs in another cluster."""
    reference = manifest.get("spec", {}).get("claimRef")
    if reference:
        claim = {name: value for name, value in reference.items() if name not in ("uid", "resourceVersion")}
        cleaned["spec"] = {**manifest["spec"], "claimRef": claim}


_AFFINITY = ("spec", "nodeAffinity", "required", "nodeSelectorTerms", 0, "matchExpressions")

KIND = Kind(
    name="PersistentVolume",
    type=PersistentVolume,
    parse=parse,
    fields={
        "spec": {
            "capacity": ALL,
            "accessModes": ALL,
            "storageClassName": ALL,
            "volumeMode": ALL,
            "volumeAttributesClassName": ALL,
            "nodeAffinity": ALL,
            "claimRef": {"namespace": ALL, "name": ALL, "uid": ALL, "kind": ALL, "apiVersion": ALL},
            "awsElasticBlockStore": ALL,
            "azureDisk": ALL,
            "cinder": ALL,
            "csi": ALL,
            "gcePersistentDisk": ALL,
            "portworxVolume": ALL,
            "vsphereVolume": ALL,
        },
        "status": {"phase": ALL},
    },
    written=(
        Written("claim_ref", "spec", "claimRef", _parse_claim_ref, _dump_claim_ref),
        text("phase", "status", "phase", "Pending"),
    ),
    wakes_pods=True,
    event_words={"Add": "new persistent volume", "Update": "a persistent volume was changed"},
    example="""\
apiVersion: v1
kind: PersistentVolume
metadata:
  name: disk-1
spec:
  capacity:
    storage: 10Gi
  accessModes: [ReadWriteOnce]
  storageClassName: fast-disk
  nodeAffinity:
    required:
      nodeSelectorTerms:
        - matchExpressions:
            - key: topology.kubernetes.io/zone
              operator: In
              values: [zone-a]
""",
    form=(
        IDENTITY,
        Section(
            "Offers",
            (
                Input("size", ("spec", "capacity", "storage"), hint="10Gi"),
                Input("access modes", ("spec", "accessModes"), "words", "ReadWriteOnce"),
                Input("volume mode", ("spec", "volumeMode"), "choice"),
                Input("storage class", ("spec", "storageClassName")),
            ),
        ),
        Section("Where it can be used", (Input("required node affinity", _AFFINITY, "rows", columns=REQUIREMENT),)),
        Section(
            "Bound to",
            (
                Input("namespace of the claim", ("spec", "claimRef", "namespace"), hint="default"),
                Input("claim", ("spec", "claimRef", "name")),
            ),
        ),
    ),
    to_apply=_to_apply,
)
