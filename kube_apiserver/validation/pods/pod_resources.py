"""What a pod asks for as a whole. Source: pkg/apis/core/validation validatePodResources."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.built_in.amounts import nano, summed
from kube_apiserver.causes import Cause
from kube_apiserver.validation import resources
from kube_apiserver.validation.pods.volumes import names_of
from kube_objects import names

Object = Mapping[str, Any]

_SUPPORTED = ("cpu", names.HUGE_PAGES_PREFIX, "memory")


def of_pod(spec: Object, path: str) -> Iterator[Cause]:
    given = spec.get("resources")
    if given is None:
        return
    if (spec.get("os") or {}).get("name") == "windows":
        yield causes.forbidden(path, "may not be set for a windows pod")
        return
    if given.get("claims") is not None:
        yield causes.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
    yield from resources.requirements(given, path, names_of(spec.get("resourceClaims")), _name)
    yield from _no_less_than_containers(spec, given, path)


def _name(name: str, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceName."""
    wrong = list(resources.any_resource_name(name, path))
    yield from wrong
    if not wrong and not names.is_pod_level_resource(name):
        yield causes.unsupported(path, name, _SUPPORTED)


def _no_less_than_containers(spec: Object, given: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceConsistency."""
    of_containers = {**spec, "resources": {}}
    for which in ("requests", "limits"):
        own = given.get(which) or {}
        for name, total in sorted(summed(of_containers, which).items()):
            is_compared = which == "requests" or name.startswith(names.HUGE_PAGES_PREFIX)
            if is_compared and name in own and total.nano > nano(own[name]):
                detail = f"must be greater than or equal to aggregate container {which} of {total}"
                yield causes.invalid(f"{path}.{which}[{name}]", str(own[name]), detail)
    for number, each in enumerate(spec.get("containers") or ()):
        for name, amount in sorted(((each.get("resources") or {}).get("limits") or {}).items()):
            most = (given.get("limits") or {}).get(name)
            if most is not None and nano(amount) > nano(most):
                # The path is as odd upstream.
                at = f"{path}.containers[{number}][{name}].limits"
                yield causes.invalid(at, str(amount), f"must be less than or equal to pod limits of {most}")
