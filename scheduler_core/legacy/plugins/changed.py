"""The plugins of v1.20.2 with other messages, fewer extension points or slightly different rules."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from kube_objects.names import is_scalar_resource
from kube_objects.pod import Container, Pod
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.legacy.args import InterPodAffinityArgs, NodeResourcesFitArgs
from scheduler_core.plugins.image_locality import plugin as image_locality
from scheduler_core.plugins.inter_pod_affinity import args as today_affinity
from scheduler_core.plugins.inter_pod_affinity import plugin as inter_pod_affinity
from scheduler_core.plugins.inter_pod_affinity.filtering import statuses
from scheduler_core.plugins.inter_pod_affinity.scoring import normalize_scores
from scheduler_core.plugins.node_affinity import plugin as node_affinity
from scheduler_core.plugins.node_name import plugin as node_name
from scheduler_core.plugins.node_resources import fit
from scheduler_core.plugins.node_resources import fit_args as today
from scheduler_core.plugins.node_resources.resource_allocation import least_allocated
from scheduler_core.plugins.taint_toleration import plugin as taint_toleration
from scheduler_core.plugins.volume_binding import plugin as volume_binding
from scheduler_core.plugins.volume_binding.finding import BIND_CONFLICT, NOT_ENOUGH_SPACE, FindingRules
from scheduler_core.plugins.volume_restrictions import plugin as volume_restrictions

_PRE_FILTER = frozenset({ExtensionPoint.PRE_FILTER})
_SCORES = frozenset({ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE})


class NodeName(node_name.NodeName):
    reason = "node(s) didn't match the requested hostname"


class TaintToleration(taint_toleration.TaintToleration):
    reason = "node(s) had taint {{{key}: {value}}}, that the pod didn't tolerate"


class NodeAffinity(node_affinity.NodeAffinity):
    without = _PRE_FILTER | {ExtensionPoint.PRE_SCORE}
    reason = "node(s) didn't match Pod's node affinity"


class ImageLocality(image_locality.ImageLocality):
    """v1.20.2's plugin: init containers' images don't count, and a node knows only nodes that had the image before
    it.
    """

    def _containers(self, pod: Pod) -> tuple[Container, ...]:
        return pod.containers

    def _sizes(self, image: str, nodes: Nodes, total_nodes: int) -> IntColumn:
        sizes = np.zeros(len(nodes), np.int64)
        having = nodes.image_nodes(image)
        if having:
            rank = {name: number for number, name in enumerate(having, 1)}
            size = next(iter(having.values()))
            for i, name in enumerate(nodes.names):
                sizes[i] = int(size * (rank[name] / total_nodes)) if name in rank else 0
        return sizes


class InterPodAffinity(inter_pod_affinity.InterPodAffinity):
    """v1.20.2's plugin: rejections have two reasons, and scores are scaled between the lowest, the highest and 0."""

    skips = False
    statuses: ClassVar = statuses("node(s) didn't match pod affinity/anti-affinity")

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        typed: InterPodAffinityArgs = args
        return cls(today_affinity.InterPodAffinityArgs(typed.hard_pod_affinity_weight), handle)

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return normalize_scores(scores, from_zero=True)


class NodeResourcesFit(fit.NodeResourcesFit):
    """v1.20.2's plugin: every rejection is resolvable, and no resource may be overcommitted if the pod requests any."""

    without = _SCORES

    def __init__(self, args: NodeResourcesFitArgs) -> None:
        ignored = today.NodeResourcesFitArgs(args.ignored_resources, args.ignored_resource_groups)
        super().__init__(ignored, today.ScoringStrategy(), least_allocated)

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(args)

    def _checked(self, requests: Mapping[str, int]) -> list[tuple[str, int]]:
        scalars = sorted(name for name in requests if is_scalar_resource(name))
        if not scalars and not any(requests.get(name) for name in fit.FIRST_RESOURCES):
            return []
        counted = [name for name in scalars if not self._ignores(name)]
        return [(name, requests.get(name, 0)) for name in (*fit.FIRST_RESOURCES, *counted)]

    def _hopeless(self, amount: int, allocatable: IntColumn) -> BoolColumn | None:
        return None


class VolumeBinding(volume_binding.VolumeBinding):
    without = _SCORES
    rules = FindingRules(
        (
            "node(s) had volume node affinity conflict",
            BIND_CONFLICT,
            NOT_ENOUGH_SPACE,
            "pvc(s) bound to non-existent pv(s)",
        ),
        migrates=False,
    )
    lost_counts = False


class VolumeRestrictions(volume_restrictions.VolumeRestrictions):
    """v1.20.2's plugin: it checks only inline disks, without access modes."""

    without = _PRE_FILTER

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return Verdicts.reject(volume_restrictions.find_disk_conflicts(pod, nodes), volume_restrictions.DISK_REASON)
