"""What an `Arrivals` object (`playground.kube-scheduler/v1`) asks for, read once for each version of it."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kube_controllers.arrivals.times import DAY, Bursts, Curve, Process, Times, poisson
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


class Plan(NamedTuple):
    """`made` is the object that comes, without a name; `lives` how long the pod of each time of a trace runs."""

    digest: str  # another one when the spec is another one
    made: Manifest
    process: Process
    after: float
    until: float | None
    most: int
    lives: Sequence[float | None] = ()

    def arrival(self, number: int) -> Manifest:
        """What comes as number `number`, from 0."""
        seconds = self.lives[number] if number < len(self.lives) else None
        if seconds is None:
            return self.made
        about = self.made["metadata"]
        annotations = {**(about.get("annotations") or {}), RUN: f"{seconds:g}"}
        return {**self.made, "metadata": {**about, "annotations": annotations}}


def plan_of(obj: Manifest, problem_of: ProblemOf | None) -> Plan:
    """ObjectError with the path, the value and the rule of what is wrong."""
    fields = _mapping(obj, "spec", "")
    _known(fields, "spec", (*_TEMPLATES, *_PROCESSES, "period", "after", "for", "most"))
    chosen = _one_of(fields, tuple(_PROCESSES))
    if "period" in fields and chosen != "curve":
        raise _wrong("spec.period", fields["period"], "only a curve has a period")
    process = _PROCESSES[chosen](fields)
    lives = _lives(fields) if chosen == "times" else ()
    if any(one is not None for one in lives) and fields.get("jobTemplate") is not None:
        raise _wrong("spec.times", fields["times"], "runSeconds are of pods, not of jobs")
    return Plan(
        hashlib.sha256(json.dumps(fields, default=str).encode()).hexdigest()[:16],
        _made(obj, fields, problem_of),
        process,
        _seconds(fields, "after", "spec") if "after" in fields else 0.0,
        _seconds(fields, "for", "spec") if "for" in fields else None,
        int(_number(fields, "most", "spec", MOST, whole=True)) if "most" in fields else _USUALLY_MOST,
        lives,
    )


def _wrong(path: str, value: object, rule: str) -> ObjectError:
    return ObjectError([Problem(path, value, rule)])


def _known(given: Mapping[str, Any], path: str, fields: Sequence[str]) -> None:
    for field in given:
        if field not in fields:
            raise _wrong(child(path, field), given[field], f"no such field; there are {', '.join(fields)}")


def _one_of(mapping: Mapping[str, Any], fields: Sequence[str]) -> str:
    found = [field for field in fields if mapping.get(field) is not None]
    if len(found) != 1:
        raise _wrong("spec", ", ".join(found) or None, f"must have one of {', '.join(fields)}, and not two")
    return found[0]


def _mapping(given: Mapping[str, Any], field: str, path: str) -> Mapping[str, Any]:
    value = given.get(field)
    if not isinstance(value, Mapping):
        raise _wrong(child(path, field), value, "must be a mapping")
    return value


def _number(given: Mapping[str, Any], field: str, path: str, most: float, *, whole: bool = False) -> float:
    value = given.get(field)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not 0 < value <= most:
        what = "a whole number" if whole else "a number"
        raise _wrong(f"{path}.{field}", value, f"must be {what} above 0 and at most {most:,}")
    return value


def _seconds(given: Mapping[str, Any], field: str, path: str, least: float = 0.0) -> float:
    return _time(given.get(field), f"{path}.{field}", least)


def _time(value: Any, path: str, least: float = 0.0) -> float:
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool) and seconds_of(str(value)) >= least:
            return seconds_of(str(value))
    except ValueError:
        pass
    raise _wrong(path, value, f"must be a time, such as 90, 90s, 10m or 2h, of at least {least:g} s")


def _poisson(fields: Mapping[str, Any]) -> Process:
    given = _mapping(fields, "poisson", "spec")
    _known(given, "spec.poisson", ("perMinute",))
    return poisson(_number(given, "perMinute", "spec.poisson", MOST_A_MINUTE))


def _curve(fields: Mapping[str, Any]) -> Process:
    path, text = "spec.curve", fields["curve"]
    if not isinstance(text, str):
        raise _wrong(path, text, "must be a text of TIME=ARRIVALS A MINUTE, such as 0h=10 9h=120 18h=30")
    period = _seconds(fields, "period", "spec", _SHORTEST) if "period" in fields else DAY
    try:
        points = [(at, thousandths / 1000.0) for at, thousandths in curve_of(text)]
    except MetricError as error:
        raise _wrong(path, text, str(error)[:_LONGEST_RULE]) from None
    for at, rate in points:
        if not 0 <= rate <= MOST_A_MINUTE:
            raise _wrong(path, rate, f"must be from 0 to {MOST_A_MINUTE:,} arrivals a minute")
        if at > period:
            raise _wrong(path, at, f"must be within the period, which has {period:g} seconds")
    return Curve(points, period)


def _bursts(fields: Mapping[str, Any]) -> Process:
    path, given = "spec.bursts", _mapping(fields, "bursts", "spec")
    _known(given, path, ("every", "count", "over"))
    every = _seconds(given, "every", path, _SHORTEST)
    over = _seconds(given, "over", path) if "over" in given else 0.0
    if over > every:
        raise _wrong(f"{path}.over", given["over"], "must end before the next burst")
    return Bursts(every, int(_number(given, "count", path, MOST_IN_A_BURST, whole=True)), over)


def _trace(fields: Mapping[str, Any]) -> Process:
    return Times([at for at, _ in _moments(fields)])


def _lives(fields: Mapping[str, Any]) -> list[float | None]:
    return [seconds for _, seconds in _moments(fields)]


def _moments(fields: Mapping[str, Any]) -> list[tuple[float, float | None]]:
    """Times, and how long the pods run where that is said, in the order of time."""
    given = fields["times"]
    if not isinstance(given, list | tuple) or not 0 < len(given) <= MOST_TIMES:
        raise _wrong("spec.times", given, f"must be a list of 1 to {MOST_TIMES:,} times")
    found: list[tuple[float, float | None]] = []
    for index, one in enumerate(given):
        path = f"spec.times[{index}]"
        if isinstance(one, Mapping):
            _known(one, path, ("at", "runSeconds"))
            seconds = _seconds(one, "runSeconds", path) if "runSeconds" in one else None
            found.append((_seconds(one, "at", path), seconds))
        else:
            found.append((_time(one, path), None))
    return sorted(found, key=lambda moment: moment[0])


_PROCESSES: Mapping[str, Callable[[Mapping[str, Any]], Process]] = {
    "poisson": _poisson,
    "bursts": _bursts,
    "curve": _curve,
    "times": _trace,
}


def _made(obj: Manifest, fields: Mapping[str, Any], problem_of: ProblemOf | None) -> Manifest:
    """The pod or job, with the label of its Arrivals; it does not start again unless its template says so."""
    chosen = _one_of(fields, _TEMPLATES)
    template = _mapping(fields, chosen, "spec")
    given = _optional(template, "metadata", f"spec.{chosen}")
    labels = {**_optional(given, "labels", f"spec.{chosen}.metadata"), LABEL: name(obj)}
    about = {"generateName": f"{name(obj)}-", "namespace": namespace(obj), "labels": labels}
    if given.get("annotations"):
        about["annotations"] = _optional(given, "annotations", f"spec.{chosen}.metadata")
    inside = _mapping(template, "spec", f"spec.{chosen}")
    if chosen == "template":
        pod_spec = {"restartPolicy": "Never", **inside}
        _check(about, pod_spec, "spec.template", problem_of)
        return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": pod_spec}
    of_pods = _mapping(inside, "template", "spec.jobTemplate.spec")
    pod_spec = {"restartPolicy": "Never", **_mapping(of_pods, "spec", "spec.jobTemplate.spec.template")}
    job_spec = {**inside, "template": {**of_pods, "spec": pod_spec}}
    of_pod = _optional(of_pods, "metadata", "spec.jobTemplate.spec.template")
    _check(about, pod_spec, "spec.jobTemplate", problem_of)
    _check(of_pod, pod_spec, "spec.jobTemplate.spec.template", problem_of)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": about, "spec": job_spec}


def _optional(given: Mapping[str, Any], field: str, path: str) -> Mapping[str, Any]:
    return {} if given.get(field) is None else _mapping(given, field, path)


def _check(about: Mapping[str, Any], pod_spec: Mapping[str, Any], path: str, problem_of: ProblemOf | None) -> None:
    """Whether an API server would take a pod with this metadata and spec."""
    named = {**about, "name": "arrival", "namespace": "default"}
    found = problem_of and problem_of({"apiVersion": "v1", "kind": "Pod", "metadata": named, "spec": pod_spec})
    if found:
        raise ObjectError([Problem(f"{path}.{found.path}", found.value, found.rule, found.hint)])
