"""DynamicResources' args: time limits of allocation and, in v1.36 and later, of binding."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kube_objects.text.go import SECOND, format_duration
from kube_objects.text.problems import Problem
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.field_errors import as_json, child, invalid
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help

_FILTER_TIMEOUT = Help("The longest that allocating devices on one node may take; 0s: no limit.")


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs:
    """`filter_timeout` in nanoseconds; 0 is no timeout."""

    filter_timeout: int | None = field(default=10 * SECOND, metadata=wire("*v1.Duration", keep=True))


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs136(DynamicResourcesArgs):
    """The args in v1.36. `binding_timeout` in nanoseconds: how long PreBind waits until devices are ready."""

    binding_timeout: int | None = field(default=600 * SECOND, metadata=wire("*v1.Duration"))


def check(path: str, args: DynamicResourcesArgs) -> Iterator[Problem]:
    if args.filter_timeout is not None and args.filter_timeout < 0:
        duration = as_json(format_duration(args.filter_timeout))
        yield invalid(child(path, "filterTimeout"), duration, "must be zero or positive")


def check_1_36(path: str, args: DynamicResourcesArgs136) -> Iterator[Problem]:
    yield from check(path, args)
    if args.binding_timeout is not None and args.binding_timeout < SECOND:
        duration = as_json(format_duration(args.binding_timeout))
        yield invalid(child(path, "bindingTimeout"), duration, "must be at least 1 second")


_WRONG_TYPE = "got args of type {}, want *DynamicResourcesArgs"
RULES = ArgsRules(
    struct=DynamicResourcesArgs,
    check=check,
    wrong_type=_WRONG_TYPE,
    help={DynamicResourcesArgs: {"filterTimeout": _FILTER_TIMEOUT}},
)
RULES_1_36 = ArgsRules(
    struct=DynamicResourcesArgs136,
    check=check_1_36,
    wrong_type=_WRONG_TYPE,
    help={
        DynamicResourcesArgs136: {
            "filterTimeout": _FILTER_TIMEOUT,
            "bindingTimeout": Help("How long binding waits for devices that get ready only then."),
        },
    },
)
