"""StatefulSet."""

from kube_objects.kinds.apps.workload import HISTORY, READY, REPLICAS, SELECTS, workload
from kube_objects.kinds.form import Input, Section
from kube_objects.kinds.rules import MappingRule, amount, anything, choice, natural
from kube_objects.read import text

_UPDATE = ("spec", "updateStrategy")
_RETENTION = ("spec", "persistentVolumeClaimRetentionPolicy")
_retained = choice("Delete", "Retain")

KIND = workload(
    "StatefulSet",
    {
        "replicas": natural,
        "serviceName": text,
        "podManagementPolicy": choice("OrderedReady", "Parallel"),
        "ordinals": MappingRule({"start": natural}),
        "updateStrategy": MappingRule(
            {
                "type": choice("OnDelete", "RollingUpdate"),
                "rollingUpdate": MappingRule({"partition": natural, "maxUnavailable": amount}),
            }
        ),
        "revisionHistoryLimit": natural,
        "volumeClaimTemplates": anything,
        "persistentVolumeClaimRetentionPolicy": MappingRule({"whenDeleted": _retained, "whenScaled": _retained}),
    },
    sections=(
        Section(
            "Copies",
            (
                REPLICAS,
                Input("first ordinal", ("spec", "ordinals", "start"), "number", "0"),
                Input("one after the other", ("spec", "podManagementPolicy"), "choice"),
                READY,
                SELECTS,
                Input("service", ("spec", "serviceName")),
            ),
        ),
        Section(
            "Rollout",
            (
                Input("strategy", (*_UPDATE, "type"), "choice"),
                Input("from ordinal", (*_UPDATE, "rollingUpdate", "partition"), "number", "0"),
                HISTORY,
            ),
        ),
        Section(
            "Its claims",
            (
                Input("when it is deleted", (*_RETENTION, "whenDeleted"), "choice"),
                Input("when it is scaled down", (*_RETENTION, "whenScaled"), "choice"),
            ),
        ),
    ),
    example="  replicas: 3\n  serviceName: web\n",
    scheduled_by=True,
)
