"""DynamicResources: fewer devices, another claim, or let those go that hold devices on the node."""

from collections.abc import Iterable
from typing import Any

from scheduler_core.edits.edit import Change, Edit, put, thawed
from scheduler_core.edits.other_edits import object_edit, pods_there, smallest_sets, without_pods
from scheduler_core.edits.pod_edits import pod_edit
from scheduler_core.edits.question import Need, Question
from scheduler_core.objects.devices import EXACT_COUNT, ResourceClaim
from scheduler_core.objects.pod import Pod, PodClaim
from scheduler_core.sentences import Template

FEWER = Template("Let the claim {claim} ask for {to} devices instead of {before}")
OTHER_CLASS = Template("Let the claim {claim} ask for devices of the class {to} instead of {before}")
OTHER_CLAIM = Template("Use the resource claim {to} instead of {claim}")
NO_CLAIM = Template("Do without the resource claim {claim}")
IMMUTABLE = Template("A resource claim's spec cannot be changed: it is made anew, and so is its template")
_MOST = 6


def needs(question: Question) -> list[Need]:
    """The claims that have no devices yet are looked at together: which of them is in the way does not show."""
    pairs = [(entry, claim_of(question, entry)) for entry in question.pod.resource_claims]
    missing = [entry for entry, claim in pairs if claim is None and _is_needed(question.pod, entry)]
    if missing:
        return [question.need(*_other_claims(question, entry), _none(question, entry)) for entry in missing]
    options: list[Iterable[Edit | None] | Edit | None] = []
    for entry, claim in pairs:
        if claim is not None:
            options += _fewer(question, claim)
            options += _other_classes(question, claim)
            options += [*_other_claims(question, entry), _none(question, entry)]
    if question.node is not None:
        holders = [pod for pod in pods_there(question.node) if pod.resource_claims]
        options += without_pods(question, smallest_sets(question, holders, lambda pods: len(pods) == 1))
        if len(holders) > 1:
            options += without_pods(question, [holders])
    return [question.need(*options)]


def claim_of(question: Question, entry: PodClaim) -> ResourceClaim | None:
    name = entry.claim or question.pod.claim_names.get(entry.name)
    found = question.lister.get("ResourceClaim", f"{question.pod.namespace}/{name}") if name else None
    return found if isinstance(found, ResourceClaim) else None


def _is_needed(pod: Pod, entry: PodClaim) -> bool:
    return bool(entry.claim) or entry.name not in pod.claim_names or pod.claim_names[entry.name] is not None


def _fewer(question: Question, claim: ResourceClaim) -> list[Edit | None]:
    found: list[Edit | None] = []
    for i, request in enumerate(claim.requests):
        if request.alternatives or request.mode != EXACT_COUNT or request.count < 2:
            continue
        for count in range(request.count - 1, 0, -1):
            told = FEWER(claim=claim.name, to=count, before=request.count)
            change = _exactly(i, count=count)
            tie = float(request.count - count)
            found.append(_claim_edit(question, claim, i, "fewer_devices", told, change, request.count, count, tie))
    return found


def _other_classes(question: Question, claim: ResourceClaim) -> list[Edit | None]:
    classes = [found.name for found in question.lister.list("DeviceClass")][:_MOST]
    found: list[Edit | None] = []
    for i, request in enumerate(claim.requests):
        for name in classes if not request.alternatives else ():
            if name != request.class_name:
                told = OTHER_CLASS(claim=claim.name, to=name, before=request.class_name)
                change = _exactly(i, deviceClassName=name)
                found.append(_claim_edit(question, claim, i, "claim_class", told, change, request.class_name, name))
    return found


def _claim_edit(
    question: Question,
    claim: ResourceClaim,
    i: int,
    kind: str,
    told: Any,
    change: Change,
    before: Any,
    after: Any,
    tie: float = 0.0,
) -> Edit | None:
    path = f"spec.devices.requests.{i}"
    return object_edit(question, claim, kind, path, told, change, before=before, after=after, tie=tie, note=IMMUTABLE())


def _exactly(i: int, **fields: Any) -> Change:
    """Some fields of a request; in older versions of the API they stand in the request itself."""

    def change(manifest: dict[str, Any]) -> None:
        request = manifest["spec"]["devices"]["requests"][i]
        for name, value in fields.items():
            put(*(("exactly",) if "exactly" in request else ()), name, value=value)(request)

    return change


def _other_claims(question: Question, entry: PodClaim) -> list[Edit | None]:
    pod, lister = question.pod, question.lister
    used = {one.claim for other in lister.list("Pod", pod.namespace) for one in other.resource_claims}
    free = [
        claim.name
        for claim in lister.list("ResourceClaim", pod.namespace)
        if claim.name not in used and claim.controller is None
    ]
    return [_entry_edit(question, entry, "other_claim", name) for name in free[:_MOST]]


def _none(question: Question, entry: PodClaim) -> Edit | None:
    return _entry_edit(question, entry, "drop_claim", None)


def _entry_edit(question: Question, entry: PodClaim, kind: str, name: str | None) -> Edit | None:
    before = entry.claim or entry.template or entry.name
    told = NO_CLAIM(claim=before) if name is None else OTHER_CLAIM(claim=before, to=name)

    def change(manifest: dict[str, Any]) -> None:
        spec = manifest["spec"]
        entries = thawed(spec.get("resourceClaims") or ())
        if name is not None:
            swapped = {"name": entry.name, "resourceClaimName": name}
            spec["resourceClaims"] = [swapped if one["name"] == entry.name else one for one in entries]
            return
        put("spec", "resourceClaims", value=[one for one in entries if one["name"] != entry.name] or None)(manifest)
        for part in ("containers", "initContainers"):
            for container in spec.get(part) or ():
                claims = (container.get("resources") or {}).get("claims")
                if claims:
                    container["resources"]["claims"] = [one for one in claims if one.get("name") != entry.name]

    path = f"spec.resourceClaims.{entry.name}"
    return pod_edit(question, kind, path, told, change, before=before, after=name)
