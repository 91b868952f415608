"""ConfigRules: the kinds, plugins, defaults and checks of one release's configuration.

All releases here read the API v1; this package asks for the rules where they differ. `scheduler_core.releases` defines
the rules of each release.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.types import GROUP, VERSION, PluginSet, SchedulerConfiguration
from scheduler_core.config.wording import Words, unchanged

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
    """The kinds that one version of kube-scheduler decodes.

    `kinds`: (group, version, kind) → dataclass of its fields. `args`: plugin → type of its args, registered as
    `<plugin>Args` in `group` and `version`. `strict_text` formats the error for unknown and duplicate fields;
    `strict_first` reports them before args are decoded, sorted by name.
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
    """A release's rules for expanding profiles.

    `more_points` follow the common points; plugins named there don't run. `too_much` is the message for weights whose
    sum overflows.
    """

    more_points: tuple[str, ...] = ()
    too_much: str = "total score of Score plugins could overflow"


@dataclass(frozen=True, slots=True, eq=False)
class ConfigRules:
    """The configuration rules of one release. `points`: the extension points of every in-tree plugin.

    `plugin_args`: the rules of plugins with args. `words` adapts messages to the release.
    """

    scheme: Scheme
    configuration: type[SchedulerConfiguration]
    multi_point: PluginSet
    points: Points
    plugin_args: Mapping[str, ArgsRules]
    expansion: ExpansionRules = ExpansionRules()
    words: Words = unchanged

    @property
    def args(self) -> Mapping[str, type[Any]]:
        """Return the args types by plugin."""
        return self.scheme.args


def types_of(args: Mapping[str, ArgsRules]) -> Mapping[str, type[Any]]:
    return {plugin: rules.struct for plugin, rules in args.items()}
