"""Volumes, claims, storage classes and what CSI drivers tell about themselves.

Source: pkg/apis/core/v1/defaults.go, pkg/apis/core/validation ValidatePersistentVolumeSpec,
ValidatePersistentVolumeClaimSpec; pkg/apis/storage/v1/defaults.go.
"""

from scheduler_core.objects import read
from scheduler_core.objects.parsers.meta import read_meta
from scheduler_core.objects.parsers.resources import amount_milli, quantity_hint, resource_list
from scheduler_core.objects.parsers.selectors import label_selector, node_selector, topology_term
from scheduler_core.objects.quantity import QuantityError, whole_units
from scheduler_core.objects.read import Manifest, Problems
from scheduler_core.objects.volumes import (
    CSIDriver,
    CSINode,
    CSINodeDriver,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from scheduler_core.text.hints import did_you_mean
from scheduler_core.text.problems import Problem

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
# Everything in a volume's spec that is not its source.
_NOT_A_SOURCE = frozenset(
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


def parse_persistent_volume(manifest: Manifest, problems: Problems) -> PersistentVolume:
    meta = read_meta("PersistentVolume", manifest, problems, namespaced=False)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    affinity = read.mapping(spec, "nodeAffinity", "spec", problems)
    if affinity is not None and affinity.get("required") is None:
        hint = "must specify required node constraints"
        problems.append(Problem("spec.nodeAffinity.required", None, "Required value", hint))
    claim = read.mapping(spec, "claimRef", "spec", problems)
    source = next((key for key, value in spec.items() if key not in _NOT_A_SOURCE and isinstance(value, dict)), "")
    return PersistentVolume(
        **meta,
        capacity=_storage(spec, "capacity", "spec", problems),
        access_modes=_access_modes(spec, problems),
        storage_class_name=(
            meta["annotations"].get(_CLASS_ANNOTATION) or read.text(spec, "storageClassName", "spec", problems)
        ),
        volume_mode=read.choice(spec, "volumeMode", "spec", problems, _VOLUME_MODES, "Filesystem"),
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
        volume_attributes_class_name=_optional_text(spec, "volumeAttributesClassName", "spec", problems),
    )


def parse_persistent_volume_claim(manifest: Manifest, problems: Problems) -> PersistentVolumeClaim:
    meta = read_meta("PersistentVolumeClaim", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    resources = read.mapping(spec, "resources", "spec", problems) or {}
    class_name = _optional_text(spec, "storageClassName", "spec", problems)
    return PersistentVolumeClaim(
        **meta,
        access_modes=_access_modes(spec, problems),
        storage_class_name=meta["annotations"].get(_CLASS_ANNOTATION, class_name),
        volume_mode=read.choice(spec, "volumeMode", "spec", problems, _VOLUME_MODES, "Filesystem"),
        volume_name=read.text(spec, "volumeName", "spec", problems),
        request=_storage(resources, "requests", "spec.resources", problems),
        selector=label_selector(spec, "selector", "spec", problems),
        phase=read.text(status, "phase", "status", problems) or "Pending",
        volume_attributes_class_name=_optional_text(spec, "volumeAttributesClassName", "spec", problems),
    )


def parse_storage_class(manifest: Manifest, problems: Problems) -> StorageClass:
    return StorageClass(
        **read_meta("StorageClass", manifest, problems, namespaced=False),
        provisioner=read.required_text(manifest, "provisioner", "", problems),
        volume_binding_mode=read.choice(
            manifest, "volumeBindingMode", "", problems, ("Immediate", "WaitForFirstConsumer"), "Immediate"
        ),
        allowed_topologies=tuple(
            topology_term(item, path, problems)
            for path, item in read.mappings(manifest, "allowedTopologies", "", problems)
        ),
    )


def parse_csi_node(manifest: Manifest, problems: Problems) -> CSINode:
    meta = read_meta("CSINode", manifest, problems, namespaced=False)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    drivers: list[CSINodeDriver] = []
    for path, item in read.mappings(spec, "drivers", "spec", problems):
        name = read.required_text(item, "name", path, problems)
        if any(driver.name == name for driver in drivers):
            problems.append(Problem(f"{path}.name", name, "duplicate value"))
        allocatable = read.mapping(item, "allocatable", path, problems) or {}
        drivers.append(
            CSINodeDriver(
                name=name,
                node_id=read.text(item, "nodeID", path, problems),
                allocatable_count=read.integer(allocatable, "count", f"{path}.allocatable", problems, 0),
            )
        )
    return CSINode(**meta, drivers=tuple(drivers))


def parse_csi_driver(manifest: Manifest, problems: Problems) -> CSIDriver:
    meta = read_meta("CSIDriver", manifest, problems, namespaced=False)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    return CSIDriver(**meta, storage_capacity=read.boolean(spec, "storageCapacity", "spec", problems))


def parse_csi_storage_capacity(manifest: Manifest, problems: Problems) -> CSIStorageCapacity:
    return CSIStorageCapacity(
        **read_meta("CSIStorageCapacity", manifest, problems),
        storage_class_name=read.required_text(manifest, "storageClassName", "", problems),
        node_topology=label_selector(manifest, "nodeTopology", "", problems),
        capacity=_optional_amount(manifest, "capacity", problems),
        maximum_volume_size=_optional_amount(manifest, "maximumVolumeSize", problems),
    )


def parse_volume_attachment(manifest: Manifest, problems: Problems) -> VolumeAttachment:
    meta = read_meta("VolumeAttachment", manifest, problems, namespaced=False)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    source = read.mapping(spec, "source", "spec", problems) or {}
    return VolumeAttachment(
        **meta,
        attacher=read.required_text(spec, "attacher", "spec", problems),
        node_name=read.required_text(spec, "nodeName", "spec", problems),
        persistent_volume_name=_optional_text(source, "persistentVolumeName", "spec.source", problems),
    )


def _access_modes(spec: Manifest, problems: Problems) -> tuple[str, ...]:
    modes = read.texts(spec, "accessModes", "spec", problems)
    for index, mode in enumerate(modes):
        if mode not in ACCESS_MODES:
            rule, hint = read.one_of(ACCESS_MODES), did_you_mean(mode, ACCESS_MODES)
            problems.append(Problem(f"spec.accessModes[{index}]", mode, rule, hint))
    if not spec.get("accessModes"):
        problems.append(Problem("spec.accessModes", None, "Required value", "at least 1 access mode is required"))
    if "ReadWriteOncePod" in modes and len(set(modes)) > 1:
        rule = "may not use ReadWriteOncePod with other access modes"
        problems.append(Problem("spec.accessModes", modes, rule))
    return modes


def _storage(parent: Manifest, key: str, path: str, problems: Problems) -> int:
    """The `storage` of a resource list, in bytes; required and positive."""
    before = len(problems)
    amounts = resource_list(parent, key, path, problems)
    if len(problems) > before:
        return 0
    if "storage" not in amounts:
        problems.append(Problem(f"{path}.{key}.storage", None, "Required value", 'a quantity like "10Gi"'))
    elif amounts["storage"] == 0:
        problems.append(Problem(f"{path}.{key}.storage", "0", "must be greater than zero"))
    return whole_units(amounts.get("storage", 0))


def _optional_amount(parent: Manifest, key: str, problems: Problems) -> int | None:
    value = parent.get(key)
    if value is None:
        return None
    try:
        milli = amount_milli(value)
    except QuantityError as error:
        problems.append(Problem(key, value, str(error), quantity_hint(value)))
        return None
    if milli < 0:
        problems.append(Problem(key, value, "must be greater than or equal to 0"))
    return whole_units(milli)


def _optional_text(parent: Manifest, key: str, path: str, problems: Problems) -> str | None:
    """None when absent, which is not the same as ""."""
    return None if parent.get(key) is None else read.text(parent, key, path, problems)
