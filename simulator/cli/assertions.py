"""Assertions about the result of a run: `--assert-placed`, `--assert-pending`, `--assert-all-placed`."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial

from simulator.cli.output.outcomes import Outcomes, PodOutcome
from simulator.cli.workloads import WorkloadAssertion, parse_assertion

DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion about every pod that `pods` matches, a key or a pattern such as `shop/web-*`.

    `wanted` is a node for placed pods. For pending pods it is a part of the reason, or a plugin that rejected them. ""
    matches everything.
    """

    flag: str
    pods: str
    wanted: str = ""

    def __str__(self) -> str:
        return f"{self.flag} {self.pods}{'=' if self.wanted else ''}{self.wanted}"

    def failures(self, outcomes: Outcomes) -> Iterator[str]:
        """Yield a sentence for each pod that fails the assertion."""
        matched = _matched(self.pods, outcomes.pods)
        if not matched:
            yield f"{self}: no such Pod in the scenario"
        for pod in matched:
            if not self._holds(pod):
                yield f"{self}: {pod.pod} {_actual_state(pod)}"

    def _holds(self, pod: PodOutcome) -> bool:
        if self.flag == "--assert-placed":
            return pod.placed and self.wanted in ("", pod.node)
        pending = not pod.placed and pod.lane != "gone"
        return pending and (self.wanted in pod.reason or self.wanted in pod.plugins)


@dataclass(frozen=True, slots=True)
class AllPlaced:
    """The assertion that every pod of the scenario has a node at the end, and that there is at least one pod."""

    def __str__(self) -> str:
        return "--assert-all-placed"

    def failures(self, outcomes: Outcomes) -> Iterator[str]:
        if not outcomes.pods:
            yield f"{self}: the scenario has no Pod to place"
        for pod in outcomes.tried:
            if not pod.placed:
                yield f"{self}: {pod.pod} {_actual_state(pod)}"


AnyAssertion = Assertion | AllPlaced | WorkloadAssertion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "assertions", "NS/POD may be a pattern such as shop/web-*; without NS/ in the namespace default"
    )
    placed, pending = "--assert-placed", "--assert-pending"
    group.add_argument(
        placed,
        dest="assertions",
        action="append",
        default=[],
        type=lambda text: _parse(placed, text),
        metavar="NS/POD[=NODE]",
        help="the Pod has a node, or this NODE (may be repeated)",
    )
    group.add_argument(
        pending,
        dest="assertions",
        action="append",
        type=lambda text: _parse(pending, text),
        metavar="NS/POD[=REASON]",
        help="the Pod exists and has no node; REASON is part of its message, or a plugin that rejected it",
    )
    for flag, about in (
        (
            "--assert-rollout",
            "with --controllers: the rollout is complete, as in kubectl rollout status (may be repeated)",
        ),
        ("--assert-ready", "with --controllers: all replicas are ready, or the Job is complete (may be repeated)"),
    ):
        group.add_argument(
            flag,
            dest="assertions",
            action="append",
            type=partial(parse_assertion, flag),
            metavar="KIND/NS/NAME",
            help=about,
        )
    group.add_argument(
        "--assert-all-placed",
        dest="assertions",
        action="append_const",
        const=AllPlaced(),
        help="no pod stays without a node, and none was evicted",
    )


def _parse(flag: str, text: str) -> Assertion:
    pods, _, wanted = text.partition("=")
    namespace, slash, name = pods.rpartition("/")
    if not name or (slash and not namespace):
        raise argparse.ArgumentTypeError(f"{text!r} names no pod; write NAMESPACE/POD")
    return Assertion(flag, f"{namespace or DEFAULT_NAMESPACE}/{name}", wanted)


def _matched(pattern: str, pods: Mapping[str, PodOutcome]) -> list[PodOutcome]:
    return [pod for key, pod in pods.items() if fnmatchcase(key, pattern)]


def _actual_state(pod: PodOutcome) -> str:
    if pod.placed:
        return f"is on {pod.node}"
    if pod.lane == "gone":
        return f"is gone: {pod.message}" if pod.message else "is gone"
    return f"has no node: {pod.reason}"
