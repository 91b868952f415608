"""What one release of kube-scheduler knows of its configuration: the kinds it decodes, its plugins, defaults, checks.

All of them speak the API v1; what they do alike is the code of this package, where they differ it asks for the rules.
`scheduler_core.releases` has those of each release, made with its table of plugins.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.types import GROUP, VERSION, PluginSet, SchedulerConfiguration
from scheduler_core.config.wording import Words, as_it_is

Points = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class TypeMeta:
    """Group, version and kind of an object."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_kind(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


def _strict_text(text: str, problems: Sequence[str]) -> str:
    return "strict decoding error: " + ", ".join(problems)


@dataclass(frozen=True, slots=True)
class Scheme:
    """What one version of kube-scheduler decodes. `kinds`: (group, version, kind) → dataclass of its fields.

    `args` are those of the plugins that have some, registered as `<plugin>Args` in `group` and `version`.
    `strict_text` words unknown and duplicate fields of a text; `strict_first` reports them before the args are read, in
    the order of their names (the strict decoder read a sorted copy).
    """

    location: str
    kinds: Mapping[tuple[str, str, str], type[Any]]
    args: Mapping[str, type[Any]]
    group: str = GROUP
    version: str = VERSION
    strict_text: Callable[[str, Sequence[str]], str] = _strict_text
    strict_first: bool = False

    def find(self, meta: TypeMeta) -> type[Any] | None:
        if (meta.group, meta.version) == (self.group, self.version) and meta.kind.endswith("Args"):
            return self.args.get(meta.kind.removesuffix("Args"))
        return self.kinds.get((meta.group, meta.version, meta.kind))


@dataclass(frozen=True, slots=True)
class ExpansionRules:
    """`more_points` follow the common extension points; a configuration may name plugins there although none is run.

    `too_much` is said of weights whose sum overflows.
    """

    more_points: tuple[str, ...] = ()
    too_much: str = "total score of Score plugins could overflow"


@dataclass(frozen=True, slots=True, eq=False)
class ConfigRules:
    """`points`: the extension points of every in-tree plugin; `plugin_args`: the rules of those that have args.

    `words`: as those of the args have them, for all others.
    """

    scheme: Scheme
    configuration: type[SchedulerConfiguration]
    multi_point: PluginSet
    points: Points
    plugin_args: Mapping[str, ArgsRules]
    expansion: ExpansionRules = ExpansionRules()
    words: Words = as_it_is

    @property
    def args(self) -> Mapping[str, type[Any]]:
        """The types of the args, by plugin."""
        return self.scheme.args


def types_of(args: Mapping[str, ArgsRules]) -> Mapping[str, type[Any]]:
    return {plugin: rules.struct for plugin, rules in args.items()}
