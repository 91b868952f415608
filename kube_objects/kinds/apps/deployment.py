"""Deployment."""

from kube_objects.kinds.apps.workload import HISTORY, READY, REPLICAS, SELECTS, workload
from kube_objects.kinds.form import Input, Section
from kube_objects.kinds.rules import MappingRule, amount, choice, natural
from kube_objects.read import boolean

_STRATEGY = ("spec", "strategy")

KIND = workload(
    "Deployment",
    {
        "replicas": natural,
        "strategy": MappingRule(
            {
                "type": choice("Recreate", "RollingUpdate"),
                "rollingUpdate": MappingRule({"maxSurge": amount, "maxUnavailable": amount}),
            }
        ),
        "progressDeadlineSeconds": natural,
        "revisionHistoryLimit": natural,
        "paused": boolean,
    },
    sections=(
        Section("Copies", (REPLICAS, READY, SELECTS)),
        Section(
            "Rollout",
            (
                Input("strategy", (*_STRATEGY, "type"), "choice"),
                Input("more at once", (*_STRATEGY, "rollingUpdate", "maxSurge"), "amount", "25%"),
                Input("fewer at once", (*_STRATEGY, "rollingUpdate", "maxUnavailable"), "amount", "25%"),
                Input("given up after (seconds)", ("spec", "progressDeadlineSeconds"), "number", "600"),
                Input("paused", ("spec", "paused"), "check"),
                HISTORY,
            ),
        ),
    ),
    example="  replicas: 3\n",
)
