"""DaemonSet."""

from kube_objects.kinds.apps.workload import HISTORY, READY, SELECTS, workload
from kube_objects.kinds.form import Input, Section
from kube_objects.kinds.rules import MappingRule, amount, choice, natural

_UPDATE = ("spec", "updateStrategy")

KIND = workload(
    "DaemonSet",
    {
        "updateStrategy": MappingRule(
            {
                "type": choice("OnDelete", "RollingUpdate"),
                "rollingUpdate": MappingRule({"maxSurge": amount, "maxUnavailable": amount}),
            }
        ),
        "revisionHistoryLimit": natural,
    },
    sections=(
        Section("A pod on each node", (SELECTS, READY)),
        Section(
            "Rollout",
            (
                Input("strategy", (*_UPDATE, "type"), "choice"),
                Input("more at once", (*_UPDATE, "rollingUpdate", "maxSurge"), "amount", "0"),
                Input("fewer at once", (*_UPDATE, "rollingUpdate", "maxUnavailable"), "amount", "1"),
                HISTORY,
            ),
        ),
    ),
)
