"""Repairs for GangScheduling: add the missing PodGroup, lower minCount, or leave the group."""

from collections.abc import Iterable

from kube_objects.kinds.scheduling.pod_group import PodGroup
from kube_objects.pod import Pod
from kube_objects.sentences import Template
from scheduler_core.edits.edit import Edit, Ref, encode_detail, set_value
from scheduler_core.edits.object_edits import make_object_edit
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question
from scheduler_core.edits.steps import create_command_line, quote_json

ADD = Template("Add the pod group {group}, whose pods are scheduled one by one")
FEWER = Template("Let the pod group {group} ask for {to} pods at once instead of {before}")
LEAVE = Template("Schedule the pod without its pod group {group}")
IMMUTABLE = Template("A pod group's policy cannot be changed: it is deleted and created again")
# How many lower values of minCount are offered, the largest first.
_MAX_SIZES = 8


def needs(question: Question) -> list[Need]:
    """Return the needs of a pod that PreEnqueue gates."""
    pod = question.pod
    group: PodGroup | None = question.lister.get("PodGroup", f"{pod.namespace}/{pod.scheduling_group}")
    if group is None:
        return [question.need(_add_group(question), _leave_group(question))]
    known = len([other for other in question.lister.list("Pod", pod.namespace) if _is_member(other, group)])
    return [_smaller(question, group, [known] if known < (group.min_count or 1) else [])]


def need_of_members(question: Question) -> Need | None:
    """Return the need of a pod that has a node while too few other members do; None without a gang."""
    pod = question.pod
    group: PodGroup | None = question.lister.get("PodGroup", f"{pod.namespace}/{pod.scheduling_group}")
    if not pod.scheduling_group or group is None or (group.min_count or 1) < 2:
        return None
    least = group.min_count or 1
    return _smaller(question, group, range(least - 1, max(0, least - 1 - _MAX_SIZES), -1))


def _is_member(pod: Pod, group: PodGroup) -> bool:
    return pod.scheduling_group == group.name and not pod.finished


def _smaller(question: Question, group: PodGroup, sizes: Iterable[int]) -> Need:
    return question.need(
        *(_lower_min_count(question, group, size) for size in sizes), _leave_group(question), about=group.name
    )


def _lower_min_count(question: Question, group: PodGroup, size: int) -> Edit | None:
    before = group.min_count or 1
    change = set_value("spec", "schedulingPolicy", "gang", "minCount", value=size)
    path = "spec.schedulingPolicy.gang.minCount"
    sentence, tie = FEWER(group=group.name, to=size, before=before), float(before - size)
    note = IMMUTABLE()
    local = quote_json([{"op": "replace", "path": "/" + path.replace(".", "/"), "value": size}])
    text = (
        f"kubectl -n {group.namespace} get podgroup {group.name} -o yaml"
        f" | kubectl patch --local -f - --type json -p {local} -o yaml | kubectl replace --force -f -"
    )
    fields = {"before": before, "after": size, "tie": tie, "note": note}
    return make_object_edit(question, group, "smaller_gang", path, sentence, change, kubectl=text, **fields)


def _leave_group(question: Question) -> Edit | None:
    group = question.pod.scheduling_group
    change = set_value("spec", "schedulingGroup", value=None)
    return make_pod_edit(
        question, "leave_gang", "spec.schedulingGroup", LEAVE(group=group), change, before=group, detail=group
    )


def _add_group(question: Question) -> Edit | None:
    cost, pod = question.prices.cost_of("add_group"), question.pod
    if cost is None:
        return None
    manifest = {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": pod.scheduling_group, "namespace": pod.namespace},
        "spec": {"schedulingPolicy": {"basic": {}}},
    }
    of, sentence = Ref("PodGroup", pod.scheduling_group, pod.namespace), ADD(group=pod.scheduling_group)
    text = create_command_line(manifest)
    return Edit(
        "add_group", of, "", encode_detail(manifest), cost, sentence, text, shape=f"add_group {of}", made=(manifest,)
    )
