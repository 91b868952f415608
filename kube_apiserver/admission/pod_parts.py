"""The paths of containers in a Pod spec, and of Pod templates in other kinds."""

from collections.abc import Mapping

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
"""The container lists in the order in which a Pod starts them."""

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "PodTemplate": ("template",),
}
"""Kind → the path of its Pod template."""
