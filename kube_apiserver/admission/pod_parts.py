"""Where a pod's spec has its containers, and where other kinds have a pod's template."""

from collections.abc import Mapping

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
"""In the order in which a pod starts them."""

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "PodTemplate": ("template",),
}
"""Of which kinds, and on which way."""
