"""ProfileFramework: the plugins of one profile, built and put in the order in which each extension point runs them.

Source: pkg/scheduler/framework/runtime/framework.go NewFramework.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self, TypeVar, cast

import numpy as np

from scheduler_core.cache.column_types import IntColumn
from scheduler_core.config.types import Profile
from scheduler_core.framework.answer_cache import SignatureCache
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    BindPlugin,
    ExtensionPoint,
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
from scheduler_core.framework.status import Code
from scheduler_core.framework.trace import Step, score_step, step_of
from scheduler_core.framework.traits import Traits

P = TypeVar("P", bound=Plugin)
MOST_KINDS = 64
# Lists of steps that are remembered: one for each number of nodes that an attempt of one kind looks at.
MOST_STEPS = 1024


@dataclass(slots=True, frozen=True)
class FilterStages:
    """Filter plugins in their order, cut where one comes that reads more: what those before said can be kept.

    `known` are those of the first two stages. `row_by_load`: the second looks at nothing of a row but how full it is.
    """

    node: Sequence[FilterPlugin]
    row: Sequence[FilterPlugin]
    rest: Sequence[FilterPlugin]
    known: Sequence[FilterPlugin]
    names: list[str]
    row_by_load: bool

    @classmethod
    def of(cls, plugins: Sequence[FilterPlugin], skipped: Collection[str] = ()) -> Self:
        """Without those that are `skipped`."""
        cuts = [
            next((i for i, plugin in enumerate(plugins) if plugin.reads > level), len(plugins))
            for level in (Reads.NODE, Reads.ROW)
        ]
        node, row, rest = (
            [plugin for plugin in stage if plugin.name not in skipped]
            for stage in (plugins[: cuts[0]], plugins[cuts[0] : cuts[1]], plugins[cuts[1] :])
        )
        names = [plugin.name for plugin in (*node, *row, *rest)]
        return cls(node, row, rest, [*node, *row], names, all(plugin.reads <= Reads.LOAD for plugin in row))


@dataclass(slots=True, frozen=True)
class Scorers:
    """The Score plugins that give scores in an attempt, by their positions.

    `cacheable` are those whose raw scores stand until a row changes, `others` all the rest.
    """

    plugins: list[ScorePlugin]
    names: list[str]
    weights: list[int]
    weight_column: IntColumn
    cacheable: list[int]
    others: list[int]
    normalizing: list[int]
    steps: Callable[[str, tuple[int, ...], tuple[int, ...]], Sequence[Step]] = field(init=False)
    """`(point, lowest, highest)`: what a trace tells of their scores at Score, or at NormalizeScore of those that
    normalize, which are between these."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", lru_cache(MOST_STEPS)(self._steps))

    def _steps(self, point: str, low: tuple[int, ...], high: tuple[int, ...]) -> Sequence[Step]:
        which = self.normalizing if point == ExtensionPoint.NORMALIZE_SCORE else range(len(self.plugins))
        return [
            score_step(point, self.names[i], lowest, highest, self.weights[i])
            for i, lowest, highest in zip(which, low, high, strict=True)
        ]

    @classmethod
    def of(cls, plugins: Sequence[ScorePlugin], weights: Mapping[str, int], skipped: Collection[str]) -> Self:
        left = [plugin for plugin in plugins if plugin.name not in skipped]
        weighed = [weights[plugin.name] for plugin in left]
        return cls(
            left,
            [plugin.name for plugin in left],
            weighed,
            np.array(weighed, np.int64),
            [i for i, plugin in enumerate(left) if plugin.reads <= Reads.ROW],
            [i for i, plugin in enumerate(left) if plugin.reads > Reads.ROW],
            [i for i, plugin in enumerate(left) if plugin.normalizes],
        )


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
        self.filter_positions = {plugin.name: i for i, plugin in enumerate(self.filter)}
        self.post_filter = plugins("postFilter", PostFilterPlugin)  # type: ignore[type-abstract]
        self.pre_score = plugins("preScore", PreScorePlugin)  # type: ignore[type-abstract]
        self.score = plugins("score", ScorePlugin)  # type: ignore[type-abstract]
        self.reserve = plugins("reserve", ReservePlugin)  # type: ignore[type-abstract]
        self.permit = plugins("permit", PermitPlugin)  # type: ignore[type-abstract]
        self.pre_bind = plugins("preBind", PreBindPlugin)  # type: ignore[type-abstract]
        self.bind = plugins("bind", BindPlugin)  # type: ignore[type-abstract]
        self.post_bind = plugins("postBind", PostBindPlugin)  # type: ignore[type-abstract]
        by_row = [plugin for plugin in (*self.filter, *self.score) if plugin.reads <= Reads.ROW]
        self.signature_cache = SignatureCache(by_shape=not any(plugin.reads_metadata for plugin in by_row))
        self.signature_cache.enabled = not self.all_filters
        self.weights = {entry.name: entry.weight for entry in entries.at("score")}
        # Of the sets of plugins that skip there are few: pods of one kind skip the same ones.
        self.filter_stages = lru_cache(MOST_KINDS)(lambda skipped: FilterStages.of(self.filter, skipped))
        self.passing_steps = lru_cache(MOST_STEPS)(self._passing_steps)
        self.scorers = lru_cache(MOST_KINDS)(lambda skipped: Scorers.of(self.score, self.weights, skipped))

    def _passing_steps(self, skipped: frozenset[str], nodes: int) -> Sequence[Step]:
        """What a trace tells of the filters if all of so many nodes pass them."""
        return [
            step_of(ExtensionPoint.FILTER, plugin.name, Code.SKIP, None, None)
            if plugin.name in skipped
            else step_of(ExtensionPoint.FILTER, plugin.name, Code.SUCCESS, nodes, nodes)
            for plugin in self.filter
        ]

    def _create(self, name: str, profile: Profile, registry: Registry) -> Plugin:
        plugin_class = registry.get(name)
        assert plugin_class is not None, f"{name} was checked against the registry before"
        args: Any = profile.plugin_args.get(name)
        return plugin_class.create(args, self.handle)


def _follows_pods(plugin: PreFilterPlugin) -> bool:
    """Whether pods that come and go change what its Filter will say by the state that PreFilter left."""
    kind, base = type(plugin), PreFilterPlugin
    return kind.add_pod is not base.add_pod or kind.remove_pod is not base.remove_pod
