"""VolumeBinding's args: the time limit of binding, and the shape of scores."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import HELP, UtilizationShapePoint
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.encode import internal_json
from scheduler_core.config.field_errors import Shown, child, invalid
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    """The args. `shape` must be None, because it needs the feature gate StorageCapacityScoring, which is off."""

    bind_timeout_seconds: int = field(default=600, metadata=wire("*int64"))
    shape: tuple[UtilizationShapePoint, ...] | None = field(
        default=None, metadata=wire("[]v1.UtilizationShapePoint", of=UtilizationShapePoint)
    )


def check(path: str, args: VolumeBindingArgs) -> Iterator[Problem]:
    timeout = args.bind_timeout_seconds
    if timeout < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        yield invalid(child(path, "bindTimeoutSeconds"), timeout, detail)
    if args.shape is not None:
        detail = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
        yield invalid(child(path, "shape"), Shown(internal_json(args.shape)), detail)


RULES = ArgsRules(
    struct=VolumeBindingArgs,
    check=check,
    wrong_type="want args to be of type VolumeBindingArgs, got {}",
    help={
        UtilizationShapePoint: HELP[UtilizationShapePoint],
        VolumeBindingArgs: {
            "bindTimeoutSeconds": Help("The longest that binding a pod's volumes may take.", least=0),
            "shape": Help("Belongs to the feature gate StorageCapacityScoring, which is off.", hidden=True),
        },
    },
)
