"""Completion indexes, as a Job's status writes them: `0,3-5,7`. Source: pkg/controller/job/indexed_job_utils.go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.actors.manifests import Manifest, annotations

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
UNKNOWN = -1
_VARIABLE = "JOB_COMPLETION_INDEX"
_MOST_OF_NAME = 58  # what is drawn follows. Source: names.MaxGeneratedNameLength


def parse(text: str, completions: int) -> list[int]:
    """Source: parseIndexesFromString: what is no number or beyond the completions is left out."""
    found: list[int] = []
    for part in text.split(",") if text else ():
        limits = part.split("-")
        try:
            first, last = int(limits[0]), int(limits[-1])
        except ValueError:
            continue
        found += range(first, min(last, completions - 1) + 1)
    return found


def write(indexes: Iterable[int]) -> str:
    """Source: orderedIntervals.String."""
    runs: list[list[int]] = []
    for index in sorted(set(indexes)):
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(
        str(first) if first == last else f"{first},{last}" if last == first + 1 else f"{first}-{last}"
        for first, last in runs
    )


def index_of(pod: Manifest) -> int:
    """Source: getCompletionIndex."""
    text = annotations(pod).get(COMPLETION_INDEX, "")
    return int(text) if text.isascii() and text.isdigit() else UNKNOWN


def name_prefix(job: str, index: int) -> str:
    """Source: podGenerateNameWithIndex."""
    end = f"-{index}-"
    return job[: _MOST_OF_NAME - len(end)] + end


def with_index_variable(pod_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Each container can read the pod's index. Source: addCompletionIndexEnvVariables."""
    source = {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}
    made = dict(pod_spec)
    for field in ("initContainers", "containers"):
        if pod_spec.get(field):
            made[field] = [_with_variable(one, {"name": _VARIABLE, "valueFrom": source}) for one in pod_spec[field]]
    return made


def _with_variable(container: Mapping[str, Any], variable: Mapping[str, Any]) -> Mapping[str, Any]:
    known = container.get("env") or ()
    if any(one.get("name") == _VARIABLE for one in known):
        return container
    return {**container, "env": [*known, variable]}


def first_pending(count: int, completions: int, taken: Sequence[int]) -> list[int]:
    """The lowest indexes that are neither done nor at work. Source: firstPendingIndexes."""
    known = set(taken)
    found: list[int] = []
    for index in range(completions):
        if len(found) == count:
            break
        if index not in known:
            found.append(index)
    return found


def duplicates(pods: Sequence[Manifest], completions: int) -> tuple[list[Manifest], list[Manifest]]:
    """Those to remove since another of the same index is there, and the others.

    Source: appendDuplicatedIndexPodsForRemoval; `pods` in the order in which the first ones may go.
    """
    gone, left = [], []
    by_index: dict[int, list[Manifest]] = {}
    for pod in pods:
        by_index.setdefault(index_of(pod), []).append(pod)
    for index, found in sorted(by_index.items()):
        if index == UNKNOWN or index >= completions:
            gone += found
        else:
            gone += found[:-1]
            left.append(found[-1])
    return gone, left
