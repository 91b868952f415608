"""Validation of PersistentVolumes, PersistentVolumeClaims and StorageClasses.

Source: pkg/apis/core/validation, pkg/apis/storage/validation.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, go_values, remote_disks, scheduling, texts
from kube_apiserver.validation.groups import csi
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field
from kube_apiserver.validation.pods import volumes
from kube_objects import names
from kube_objects.kinds.core.persistent_volume import NOT_A_SOURCE
from kube_objects.parsers.storage import CLASS_ANNOTATION

Object = Mapping[str, Any]

_RECLAIM = ("Delete", "Recycle", "Retain")
_BINDING = ("Immediate", "WaitForFirstConsumer")
_CLAIM_IS_IMMUTABLE = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)
_SECRETS = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)
# Volume sources in upstream's order.
_FLEXIBLE = "flexVolume"
_SOURCES = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte"),
    *("cephfs", "iscsi", "cinder", "fc", _FLEXIBLE, "azureFile", "vsphereVolume", "photonPersistentDisk"),
    *("portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi"),
)
# Upstream's error paths use other names for these sources, and for a source after the first one.
_PATHS_OF_SOURCES = {"gcePersistentDisk": "persistentDisk"}
_PATHS_OF_FURTHER_SOURCES = {"cephfs": "cephFS"}
_BETA = "failure-domain.beta.kubernetes.io"
_GA_LABELS: Mapping[str, str] = {
    f"{_BETA}/zone": "topology.kubernetes.io/zone",
    f"{_BETA}/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}
_VOLUME_IS_IMMUTABLE = "spec.persistentvolumesource is immutable after creation"


def validate_volume(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _validate_access_modes(spec, "spec")
    capacity = spec.get("capacity") or {}
    if not capacity:
        yield causes.required("spec.capacity")
    if "storage" not in capacity or len(capacity) > 1:
        yield causes.unsupported("spec.capacity", capacity or None, ("storage",))
    for name, amount in sorted(capacity.items()):
        amount_path = f"spec.capacity[{name}]"
        if nano(amount) < 0:
            yield causes.invalid(amount_path, nano(amount) // 10**9, "must be a valid resource quantity")
        if nano(amount) <= 0:
            yield causes.invalid(amount_path, str(amount), "must be greater than zero")
    if spec.get("persistentVolumeReclaimPolicy") not in (None, *_RECLAIM):
        yield causes.unsupported("spec.persistentVolumeReclaimPolicy", spec["persistentVolumeReclaimPolicy"], _RECLAIM)
    required = (spec.get("nodeAffinity") or {}).get("required")
    if spec.get("nodeAffinity") is not None:
        if required is None:
            yield causes.required("spec.nodeAffinity.required", "must specify required node constraints")
        else:
            yield from scheduling.validate_node_selector(required, "spec.nodeAffinity.required")
    name = str((value.get("metadata") or {}).get("name") or "")
    yield from _validate_volume_sources(spec, "spec", name, needs_affinity=spec.get("nodeAffinity") is None)
    host_path = str((spec.get("hostPath") or {}).get("path") or "")
    if host_path and not host_path.strip("/") and spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        yield causes.forbidden("spec.persistentVolumeReclaimPolicy", detail)
    if spec.get("storageClassName"):
        name = spec["storageClassName"]
        yield from report_broken_rules("spec.storageClassName", name, names.dns_subdomain(str(name)))
    yield from _validate_volume_mode(spec, "spec")
    yield from _validate_attributes_class(spec, "spec")


def validate_inline_volume(spec: Object, path: str) -> Iterator[Cause]:
    """Validate the inline volume of a VolumeAttachment. Source: ValidatePersistentVolumeSpec."""
    within = "in the context of inline volumes"
    for name in ("claimRef", "capacity"):
        if spec.get(name) or (name == "claimRef" and spec.get(name) is not None):
            yield causes.forbidden(f"{path}.{name}", f"may not be specified {within}")
    if spec.get("csi") is None:
        yield causes.required(f"{path}.csi", f"has to be specified {within}")
    yield from _validate_access_modes(spec, path)
    if spec.get("persistentVolumeReclaimPolicy") not in (None, "", "Retain"):
        yield causes.forbidden(f"{path}.persistentVolumeReclaimPolicy", f"may only be Retain {within}")
    if spec.get("nodeAffinity") is not None:
        yield causes.forbidden(f"{path}.nodeAffinity", f"may not be specified {within}")
    yield from _validate_volume_sources(spec, path, "")
    if spec.get("storageClassName"):
        yield causes.forbidden(f"{path}.storageClassName", f"may not be specified {within}")
    if spec.get("volumeMode") is not None and spec["volumeMode"] != "Filesystem":
        yield causes.forbidden(f"{path}.volumeMode", f"may not specify volumeMode other than Filesystem {within}")


def _validate_attributes_class(spec: Object, path: str) -> Iterator[Cause]:
    name, name_path = spec.get("volumeAttributesClassName"), f"{path}.volumeAttributesClassName"
    if name is None:
        return
    if not name:
        yield causes.required(name_path, "an empty string is disallowed")
    else:
        yield from report_broken_rules(name_path, name, names.dns_subdomain(str(name)))
    if spec.get("csi") is None:
        yield causes.required(f"{path}.csi", "has to be specified when using volumeAttributesClassName")


def _validate_access_modes(spec: Object, path: str) -> Iterator[Cause]:
    if not spec.get("accessModes"):
        yield causes.required(f"{path}.accessModes")
    yield from claims.validate_access_modes(spec, path)


def _validate_volume_mode(spec: Object, path: str) -> Iterator[Cause]:
    if spec.get("volumeMode") not in (None, *claims.MODES):
        yield causes.unsupported(f"{path}.volumeMode", spec["volumeMode"], claims.MODES)


def _validate_volume_sources(spec: Object, path: str, name: str, *, needs_affinity: bool = False) -> Iterator[Cause]:
    sources = [key for key in _SOURCES if spec.get(key) is not None]
    if not sources:
        yield causes.required(path, "must specify a volume type")
    for number, key in enumerate(sources):
        # Upstream accepts a FlexVolume beside another source.
        if number and key != _FLEXIBLE:
            yield causes.forbidden(
                f"{path}.{_PATHS_OF_FURTHER_SOURCES.get(key, key)}", "may not specify more than 1 volume type"
            )
        else:
            yield from _validate_volume_source(key, spec[key], f"{path}.{_PATHS_OF_SOURCES.get(key, key)}", name)
        if key == "local" and needs_affinity and not number:
            yield causes.required(f"{path}.nodeAffinity", "Local volume requires node affinity")


def _validate_volume_source(kind: str, source: Object, path: str, name: str) -> Iterator[Cause]:
    match kind:
        case "hostPath":
            yield from volumes.validate_host_path(source, path)
        case "nfs":
            yield from volumes.validate_nfs(source, path)
        case "local":
            if not source.get("path"):
                yield causes.required(f"{path}.path")
            yield from texts.validate_no_backsteps(str(source.get("path") or ""), f"{path}.path")
        case "csi":
            yield from claims.validate_csi_driver_name(source.get("driver"), f"{path}.driver")
            if not source.get("volumeHandle"):
                yield causes.required(f"{path}.volumeHandle")
            for key in _SECRETS:
                if source.get(key) is not None:
                    yield from _validate_secret_reference(source[key], f"{path}.{key}")
        case _:
            yield from remote_disks.validate_disk_source(kind, source, path, name)


def _validate_secret_reference(reference: Object, path: str) -> Iterator[Cause]:
    """Source: validatePVSecretReference."""
    for key, rule in (("name", names.dns_subdomain), ("namespace", names.dns_label)):
        if not reference.get(key):
            yield causes.required(f"{path}.{key}")
        else:
            yield from report_broken_rules(f"{path}.{key}", reference[key], rule(str(reference[key])))


def validate_claim(value: Object) -> Iterator[Cause]:
    yield from claims.validate_claim_spec(value.get("spec") or {}, "spec")


def validate_storage_class(value: Object) -> Iterator[Cause]:
    yield from csi.validate_provisioner(value.get("provisioner"), "provisioner")
    yield from csi.validate_parameters(value.get("parameters"), "parameters", may_be_empty=True)
    policy = value.get("reclaimPolicy")
    if policy not in (None, "Delete", "Retain"):
        yield causes.unsupported("reclaimPolicy", policy, ("Delete", "Retain"))
    mode = value.get("volumeBindingMode")
    if mode is None:
        yield causes.required("volumeBindingMode")
    elif mode not in _BINDING:
        yield causes.unsupported("volumeBindingMode", mode, _BINDING)
    terms = value.get("allowedTopologies") or ()
    # Upstream preallocates as many empty terms as there are terms, and compares each term with these, too.
    seen: list[Any] = [{}] * len(terms)
    for number, term in enumerate(terms):
        path = f"allowedTopologies[{number}].matchLabelExpressions"
        yield from _validate_topology_term(term, path)
        wanted = {str(each.get("key") or ""): set(each.get("values") or ()) for each in _list_expressions(term)}
        yield from (causes.duplicate(path, "") for each in seen if each == wanted)
        seen.append(wanted)


def _list_expressions(term: Object) -> Sequence[Object]:
    return term.get("matchLabelExpressions") or ()


def _validate_topology_term(term: Object, path: str) -> Iterator[Cause]:
    """Source: ValidateTopologySelectorTerm."""
    seen: set[str] = set()
    for number, requirement in enumerate(_list_expressions(term)):
        requirement_path, key, values = (
            f"{path}[{number}]",
            str(requirement.get("key") or ""),
            requirement.get("values") or [],
        )
        if not values:
            yield causes.required(f"{requirement_path}.values")
        for place, value in enumerate(values):
            if value in values[:place]:
                yield causes.duplicate(f"{requirement_path}.values[{place}]", value)
        yield from report_broken_rules(f"{requirement_path}.key", key, names.qualified_name(key))
        if key in seen:
            yield causes.duplicate(f"{requirement_path}.key", key)
        seen.add(key)


def validate_volume_update(live: Object, value: Object, sent: Object) -> Iterator[Cause]:
    yield from validate_volume(value)
    old_spec, spec = live.get("spec") or {}, value.get("spec") or {}
    sent_spec = sent.get("spec") or {}
    sources = [
        {key: item for key, item in each.items() if key not in NOT_A_SOURCE} for each in (old_spec, spec, sent_spec)
    ]
    if sources[0] != sources[1] and not _only_adds_expand_secret(sources[0], sources[1]):
        difference = go_values.diff_values("PersistentVolumeSource", sources[0], sources[2])
        yield causes.forbidden("spec.persistentvolumesource", f"{_VOLUME_IS_IMMUTABLE}\n{difference}")
    # Upstream's path lacks `spec`.
    yield from validate_immutable_field("volumeMode", old_spec.get("volumeMode"), spec.get("volumeMode"))
    old, new = old_spec.get("nodeAffinity"), spec.get("nodeAffinity")
    if old is not None and _replace_beta_labels(old, new) != new:
        affinity = None if new is None else go_values.to_go_value("VolumeNodeAffinity", sent_spec["nodeAffinity"])
        detail = f"{causes.IMMUTABLE}, except for updating from beta label to GA"
        yield causes.invalid("nodeAffinity", affinity, detail)
    if old_spec.get("volumeAttributesClassName") is not None and spec.get("volumeAttributesClassName") is None:
        yield causes.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")


def _replace_beta_labels(old_affinity: Object, new_affinity: Any) -> Any:
    """Return the old node affinity with the key changes that an update may make: from a beta label to its GA label.

    Upstream looks up the GA label of each old key. For other keys it finds "", so an update may also remove such a key.

    Source: getMaskNodeSelectorLabelChangeEqualities.
    """
    old, new = ((each or {}).get("required") or {} for each in (old_affinity, new_affinity))
    terms = [dict(each) for each in old.get("nodeSelectorTerms") or ()]
    for term, other in zip(terms, new.get("nodeSelectorTerms") or (), strict=False):
        for part in ("matchExpressions", "matchFields"):
            if term.get(part):
                others = [*(other.get(part) or ()), *([{}] * len(term[part]))]
                term[part] = [
                    _replace_beta_label(expression, other)
                    for expression, other in zip(term[part], others, strict=False)
                ]
    return {**old_affinity, "required": {**old, "nodeSelectorTerms": terms}}


def _replace_beta_label(old: Object, new: Object) -> Object:
    key = str(new.get("key") or "")
    is_allowed = new.get("operator") is not None and _GA_LABELS.get(str(old.get("key") or ""), "") == key
    return {**old, "key": new.get("key", "")} if is_allowed else old


def _only_adds_expand_secret(old_source: Object, new_source: Object) -> bool:
    """Return True if the only change is a first `controllerExpandSecretRef`."""
    key, old, new = "controllerExpandSecretRef", old_source.get("csi") or {}, new_source.get("csi") or {}
    return key not in old and {**new_source, "csi": {k: v for k, v in new.items() if k != key}} == old_source


def validate_claim_update(live: Object, value: Object, sent: Object) -> Iterator[Cause]:
    """Source: ValidatePersistentVolumeClaimUpdate."""
    yield from validate_claim(value)
    old_spec, spec = live.get("spec") or {}, value.get("spec") or {}
    before, after = (str(_get_class_annotation(each) or "") for each in (live, value))
    if before != after and not _moves_class_to_field(live, value):
        yield causes.invalid(f"metadata.annotations.{CLASS_ANNOTATION}", after, "field is immutable")
    old, new = _align_mutable_fields(live, spec)
    if old != new:
        difference = go_values.diff_values(
            "PersistentVolumeClaimSpec", *_align_mutable_fields(live, sent.get("spec") or {})
        )
        yield causes.forbidden("spec", f"{_CLAIM_IS_IMMUTABLE}\n{difference}")
    amounts = [((each.get("resources") or {}).get("requests") or {}).get("storage") for each in (old_spec, spec)]
    capacity = nano(((live.get("status") or {}).get("capacity") or {}).get("storage") or 0)
    if nano(amounts[1] or 0) < nano(amounts[0] or 0) and nano(amounts[1] or 0) <= capacity:
        yield causes.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")
    # Upstream's path lacks `spec`.
    yield from validate_immutable_field("volumeMode", old_spec.get("volumeMode"), spec.get("volumeMode"))


def _get_class_annotation(value: Object) -> Any:
    """Return the storage class from the legacy annotation, or None."""
    return ((value.get("metadata") or {}).get("annotations") or {}).get(CLASS_ANNOTATION)


def _moves_class_to_field(live: Object, value: Object) -> bool:
    """Return whether an update moves the class from the annotation to the field.

    Source: validateStorageClassUpgradeFromAnnotation.
    """
    class_name, old_spec, spec = _get_class_annotation(live), live.get("spec") or {}, value.get("spec") or {}
    is_moved = old_spec.get("storageClassName") is None and spec.get("storageClassName") == class_name
    return class_name is not None and is_moved and _get_class_annotation(value) in (None, class_name)


def _align_mutable_fields(live: Object, spec: Object) -> tuple[Object, Object]:
    """Return the old and the new spec without the differences that an update may make."""
    old_spec = live.get("spec") or {}
    is_bound = (live.get("status") or {}).get("phase") == "Bound"
    old, new = (dict(each) for each in (old_spec, spec))
    if not old.get("volumeName") and new.get("volumeName"):
        # Binding sets the volume's name.
        old["volumeName"] = new["volumeName"]
    if old.get("storageClassName") is None and _get_class_annotation(live) in (None, new.get("storageClassName")):
        # An update may set an unset class. It must be the class of the legacy annotation, if there is one.
        new["storageClassName"] = None
    resources = new.get("resources") or {}
    if is_bound and resources.get("requests"):
        amount = ((old_spec.get("resources") or {}).get("requests") or {}).get("storage")
        new["resources"] = {**resources, "requests": {**resources["requests"], "storage": amount}}
    if is_bound:
        new["volumeAttributesClassName"] = old.get("volumeAttributesClassName")
    before, after = ({key: item for key, item in each.items() if item is not None} for each in (old, new))
    return before, after


def validate_storage_class_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_storage_class(value)
    for key in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"):
        yield from validate_immutable_field(key, live.get(key), value.get(key))
