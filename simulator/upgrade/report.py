"""The report: the same pods under two versions, every difference with the change that made it.

Both versions are asked about each pod at the same moment, with the placements of the old one before it, so that a
difference is a change's own doing and does not follow from another pod's. Where the pods end up if the new version
places all of them is told apart from that. A node that is as good as the old one's is no difference: the real
scheduler draws among the best.
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
from simulator.upgrade.causes import Scored, of_placement, of_verdict
from simulator.upgrade.changes import (
    KINDS,
    MESSAGE,
    PLACEMENT,
    SCORE,
    VERDICT,
    UpgradeChange,
    between,
)
from simulator.upgrade.cluster import Answer, Outcome, TriedCluster
from simulator.upgrade.profiles import differences

MOST_EXAMPLES = 5
# From the oldest on.
VERSIONS = ("v1.10-preset", "v1.20.2", "v1.34.1", "v1.36.3")


Progress = Callable[[int, int], None]


def _untold(done: int, expected: int) -> None:
    """Nobody asked."""


@dataclass(slots=True, frozen=True)
class UpgradeVerdict:
    outcome: Outcome
    node: str | None
    message: str


@dataclass(slots=True, frozen=True)
class UpgradeDifference:
    """One pod, asked at one moment. For a score `node` is one of the nodes, with what the plugin gave it."""

    pod: str
    kind: Annotated[str, KINDS]
    old: UpgradeVerdict
    new: UpgradeVerdict
    node: str | None = None
    scores: tuple[int, int] | None = None


@dataclass(slots=True)
class UpgradeGroup:
    """What one change, or several together, made different. `counts` by kind; of each kind some `examples`."""

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
    """`direct`: by a change itself; else because pods before it are elsewhere."""

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
    """Why the new version does not start with the configuration; then no pod was tried."""
    configuration: list[str] = field(default_factory=list)
    """What a profile runs otherwise, and other notes about the configuration."""
    groups: list[UpgradeGroup] = field(default_factory=list)
    moved: list[UpgradeMoved] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    """How many differences there are of each kind."""

    def has(self, kind: str) -> bool:
        """Whether there is a difference of a kind; pods elsewhere at the end are of placement."""
        return bool(self.kinds[kind]) or bool(self.errors) or (kind == PLACEMENT and bool(self.moved))


def described(report: UpgradeReport) -> dict[str, Any]:
    """JSON-ready."""
    return dataclasses.asdict(report)


def compare(
    objects: Iterable[KubeObject],
    old: Emulation,
    new: Emulation,
    config: str | None,
    notes: Sequence[str] = (),
    progress: Progress = _untold,
) -> UpgradeReport:
    """`config`: a configuration of the old version; the new one reads it too. Raises ConfigError if the old cannot.

    `progress` is told of every attempt how many there were, and how many are expected: each pod twice, without those
    that come again because others were evicted for them.
    """
    report = UpgradeReport(old.version, new.version, configuration=list(notes))
    for done, expected in comparing(report, objects, old, new, config):
        progress(done, expected)
    return report


def comparing(
    report: UpgradeReport, objects: Iterable[KubeObject], old: Emulation, new: Emulation, config: str | None
) -> Iterator[tuple[int, int]]:
    """`compare` attempt by attempt: `report` is whole when this ends. Yields what `progress` is told there."""
    before = old.load(config, old.registry.points())
    try:
        after = _read_by_new(new, config, report)
    except ConfigError as error:
        report.errors = [f"{each.path}: {each.rule}" if each.path else each.rule for each in error.problems]
        return
    report.configuration += differences(old, before, new, after)
    everything = list(objects)
    together = _Together(report, TriedCluster(everything, before, old), after, new)
    expected = 2 * len(together.cluster.placements())
    for done in together.run():
        yield done, expected
    alone = TriedCluster(everything, after, new)
    placed = together.cluster.placements()
    for done, pod in enumerate(alone.pods(), report.attempts + 1):
        yield done, expected
        answer = alone.ask(alone.scheduler, pod)
        wanted = placed.get(pod.key)
        alone.carry_out(pod, answer, wanted if wanted in answer.would_do else None)
    ended = alone.placements()
    report.pods = len(placed)
    report.moved = [
        UpgradeMoved(pod, node, ended[pod], pod in together.direct)
        for pod, node in placed.items()
        if ended[pod] != node
    ]


def _read_by_new(new: Emulation, config: str | None, report: UpgradeReport) -> SchedulerConfiguration:
    """A configuration that is of an older API is translated, where the new version would not read it."""
    try:
        return new.load(config, new.registry.points())
    except ConfigError:
        if config is None or new.rules is None:
            raise
        translation = translate(config, new.rules, new.registry.points())
        if translation.problems:
            raise
        read = new.load(translation.config_text, new.registry.points())
        report.configuration.append(say("The configuration is of an older API and had to be translated."))
        return read


class _Together:
    """The run of the old version, the new one asked beside it. `direct`: pods that a change itself sends elsewhere."""

    def __init__(
        self,
        report: UpgradeReport,
        cluster: TriedCluster,
        config: SchedulerConfiguration,
        new: Emulation,
    ) -> None:
        self.report = report
        self.cluster = cluster
        self.direct: set[str] = set()
        self._beside = cluster.beside(config, new)
        self._groups: dict[tuple[str, ...], UpgradeGroup] = {}

    def run(self) -> Iterator[int]:
        """The number of each attempt, before it."""
        cluster = self.cluster
        for pod in cluster.pods():
            self.report.attempts += 1
            yield self.report.attempts
            self._beside.pods.next_start_node_index = cluster.scheduler.pods.next_start_node_index
            new = cluster.ask(self._beside, pod)
            cluster.forget()
            old = cluster.ask(cluster.scheduler, pod)
            self._note(pod.key, old, new)
            cluster.carry_out(pod, old)
        for group in self._groups.values():
            group.changes = between(group.plugins, self.report.old, self.report.new, VERSIONS, group.counts.keys())
        order = {kind: i for i, kind in enumerate(KINDS)}
        self.report.groups = sorted(
            self._groups.values(), key=lambda group: (min(order[kind] for kind in group.counts), group.plugins)
        )

    def _note(self, pod: str, old: Answer, new: Answer) -> None:
        rows = self.cluster.cache.table.rows
        if old.outcome != new.outcome:
            self.direct.add(pod)
            self._add(of_verdict(old, new), UpgradeDifference(pod, VERDICT, _verdict(old), _verdict(new)))
        elif old.node is not None and old.node not in new.would_do:
            self.direct.add(pod)
            self._add(of_placement(old, new, rows), UpgradeDifference(pod, PLACEMENT, _verdict(old), _verdict(new)))
        elif old.node is None and old.message != new.message:
            self._add(of_verdict(old, new), UpgradeDifference(pod, MESSAGE, _verdict(old), _verdict(new)))
        self._note_scores(pod, old, new)

    def _note_scores(self, pod: str, old: Answer, new: Answer) -> None:
        scored = Scored(old, new)
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


def _verdict(answer: Answer) -> UpgradeVerdict:
    return UpgradeVerdict(answer.outcome, answer.node, answer.message)
