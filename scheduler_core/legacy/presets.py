"""Presets that aren't releases: the FIFO queue of early versions, with old plugins and with current ones.

Source (v1.10): pkg/scheduler/algorithmprovider/defaults, algorithm/predicates/predicates.go predicatesOrdering.
"""

import dataclasses
from collections.abc import Mapping

from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.legacy.emulation import V1_20_2, load
from scheduler_core.legacy.plugins.fifo_sort import FIFOSort

# The default predicates, in the order in which they ran, and the default priorities. No priority, no preemption. Node
# conditions were predicates, they are taints now; predicates that did not exist yet are not there.
V1_10_CONFIG = """\
--feature-gates=DefaultPodTopologySpread=false
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    queueSort:
      disabled: [{name: "*"}]
      enabled: [{name: FIFOSort}]
    preFilter:
      disabled: [{name: "*"}]
      enabled:
      - name: NodeResourcesFit
      - name: NodePorts
      - name: VolumeBinding
      - name: InterPodAffinity
    filter:
      disabled: [{name: "*"}]
      enabled:
      - name: NodeUnschedulable  # CheckNodeCondition
      - name: NodeResourcesFit  # GeneralPredicates: this one and the next three
      - name: NodeName
      - name: NodePorts
      - name: NodeAffinity
      - name: VolumeRestrictions  # NoDiskConflict
      - name: TaintToleration  # PodToleratesNodeTaints, CheckNodeMemoryPressure, CheckNodeDiskPressure
      - name: EBSLimits  # MaxEBSVolumeCount
      - name: GCEPDLimits  # MaxGCEPDVolumeCount
      - name: AzureDiskLimits  # MaxAzureDiskVolumeCount
      - name: VolumeBinding  # CheckVolumeBinding
      - name: VolumeZone  # NoVolumeZoneConflict
      - name: InterPodAffinity  # MatchInterPodAffinity
    postFilter:
      disabled: [{name: "*"}]
    preScore:
      disabled: [{name: "*"}]
      enabled:
      - name: InterPodAffinity
      - name: SelectorSpread
      - name: TaintToleration
    score:
      disabled: [{name: "*"}]
      enabled:
      - {name: NodeResourcesBalancedAllocation, weight: 1}  # BalancedResourceAllocation
      - {name: InterPodAffinity, weight: 1}  # InterPodAffinityPriority
      - {name: NodeResourcesLeastAllocated, weight: 1}  # LeastRequestedPriority
      - {name: NodeAffinity, weight: 1}  # NodeAffinityPriority
      - {name: NodePreferAvoidPods, weight: 10000}  # NodePreferAvoidPodsPriority
      - {name: SelectorSpread, weight: 1}  # SelectorSpreadPriority
      - {name: TaintToleration, weight: 1}  # TaintTolerationPriority
"""

# The same queue in front of today's plugins; they need FIFOSort beside them.
FIFO_CONFIG = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    queueSort:
      enabled:
      - name: FIFOSort
    multiPoint:
      disabled:
      - name: PrioritySort
      - name: DefaultPreemption
"""


def _load(text: str | None, points: Mapping[str, frozenset[str]]) -> SchedulerConfiguration:
    return load(V1_10_CONFIG if text is None else text, points)


V1_10_PRESET = dataclasses.replace(
    V1_20_2,
    version="v1.10-preset",
    registry=V1_20_2.registry.merged([FIFOSort]),
    load=_load,
    default_text=V1_10_CONFIG,
)
"""v1.10 as v1.20.2's plugins can play it: first in, first out, predicates, then priorities."""
