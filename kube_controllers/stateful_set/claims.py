"""Who owns the claims of a StatefulSet's pods, which decides when they go.

Source: pkg/controller/statefulset/stateful_set_utils.go isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod.
"""

from collections.abc import Mapping
from typing import Any

from kube_controllers.api import Api, Refused
from kube_controllers.stateful_set.pods import claim_name, claim_templates, claims_of, in_range, ordinal_of
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


def create_missing(owner: Manifest, pod: Manifest, api: Api) -> None:
    """The claims of one pod that are not there. Raises Refused. Source: createMissingPersistentVolumeClaims."""
    problems = []
    for claim in claims_of(owner, ordinal_of(pod)):
        named = name(claim)
        found = api.get("PersistentVolumeClaim", f"{namespace(claim)}/{named}")
        if found is not None:
            problems += [f"pvc {named} is being deleted"] if is_deleted(found) else []
            continue
        try:
            _create(claim, api)
        except Refused as refused:
            message = f"Create Claim {named} for Pod {name(pod)} in StatefulSet {name(owner)} failed error: "
            api.tell(owner, "Warning", "FailedCreate", message + refused.message, COMPONENT)
            problems.append(f"failed to create PVC {named}: {refused.message}")
            continue
        message = f"Create Claim {named} Pod {name(pod)} in StatefulSet {name(owner)} success"
        api.tell(owner, "Normal", "SuccessfulCreate", message, COMPONENT)
    if problems:
        raise Refused(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    keep_owners(owner, pod, api)


def _create(claim: Manifest, api: Api) -> None:
    """A template of claims is not judged before a claim is made of it. Raises Refused."""
    problem = api.view.problem_of and api.view.problem_of(claim)
    if problem:
        why = ": ".join(filter(None, (problem.path, problem.rule, problem.hint)))
        raise Refused(f'PersistentVolumeClaim "{name(claim)}" is invalid: {why}', "Invalid")
    api.create(claim)


def keep_owners(owner: Manifest, pod: Manifest, api: Api) -> bool:
    """Claims belong to the set, to a pod that is scaled away, or to nobody, as the retention policy says.

    Whether any of them had to be changed.
    """
    has_changed = False
    for template in claim_templates(owner):
        at = f"{namespace(owner)}/{claim_name(owner, template, ordinal_of(pod))}"
        claim = api.get("PersistentVolumeClaim", at)
        if claim is not None:
            wanted = _owners_of(claim, owner, pod)
            if wanted != list(owners(claim)):
                api.update(with_meta(claim, ownerReferences=wanted or None))
                has_changed = True
    return has_changed


def _owners_of(claim: Manifest, owner: Manifest, pod: Manifest) -> list[Mapping[str, Any]]:
    policy = spec(owner).get("persistentVolumeClaimRetentionPolicy") or {}
    deleted, scaled = (policy.get(field, "Retain") == "Delete" for field in ("whenDeleted", "whenScaled"))
    others = [one for one in owners(claim) if not _is_of(one, owner) and not _is_of(one, pod)]
    if (deleted or scaled) and any(one.get("controller") for one in others):
        return others  # another controller's: hands off
    if any(_is_of(one, of) and one.get("uid") != uid(of) for one in owners(claim) for of in (owner, pod) if uid(of)):
        return list(owners(claim))  # of one that was there before and goes: the garbage collector's turn
    is_gone = scaled and not in_range(pod, owner)
    wanted = []
    if is_gone:
        wanted.append(pod)
    elif deleted:
        wanted.append(owner)
    found: list[Mapping[str, Any]] = list(others)
    for one in wanted:
        reference = {**controller_reference(one), "apiVersion": "v1" if kind(one) == "Pod" else "apps/v1"}
        found.append(reference)
    return found


def _is_of(reference: Mapping[str, Any], obj: Manifest) -> bool:
    return reference.get("kind") == kind(obj) and reference.get("name") == name(obj)
