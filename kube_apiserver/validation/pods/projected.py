"""Files that a volume is made of: keys of a ConfigMap or a Secret, fields of the pod, tokens.

Source: pkg/apis/core/validation validateKeyToPath, validateDownwardAPIVolumeFile, validateProjectionSources.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import texts
from kube_apiserver.validation.pods import environment

Object = Mapping[str, Any]

_NAMED = ("secret", "configMap")
_KINDS = (*_NAMED, "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate")
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
        if sum(each.get(kind) is not None for kind in _KINDS) > 1:
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
