"""NodeResourcesFit's facts: the pod's requests, and the node's free resources.

Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest.
"""

from collections.abc import Iterator

from kube_objects.names import is_extended_resource, is_scalar_resource
from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.facts.quantities import format_amount
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.node_resources.fit import FIRST_RESOURCES
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs

FITS = Template("requests {asked}; {free} of {total} free")
SHORT = Template("requests {asked}, but only {free} of {total} free")
TOO_LARGE = Template("requests {asked}, but the node has only {total} in all: evicting pods cannot help")
PODS = Template("pods on the node: {count} of {total}")
FULL = Template("pods on the node: {count} of {total}; no more may run")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    return [_pods(node), *_resources(context, node)]


def _pods(node: NodeView) -> Fact:
    count, total = node.pod_count, node.allocatable("pods")
    full = count >= total
    return Fact((FULL if full else PODS)(count=count, total=total), "pods", full, {"used": count, "allocatable": total})


def _resources(context: AttemptContext, node: NodeView) -> Iterator[Fact]:
    args = context.args("NodeResourcesFit", NodeResourcesFitArgs)
    requests = context.pod.filter_requests
    others = sorted(name for name in requests if is_scalar_resource(name) and not _is_ignored(name, args))
    for name in (*FIRST_RESOURCES, *others):
        requested = requests.get(name, 0)
        if requested <= 0:
            continue
        used, total = node.requested(name), node.allocatable(name)
        short = requested > total - used
        template = TOO_LARGE if requested > total else SHORT if short else FITS
        values = {"asked": requested, "free": max(total - used, 0), "total": total}
        places = {place: format_amount(name, value) for place, value in values.items() if f"{{{place}}}" in template}
        data = {"requested": requested, "used": used, "allocatable": total, "free": total - used}
        yield Fact(template(**places), name, short, data)


def _is_ignored(resource: str, args: NodeResourcesFitArgs) -> bool:
    group = resource.partition("/")[0]
    listed = resource in args.ignored_resources or group in args.ignored_resource_groups
    return listed and is_extended_resource(resource)
