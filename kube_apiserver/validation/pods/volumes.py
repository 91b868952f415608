"""Validation of a Pod's volumes, their projected sources, and their mounts in containers.

Source: pkg/apis/core/validation ValidateVolumes, ValidateVolumeMounts, ValidateVolumeDevices.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, remote_disks, texts
from kube_apiserver.validation.metadata import report_broken_rules
from kube_apiserver.validation.pods import environment
from kube_objects import names

Object = Mapping[str, Any]

_NEEDED: Mapping[str, str] = {"persistentVolumeClaim": "claimName", "gitRepo": "repository"}
# In upstream's order: of several sources, upstream validates only the first.
_KINDS = (
    *("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi"),
    *("glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc"),
    *("flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk"),
    *("storageos", "projected", "scaleIO", "csi", "ephemeral", "image"),
)
_SHOWN_NAMES = {"gcePersistentDisk": "persistentDisk"}
# If a volume has several sources, upstream spells these two differently.
_NAMES_OF_MORE = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_PULL = ("Always", "IfNotPresent", "Never")
_PROPAGATION = ("Bidirectional", "HostToContainer", "None")
_READ_ONLY = ("Disabled", "Enabled", "IfPossible")
_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_BLOCK = ("persistentVolumeClaim", "ephemeral")


def validate_volumes(
    volumes: Any, path: str, pod: str = "", *, is_pod: bool = False
) -> tuple[list[Cause], Mapping[str, Object]]:
    """Return the causes, and the valid volumes by name. `pod` is the Pod's name, or "" for a template."""
    problems: list[Cause] = []
    ephemeral_claims = {
        f"{pod}-{volume.get('name')}" for volume in volumes or () if pod and volume.get("ephemeral") is not None
    }
    valid: dict[str, Object] = {}
    for number, volume in enumerate(volumes or ()):
        volume_path, name = f"{path}[{number}]", str(volume.get("name") or "")
        wrong = [*_validate_volume_source(volume, volume_path, pod, is_pod=is_pod)]
        if name:
            wrong += report_broken_rules(f"{volume_path}.name", name, names.dns_label(name))
        else:
            wrong.append(causes.required(f"{volume_path}.name"))
        if name in valid:
            wrong.append(causes.duplicate(f"{volume_path}.name", name))
        if not wrong:
            valid[name] = volume
        problems += wrong
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim in ephemeral_claims:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            problems.append(causes.invalid(f"{volume_path}.persistentVolumeClaim.claimName", claim, detail))
    return problems, valid


def _validate_volume_source(volume: Object, path: str, pod: str, *, is_pod: bool) -> Iterator[Cause]:
    """Validate a volume's source. If several are set, only the first is validated, as upstream does."""
    set_kinds = [key for key in _KINDS if volume.get(key) is not None]
    if not set_kinds:
        yield causes.required(path, "must specify a volume type")
        return
    yield from _validate_source_of_kind(
        set_kinds[0], volume[set_kinds[0]], f"{path}.{_SHOWN_NAMES.get(set_kinds[0], set_kinds[0])}", is_pod=is_pod
    )
    for key in set_kinds[1:]:
        yield causes.forbidden(f"{path}.{_NAMES_OF_MORE.get(key, key)}", "may not specify more than 1 volume type")
    claim = f"{pod}-{volume.get('name')}"
    if set_kinds[0] == "ephemeral" and pod and volume.get("name"):
        for rule in filter(None, [names.dns_subdomain(claim)]):
            yield causes.invalid(f"{path}.name", volume["name"], f'PVC name "{claim}": {rule}')


def _validate_source_of_kind(kind: str, source: Object, path: str, *, is_pod: bool) -> Iterator[Cause]:
    needed = _NEEDED.get(kind)
    if needed and not source.get(needed):
        yield causes.required(f"{path}.{needed}")
    match kind:
        case "emptyDir":
            if source.get("sizeLimit") and nano(source["sizeLimit"]) < 0:
                yield causes.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")
        case "hostPath":
            yield from validate_host_path(source, path)
        case "secret":
            yield from _validate_file_volume(source, path, "secretName")
        case "configMap":
            yield from _validate_file_volume(source, path, "name")
        case "nfs":
            yield from validate_nfs(source, path)
        case "downwardAPI":
            yield from texts.validate_file_mode(source, "defaultMode", path)
            yield from validate_downward_api(source, path)
        case "projected":
            yield from validate_projected_sources(source, path)
        case "image":
            if is_pod and not source.get("reference"):
                yield causes.required(f"{path}.reference")
            if source.get("pullPolicy") not in (None, "", *_PULL):
                yield causes.unsupported(f"{path}.pullPolicy", source["pullPolicy"], _PULL)
        case "csi":
            yield from claims.validate_csi_driver_name(source.get("driver"), f"{path}.driver")
            if source.get("nodePublishSecretRef") is not None and not source["nodePublishSecretRef"].get("name"):
                yield causes.required(f"{path}.nodePublishSecretRef.name")
        case "ephemeral":
            template = source.get("volumeClaimTemplate")
            if template is None:
                yield causes.required(f"{path}.volumeClaimTemplate")
            else:
                yield from claims.validate_claim_spec(template.get("spec") or {}, f"{path}.volumeClaimTemplate.spec")
        case _:
            yield from remote_disks.validate_disk_source(kind, source, path)


def validate_host_path(source: Object, path: str) -> Iterator[Cause]:
    if not source.get("path"):
        yield causes.required(f"{path}.path")
        return
    yield from texts.validate_no_backsteps(str(source["path"]), f"{path}.path")
    if source.get("type") not in (None, *_PATH_TYPES):
        yield causes.unsupported(f"{path}.type", source["type"], _PATH_TYPES)


def validate_nfs(source: Object, path: str) -> Iterator[Cause]:
    if not source.get("server"):
        yield causes.required(f"{path}.server")
    place = str(source.get("path") or "")
    if not place:
        yield causes.required(f"{path}.path")
    if not place.startswith("/"):
        yield causes.invalid(f"{path}.path", place, "must be an absolute path")


def _validate_file_volume(source: Object, path: str, needed: str) -> Iterator[Cause]:
    if not source.get(needed):
        yield causes.required(f"{path}.{needed}")
    yield from texts.validate_file_mode(source, "defaultMode", path)
    yield from validate_key_items(source, path)


def validate_mounts(container: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    seen: set[str] = set()
    devices = container.get("volumeDevices") or ()
    device_paths = {str(mount.get("name")): str(mount.get("devicePath")) for mount in devices}
    for number, mount in enumerate(container.get("volumeMounts") or ()):
        mount_path, name, mount_target = (
            f"{path}[{number}]",
            str(mount.get("name") or ""),
            str(mount.get("mountPath") or ""),
        )
        if not name:
            yield causes.required(f"{mount_path}.name")
        if name not in known:
            yield causes.not_found(f"{mount_path}.name", name)
        if not mount_target:
            yield causes.required(f"{mount_path}.mountPath")
        if mount_target in seen:
            yield causes.invalid(f"{mount_path}.mountPath", mount_target, "must be unique")
        seen.add(mount_target)
        if name in device_paths:
            yield causes.invalid(f"{mount_path}.name", name, "must not already exist in volumeDevices")
        if mount_target in device_paths.values():
            yield causes.invalid(
                f"{mount_path}.mountPath", mount_target, "must not already exist as a path in volumeDevices"
            )
        yield from _validate_sub_paths(mount, path, mount_path)
        yield from _validate_mount_propagation(mount, container, path)


def _validate_sub_paths(mount: Object, path: str, mount_path: str) -> Iterator[Cause]:
    """Validate `subPath` and `subPathExpr`. Upstream reports an invalid path without the index of the mount."""
    sub_path, expression = str(mount.get("subPath") or ""), str(mount.get("subPathExpr") or "")
    yield from texts.validate_local_descending_path(sub_path, f"{path}.subPath")
    if sub_path and expression:
        yield causes.invalid(f"{mount_path}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
    yield from texts.validate_local_descending_path(expression, f"{path}.subPathExpr")


def _validate_mount_propagation(mount: Object, container: Object, path: str) -> Iterator[Cause]:
    """Validate mount propagation. Source: validateMountPropagation, validateMountRecursiveReadOnly."""
    propagation, read_only = mount.get("mountPropagation"), mount.get("recursiveReadOnly")
    field_path = f"{path}.mountPropagation"
    if propagation not in (None, *_PROPAGATION):
        yield causes.unsupported(field_path, propagation, _PROPAGATION)
    if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
        yield causes.forbidden(field_path, "Bidirectional mount propagation is available only to privileged containers")
    field_path = f"{path}.recursiveReadOnly"
    if read_only not in (None, *_READ_ONLY):
        yield causes.unsupported(field_path, read_only, _READ_ONLY)
    elif read_only in _READ_ONLY[1:]:
        if not mount.get("readOnly"):
            yield causes.forbidden(field_path, "may only be specified when readOnly is true")
        if propagation not in (None, "None"):
            yield causes.forbidden(field_path, "may only be specified when mountPropagation is None or not specified")


def validate_volume_devices(container: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """Source: ValidateVolumeDevices."""
    seen: dict[str, list[str]] = {"name": [], "devicePath": []}
    mounted = {str(device.get("name")): str(device.get("mountPath")) for device in container.get("volumeMounts") or ()}
    for number, device in enumerate(container.get("volumeDevices") or ()):
        item_path, name = f"{path}[{number}]", str(device.get("name") or "")
        if not name:
            yield causes.required(f"{item_path}.name")
        if name in seen["name"]:
            yield causes.invalid(f"{item_path}.name", name, "must be unique")
        if name not in known:
            yield causes.not_found(f"{item_path}.name", name)
        elif not any(known[name].get(kind) for kind in _BLOCK):
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            yield causes.invalid(f"{item_path}.name", name, detail)
        device_path = str(device.get("devicePath") or "")
        if not device_path:
            yield causes.required(f"{item_path}.devicePath")
        if device_path in seen["devicePath"]:
            yield causes.invalid(f"{item_path}.devicePath", device_path, "must be unique")
        if ".." in device_path.split("/"):
            yield causes.invalid(f"{item_path}.devicePath", device_path, "can not contain backsteps ('..')")
        if name in mounted:
            yield causes.invalid(f"{item_path}.name", name, "must not already exist in volumeMounts")
        if device_path in mounted.values():
            yield causes.invalid(
                f"{item_path}.devicePath", device_path, "must not already exist as a path in volumeMounts"
            )
        for key, taken in (("name", name), ("devicePath", device_path)):
            seen[key].append(taken)


def list_names(items: Any) -> Sequence[str]:
    return [str(each.get("name")) for each in items or ()]


_NAMED = ("secret", "configMap")
_PROJECTED_KINDS = (*_NAMED, "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate")
_SHORTEST, _LONGEST = 10 * 60, 1 << 32


def validate_key_items(source: Object, path: str) -> Iterator[Cause]:
    for number, each in enumerate(source.get("items") or ()):
        yield from _validate_key_item(each, f"{path}.items[{number}]")


def _validate_key_item(item: Object, path: str) -> Iterator[Cause]:
    for key in ("key", "path"):
        if not item.get(key):
            yield causes.required(f"{path}.{key}")
    yield from texts.validate_local_non_reserved_path(str(item.get("path") or ""), f"{path}.path")
    yield from texts.validate_file_mode(item, "mode", path)


def validate_downward_api(source: Object, path: str) -> Iterator[Cause]:
    """Validate downward API files. Upstream reports each problem at the path of the whole volume."""
    for item in source.get("items") or ():
        if not item.get("path"):
            yield causes.required(f"{path}.path")
        yield from texts.validate_local_non_reserved_path(str(item.get("path") or ""), f"{path}.path")
        field, amount = item.get("fieldRef"), item.get("resourceFieldRef")
        if field is not None:
            yield from environment.validate_field_selector(field, f"{path}.fieldRef", environment.FIELDS_OF_FILES)
            if amount is not None:
                detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
                yield causes.invalid(path, "resource", detail)
        elif amount is not None:
            yield from environment.validate_resource_field_selector(amount, f"{path}.resourceFieldRef", is_file=True)
        else:
            yield causes.required(path, "one of fieldRef and resourceFieldRef is required")
        yield from texts.validate_file_mode(item, "mode", path)


def validate_projected_sources(volume: Object, path: str) -> Iterator[Cause]:
    """Validate the sources of a projected volume: one kind per source, and unique paths."""
    yield from texts.validate_file_mode(volume, "defaultMode", path)
    seen: set[str] = set()
    for number, source in enumerate(volume.get("sources") or ()):
        source_path = f"{path}.sources[{number}]"
        for kind in _NAMED:
            if source.get(kind) is not None:
                yield from _validate_projected_object(source[kind], f"{source_path}.{kind}", path, seen)
        if source.get("downwardAPI") is not None:
            yield from validate_downward_api(source["downwardAPI"], f"{source_path}.downwardAPI")
            for item in source["downwardAPI"].get("items") or ():
                place = str(item.get("path") or "")
                yield from _validate_unique_path(place, place, path, seen)
        if source.get("serviceAccountToken") is not None:
            yield from _validate_projected_token(
                source["serviceAccountToken"], f"{source_path}.serviceAccountToken", path
            )
        if sum(source.get(kind) is not None for kind in _PROJECTED_KINDS) > 1:
            yield causes.forbidden(source_path, "may not specify more than 1 volume type per source")


def _validate_projected_object(source: Object, source_path: str, path: str, seen: set[str]) -> Iterator[Cause]:
    name = str(source.get("name") or "")
    if not name:
        yield causes.required(f"{source_path}.name")
    for number, item in enumerate(source.get("items") or ()):
        yield from _validate_key_item(item, f"{source_path}.items[{number}]")
        yield from _validate_unique_path(str(item.get("path") or ""), name, path, seen)


def _validate_unique_path(file_path: str, shown: str, path: str, seen: set[str]) -> Iterator[Cause]:
    if file_path and file_path in seen:
        yield causes.invalid(path, shown, "conflicting duplicate paths")
    seen.add(file_path)


def _validate_projected_token(token: Object, token_path: str, path: str) -> Iterator[Cause]:
    seconds, file_path = token.get("expirationSeconds") or 0, str(token.get("path") or "")
    if seconds < _SHORTEST:
        yield causes.invalid(
            f"{token_path}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"
        )
    if seconds > _LONGEST:
        yield causes.invalid(
            f"{token_path}.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds"
        )
    if not file_path:
        yield causes.required(f"{path}.path")
    else:
        yield from texts.validate_local_non_reserved_path(file_path, f"{path}.path")


def validate_tokens_have_account(spec: Object, path: str) -> Iterator[Cause]:
    """Reject projected tokens in a Pod without a service account. Source: validatePodMetadataAndSpec."""
    if spec.get("serviceAccountName"):
        return
    for number, volume in enumerate(spec.get("volumes") or ()):
        for source_number, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if source.get("serviceAccountToken") is not None:
                token_path = f"{path}.volumes[{number}].projected.sources[{source_number}].serviceAccountToken"
                yield causes.forbidden(token_path, "must not be specified when serviceAccountName is not set")
