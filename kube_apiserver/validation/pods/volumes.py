"""Volumes of a Pod, projected ones included, and their mounts in containers.

Source: pkg/apis/core/validation ValidateVolumes, ValidateVolumeMounts, ValidateVolumeDevices.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, remote_disks, texts
from kube_apiserver.validation.metadata import broken
from kube_apiserver.validation.pods import environment
from kube_objects import names

Object = Mapping[str, Any]

_NEEDED: Mapping[str, str] = {"persistentVolumeClaim": "claimName", "gitRepo": "repository"}
# In upstream's order: of several it looks into the first.
_KINDS = (
    *("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi"),
    *("glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc"),
    *("flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk"),
    *("storageos", "projected", "scaleIO", "csi", "ephemeral", "image"),
)
_SHOWN_NAMES = {"gcePersistentDisk": "persistentDisk"}
# Where one is too many, upstream writes two of them in its own way.
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


def volumes(given: Any, path: str, pod: str = "", *, is_pod: bool = False) -> tuple[list[Cause], Mapping[str, Object]]:
    """What is wrong, and those that are right, which mounts may name; `pod`: the pod's name, not of a template."""
    found: list[Cause] = []
    made = {f"{pod}-{each.get('name')}" for each in given or () if pod and each.get("ephemeral") is not None}
    right: dict[str, Object] = {}
    for number, each in enumerate(given or ()):
        at, name = f"{path}[{number}]", str(each.get("name") or "")
        wrong = [*_sources(each, at, pod, is_pod=is_pod)]
        if name:
            wrong += broken(f"{at}.name", name, names.dns_label(name))
        else:
            wrong.append(causes.required(f"{at}.name"))
        if name in right:
            wrong.append(causes.duplicate(f"{at}.name", name))
        if not wrong:
            right[name] = each
        found += wrong
        claim = (each.get("persistentVolumeClaim") or {}).get("claimName")
        if claim in made:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            found.append(causes.invalid(f"{at}.persistentVolumeClaim.claimName", claim, detail))
    return found, right


def _sources(volume: Object, path: str, pod: str, *, is_pod: bool) -> Iterator[Cause]:
    """Of several only the first is looked into."""
    found = [key for key in _KINDS if volume.get(key) is not None]
    if not found:
        yield causes.required(path, "must specify a volume type")
        return
    yield from _source(found[0], volume[found[0]], f"{path}.{_SHOWN_NAMES.get(found[0], found[0])}", is_pod=is_pod)
    for key in found[1:]:
        yield causes.forbidden(f"{path}.{_NAMES_OF_MORE.get(key, key)}", "may not specify more than 1 volume type")
    claim = f"{pod}-{volume.get('name')}"
    if found[0] == "ephemeral" and pod and volume.get("name"):
        for rule in filter(None, [names.dns_subdomain(claim)]):
            yield causes.invalid(f"{path}.name", volume["name"], f'PVC name "{claim}": {rule}')


def _source(kind: str, source: Object, path: str, *, is_pod: bool) -> Iterator[Cause]:
    needed = _NEEDED.get(kind)
    if needed and not source.get(needed):
        yield causes.required(f"{path}.{needed}")
    match kind:
        case "emptyDir":
            if source.get("sizeLimit") and nano(source["sizeLimit"]) < 0:
                yield causes.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")
        case "hostPath":
            yield from host_path(source, path)
        case "secret":
            yield from _files(source, path, "secretName")
        case "configMap":
            yield from _files(source, path, "name")
        case "nfs":
            yield from nfs(source, path)
        case "downwardAPI":
            yield from texts.file_mode(source, "defaultMode", path)
            yield from downward(source, path)
        case "projected":
            yield from sources(source, path)
        case "image":
            if is_pod and not source.get("reference"):
                yield causes.required(f"{path}.reference")
            if source.get("pullPolicy") not in (None, "", *_PULL):
                yield causes.unsupported(f"{path}.pullPolicy", source["pullPolicy"], _PULL)
        case "csi":
            yield from claims.driver(source.get("driver"), f"{path}.driver")
            if source.get("nodePublishSecretRef") is not None and not source["nodePublishSecretRef"].get("name"):
                yield causes.required(f"{path}.nodePublishSecretRef.name")
        case "ephemeral":
            template = source.get("volumeClaimTemplate")
            if template is None:
                yield causes.required(f"{path}.volumeClaimTemplate")
            else:
                yield from claims.claim_spec(template.get("spec") or {}, f"{path}.volumeClaimTemplate.spec")
        case _:
            yield from remote_disks.disk(kind, source, path)


def host_path(source: Object, path: str) -> Iterator[Cause]:
    if not source.get("path"):
        yield causes.required(f"{path}.path")
        return
    yield from texts.without_steps_back(str(source["path"]), f"{path}.path")
    if source.get("type") not in (None, *_PATH_TYPES):
        yield causes.unsupported(f"{path}.type", source["type"], _PATH_TYPES)


def nfs(source: Object, path: str) -> Iterator[Cause]:
    if not source.get("server"):
        yield causes.required(f"{path}.server")
    place = str(source.get("path") or "")
    if not place:
        yield causes.required(f"{path}.path")
    if not place.startswith("/"):
        yield causes.invalid(f"{path}.path", place, "must be an absolute path")


def _files(source: Object, path: str, needed: str) -> Iterator[Cause]:
    if not source.get(needed):
        yield causes.required(f"{path}.{needed}")
    yield from texts.file_mode(source, "defaultMode", path)
    yield from keys(source, path)


def mounts(container: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    seen: set[str] = set()
    devices = container.get("volumeDevices") or ()
    taken = {str(each.get("name")): str(each.get("devicePath")) for each in devices}
    for number, each in enumerate(container.get("volumeMounts") or ()):
        at, name, place = f"{path}[{number}]", str(each.get("name") or ""), str(each.get("mountPath") or "")
        if not name:
            yield causes.required(f"{at}.name")
        if name not in known:
            yield causes.not_found(f"{at}.name", name)
        if not place:
            yield causes.required(f"{at}.mountPath")
        if place in seen:
            yield causes.invalid(f"{at}.mountPath", place, "must be unique")
        seen.add(place)
        if name in taken:
            yield causes.invalid(f"{at}.name", name, "must not already exist in volumeDevices")
        if place in taken.values():
            yield causes.invalid(f"{at}.mountPath", place, "must not already exist as a path in volumeDevices")
        yield from _sub_paths(each, path, at)
        yield from _shared(each, container, path)


def _sub_paths(mount: Object, path: str, at: str) -> Iterator[Cause]:
    """Upstream tells of a path that is wrong by that of all mounts."""
    below, expression = str(mount.get("subPath") or ""), str(mount.get("subPathExpr") or "")
    yield from texts.descending(below, f"{path}.subPath")
    if below and expression:
        yield causes.invalid(f"{at}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
    yield from texts.descending(expression, f"{path}.subPathExpr")


def _shared(mount: Object, container: Object, path: str) -> Iterator[Cause]:
    """What is mounted below. Source: validateMountPropagation, validateMountRecursiveReadOnly."""
    propagation, read_only = mount.get("mountPropagation"), mount.get("recursiveReadOnly")
    at = f"{path}.mountPropagation"
    if propagation not in (None, *_PROPAGATION):
        yield causes.unsupported(at, propagation, _PROPAGATION)
    if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
        yield causes.forbidden(at, "Bidirectional mount propagation is available only to privileged containers")
    at = f"{path}.recursiveReadOnly"
    if read_only not in (None, *_READ_ONLY):
        yield causes.unsupported(at, read_only, _READ_ONLY)
    elif read_only in _READ_ONLY[1:]:
        if not mount.get("readOnly"):
            yield causes.forbidden(at, "may only be specified when readOnly is true")
        if propagation not in (None, "None"):
            yield causes.forbidden(at, "may only be specified when mountPropagation is None or not specified")


def devices(container: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """Source: ValidateVolumeDevices."""
    seen: dict[str, list[str]] = {"name": [], "devicePath": []}
    mounted = {str(each.get("name")): str(each.get("mountPath")) for each in container.get("volumeMounts") or ()}
    for number, each in enumerate(container.get("volumeDevices") or ()):
        at, name = f"{path}[{number}]", str(each.get("name") or "")
        if not name:
            yield causes.required(f"{at}.name")
        if name in seen["name"]:
            yield causes.invalid(f"{at}.name", name, "must be unique")
        if name not in known:
            yield causes.not_found(f"{at}.name", name)
        elif not any(known[name].get(kind) for kind in _BLOCK):
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            yield causes.invalid(f"{at}.name", name, detail)
        place = str(each.get("devicePath") or "")
        if not place:
            yield causes.required(f"{at}.devicePath")
        if place in seen["devicePath"]:
            yield causes.invalid(f"{at}.devicePath", place, "must be unique")
        if ".." in place.split("/"):
            yield causes.invalid(f"{at}.devicePath", place, "can not contain backsteps ('..')")
        if name in mounted:
            yield causes.invalid(f"{at}.name", name, "must not already exist in volumeMounts")
        if place in mounted.values():
            yield causes.invalid(f"{at}.devicePath", place, "must not already exist as a path in volumeMounts")
        for key, taken in (("name", name), ("devicePath", place)):
            seen[key].append(taken)


def names_of(given: Any) -> Sequence[str]:
    return [str(each.get("name")) for each in given or ()]


_NAMED = ("secret", "configMap")
_PROJECTED_KINDS = (*_NAMED, "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate")
_SHORTEST, _LONGEST = 10 * 60, 1 << 32


def keys(source: Object, path: str) -> Iterator[Cause]:
    for number, each in enumerate(source.get("items") or ()):
        yield from _key(each, f"{path}.items[{number}]")


def _key(each: Object, path: str) -> Iterator[Cause]:
    for key in ("key", "path"):
        if not each.get(key):
            yield causes.required(f"{path}.{key}")
    yield from texts.not_reserved(str(each.get("path") or ""), f"{path}.path")
    yield from texts.file_mode(each, "mode", path)


def downward(source: Object, path: str) -> Iterator[Cause]:
    """Upstream tells of each file by the path of all of them."""
    for each in source.get("items") or ():
        if not each.get("path"):
            yield causes.required(f"{path}.path")
        yield from texts.not_reserved(str(each.get("path") or ""), f"{path}.path")
        field, amount = each.get("fieldRef"), each.get("resourceFieldRef")
        if field is not None:
            yield from environment.field(field, f"{path}.fieldRef", environment.FIELDS_OF_FILES)
            if amount is not None:
                detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
                yield causes.invalid(path, "resource", detail)
        elif amount is not None:
            yield from environment.amount(amount, f"{path}.resourceFieldRef", is_file=True)
        else:
            yield causes.required(path, "one of fieldRef and resourceFieldRef is required")
        yield from texts.file_mode(each, "mode", path)


def sources(volume: Object, path: str) -> Iterator[Cause]:
    """Of a projected volume: each of one kind, and no path twice."""
    yield from texts.file_mode(volume, "defaultMode", path)
    seen: set[str] = set()
    for number, each in enumerate(volume.get("sources") or ()):
        at = f"{path}.sources[{number}]"
        for kind in _NAMED:
            if each.get(kind) is not None:
                yield from _named(each[kind], f"{at}.{kind}", path, seen)
        if each.get("downwardAPI") is not None:
            yield from downward(each["downwardAPI"], f"{at}.downwardAPI")
            for item in each["downwardAPI"].get("items") or ():
                place = str(item.get("path") or "")
                yield from _once(place, place, path, seen)
        if each.get("serviceAccountToken") is not None:
            yield from _token(each["serviceAccountToken"], f"{at}.serviceAccountToken", path)
        if sum(each.get(kind) is not None for kind in _PROJECTED_KINDS) > 1:
            yield causes.forbidden(at, "may not specify more than 1 volume type per source")


def _named(source: Object, at: str, path: str, seen: set[str]) -> Iterator[Cause]:
    name = str(source.get("name") or "")
    if not name:
        yield causes.required(f"{at}.name")
    for number, each in enumerate(source.get("items") or ()):
        yield from _key(each, f"{at}.items[{number}]")
        yield from _once(str(each.get("path") or ""), name, path, seen)


def _once(place: str, shown: str, path: str, seen: set[str]) -> Iterator[Cause]:
    if place and place in seen:
        yield causes.invalid(path, shown, "conflicting duplicate paths")
    seen.add(place)


def _token(given: Object, at: str, path: str) -> Iterator[Cause]:
    seconds, place = given.get("expirationSeconds") or 0, str(given.get("path") or "")
    if seconds < _SHORTEST:
        yield causes.invalid(f"{at}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
    if seconds > _LONGEST:
        yield causes.invalid(f"{at}.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")
    if not place:
        yield causes.required(f"{path}.path")
    else:
        yield from texts.not_reserved(place, f"{path}.path")


def tokens_without_account(spec: Object, path: str) -> Iterator[Cause]:
    """Of a pod itself. Source: validatePodMetadataAndSpec."""
    if spec.get("serviceAccountName"):
        return
    for number, volume in enumerate(spec.get("volumes") or ()):
        for place, each in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if each.get("serviceAccountToken") is not None:
                at = f"{path}.volumes[{number}].projected.sources[{place}].serviceAccountToken"
                yield causes.forbidden(at, "must not be specified when serviceAccountName is not set")
