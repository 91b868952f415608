"""The plan of an `Arrivals` object (`playground.kube-scheduler/v1`), read once for each version of it."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kube_controllers.arrivals.arrival_times import DAY, Bursts, Curve, Process, Times, poisson
from kube_controllers.horizontal_pod_autoscaler.calculator import MetricError
from kube_controllers.horizontal_pod_autoscaler.load import curve_of
from kube_controllers.kubelet import RUN
from kube_objects.manifests import Manifest, name, namespace
from kube_objects.text.curve import seconds_of
from kube_objects.text.paths import child
from kube_objects.text.problems import ObjectError, Problem

LABEL = "playground.kube-scheduler/arrivals"
MOST, MOST_A_MINUTE, MOST_IN_A_BURST, MOST_TIMES = 200_000, 60_000, 5_000, 20_000
_USUALLY_MOST = 10_000
_SHORTEST = 1.0  # seconds from burst to burst, and of a period
_LONGEST_RULE = 200
_TEMPLATES = ("template", "jobTemplate")


ProblemOf = Callable[[Manifest], Problem | None]


class ArrivalPlan(NamedTuple):
    """The process of the arrivals and its limits.

    `made` is the object to create, without a name. `lives` is the run time of the Pod at each time of a trace.
    """

    digest: str  # changes with the spec
    made: Manifest
    process: Process
    after: float
    until: float | None
    most: int
    lives: Sequence[float | None] = ()

    def arrival(self, number: int) -> Manifest:
        """Return the object of arrival `number`, counted from 0."""
        seconds = self.lives[number] if number < len(self.lives) else None
        if seconds is None:
            return self.made
        metadata = self.made["metadata"]
        annotations = {**(metadata.get("annotations") or {}), RUN: f"{seconds:g}"}
        return {**self.made, "metadata": {**metadata, "annotations": annotations}}


def read_plan(obj: Manifest, problem_of: ProblemOf | None) -> ArrivalPlan:
    """Return the plan of the object. Raise ObjectError with path, value and rule if its spec is invalid."""
    fields = _mapping(obj, "spec", "")
    _check_fields(fields, "spec", (*_TEMPLATES, *_PROCESSES, "period", "after", "for", "most"))
    chosen = _only_one_of(fields, tuple(_PROCESSES))
    if "period" in fields and chosen != "curve":
        raise _error("spec.period", fields["period"], "only a curve has a period")
    process = _PROCESSES[chosen](fields)
    lives = _run_times(fields) if chosen == "times" else ()
    if any(seconds is not None for seconds in lives) and fields.get("jobTemplate") is not None:
        raise _error("spec.times", fields["times"], "runSeconds are of pods, not of jobs")
    return ArrivalPlan(
        hashlib.sha256(json.dumps(fields, default=str).encode()).hexdigest()[:16],
        _object_to_create(obj, fields, problem_of),
        process,
        _seconds(fields, "after", "spec") if "after" in fields else 0.0,
        _seconds(fields, "for", "spec") if "for" in fields else None,
        int(_number(fields, "most", "spec", MOST, whole=True)) if "most" in fields else _USUALLY_MOST,
        lives,
    )


def _error(path: str, value: object, rule: str) -> ObjectError:
    return ObjectError([Problem(path, value, rule)])


def _check_fields(given: Mapping[str, Any], path: str, fields: Sequence[str]) -> None:
    for field in given:
        if field not in fields:
            raise _error(child(path, field), given[field], f"no such field; there are {', '.join(fields)}")


def _only_one_of(mapping: Mapping[str, Any], fields: Sequence[str]) -> str:
    present = [field for field in fields if mapping.get(field) is not None]
    if len(present) != 1:
        raise _error("spec", ", ".join(present) or None, f"must have one of {', '.join(fields)}, and not two")
    return present[0]


def _mapping(given: Mapping[str, Any], field: str, path: str) -> Mapping[str, Any]:
    value = given.get(field)
    if not isinstance(value, Mapping):
        raise _error(child(path, field), value, "must be a mapping")
    return value


def _number(given: Mapping[str, Any], field: str, path: str, most: float, *, whole: bool = False) -> float:
    value = given.get(field)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not 0 < value <= most:
        what = "a whole number" if whole else "a number"
        raise _error(f"{path}.{field}", value, f"must be {what} above 0 and at most {most:,}")
    return value


def _seconds(given: Mapping[str, Any], field: str, path: str, least: float = 0.0) -> float:
    return _time(given.get(field), f"{path}.{field}", least)


def _time(value: Any, path: str, least: float = 0.0) -> float:
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool) and seconds_of(str(value)) >= least:
            return seconds_of(str(value))
    except ValueError:
        pass
    raise _error(path, value, f"must be a time, such as 90, 90s, 10m or 2h, of at least {least:g} s")


def _poisson(fields: Mapping[str, Any]) -> Process:
    poisson_fields = _mapping(fields, "poisson", "spec")
    _check_fields(poisson_fields, "spec.poisson", ("perMinute",))
    return poisson(_number(poisson_fields, "perMinute", "spec.poisson", MOST_A_MINUTE))


def _curve(fields: Mapping[str, Any]) -> Process:
    path, text = "spec.curve", fields["curve"]
    if not isinstance(text, str):
        raise _error(path, text, "must be a text of TIME=ARRIVALS A MINUTE, such as 0h=10 9h=120 18h=30")
    period = _seconds(fields, "period", "spec", _SHORTEST) if "period" in fields else DAY
    try:
        points = [(seconds, thousandths / 1000.0) for seconds, thousandths in curve_of(text)]
    except MetricError as error:
        raise _error(path, text, str(error)[:_LONGEST_RULE]) from None
    for seconds, rate in points:
        if not 0 <= rate <= MOST_A_MINUTE:
            raise _error(path, rate, f"must be from 0 to {MOST_A_MINUTE:,} arrivals a minute")
        if seconds > period:
            raise _error(path, seconds, f"must be within the period, which has {period:g} seconds")
    return Curve(points, period)


def _bursts(fields: Mapping[str, Any]) -> Process:
    path, burst_fields = "spec.bursts", _mapping(fields, "bursts", "spec")
    _check_fields(burst_fields, path, ("every", "count", "over"))
    every = _seconds(burst_fields, "every", path, _SHORTEST)
    over = _seconds(burst_fields, "over", path) if "over" in burst_fields else 0.0
    if over > every:
        raise _error(f"{path}.over", burst_fields["over"], "must end before the next burst")
    return Bursts(every, int(_number(burst_fields, "count", path, MOST_IN_A_BURST, whole=True)), over)


def _times(fields: Mapping[str, Any]) -> Process:
    return Times([at for at, _ in _timed_runs(fields)])


def _run_times(fields: Mapping[str, Any]) -> list[float | None]:
    return [seconds for _, seconds in _timed_runs(fields)]


def _timed_runs(fields: Mapping[str, Any]) -> list[tuple[float, float | None]]:
    """Return the times of a trace in order, each with the run time of its Pod if it has one."""
    entries = fields["times"]
    if not isinstance(entries, list | tuple) or not 0 < len(entries) <= MOST_TIMES:
        raise _error("spec.times", entries, f"must be a list of 1 to {MOST_TIMES:,} times")
    runs: list[tuple[float, float | None]] = []
    for index, entry in enumerate(entries):
        path = f"spec.times[{index}]"
        if isinstance(entry, Mapping):
            _check_fields(entry, path, ("at", "runSeconds"))
            seconds = _seconds(entry, "runSeconds", path) if "runSeconds" in entry else None
            runs.append((_seconds(entry, "at", path), seconds))
        else:
            runs.append((_time(entry, path), None))
    return sorted(runs, key=lambda moment: moment[0])


_PROCESSES: Mapping[str, Callable[[Mapping[str, Any]], Process]] = {
    "poisson": _poisson,
    "bursts": _bursts,
    "curve": _curve,
    "times": _times,
}


def _object_to_create(obj: Manifest, fields: Mapping[str, Any], problem_of: ProblemOf | None) -> Manifest:
    """Return the Pod or the Job, with the label of its Arrivals. It doesn't restart unless its template says so."""
    chosen = _only_one_of(fields, _TEMPLATES)
    template = _mapping(fields, chosen, "spec")
    metadata_fields = _optional(template, "metadata", f"spec.{chosen}")
    labels = {**_optional(metadata_fields, "labels", f"spec.{chosen}.metadata"), LABEL: name(obj)}
    metadata = {"generateName": f"{name(obj)}-", "namespace": namespace(obj), "labels": labels}
    if metadata_fields.get("annotations"):
        metadata["annotations"] = _optional(metadata_fields, "annotations", f"spec.{chosen}.metadata")
    template_spec = _mapping(template, "spec", f"spec.{chosen}")
    if chosen == "template":
        pod_spec = {"restartPolicy": "Never", **template_spec}
        _check_pod(metadata, pod_spec, "spec.template", problem_of)
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec}
    pod_template = _mapping(template_spec, "template", "spec.jobTemplate.spec")
    pod_spec = {"restartPolicy": "Never", **_mapping(pod_template, "spec", "spec.jobTemplate.spec.template")}
    job_spec = {**template_spec, "template": {**pod_template, "spec": pod_spec}}
    pod_metadata = _optional(pod_template, "metadata", "spec.jobTemplate.spec.template")
    _check_pod(metadata, pod_spec, "spec.jobTemplate", problem_of)
    _check_pod(pod_metadata, pod_spec, "spec.jobTemplate.spec.template", problem_of)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": job_spec}


def _optional(given: Mapping[str, Any], field: str, path: str) -> Mapping[str, Any]:
    return {} if given.get(field) is None else _mapping(given, field, path)


def _check_pod(
    metadata: Mapping[str, Any], pod_spec: Mapping[str, Any], path: str, problem_of: ProblemOf | None
) -> None:
    """Raise ObjectError if the API server would refuse a Pod with this metadata and spec."""
    named = {**metadata, "name": "arrival", "namespace": "default"}
    problem = problem_of and problem_of({"apiVersion": "v1", "kind": "Pod", "metadata": named, "spec": pod_spec})
    if problem:
        raise ObjectError([Problem(f"{path}.{problem.path}", problem.value, problem.rule, problem.hint)])
