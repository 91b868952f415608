"""Repairs for NodeVolumeLimits: move pods with volumes away, or use another PVC."""

from collections.abc import Sequence

from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.pod import Pod
from scheduler_core.edits.object_edits import (
    disable_plugin,
    find_minimal_sets,
    remove_pods,
    running_pods,
)
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.node_volume_limits.attachables import ClaimNotFoundError, attachables
from scheduler_core.plugins.volume_binding import claim_edits
from scheduler_core.plugins.volume_binding.repairs import Options, need_of_claim
from scheduler_core.plugins.volume_binding.repairs import needs as binding_needs


def needs(question: Question) -> list[Need]:
    view = question.node
    if view is None:
        return binding_needs(question)
    csi_node: CSINode | None = question.lister.get("CSINode", view.name)
    try:
        wanted = {vol.key for vol in attachables(question.pod, question.lister, True) if vol.counts_on(csi_node)}
    except ClaimNotFoundError:
        return [
            need_of_claim(question, name, claim_edits.create_missing_claim(question, name))
            for _, name in claim_edits.list_claim_volumes(question.pod)
        ]
    limits = {} if csi_node is None else {driver.name: driver.allocatable_count for driver in csi_node.drivers}
    held = {
        pod.uid: {vol.key for vol in attachables(pod, question.lister, False) if vol.counts_on(csi_node)}
        for pod in running_pods(view)
        if pod.volumes
    }
    used = set().union(*held.values()) if held else set()
    all_needs = []
    for driver in sorted({key[0] for key in wanted}):
        limit = limits.get(driver)
        over = len({key for key in used | wanted if key[0] == driver}) - (limit if limit is not None else 1 << 30)
        if over <= 0:
            continue
        holders = [pod for pod in running_pods(view) if any(key[0] == driver for key in held.get(pod.uid, ()))]

        def enough(pods: Sequence[Pod], driver: str = driver, limit: int = limit or 0) -> bool:
            gone = {pod.uid for pod in pods}
            left = set().union(*(keys for uid, keys in held.items() if uid not in gone), wanted)
            return len({key for key in left if key[0] == driver}) <= limit

        options: Options = [*remove_pods(question, find_minimal_sets(question, holders, enough))]
        for _, name in claim_edits.list_claim_volumes(question.pod):
            options += [*claim_edits.replace_claim(question, name), claim_edits.drop_claim(question, name)]
        all_needs.append(question.need(*options, disable_plugin(question)))
    return all_needs
