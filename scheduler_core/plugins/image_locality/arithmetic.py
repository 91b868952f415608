"""ImageLocality's score: the size of the pod's images that are on the node.

Source: pkg/scheduler/framework/plugins/imagelocality.
"""

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, format_sum
from scheduler_core.facts.quantities import format_bytes
from scheduler_core.plugins.image_locality.plugin import (
    MAX_CONTAINER_THRESHOLD,
    MIN_THRESHOLD,
    ImageLocality,
    normalized_image_name,
)

ABSENT = Template("the node does not have it")
PRESENT = Template(
    "{size}, scaled by the {having} of {nodes} nodes that have it: rare images must not heat up few nodes"
)
SUM = Template("scaled bytes of all containers' images: {size}")
SCORE = Template("from {least} on an image counts, and no more than {most}: {each} for each container")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    containers = (*context.pod.init_containers, *context.pod.containers)
    all_nodes = context.nodes
    total, lines = len(all_nodes), []
    scaled_sizes: list[int] = []
    plugin = context.framework.plugins["ImageLocality"]
    assert isinstance(plugin, ImageLocality)
    for name in plugin.images(context.pod):
        image = normalized_image_name(name)
        sizes = all_nodes.image_nodes(image)
        if node.name not in sizes:
            lines.append(CalculationLine(ABSENT(), "0", 0, image))
            continue
        # An image has one size: that of the first node that reported it.
        bytes_there, having = next(iter(sizes.values())), len(sizes)
        scaled_sizes.append(int(bytes_there * (having / total)))
        what = PRESENT(size=format_bytes(bytes_there), having=having, nodes=total)
        lines.append(CalculationLine(what, f"trunc({bytes_there} × ({having} ÷ {total}))", scaled_sizes[-1], image))
    scaled_sum, most = sum(scaled_sizes), MAX_CONTAINER_THRESHOLD * len(containers)
    lines.append(CalculationLine(SUM(size=format_bytes(scaled_sum)), format_sum(scaled_sizes), scaled_sum))
    value = 100 * (min(max(scaled_sum, MIN_THRESHOLD), most) - MIN_THRESHOLD) // (most - MIN_THRESHOLD)
    within = (
        str(scaled_sum) if MIN_THRESHOLD <= scaled_sum <= most else f"min(max({scaled_sum}, {MIN_THRESHOLD}), {most})"
    )
    what = SCORE(least=format_bytes(MIN_THRESHOLD), most=format_bytes(most), each=format_bytes(MAX_CONTAINER_THRESHOLD))
    formula = f"100 × ({within} − {MIN_THRESHOLD}) / ({most} − {MIN_THRESHOLD})"
    return Calculation([*lines, CalculationLine(what, formula, value)], value)
