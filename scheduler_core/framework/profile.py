"""ProfileFramework: the plugins of one profile, in the order in which each extension point runs them.

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
from scheduler_core.framework.trace import Step, plain_step, score_step
from scheduler_core.framework.traits import Traits

P = TypeVar("P", bound=Plugin)
# Cached sets of plugins that skip; pods of one template have the same set.
MAX_SKIP_SETS = 64
# Cached lists of trace steps.
MAX_STEP_LISTS = 1024


@dataclass(slots=True, frozen=True)
class FilterStages:
    """The Filter plugins in their order, split into stages by the data that they read.

    The first two stages are cacheable. `known` are the plugins of the first two stages. `row_by_load`: the second stage
    reads nothing but a row's load.
    """

    node: Sequence[FilterPlugin]
    row: Sequence[FilterPlugin]
    rest: Sequence[FilterPlugin]
    known: Sequence[FilterPlugin]
    names: list[str]
    row_by_load: bool

    @classmethod
    def from_plugins(cls, plugins: Sequence[FilterPlugin], skipped: Collection[str] = ()) -> Self:
        """Split the plugins into stages, without the `skipped` ones."""
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
    """The Score plugins that run in an attempt; lists of ints hold their positions.

    `cacheable` are the plugins whose raw scores are valid until a row changes, `others` the rest.
    """

    plugins: list[ScorePlugin]
    names: list[str]
    weights: list[int]
    weight_column: IntColumn
    cacheable: list[int]
    others: list[int]
    normalizing: list[int]
    steps: Callable[[str, tuple[int, ...], tuple[int, ...]], Sequence[Step]] = field(init=False)
    """`(point, lowest, highest)` → the trace steps of Score, or of NormalizeScore for the plugins that normalize."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", lru_cache(MAX_STEP_LISTS)(self._steps))

    def _steps(self, point: str, low: tuple[int, ...], high: tuple[int, ...]) -> Sequence[Step]:
        which = self.normalizing if point == ExtensionPoint.NORMALIZE_SCORE else range(len(self.plugins))
        return [
            score_step(point, self.names[i], lowest, highest, self.weights[i])
            for i, lowest, highest in zip(which, low, high, strict=True)
        ]

    @classmethod
    def from_plugins(cls, plugins: Sequence[ScorePlugin], weights: Mapping[str, int], skipped: Collection[str]) -> Self:
        """Return the scorers without the `skipped` plugins."""
        running = [plugin for plugin in plugins if plugin.name not in skipped]
        running_weights = [weights[plugin.name] for plugin in running]
        return cls(
            running,
            [plugin.name for plugin in running],
            running_weights,
            np.array(running_weights, np.int64),
            [i for i, plugin in enumerate(running) if plugin.reads <= Reads.ROW],
            [i for i, plugin in enumerate(running) if plugin.reads > Reads.ROW],
            [i for i, plugin in enumerate(running) if plugin.normalizes],
        )


class ProfileFramework:
    """The plugins of one profile by extension point. A plugin has one instance for all its points."""

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
            return [cast(P, self.plugins[entry.name]) for entry in entries.plugins_at(point)]

        self.queue_sort = plugins("queueSort", QueueSortPlugin)  # type: ignore[type-abstract]
        self.pre_enqueue = plugins("preEnqueue", PreEnqueuePlugin)  # type: ignore[type-abstract]
        self.pre_filter = plugins("preFilter", PreFilterPlugin)  # type: ignore[type-abstract]
        self.pre_filter_extensions = [plugin for plugin in self.pre_filter if _has_pre_filter_extensions(plugin)]
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
        self.weights = {entry.name: entry.weight for entry in entries.plugins_at("score")}
        self.filter_stages = lru_cache(MAX_SKIP_SETS)(lambda skipped: FilterStages.from_plugins(self.filter, skipped))
        self.passing_steps = lru_cache(MAX_STEP_LISTS)(self._passing_steps)
        self.scorers = lru_cache(MAX_SKIP_SETS)(lambda skipped: Scorers.from_plugins(self.score, self.weights, skipped))

    def _passing_steps(self, skipped: frozenset[str], nodes: int) -> Sequence[Step]:
        """Return the trace steps of the filters if all of `nodes` nodes pass them."""
        return [
            plain_step(ExtensionPoint.FILTER, plugin.name, Code.SKIP, None, None)
            if plugin.name in skipped
            else plain_step(ExtensionPoint.FILTER, plugin.name, Code.SUCCESS, nodes, nodes)
            for plugin in self.filter
        ]

    def _create(self, name: str, profile: Profile, registry: Registry) -> Plugin:
        plugin_class = registry.get(name)
        assert plugin_class is not None, f"{name} was checked against the registry before"
        args: Any = profile.plugin_args.get(name)
        return plugin_class.create(args, self.handle)


def _has_pre_filter_extensions(plugin: PreFilterPlugin) -> bool:
    """Return True if the plugin implements AddPod or RemovePod (upstream's PreFilterExtensions)."""
    kind, base = type(plugin), PreFilterPlugin
    return kind.add_pod is not base.add_pod or kind.remove_pod is not base.remove_pod
