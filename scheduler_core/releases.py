"""The configuration rules of each release of kube-scheduler, with its table of plugins."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scheduler_core.config import v1_36, wording
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.default_plugins import DEFAULT_MULTI_POINT
from scheduler_core.config.editing.field_help import FIELD_HELP
from scheduler_core.config.help import FieldHelp
from scheduler_core.config.rules import ConfigRules, Points, Scheme, types_of
from scheduler_core.config.types import GROUP, KIND, VERSION, SchedulerConfiguration
from scheduler_core.framework.registry import Registry
from scheduler_core.plugins.table import IN_TREE, IN_TREE_1_36


def _points(registry: Registry) -> Points:
    """Return the extension points sorted by plugin name, which is the order of reported problems."""
    return dict(sorted(registry.points().items()))


ARGS: Mapping[str, ArgsRules] = IN_TREE.args()
ARGS_1_36: Mapping[str, ArgsRules] = {
    plugin: replace(args, words=wording.reword_for_v1_36) for plugin, args in IN_TREE_1_36.args().items()
}
IN_TREE_POINTS = _points(IN_TREE)

V1_34 = ConfigRules(
    Scheme(
        "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:29",
        {(GROUP, VERSION, KIND): SchedulerConfiguration},
        types_of(ARGS),
    ),
    SchedulerConfiguration,
    DEFAULT_MULTI_POINT,
    IN_TREE_POINTS,
    ARGS,
)
V1_36 = ConfigRules(
    replace(V1_34.scheme, kinds={(GROUP, VERSION, KIND): v1_36.Configuration136}, args=types_of(ARGS_1_36)),
    v1_36.Configuration136,
    v1_36.MULTI_POINT,
    _points(IN_TREE_1_36),
    ARGS_1_36,
    v1_36.EXPANSION,
    wording.reword_for_v1_36,
)

HELP: Mapping[type[Any], FieldHelp] = {
    **FIELD_HELP,
    **{cls: texts for args in (*ARGS.values(), *ARGS_1_36.values()) for cls, texts in args.help.items()},
}
"""Help for every field of configurations and plugin args."""
