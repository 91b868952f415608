"""Validation of metadata: names, labels, annotations, owners, finalizers, and immutable fields.

Source: apimachinery/pkg/api/validation/objectmeta.go, apimachinery/pkg/apis/meta/v1/validation.
"""

import ipaddress
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_objects import names

Object = Mapping[str, Any]
NameRule = Callable[[str], str]

MOST_ANNOTATIONS = 256 * 1024
LABELLED = frozenset(["Namespace", "StatefulSet"])
_SERVICES = frozenset(["Service"])
# Names of these kinds need only be valid path segments.
_ANY_PATH = frozenset(["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "Event", "PodDisruptionBudget"])
_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")


def find_path_segment_error(name: str) -> str:
    """Return the error message for a name that is no path segment, or "".

    Source: apimachinery/pkg/api/validation/path.
    """
    if name in (".", ".."):
        return f"may not be '{name}'"
    return next((f"may not contain '{sign}'" for sign in "/%" if sign in name), "")


# Kinds whose names are validated again on update. The list was measured with kube-apiserver v1.36.2.
_NAMED_AGAIN = frozenset(
    [
        *(
            "CSINode",
            "CSIStorageCapacity",
            "ConfigMap",
            "ControllerRevision",
            "EndpointSlice",
            "Endpoints",
            "FlowSchema",
        ),
        *("IPAddress", "Ingress", "IngressClass", "Job", "LimitRange", "MutatingWebhookConfiguration", "Namespace"),
        *("Node", "PersistentVolume", "PersistentVolumeClaim", "Pod", "PriorityLevelConfiguration", "ResourceClaim"),
        *("ResourceClaimTemplate", "RuntimeClass", "Secret", "ServiceAccount", "StorageClass"),
        *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"),
        *("VolumeAttachment", "VolumeAttributesClass"),
    ]
)


def _find_address_error(name: str) -> str:
    """Return the error message for the name of an IPAddress, or "". Source: validation.IsValidIP."""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return "must not be an IPv4-mapped IPv6 address"
    return "" if str(address) == name else f'must be in canonical form ("{address}")'


def get_name_rule(kind: str) -> NameRule:
    if kind == "IPAddress":
        return _find_address_error
    if kind in LABELLED:
        return names.dns_label
    if kind in _SERVICES:
        return names.dns_label
    return find_path_segment_error if kind in _ANY_PATH else names.dns_subdomain


def validate_new_metadata(kind: str, value: Object) -> Iterator[Cause]:
    metadata = value["metadata"]
    rule, name = get_name_rule(kind), str(metadata.get("name") or "")
    yield from _validate_generate_name(metadata, rule)
    if name:
        yield from report_broken_rules("metadata.name", name, rule(name))
    else:
        yield causes.required("metadata.name", "name or generateName is required")
    yield from validate_common_metadata(metadata)


def revalidate_generate_name(kind: str, value: Object) -> Iterator[Cause]:
    """Validate `generateName` of an updated object. The name itself is immutable."""
    if kind in _NAMED_AGAIN:
        yield from _validate_generate_name(value["metadata"], get_name_rule(kind))


def _validate_generate_name(metadata: Object, rule: NameRule) -> Iterator[Cause]:
    """Validate `generateName`. It may end with a dash, because random characters follow."""
    prefix = metadata.get("generateName")
    if prefix:
        yield from report_broken_rules(
            "metadata.generateName", prefix, rule(f"{prefix[:-1]}a" if prefix[-1:] == "-" else prefix)
        )


def validate_common_metadata(metadata: Object, path: str = "metadata") -> Iterator[Cause]:
    if (metadata.get("generation") or 0) < 0:
        yield causes.invalid(f"{path}.generation", metadata["generation"], causes.NOT_NEGATIVE)
    yield from validate_labels(metadata.get("labels"), f"{path}.labels")
    yield from validate_annotations(metadata.get("annotations"), f"{path}.annotations")
    yield from _validate_owners(metadata.get("ownerReferences"), f"{path}.ownerReferences")
    yield from _validate_finalizers(metadata.get("finalizers"), f"{path}.finalizers")


def validate_labels(labels: Any, path: str) -> Iterator[Cause]:
    for name, value in sorted((labels or {}).items()):
        yield from report_broken_rules(path, name, names.qualified_name(name))
        yield from report_broken_rules(path, value, names.label_value(str(value)))


def validate_annotations(annotations: Any, path: str) -> Iterator[Cause]:
    total = 0
    for name, value in sorted((annotations or {}).items()):
        yield from report_broken_rules(path, name, names.qualified_name(name.lower()))
        total += len(name.encode()) + len(str(value).encode())
    if total > MOST_ANNOTATIONS:
        yield causes.too_long(path, MOST_ANNOTATIONS)


def _validate_owners(owners: Any, path: str) -> Iterator[Cause]:
    controllers = []
    for owner in owners or ():
        # Upstream's path has no index.
        version = str(owner.get("apiVersion") or "")
        # With more than one slash, upstream parses neither the version nor the kind.
        is_unreadable = version.count("/") > 1
        if not version or version == "/" or is_unreadable or version.endswith("/"):
            yield causes.invalid(f"{path}.apiVersion", version, "version must not be empty")
        kind = "" if is_unreadable and not owner.get("kind") else owner.get("kind")
        for key, text in (("kind", kind), ("name", owner.get("name")), ("uid", owner.get("uid"))):
            if not text:
                yield causes.invalid(f"{path}.{key}", "", "must not be empty")
        if (version, kind) == ("v1", "Event"):
            yield causes.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            controllers.append(f"{owner.get('kind')}/{owner.get('name')}")
    if len(controllers) > 1:
        detail = (
            f'Only one reference can have Controller set to true. Found "true" in references for {controllers[0]} and'
        )
        yield causes.invalid(path, list(owners), f"{detail} {controllers[1]}")


def _validate_finalizers(finalizers: Any, path: str) -> Iterator[Cause]:
    for name in finalizers or ():
        yield from report_broken_rules(path, name, names.qualified_name(str(name)))
    if {"orphan", "foregroundDeletion"} <= set(finalizers or ()):
        yield causes.invalid(path, list(finalizers), "finalizer orphan and foregroundDeletion cannot be both set")


def validate_builtin_finalizers(metadata: Object) -> Iterator[Cause]:
    """Validate finalizers of a built-in kind. Source: validateKubeFinalizerName."""
    for number, name in enumerate(metadata.get("finalizers") or ()):
        yield from validate_finalizer_name(name, f"metadata.finalizers[{number}]")


def validate_finalizer_name(name: str, path: str) -> Iterator[Cause]:
    if "/" not in name and name not in _FINALIZERS:
        yield causes.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")


def validate_metadata_update(live: Object, value: Object) -> Iterator[Cause]:
    """Source: rest.validateCommonFields."""
    was, metadata = live["metadata"], value["metadata"]
    yield from _validate_generate_name(metadata, lambda prefix: find_path_segment_error(f"{prefix}a"))
    yield from validate_common_metadata(metadata)
    if was.get("deletionTimestamp"):
        new = [each for each in metadata.get("finalizers") or () if each not in (was.get("finalizers") or ())]
        if new:
            written = f"[]string{{{', '.join(json.dumps(each) for each in new)}}}"
            detail = f"no new finalizers can be added if the object is being deleted, found new finalizers {written}"
            yield causes.forbidden("metadata.finalizers", detail)
    for key in ("name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"):
        if metadata.get(key) != was.get(key):
            yield causes.invalid(f"metadata.{key}", metadata.get(key), causes.IMMUTABLE)


def validate_label_selector(selector: Any, path: str) -> Iterator[Cause]:
    """Source: ValidateLabelSelector."""
    if not isinstance(selector, Mapping):
        return
    yield from validate_labels(selector.get("matchLabels"), f"{path}.matchLabels")
    for number, requirement in enumerate(selector.get("matchExpressions") or ()):
        requirement_path, operator, values = (
            f"{path}.matchExpressions[{number}]",
            requirement.get("operator"),
            requirement.get("values") or [],
        )
        if operator in ("In", "NotIn"):
            if not values:
                yield causes.required(
                    f"{requirement_path}.values", "must be specified when `operator` is 'In' or 'NotIn'"
                )
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                yield causes.forbidden(f"{requirement_path}.values", detail)
        else:
            yield causes.invalid(f"{requirement_path}.operator", operator or "", "not a valid selector operator")
        yield from report_broken_rules(
            f"{requirement_path}.key",
            str(requirement.get("key") or ""),
            names.qualified_name(str(requirement.get("key") or "")),
        )
        for place, value in enumerate(values):
            yield from report_broken_rules(f"{requirement_path}.values[{place}]", value, names.label_value(str(value)))


def report_broken_rules(path: str, value: Any, rules: str) -> Iterator[Cause]:
    """Yield a cause for each rule that a value breaks. `rules` are error messages joined by "; "."""
    yield from (causes.invalid(path, value, rule) for rule in filter(None, str(rules).split("; ")))


def validate_unique_name(path: str, name: str, seen: set[str]) -> Iterator[Cause]:
    """Validate a DNS label that must be unique in its list. `seen` holds the earlier names; this name is added."""
    if not name:
        yield causes.required(path)
    else:
        yield from report_broken_rules(path, name, names.dns_label(name))
    if name in seen:
        yield causes.duplicate(path, name)
    seen.add(name)


def validate_immutable_field(path: str, was: Any, is_now: Any) -> Sequence[Cause]:
    return () if (was or None) == (is_now or None) else (causes.invalid(path, is_now, causes.IMMUTABLE),)
