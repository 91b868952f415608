"""Repairs for DynamicResources: fewer devices, another claim, or move the pods that hold devices on the node."""

import copy
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Any

from kube_objects.devices import EXACT_COUNT, ResourceClaim
from kube_objects.parse import parse_pod
from kube_objects.pod import Pod, PodClaim
from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.dra.errors import AllocationError, NodeAllocationError
from scheduler_core.dra.extended import build_requests, classes_by_resource
from scheduler_core.edits.edit import Change, Edit, Edits, apply_changes, mutable_copy, set_value
from scheduler_core.edits.object_edits import find_minimal_sets, make_object_edit, remove_pods, running_pods
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources
from scheduler_core.plugins.dynamic_resources.state import STATE_KEY, State
from scheduler_core.plugins.dynamic_resources.ways import (
    MOST_WAYS,
    Allocates,
    ClaimVariant,
    find_minimal_variants,
    list_claim_variants,
)
from scheduler_core.plugins.node_resources.fit_repairs import lower_request

FEWER = Template("Let the claim {claim} ask for {to} devices instead of {before}")
OTHER_CLASS = Template("Let the claim {claim} ask for devices of the class {to} instead of {before}")
OTHER_CLAIM = Template("Use the resource claim {to} instead of {claim}")
NO_CLAIM = Template("Do without the resource claim {claim}")
IMMUTABLE = Template("A resource claim's spec cannot be changed: it is made anew, and so is its template")
_MOST = 6
# A claim with the entry in which the pod names it. A claim in two entries is allocated twice; each may change alone.
Held = tuple[ResourceClaim, PodClaim]


def needs(question: Question) -> list[Need]:
    pairs = [(entry, claim_of(question, entry)) for entry in question.pod.resource_claims]
    missing = [entry for entry, claim in pairs if claim is None and _is_needed(question.pod, entry)]
    if missing:
        return [question.need(*_other_claims(question, entry), _drop_claim(question, entry)) for entry in missing]
    entries = [(claim, entry) for entry, claim in pairs if claim is not None]
    data: State | None = question.state.find(STATE_KEY)
    if question.node is None or data is None:
        wrong = [need for held in entries if (need := _unusable_claim_need(question, held)) is not None]
        return wrong or [question.need(*(edit for held in entries for edit in _all_edits(question, held)))]
    return _node_needs(question, entries, data, question.node)


def _unusable_claim_need(question: Question, held: Held) -> Need | None:
    """Return a need for a claim that is unusable on any node: another pod's, deleted, or without its DeviceClass."""
    claim, entry = held
    is_foreign = claim.controller is None or claim.controller.uid != question.pod.uid
    if claim.deletion_timestamp is not None or (is_foreign and not entry.claim):
        return question.need(*_replacements(question, held), about=entry.name)
    for i, request in enumerate(claim.requests if claim.allocation is None else ()):
        alternatives = request.alternatives or (request,)
        if any(question.lister.get("DeviceClass", option.class_name) is None for option in alternatives):
            options = [*_other_classes(question, claim, i), *_replacements(question, held)]
            return question.need(*options, about=entry.name)
    return None


def _node_needs(question: Question, entries: list[Held], data: State, node: NodeView) -> list[Need]:
    """Return a need for each claim that can't be allocated by itself, or one need for all of them together."""
    away = _move_device_users(question, node)
    needs = [
        question.need(*_replacements(question, held), *away, about=held[1].name)
        for held in entries
        if held[0].allocation is not None and not _is_allocated_here(held[0], node)
    ]
    open_ones = [held for held in entries if held[0].allocation is None]
    allocates = _allocator(question, node)
    extended = [] if data.extended is None else _extended_resource_variants(question, data, node)
    ways = [_claim_variants(question, held, node) for held in open_ones]
    for held, own in zip(open_ones, ways, strict=True):
        if not allocates([held[0]]):
            sets, all_tried = find_minimal_variants([own], allocates)
            parts = [] if all_tried else _all_edits(question, held)
            needs.append(question.need(*sets, *parts, *away, about=held[1].name))
    if needs or not (ways or extended):
        return needs or [question.need(*away)]
    sets, all_tried = find_minimal_variants([*ways, *([extended] if extended else [])], allocates)
    parts = [] if all_tried else [edit for held in open_ones for edit in _all_edits(question, held)]
    return [question.need(*sets, *parts, *away, about="together")]


def _allocator(question: Question, node: NodeView) -> Allocates:
    plugin = next(plugin for plugin in question.framework.filter if plugin.name == question.plugin)
    assert isinstance(plugin, DynamicResources)
    allocator = plugin.allocator()

    def allocates(claims: Sequence[ResourceClaim]) -> bool:
        try:
            return not claims or allocator.allocate(node.node, claims) is not None
        except (AllocationError, NodeAllocationError):
            return False

    return allocates


def _is_allocated_here(claim: ResourceClaim, node: NodeView) -> bool:
    selector = None if claim.allocation is None else claim.allocation.node_selector
    return selector is None or selector.matches(node.labels, node.name)


def _extended_resource_variants(question: Question, data: State, node: NodeView) -> list[ClaimVariant]:
    """Return the variants of the claim for extended resources, with lower requests."""
    if node.name not in data.on_node:
        return []
    pod, requested = question.pod, data.on_node[node.name][0]
    classes = classes_by_resource(question.lister.list("DeviceClass"))
    names = [name for name in data.wanted if name in classes and node.allocatable(name) == 0]
    choices = []
    for name in names:
        count = data.wanted[name]
        choices.append(
            _may_combine(question, (lower_request(question, name, count, less) for less in range(count - 1, 0, -1)))
        )
    ways = [ClaimVariant(frozenset(), requested)]
    for chosen in islice(product(*((None, *edits) for edits in choices)), 1, MOST_WAYS):
        edits = frozenset(edit for edit in chosen if edit is not None)
        changes = [edit.change for edit in edits if edit.change is not None]
        claim = copy.copy(requested)
        claim.requests = tuple(build_requests(parse_pod(apply_changes(pod, changes)), names, classes)[0])
        ways.append(ClaimVariant(edits, claim))
    return sorted(ways, key=lambda way: way.cost)


def _move_device_users(question: Question, node: NodeView) -> list[Edits]:
    holders = [pod for pod in running_pods(node) if pod.resource_claims or pod.extended_claim]
    edit_sets = remove_pods(question, find_minimal_sets(question, holders, lambda pods: len(pods) == 1))
    return [*edit_sets, *(remove_pods(question, [holders]) if len(holders) > 1 else [])]


def _claim_variants(question: Question, held: Held, node: NodeView) -> list[ClaimVariant]:
    claim, _ = held
    return list_claim_variants(claim, _claim_edit_choices(question, claim), _replacement_variants(question, held, node))


def _claim_edit_choices(question: Question, claim: ResourceClaim) -> list[list[Edit]]:
    choices: list[list[Edit]] = []
    for i, _ in enumerate(claim.requests):
        choices += [
            _may_combine(question, _fewer_devices(question, claim, i)),
            _may_combine(question, _other_classes(question, claim, i)),
        ]
    return choices


def _replacement_variants(question: Question, held: Held, node: NodeView) -> Iterator[ClaimVariant]:
    """Return the variants without the claim, or with another one, which may have to change, too."""
    for name, edit in _replacements_by_name(question, held).items():
        if edit is None or not question.prices.allows(edit):
            continue
        other = question.lister.get("ResourceClaim", f"{question.pod.namespace}/{name}") if name else None
        if not isinstance(other, ResourceClaim):
            yield ClaimVariant(frozenset([edit]), None)
        elif other.allocation is None:
            yield from (
                ClaimVariant(way.edits | {edit}, way.claim)
                for way in list_claim_variants(other, _claim_edit_choices(question, other))
            )
        elif _is_allocated_here(other, node):
            yield ClaimVariant(frozenset([edit]), None)


def _replacements(question: Question, held: Held) -> list[Edit | None]:
    return list(_replacements_by_name(question, held).values())


def _replacements_by_name(question: Question, held: Held) -> dict[str, Edit | None]:
    """Return the edits that remove the claim ("") or replace it by another one."""
    claim, entry = held
    edits = {"": _drop_claim(question, entry)}
    for name in _free_claims(question):
        if name != claim.name:
            edits[name] = _entry_edit(question, entry, "other_claim", name)
    return edits


def _all_edits(question: Question, held: Held) -> list[Edit | None]:
    """Return each edit by itself, because it may be a part of a repair."""
    claim, _ = held
    edits: list[Edit | None] = []
    for i, _ in enumerate(claim.requests):
        edits += [*_fewer_devices(question, claim, i), *_other_classes(question, claim, i)]
    return [*edits, *_replacements(question, held)]


def _may_combine(question: Question, edits: Iterable[Edit | None]) -> list[Edit]:
    return [edit for edit in edits if edit is not None and question.prices.allows(edit)]


def claim_of(question: Question, entry: PodClaim) -> ResourceClaim | None:
    name = entry.claim or question.pod.claim_names.get(entry.name)
    claim = question.lister.get("ResourceClaim", f"{question.pod.namespace}/{name}") if name else None
    return claim if isinstance(claim, ResourceClaim) else None


def _is_needed(pod: Pod, entry: PodClaim) -> bool:
    return bool(entry.claim) or entry.name not in pod.claim_names or pod.claim_names[entry.name] is not None


def _fewer_devices(question: Question, claim: ResourceClaim, i: int) -> list[Edit | None]:
    edits: list[Edit | None] = []
    request = claim.requests[i]
    for count in range(request.count - 1, 0, -1) if not request.alternatives and request.mode == EXACT_COUNT else ():
        sentence = FEWER(claim=claim.name, to=count, before=request.count)
        tie = float(request.count - count)
        field = ("count", "fewer_devices")
        edits.append(_claim_edit(question, claim, i, field, sentence, request.count, count, tie))
    return edits


def _other_classes(question: Question, claim: ResourceClaim, i: int) -> list[Edit | None]:
    edits: list[Edit | None] = []
    request = claim.requests[i]
    for name in [known.name for known in question.lister.list("DeviceClass")][:_MOST]:
        if name != request.class_name and not request.alternatives:
            sentence = OTHER_CLASS(claim=claim.name, to=name, before=request.class_name)
            field = ("deviceClassName", "claim_class")
            edits.append(_claim_edit(question, claim, i, field, sentence, request.class_name, name))
    return edits


def _claim_edit(
    question: Question,
    claim: ResourceClaim,
    i: int,
    field: tuple[str, str],
    sentence: Any,
    before: Any,
    after: Any,
    tie: float = 0.0,
) -> Edit | None:
    """Return an edit of a request; `field` is the request's field, and the kind of edit."""
    path = f"spec.devices.requests.{i}.{field[0]}"
    change = _change_request_fields(i, **{field[0]: after})
    note = IMMUTABLE()
    return make_object_edit(
        question, claim, field[1], path, sentence, change, before=before, after=after, tie=tie, note=note
    )


def _change_request_fields(i: int, **fields: Any) -> Change:
    """Return a change of fields of a request, which older API versions have in the request itself."""

    def change(manifest: dict[str, Any]) -> None:
        request = manifest["spec"]["devices"]["requests"][i]
        for name, value in fields.items():
            set_value(*(("exactly",) if "exactly" in request else ()), name, value=value)(request)

    return change


def _other_claims(question: Question, entry: PodClaim) -> list[Edit | None]:
    return [_entry_edit(question, entry, "other_claim", name) for name in _free_claims(question)]


def _free_claims(question: Question) -> list[str]:
    """Return claims without a controller that no other pod uses; several entries of this pod may share one."""
    pod, lister = question.pod, question.lister
    others = (other for other in lister.list("Pod", pod.namespace) if other.key != pod.key)
    used = {entry.claim for other in others for entry in other.resource_claims}
    free = [
        claim.name
        for claim in lister.list("ResourceClaim", pod.namespace)
        if claim.name not in used and claim.controller is None
    ]
    return free[:_MOST]


def _drop_claim(question: Question, entry: PodClaim) -> Edit | None:
    return _entry_edit(question, entry, "drop_claim", None)


def _entry_edit(question: Question, entry: PodClaim, kind: str, name: str | None) -> Edit | None:
    before = entry.claim or entry.template or entry.name
    sentence = NO_CLAIM(claim=before) if name is None else OTHER_CLAIM(claim=before, to=name)

    def change(manifest: dict[str, Any]) -> None:
        spec = manifest["spec"]
        entries = mutable_copy(spec.get("resourceClaims") or ())
        if name is not None:
            swapped = {"name": entry.name, "resourceClaimName": name}
            spec["resourceClaims"] = [swapped if item["name"] == entry.name else item for item in entries]
            return
        set_value("spec", "resourceClaims", value=[item for item in entries if item["name"] != entry.name] or None)(
            manifest
        )
        for part in ("containers", "initContainers"):
            for container in spec.get(part) or ():
                claims = (container.get("resources") or {}).get("claims")
                if claims:
                    container["resources"]["claims"] = [item for item in claims if item.get("name") != entry.name]

    path = f"spec.resourceClaims.{entry.name}"
    return make_pod_edit(question, kind, path, sentence, change, before=before, after=name)
