"""Repairs for VolumeRestrictions: use another PVC, or move the pods that use it."""

from kube_objects.pod import Pod
from scheduler_core.edits.other_edits import (
    pods_there,
    without_plugin,
    without_pods,
)
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.volume_binding import claim_edits
from scheduler_core.plugins.volume_binding.repairs import needs as binding_needs
from scheduler_core.plugins.volume_restrictions import plugin as volume_restrictions
from scheduler_core.plugins.volumes import READ_WRITE_ONCE_POD, named_claims

_MOST_USERS = 5


def needs(question: Question) -> list[Need]:
    if question.node is None:
        return binding_needs(question)
    all_needs = []
    for name in sorted(set(named_claims(question.pod))):
        claim = claim_edits.claim_object(question, name)
        users = [] if claim is None or READ_WRITE_ONCE_POD not in claim.access_modes else _users(question, name)
        if users:
            gone = without_pods(question, [users]) if len(users) <= _MOST_USERS else []
            no_claim = claim_edits.no_claim(question, name)
            all_needs.append(
                question.need(*claim_edits.other_claims(question, name), *gone, no_claim, without_plugin(question))
            )
    disks = volume_restrictions.exclusive_disks(question.pod)
    for disk in disks:
        holders = [pod for pod in pods_there(question.node) if volume_restrictions.is_taken([disk], [pod])]
        if holders:
            gone = without_pods(question, [holders]) if len(holders) <= _MOST_USERS else []
            all_needs.append(question.need(*gone, without_plugin(question)))
    return all_needs


def _users(question: Question, name: str) -> list[Pod]:
    nodes = question.nodes.claim_users(f"{question.pod.namespace}/{name}")
    views = [question.nodes.find(node) for node in nodes]
    return [
        pod
        for view in views
        if view is not None
        for pod in view.pods
        if pod.namespace == question.pod.namespace and name in named_claims(pod)
    ]
