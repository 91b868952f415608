"""ProfileFramework: the plugins of one profile, built and put in the order in which each extension point runs them.

Source: pkg/scheduler/framework/runtime/framework.go NewFramework.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

from scheduler_core.config.types import Profile
from scheduler_core.framework.answer_cache import SignatureCache
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    BindPlugin,
    FilterPlugin,
    PermitPlugin,
    Plugin,
    PostBindPlugin,
    PostFilterPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    Reads,
    ReservePlugin,
    ScorePlugin,
)
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.traits import Traits

P = TypeVar("P", bound=Plugin)


@dataclass(slots=True, frozen=True)
class FilterStages:
    """Filter plugins in their order, cut where one comes that reads more: what those before said can be kept."""

    node: Sequence[FilterPlugin]
    row: Sequence[FilterPlugin]
    rest: Sequence[FilterPlugin]

    @classmethod
    def of(cls, plugins: Sequence[FilterPlugin]) -> Self:
        cuts = [
            next((i for i, plugin in enumerate(plugins) if plugin.reads > level), len(plugins))
            for level in (Reads.NODE, Reads.ROW)
        ]
        return cls(plugins[: cuts[0]], plugins[cuts[0] : cuts[1]], plugins[cuts[1] :])


class ProfileFramework:
    """One list a point; `weights` by score plugin. A plugin instance is shared by all its points."""

    def __init__(
        self, profile: Profile, registry: Registry, make_handle: Callable[[str], Handle], traits: Traits
    ) -> None:
        self.name = profile.scheduler_name
        self.traits = traits
        self.all_filters = profile.all_filters
        self.percentage_of_nodes_to_score = profile.percentage_of_nodes_to_score
        self.handle = make_handle(self.name)
        entries = traits.expand(profile, registry.points())
        # Plugins that are disabled at each of their points are built too, as upstream does: their events count.
        self.plugins = {name: self._create(name, profile, registry) for name in entries.plugins}

        def plugins(point: str, base: type[P]) -> list[P]:
            return [cast(P, self.plugins[entry.name]) for entry in entries.at(point)]

        self.queue_sort = plugins("queueSort", QueueSortPlugin)  # type: ignore[type-abstract]
        self.pre_enqueue = plugins("preEnqueue", PreEnqueuePlugin)  # type: ignore[type-abstract]
        self.pre_filter = plugins("preFilter", PreFilterPlugin)  # type: ignore[type-abstract]
        self.following = [plugin for plugin in self.pre_filter if _follows_pods(plugin)]
        self.filter = plugins("filter", FilterPlugin)  # type: ignore[type-abstract]
        self.filter_stages = FilterStages.of(self.filter)
        self.post_filter = plugins("postFilter", PostFilterPlugin)  # type: ignore[type-abstract]
        self.pre_score = plugins("preScore", PreScorePlugin)  # type: ignore[type-abstract]
        self.score = plugins("score", ScorePlugin)  # type: ignore[type-abstract]
        self.reserve = plugins("reserve", ReservePlugin)  # type: ignore[type-abstract]
        self.permit = plugins("permit", PermitPlugin)  # type: ignore[type-abstract]
        self.pre_bind = plugins("preBind", PreBindPlugin)  # type: ignore[type-abstract]
        self.bind = plugins("bind", BindPlugin)  # type: ignore[type-abstract]
        self.post_bind = plugins("postBind", PostBindPlugin)  # type: ignore[type-abstract]
        self.signature_cache = SignatureCache()
        self.signature_cache.enabled = not self.all_filters
        self.weights = {entry.name: entry.weight for entry in entries.at("score")}

    def _create(self, name: str, profile: Profile, registry: Registry) -> Plugin:
        plugin_class = registry.get(name)
        assert plugin_class is not None, f"{name} was checked against the registry before"
        args: Any = profile.plugin_args.get(name)
        return plugin_class.create(args, self.handle)


def _follows_pods(plugin: PreFilterPlugin) -> bool:
    """Whether pods that come and go change what its Filter will say by the state that PreFilter left."""
    kind, base = type(plugin), PreFilterPlugin
    return kind.add_pod is not base.add_pod or kind.remove_pod is not base.remove_pod
