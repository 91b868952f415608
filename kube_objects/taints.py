"""Taints of nodes and tolerations of pods."""

from dataclasses import dataclass, field

NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "PreferNoSchedule", "NoExecute"


@dataclass(slots=True, frozen=True)
class Taint:
    key: str
    value: str = ""
    effect: str = NO_SCHEDULE

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(slots=True, frozen=True)
class Toleration:
    """Source: k8s.io/api/core/v1/toleration.go."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    # tolerationSeconds: how long a NoExecute taint is tolerated, None is for ever. Nothing that scheduling reads.
    seconds: int | None = field(default=None, compare=False)

    def tolerates(self, taint: Taint) -> bool:
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator in ("", "Equal"):
            return self.value == taint.value
        return self.operator == "Exists"


# What the node lifecycle controller taints nodes with that are not ready.
NOT_READY = "node.kubernetes.io/not-ready"
CORDON_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect=NO_SCHEDULE)
