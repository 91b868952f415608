"""Which plugins have args, by release. The kind of the args is the name of the plugin followed by "Args".

Source: kube-scheduler/config/v1/types_pluginargs.go, pkg/scheduler/apis/config/v1/defaults.go,
pkg/scheduler/apis/config/validation/validation_pluginargs.go, the plugins' New.
"""

from collections.abc import Mapping

from scheduler_core.config.args import (
    balanced_allocation,
    default_preemption,
    dynamic_resources,
    fit,
    inter_pod_affinity,
    node_affinity,
    pod_topology_spread,
    volume_binding,
)
from scheduler_core.config.args.rules import ArgsRules

ARGS: Mapping[str, ArgsRules] = {
    "DefaultPreemption": default_preemption.RULES,
    "DynamicResources": dynamic_resources.RULES,
    "InterPodAffinity": inter_pod_affinity.RULES,
    "NodeAffinity": node_affinity.RULES,
    "NodeResourcesBalancedAllocation": balanced_allocation.RULES,
    "NodeResourcesFit": fit.RULES,
    "PodTopologySpread": pod_topology_spread.RULES,
    "VolumeBinding": volume_binding.RULES,
}
ARGS_1_36: Mapping[str, ArgsRules] = {
    **ARGS,
    "DynamicResources": dynamic_resources.RULES_1_36,
    "NodeResourcesFit": fit.RULES_1_36,
}
