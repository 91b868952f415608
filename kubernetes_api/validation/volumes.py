"""Volumes of a pod and where containers see them.

Source: pkg/apis/core/validation ValidateVolumes, ValidateVolumeMounts, ValidateVolumeDevices.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import claims, environment, texts
from kubernetes_api.validation.metadata import broken
from scheduler_core.admission.amounts import nano
from scheduler_core.objects import names

Object = Mapping[str, Any]

_NEEDED = {
    "persistentVolumeClaim": ("claimName",),
    "iscsi": ("targetPortal", "iqn"),
    "gcePersistentDisk": ("pdName",),
    "awsElasticBlockStore": ("volumeID",),
}
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


def volumes(given: Any, path: str) -> tuple[list[Cause], Mapping[str, Object]]:
    """What is wrong, and those that are right, which mounts may name."""
    found: list[Cause] = []
    right: dict[str, Object] = {}
    for number, each in enumerate(given or ()):
        at, name = f"{path}[{number}]", str(each.get("name") or "")
        wrong = [*_sources(each, at)]
        if name:
            wrong += broken(f"{at}.name", name, names.dns_label(name))
        else:
            wrong.append(causes.required(f"{at}.name"))
        if name in right:
            wrong.append(causes.duplicate(f"{at}.name", name))
        if not wrong:
            right[name] = each
        found += wrong
    return found, right


def _sources(volume: Object, path: str) -> Iterator[Cause]:
    """Of several only the first is looked into."""
    found = [key for key in volume if key != "name" and volume[key] is not None]
    if not found:
        yield causes.required(path, "must specify a volume type")
        return
    yield from _source(found[0], volume[found[0]], f"{path}.{found[0]}")
    for key in found[1:]:
        yield causes.forbidden(f"{path}.{key}", "may not specify more than 1 volume type")


def _source(kind: str, source: Object, path: str) -> Iterator[Cause]:
    for key in _NEEDED.get(kind, ()):
        if not source.get(key):
            yield causes.required(f"{path}.{key}")
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
            yield from _downward(source, path)
        case "csi":
            yield from claims.driver(source.get("driver"), f"{path}.driver")
        case "ephemeral":
            template = source.get("volumeClaimTemplate")
            if template is None:
                yield causes.required(f"{path}.volumeClaimTemplate")
            else:
                yield from claims.claim_spec(template.get("spec") or {}, f"{path}.volumeClaimTemplate.spec")


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
    for number, each in enumerate(source.get("items") or ()):
        at = f"{path}.items[{number}]"
        for key in ("key", "path"):
            if not each.get(key):
                yield causes.required(f"{at}.{key}")
        yield from texts.not_reserved(str(each.get("path") or ""), f"{at}.path")
        yield from texts.file_mode(each, "mode", at)


def _downward(source: Object, path: str) -> Iterator[Cause]:
    """Upstream tells of each file by the path of all of them."""
    yield from texts.file_mode(source, "defaultMode", path)
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


def _sub_paths(mount: Object, path: str, at: str) -> Iterator[Cause]:
    """Upstream tells of a path that is wrong by that of all mounts."""
    below, expression = str(mount.get("subPath") or ""), str(mount.get("subPathExpr") or "")
    yield from texts.descending(below, f"{path}.subPath")
    if below and expression:
        yield causes.invalid(f"{at}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
    yield from texts.descending(expression, f"{path}.subPathExpr")


def devices(container: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """Source: ValidateVolumeDevices."""
    seen: dict[str, list[str]] = {"name": [], "devicePath": []}
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
        for key, taken in (("name", name), ("devicePath", place)):
            seen[key].append(taken)


def names_of(given: Any) -> Sequence[str]:
    return [str(each.get("name")) for each in given or ()]
