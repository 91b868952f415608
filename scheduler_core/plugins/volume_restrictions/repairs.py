"""Repairs for VolumeRestrictions: use another PVC, or move the pods that use it."""

from kube_objects.pod import Pod
from scheduler_core.edits.object_edits import (
    disable_plugin,
    remove_pods,
    running_pods,
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
        claim = claim_edits.get_claim(question, name)
        users = [] if claim is None or READ_WRITE_ONCE_POD not in claim.access_modes else _users(question, name)
        if users:
            gone = remove_pods(question, [users]) if len(users) <= _MOST_USERS else []
            no_claim = claim_edits.drop_claim(question, name)
            all_needs.append(
                question.need(*claim_edits.replace_claim(question, name), *gone, no_claim, disable_plugin(question))
            )
    disks = volume_restrictions.list_inline_disks(question.pod)
    for disk in disks:
        holders = [pod for pod in running_pods(question.node) if volume_restrictions.have_conflict([disk], [pod])]
        if holders:
            gone = remove_pods(question, [holders]) if len(holders) <= _MOST_USERS else []
            all_needs.append(question.need(*gone, disable_plugin(question)))
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
