"""Validation rules of devices that scheduling doesn't need, applied to user input.

Source: pkg/apis/resource/validation.
"""

from collections.abc import Iterable, Mapping

from kube_objects import field_errors, read
from kube_objects.read import Manifest, Problems
from kube_objects.text.problems import Problem


def device_class(manifest: Manifest, problems: Problems) -> None:
    _selectors(_inside(manifest, "spec"), "spec", problems)


def claim(manifest: Manifest, problems: Problems) -> None:
    _check_requests(_inside(manifest, "spec"), "spec", problems)


def claim_template(manifest: Manifest, problems: Problems) -> None:
    _check_requests(_inside(manifest, "spec", "spec"), "spec.spec", problems)


def resource_slice(manifest: Manifest, problems: Problems) -> None:
    spec = _inside(manifest, "spec")
    _named_once(read.mappings(spec, "devices", "spec", problems), problems)
    _named_once(read.mappings(spec, "sharedCounters", "spec", problems), problems)


def _check_requests(spec: Manifest, path: str, problems: Problems) -> None:
    devices = _inside(spec, "devices")
    _named_once(read.mappings(devices, "requests", f"{path}.devices", problems), problems)
    for request_path, request in read.mappings(devices, "requests", f"{path}.devices", problems):
        _selectors(_inside(request, "exactly"), f"{request_path}.exactly", problems)
        alternatives = list(read.mappings(request, "firstAvailable", request_path, problems))
        _named_once(alternatives, problems)
        for alternative_path, alternative in alternatives:
            _selectors(alternative, alternative_path, problems)


def _selectors(parent: Manifest, path: str, problems: Problems) -> None:
    for selector_path, selector in read.mappings(parent, "selectors", path, problems):
        from kube_objects.expressions import why_not_compiled  # its library takes 0.2 s, and few need it

        expression = str(_inside(selector, "cel").get("expression") or "")
        # Below its first line the compiler draws the expression, which stands beside it here.
        if wrong := why_not_compiled(expression).partition("\n")[0]:
            problems.append(Problem(f"{selector_path}.cel.expression", expression, wrong))


def _named_once(entries: Iterable[tuple[str, Manifest]], problems: Problems) -> None:
    seen = set()
    for path, entry in entries:
        name = str(entry.get("name"))
        if name in seen:
            problems.append(field_errors.duplicate(f"{path}.name", name))
        seen.add(name)


def _inside(parent: Manifest, *path: str) -> Manifest:
    """Return the mapping at the path. Its parser reports other values."""
    for key in path:
        found = parent.get(key)
        parent = found if isinstance(found, Mapping) else {}
    return parent
