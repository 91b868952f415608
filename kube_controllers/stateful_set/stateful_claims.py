"""The claims of a StatefulSet's Pods, and their owners, which decide when they are deleted.

Source: pkg/controller/statefulset/stateful_set_utils.go isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod.
"""

from collections.abc import Mapping
from typing import Any

from kube_controllers.api import Api, WriteRefused
from kube_controllers.stateful_set.stateful_pods import claim_name, claim_templates, claims_of, in_range, ordinal_of
from kube_objects.manifests import (
    Manifest,
    controller_reference,
    is_deleted,
    kind,
    name,
    namespace,
    owners,
    spec,
    uid,
    with_meta,
)

COMPONENT = "statefulset-controller"


def create_missing_claims(owner: Manifest, pod: Manifest, api: Api) -> None:
    """Create the missing claims of a Pod. Raise WriteRefused. Source: createMissingPersistentVolumeClaims."""
    problems = []
    for claim in claims_of(owner, ordinal_of(pod)):
        claim_name_ = name(claim)
        existing = api.get("PersistentVolumeClaim", f"{namespace(claim)}/{claim_name_}")
        if existing is not None:
            problems += [f"pvc {claim_name_} is being deleted"] if is_deleted(existing) else []
            continue
        try:
            _create_claim(claim, api)
        except WriteRefused as refused:
            message = f"Create Claim {claim_name_} for Pod {name(pod)} in StatefulSet {name(owner)} failed error: "
            api.emit_event(owner, "Warning", "FailedCreate", message + refused.message, COMPONENT)
            problems.append(f"failed to create PVC {claim_name_}: {refused.message}")
            continue
        message = f"Create Claim {claim_name_} Pod {name(pod)} in StatefulSet {name(owner)} success"
        api.emit_event(owner, "Normal", "SuccessfulCreate", message, COMPONENT)
    if problems:
        raise WriteRefused(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    update_claim_owners(owner, pod, api)


def _create_claim(claim: Manifest, api: Api) -> None:
    """Create a claim, which is validated here because its template never was. Raise WriteRefused."""
    problem = api.view.problem_of and api.view.problem_of(claim)
    if problem:
        why = ": ".join(filter(None, (problem.path, problem.rule, problem.hint)))
        raise WriteRefused(f'PersistentVolumeClaim "{name(claim)}" is invalid: {why}', "Invalid")
    api.create(claim)


def update_claim_owners(owner: Manifest, pod: Manifest, api: Api) -> bool:
    """Set the claims' owners by the retention policy: the set, a Pod that is scaled down, or none.

    Return whether a claim changed.
    """
    has_changed = False
    for template in claim_templates(owner):
        claim_key = f"{namespace(owner)}/{claim_name(owner, template, ordinal_of(pod))}"
        claim = api.get("PersistentVolumeClaim", claim_key)
        if claim is not None:
            wanted = _owners_of(claim, owner, pod)
            if wanted != list(owners(claim)):
                api.update(with_meta(claim, ownerReferences=wanted or None))
                has_changed = True
    return has_changed


def _owners_of(claim: Manifest, owner: Manifest, pod: Manifest) -> list[Mapping[str, Any]]:
    policy = spec(owner).get("persistentVolumeClaimRetentionPolicy") or {}
    deleted, scaled = (policy.get(field, "Retain") == "Delete" for field in ("whenDeleted", "whenScaled"))
    others = [reference for reference in owners(claim) if not _is_of(reference, owner) and not _is_of(reference, pod)]
    if (deleted or scaled) and any(reference.get("controller") for reference in others):
        return others  # another controller owns the claim
    if any(
        _is_of(reference, obj) and reference.get("uid") != uid(obj)
        for reference in owners(claim)
        for obj in (owner, pod)
        if uid(obj)
    ):
        return list(owners(claim))  # an earlier owner of the same name: the garbage collector deletes the claim
    is_scaled_down = scaled and not in_range(pod, owner)
    wanted = []
    if is_scaled_down:
        wanted.append(pod)
    elif deleted:
        wanted.append(owner)
    references: list[Mapping[str, Any]] = list(others)
    for owner_obj in wanted:
        reference = {**controller_reference(owner_obj), "apiVersion": "v1" if kind(owner_obj) == "Pod" else "apps/v1"}
        references.append(reference)
    return references


def _is_of(reference: Mapping[str, Any], obj: Manifest) -> bool:
    return reference.get("kind") == kind(obj) and reference.get("name") == name(obj)
