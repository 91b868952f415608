"""Upgrade report: the same pods under two versions, with the known changes behind each difference.

Both versions decide about each pod in the same state, with the old version's placements before it. So a difference is
caused by a change itself and not by another pod's placement. The final nodes of a run with the new version alone are
reported separately. A node that is as good as the old one is no difference, because the real scheduler picks randomly
among the best.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from kube_objects.meta import KubeObject
from kube_objects.sentences import say
from scheduler_core.config import ConfigError
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.framework.emulation import Emulation
from scheduler_core.legacy.translation.translate import translate
from simulator.upgrade.causes import ScoreComparison, placement_causes, verdict_causes
from simulator.upgrade.changes import (
    KINDS,
    MESSAGE,
    PLACEMENT,
    SCORE,
    VERDICT,
    UpgradeChange,
    find_changes,
)
from simulator.upgrade.cluster import TrialCluster, TrialOutcome, VersionAnswer
from simulator.upgrade.profiles import profile_differences

MOST_EXAMPLES = 5
# Versions, oldest first.
VERSIONS = ("v1.10-preset", "v1.20.2", "v1.34.1", "v1.36.3")


Progress = Callable[[int, int], None]


def _ignore_progress(done: int, expected: int) -> None:
    """Ignore the progress."""


@dataclass(slots=True, frozen=True)
class UpgradeVerdict:
    outcome: TrialOutcome
    node: str | None
    message: str


@dataclass(slots=True, frozen=True)
class UpgradeDifference:
    """A difference for one pod in one state. For a score, `node` is an example with its two `scores`."""

    pod: str
    kind: Annotated[str, KINDS]
    old: UpgradeVerdict
    new: UpgradeVerdict
    node: str | None = None
    scores: tuple[int, int] | None = None


@dataclass(slots=True)
class UpgradeGroup:
    """Differences with the same causes: `counts` by kind, and some `examples` of each kind."""

    plugins: tuple[str, ...]
    changes: list[UpgradeChange] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    examples: list[UpgradeDifference] = field(default_factory=list)

    def add(self, difference: UpgradeDifference) -> None:
        count = self.counts[difference.kind] = self.counts.get(difference.kind, 0) + 1
        if count <= MOST_EXAMPLES:
            self.examples.append(difference)


@dataclass(slots=True, frozen=True)
class UpgradeMoved:
    """A pod that ends on another node. `direct`: because of a change itself, not because of other pods' placements."""

    pod: str
    old: str | None
    new: str | None
    direct: bool


@dataclass(slots=True)
class UpgradeReport:
    old: str
    new: str
    pods: int = 0
    attempts: int = 0
    errors: list[str] = field(default_factory=list)
    """Reasons why the new version does not start with the configuration; then no pod was tried."""
    configuration: list[str] = field(default_factory=list)
    """Differences of the profiles, and other notes about the configuration."""
    groups: list[UpgradeGroup] = field(default_factory=list)
    moved: list[UpgradeMoved] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    """The number of differences between profiles, by kind."""

    def has(self, kind: str) -> bool:
        """Return True if there is a difference of the kind; a pod on another node at the end counts as placement."""
        return bool(self.kinds[kind]) or bool(self.errors) or (kind == PLACEMENT and bool(self.moved))


def as_json(report: UpgradeReport) -> dict[str, Any]:
    """Return the report as JSON."""
    return dataclasses.asdict(report)


def compare(
    objects: Iterable[KubeObject],
    old: Emulation,
    new: Emulation,
    config: str | None,
    notes: Sequence[str] = (),
    progress: Progress = _ignore_progress,
) -> UpgradeReport:
    """Return the report of these objects under two versions.

    `config` is a configuration of the old version, which the new one reads, too. `progress` gets the number of attempts
    so far and the expected number: two per pod, plus retries after preemption. Raises ConfigError if the old version
    cannot read the configuration.
    """
    report = UpgradeReport(old.version, new.version, configuration=list(notes))
    for done, expected in compare_steps(report, objects, old, new, config):
        progress(done, expected)
    return report


def compare_steps(
    report: UpgradeReport, objects: Iterable[KubeObject], old: Emulation, new: Emulation, config: str | None
) -> Iterator[tuple[int, int]]:
    """Fill `report` as `compare` does, attempt by attempt; yield the arguments of `progress`.

    1. Load the configuration for both versions. If the new one rejects it, report the errors and stop.
    2. Report the differences of the profiles.
    3. Run the old version; before each attempt, let the new version decide about the pod in the same state.
    4. Run the new version alone; prefer the old node where it is among the best.
    5. Report the pods whose final nodes differ.
    """
    before = old.load(config, old.registry.points())
    try:
        after = _load_for_new(new, config, report)
    except ConfigError as error:
        report.errors = [
            f"{problem.path}: {problem.rule}" if problem.path else problem.rule for problem in error.problems
        ]
        return
    report.configuration += profile_differences(old, before, new, after)
    all_objects = list(objects)
    side_by_side = _SideBySideRun(report, TrialCluster(all_objects, before, old), after, new)
    expected = 2 * len(side_by_side.cluster.placements())
    for done in side_by_side.run():
        yield done, expected
    new_alone = TrialCluster(all_objects, after, new)
    old_nodes = side_by_side.cluster.placements()
    for done, pod in enumerate(new_alone.pods(), report.attempts + 1):
        yield done, expected
        answer = new_alone.ask(new_alone.scheduler, pod)
        wanted = old_nodes.get(pod.key)
        new_alone.carry_out(pod, answer, wanted if wanted in answer.best_nodes else None)
    new_nodes = new_alone.placements()
    report.pods = len(old_nodes)
    report.moved = [
        UpgradeMoved(pod, node, new_nodes[pod], pod in side_by_side.direct)
        for pod, node in old_nodes.items()
        if new_nodes[pod] != node
    ]


def _load_for_new(new: Emulation, config: str | None, report: UpgradeReport) -> SchedulerConfiguration:
    """Return the configuration as the new version reads it; translate it first if it has an older API."""
    try:
        return new.load(config, new.registry.points())
    except ConfigError:
        if config is None or new.rules is None:
            raise
        translation = translate(config, new.rules, new.registry.points())
        if translation.problems:
            raise
        read = new.load(translation.config_text, new.registry.points())
        report.configuration.append(say("The configuration was translated from an older API version."))
        return read


class _SideBySideRun:
    """A run of the old version in which the new one is asked about each pod.

    `direct` are pods whose placement a change itself affects.
    """

    def __init__(
        self,
        report: UpgradeReport,
        cluster: TrialCluster,
        config: SchedulerConfiguration,
        new: Emulation,
    ) -> None:
        self.report = report
        self.cluster = cluster
        self.direct: set[str] = set()
        self._other_scheduler = cluster.other_scheduler(config, new)
        self._groups: dict[tuple[str, ...], UpgradeGroup] = {}

    def run(self) -> Iterator[int]:
        """Yield the number of each attempt before it starts.

        1. Take the next pod of the old version's queue.
        2. Let the new version decide about it, without an effect on the cluster.
        3. Let the old version decide, and compare both.
        4. Apply the old version's decision.
        5. At the end, add the known changes to each group of differences.
        """
        cluster = self.cluster
        for pod in cluster.pods():
            self.report.attempts += 1
            yield self.report.attempts
            self._other_scheduler.pods.next_start_node_index = cluster.scheduler.pods.next_start_node_index
            new = cluster.ask(self._other_scheduler, pod)
            cluster.forget()
            old = cluster.ask(cluster.scheduler, pod)
            self._compare_pod(pod.key, old, new)
            cluster.carry_out(pod, old)
        for group in self._groups.values():
            group.changes = find_changes(group.plugins, self.report.old, self.report.new, VERSIONS, group.counts.keys())
        order = {kind: i for i, kind in enumerate(KINDS)}
        self.report.groups = sorted(
            self._groups.values(), key=lambda group: (min(order[kind] for kind in group.counts), group.plugins)
        )

    def _compare_pod(self, pod: str, old: VersionAnswer, new: VersionAnswer) -> None:
        rows = self.cluster.cache.table.rows
        if old.outcome != new.outcome:
            self.direct.add(pod)
            self._add(verdict_causes(old, new), UpgradeDifference(pod, VERDICT, _verdict(old), _verdict(new)))
        elif old.node is not None and old.node not in new.best_nodes:
            self.direct.add(pod)
            self._add(placement_causes(old, new, rows), UpgradeDifference(pod, PLACEMENT, _verdict(old), _verdict(new)))
        elif old.node is None and old.message != new.message:
            self._add(verdict_causes(old, new), UpgradeDifference(pod, MESSAGE, _verdict(old), _verdict(new)))
        self._compare_pod_scores(pod, old, new)

    def _compare_pod_scores(self, pod: str, old: VersionAnswer, new: VersionAnswer) -> None:
        scored = ScoreComparison(old, new)
        for plugin in scored.differing():
            mine, theirs = scored.old.get(plugin), scored.new.get(plugin)
            first = 0
            if mine is not None and theirs is not None:
                first = int((mine != theirs).argmax())
            pair = tuple(0 if column is None else int(column[first]) for column in (mine, theirs))
            node = self.cluster.cache.table.nodes[int(scored.rows[first])].name
            difference = UpgradeDifference(pod, SCORE, _verdict(old), _verdict(new), node, (pair[0], pair[1]))
            self._add([plugin], difference)

    def _add(self, plugins: Sequence[str], difference: UpgradeDifference) -> None:
        key = tuple(plugins)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = UpgradeGroup(key)
        group.add(difference)
        self.report.kinds[difference.kind] += 1


def _verdict(answer: VersionAnswer) -> UpgradeVerdict:
    return UpgradeVerdict(answer.outcome, answer.node, answer.message)
