"""Edits of nodes, of other pods, of stored objects, and of the profile."""

import json
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.sentences import Data, Template
from kube_objects.serialize import manifest_of
from kube_objects.taints import Taint
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.edits.edit import Change, Edit, Edits, Ref, apply_changes, encode_detail, replace_item, set_value
from scheduler_core.edits.json_patch import diff_json
from scheduler_core.edits.question import Question
from scheduler_core.edits.steps import quote_json
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import run_filters, run_pre_filter, run_remove_pod
from scheduler_core.preemption.victims import split_by_pdb_violation

UNCORDON = Template("Uncordon {node}")
UNTAINT = Template("Remove the taint {taint} from {node}")
LABEL = Template("Label {node} with {label}")
RELABEL = Template("Change the label of {node} to {label}")
UNLABEL = Template("Remove the label {label} from {node}")
DELETE = Template("Delete {pod} from {node}")
MOVE = Template("Move {pod} from {node} to {other}")
DISABLE = Template("Disable {plugin} in the profile {profile}")
KUBELET_WARNING = Template("The kubelet checks resources, host ports and node affinity again, and refuses the pod")
NOT_RECREATED = Template("No controller makes this Pod again")
RECREATED_BY_OWNER = Template("Its {owner} makes it again: where it then goes is the scheduler's to say")

# Labels that a kubelet or a cloud provider sets; changing them would make them wrong.
PROTECTED_LABELS = frozenset(
    (
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
    )
)
_NEVER_SET = ("kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch")
# The limits: sets of pods per node, and pods in a set; FEW_PODS pods or fewer have all their sets tried.
MAX_SETS, MAX_PODS_IN_SET, FEW_PODS = 60, 3, 7
# How many target nodes are offered for one pod.
MAX_TARGET_NODES = 8
# Plugins that may be disabled; the others enforce facts, like the size of a node.
DISABLEABLE_PLUGINS = frozenset(
    (
        "InterPodAffinity",
        "NodeAffinity",
        "NodePorts",
        "NodeUnschedulable",
        "NodeVolumeLimits",
        "PodTopologySpread",
        "TaintToleration",
        "VolumeRestrictions",
        "VolumeZone",
    )
)
_KUBELET_CHECKED_PLUGINS = ("NodeAffinity", "NodePorts")


def make_object_edit(
    question: Question,
    obj: KubeObject,
    kind: str,
    path: str,
    sentence: Data,
    change: Change,
    *,
    kubectl: str = "",
    **fields: Any,
) -> Edit | None:
    """Return a change of an object, or None if such edits are forbidden. `fields` are Edit's."""
    cost = question.prices.cost_of(kind)
    if cost is None:
        return None
    fields.setdefault("detail", encode_detail(fields.get("after")))
    fields.setdefault("shape", f"{kind} {obj.kind} {path} {fields['detail']}")

    def patched() -> str:
        patch = quote_json(diff_json(manifest_of(obj), apply_changes(obj, [change])))
        within = f" -n {obj.namespace}" if obj.namespace else ""
        return f"kubectl{within} patch {obj.kind.lower()} {obj.name} --type json -p {patch}"

    typed = kubectl or patched
    return Edit(kind, Ref.to(obj), path, cost=cost, sentence=sentence, kubectl=typed, change=change, **fields)


def uncordon_node(question: Question, node: Node) -> Edit | None:
    change = set_value("spec", "unschedulable", value=None)
    text = f"kubectl uncordon {node.name}"
    sentence = UNCORDON(node=node.name)
    return make_object_edit(
        question, node, "uncordon", "spec.unschedulable", sentence, change, kubectl=text, before=True, after=None
    )


def remove_taint(question: Question, node: Node, taint: Taint) -> Edit | None:
    taints = (manifest_of(node).get("spec") or {}).get("taints") or ()
    item = next(
        (
            item
            for item in taints
            if (item.get("key"), item.get("value") or "", item.get("effect")) == _taint_key(taint)
        ),
        None,
    )
    if item is None:
        return None
    text = f"kubectl taint nodes {node.name} {taint}-"
    return make_object_edit(
        question,
        node,
        "untaint",
        f"spec.taints.{taint.key}[]",
        UNTAINT(taint=str(taint), node=node.name),
        replace_item("spec", "taints", item=dict(item)),
        kubectl=text,
        before=dict(item),
        detail=str(taint),
    )


def _taint_key(taint: Taint) -> tuple[str, str, str]:
    return taint.key, taint.value, taint.effect


def label_node(question: Question, node: Node, key: str, value: str | None) -> Edit | None:
    """Set, change or (None) remove a label of the node; return None for a label that must not change."""
    actual = node.labels.get(key)
    if key in _NEVER_SET or (actual is not None and key in PROTECTED_LABELS) or actual == value:
        return None
    kind = "label" if actual is None else "relabel"
    if value is None:
        text, sentence = f"kubectl label node {node.name} {key}-", UNLABEL(label=key, node=node.name)
    else:
        text = f"kubectl label node {node.name} {key}={value}" + (" --overwrite" if actual is not None else "")
        sentence = (LABEL if actual is None else RELABEL)(node=node.name, label=f"{key}={value}")
    change = set_value("metadata", "labels", key, value=value)
    path = f"metadata.labels.{key}"
    return make_object_edit(question, node, kind, path, sentence, change, kubectl=text, before=actual, after=value)


def disable_plugin(question: Question, is_known: bool = True) -> Edit | None:
    """Disable the plugin's hard rule, not its scoring; any unknown plugin may be disabled."""
    cost, plugin = question.prices.cost_of("disable_plugin"), question.plugin
    if cost is None or (is_known and plugin not in DISABLEABLE_PLUGINS):
        return None
    of = Ref("KubeSchedulerConfiguration", question.profile.scheduler_name)
    sentence = DISABLE(plugin=plugin, profile=question.profile.scheduler_name)
    stanza = {"preFilter": {"disabled": [{"name": plugin}]}, "filter": {"disabled": [{"name": plugin}]}}
    text = f"# in the KubeSchedulerConfiguration, profile {of.name}: plugins: {json.dumps(stanza)}"
    note = KUBELET_WARNING() if plugin in _KUBELET_CHECKED_PLUGINS else None
    return Edit(
        "disable_plugin",
        of,
        f"plugins.{plugin}",
        plugin,
        cost,
        sentence,
        text,
        shape=plugin,
        disabled=plugin,
        note=note,
    )


# Other pods


def remove_pods(question: Question, sets: Iterable[Sequence[Pod]], within: BoolColumn | None = None) -> list[Edits]:
    """Return for each set of pods the edits that remove all of them, each in the cheaper way, without those that
    PDBs protect.

    `within`: the nodes on which the pods would conflict as well; by default only the question's node.
    """
    if not question.others:
        return []
    ways: dict[str, Edit | None] = {}
    result: list[Edits] = []
    for pods in sets:
        edits = []
        for pod in pods:
            if pod.uid not in ways:
                ways[pod.uid] = remove_pod(question, pod, within)
            edits.append(ways[pod.uid])
        if all(edit is not None and question.prices.allows(edit) for edit in edits):
            result.append(frozenset(edit for edit in edits if edit is not None))
    return result


def remove_pod(question: Question, pod: Pod, within: BoolColumn | None = None) -> Edit | None:
    """Return the cheaper edit that removes a pod from its node: move it to a node where it fits, or delete it."""
    if not _may_remove(question, pod):
        return None
    moving, deleting = question.prices.cost_of("move_pod"), question.prices.cost_of("delete_pod")
    if moving is not None and (deleting is None or moving <= deleting):
        other = find_other_node(question, pod, within)
        moved = None if other is None else _make_move_edit(question, pod, other, moving)
        if moved is not None and question.prices.allows(moved):
            return moved
    return None if deleting is None else _make_delete_edit(question, pod, deleting)


def list_removals(question: Question, pod: Pod) -> list[Edit]:
    """Return all edits that remove a pod: to each of the first nodes where it fits, in visiting order, and deletion."""
    if not _may_remove(question, pod):
        return []
    moving, deleting = question.prices.cost_of("move_pod"), question.prices.cost_of("delete_pod")
    edits = []
    if moving is not None:
        edits = [
            _make_move_edit(question, pod, other, moving)
            for other in _find_other_nodes(question, pod, None)[:MAX_TARGET_NODES]
        ]
    if deleting is not None:
        edits.append(_make_delete_edit(question, pod, deleting))
    return [edit for edit in edits if question.prices.allows(edit)]


def _may_remove(question: Question, pod: Pod) -> bool:
    """Return False for a pod that a PDB protects, and for one that would be recreated at once."""
    if not pod.node_name or pod.terminating or _is_static(pod):
        return False
    return not split_by_pdb_violation([pod], question.lister.list("PodDisruptionBudget", pod.namespace))[0]


def _make_delete_edit(question: Question, pod: Pod, cost: int) -> Edit:
    text = f"kubectl -n {pod.namespace} delete pod {pod.name}"
    sentence = DELETE(pod=pod.key, node=pod.node_name)
    owner = pod.controller
    note = NOT_RECREATED() if owner is None else RECREATED_BY_OWNER(owner=f"{owner.kind} {owner.name}")
    tie = float(pod.priority)
    return Edit(
        "delete_pod", Ref.to(pod), "", "", cost, sentence, text, shape="pod away", tie=tie, gone=True, note=note
    )


def move_pod_here(question: Question, pod: Pod) -> Edit | None:
    """Move a running pod to the question's node, if it fits there and may leave its own."""
    cost, here = question.prices.cost_of("move_pod"), require_node(question).name
    if cost is None or not _may_remove(question, pod) or not _fits(question, pod, [here]):
        return None
    return _make_move_edit(question, pod, here, cost)


def _fits(question: Question, pod: Pod, names: Sequence[str]) -> list[str]:
    """Return the nodes that would accept a running pod in addition to their pods, after it left its own node."""
    bare, state = pod.with_node(""), CycleState()
    outcome = run_pre_filter(question.framework, state, bare, question.nodes, None)
    if not outcome.status.is_success:
        return []
    if (row := question.nodes.table.rows.get(pod.node_name)) is not None:
        left = NodeView(question.nodes.table, row).what_if()
        left.table.remove_pod(pod, left.name)
        state = state.clone()  # the counts may be arrays of the table, which must not change
        run_remove_pod(question.framework, state, bare, pod, left)
    nodes = question.nodes.take(np.flatnonzero(question.nodes.named(set(names))))
    codes = run_filters(question.framework, state, bare, nodes).codes
    fitting = nodes.take(np.flatnonzero(codes == 0)).names
    return [name for name in fitting if outcome.node_names is None or name in outcome.node_names]


def _make_move_edit(question: Question, pod: Pod, other: str, cost: int) -> Edit:
    def text() -> str:
        return " && ".join(move_command_lines(pod, other, question.lister.get("Node", pod.node_name)))

    sentence = MOVE(pod=pod.key, node=pod.node_name, other=other)
    tie = float(pod.priority)
    return Edit("move_pod", Ref.to(pod), "", other, cost, sentence, text, shape="pod away", tie=tie, moved_to=other)


def move_command_lines(pod: Pod, other: str, node: Node | None) -> list[str]:
    """Return the lines that move a running pod: its owner recreates it, or the lines themselves do."""
    if pod.controller is None:
        local = [{"op": "replace", "path": "/spec/nodeName", "value": other}]
        get = f"kubectl -n {pod.namespace} get pod {pod.name} -o yaml"
        patch = f"kubectl patch --local -f - --type json -p {quote_json(local)} -o yaml"
        return [f"{get} | {patch} | kubectl replace --force -f -"]
    delete = f"kubectl -n {pod.namespace} delete pod {pod.name}"
    if node is not None and node.unschedulable:
        return [delete]
    return [f"kubectl cordon {pod.node_name}", delete, f"kubectl uncordon {pod.node_name}"]


def find_other_node(question: Question, pod: Pod, within: BoolColumn | None = None) -> str | None:
    """Return the first other node, in visiting order, that would accept a running pod."""
    return next(iter(_find_other_nodes(question, pod, within)), None)


def _find_other_nodes(question: Question, pod: Pod, within: BoolColumn | None) -> list[str]:
    requested = tuple(sorted(pod.requests.items()))
    room = question.once(("room", requested), lambda: _nodes_with_room(question, requested))
    if within is not None:
        room = room & ~within
    if not room.any():
        return []
    here = question.node.name if question.node is not None else ""
    fitting = _fits(question, pod, question.nodes.take(np.flatnonzero(room)).names)
    return [name for name in fitting if name not in (here, pod.node_name)]


def _nodes_with_room(question: Question, requested: tuple[tuple[str, int], ...]) -> BoolColumn:
    """Return True for the nodes where this much is free."""
    room = np.ones(len(question.nodes), np.bool_)
    for resource, amount in requested:
        room &= question.nodes.allocatable(resource) - question.nodes.requested(resource) >= amount
    return room


def _is_static(pod: Pod) -> bool:
    """Return True for a static pod and for a DaemonSet's pod, which would be recreated on the node at once."""
    return any(owner.kind in ("Node", "DaemonSet") for owner in pod.owners)


def find_minimal_sets(question: Question, pods: Sequence[Pod], enough: Any) -> list[Sequence[Pod]]:
    """Return the minimal sets of pods for which `enough(set)` is True, the fewest and least important pods first.

    With few pods all sets are tried, else those of up to three, up to a limit; then one larger set is built greedily.
    """
    if not question.others:
        return []
    ordered = sorted(pods, key=lambda pod: (pod.priority, pod.key))
    minimal: list[Sequence[Pod]] = []
    for size in range(1, (len(ordered) if len(ordered) <= FEW_PODS else MAX_PODS_IN_SET) + 1):
        for chosen in combinations(ordered, size):
            if any(set(map(id, known)) <= set(map(id, chosen)) for known in minimal):
                continue
            if enough(chosen):
                minimal.append(chosen)
            if len(minimal) >= MAX_SETS:
                return minimal
        if len(ordered) > 40 and size == 2:
            break
    if not minimal and enough(ordered):
        chosen_list = list(ordered)
        for pod in reversed(ordered):
            fewer = [other for other in chosen_list if other is not pod]
            if enough(fewer):
                chosen_list = fewer
        minimal.append(chosen_list)
    return minimal


def require_node(question: Question) -> Node:
    """Return the question's node."""
    assert question.node is not None, f"{question.plugin} speaks of nodes"
    return question.node.node


def running_pods(node: NodeView) -> list[Pod]:
    return [pod for pod in node.pods if not pod.terminating]
