"""What makes pods. Source: pkg/apis/apps/validation, pkg/apis/batch/validation, pkg/apis/autoscaling/validation."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.matching import selects
from kubernetes_api.validation import go_values, pods
from kubernetes_api.validation.metadata import broken, immutable, label_selector
from scheduler_core.admission import updates
from scheduler_core.objects import names

Object = Mapping[str, Any]

_IN_CORE = "ReplicationController"
_TEMPLATE = "spec.template"
_PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)
_UNMATCHED = "`selector` does not match template `labels`"
_EMPTY_SELECTOR = "empty selector is invalid for {kind}"
_STATEFUL = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


def deployment(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _not_negative(spec, "replicas")
    yield from _selected(spec, "deployment")
    yield from pods.template(spec.get("template"), _TEMPLATE)
    yield from _always(spec)
    yield from _strategy(spec.get("strategy") or {}, "spec.strategy")
    yield from _not_negative(spec, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    if deadline is not None and deadline <= ready:
        yield causes.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def replica_set(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _not_negative(spec, "replicas", "minReadySeconds")
    yield from _selected(spec, "deployment")
    yield from pods.template(spec.get("template"), _TEMPLATE)
    yield from _always(spec)


def replication_controller(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _not_negative(spec, "minReadySeconds")
    selector, labels = spec.get("selector") or {}, _labels(spec)
    if not selector:
        yield causes.required("spec.selector")
    yield from _not_negative(spec, "replicas")
    if selector and any(labels.get(name) != text for name, text in selector.items()):
        yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels, "`selector` does not match template `labels`")
    if not spec.get("template"):
        yield causes.required(_TEMPLATE)
    else:
        yield from pods.template(spec.get("template"), _TEMPLATE)
        yield from _always(spec)


def daemon_set(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    selector, labels = spec.get("selector"), _labels(spec)
    yield from label_selector(selector, "spec.selector")
    if selector and not selects(selector, labels):
        yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels, _UNMATCHED)
    if not selector:
        yield causes.invalid("spec.selector", selector or {}, _EMPTY_SELECTOR.format(kind="daemonset"))
    yield from pods.template(spec.get("template"), _TEMPLATE)
    yield from _always(spec)
    yield from _not_negative(spec, "minReadySeconds")
    update = spec.get("updateStrategy") or {}
    if update.get("type") not in (None, "OnDelete", "RollingUpdate"):
        yield causes.unsupported("spec.updateStrategy", update["type"], ("OnDelete", "RollingUpdate"))
    yield from _not_negative(spec, "revisionHistoryLimit")


def stateful_set(value: Object) -> Iterator[Cause]:
    spec, name = value.get("spec") or {}, spec_name(value)
    policy = spec.get("podManagementPolicy")
    if policy not in (None, "OrderedReady", "Parallel"):
        detail = f"must be '{'OrderedReady'}' or '{'Parallel'}'"
        yield causes.invalid("spec.podManagementPolicy", policy, detail)
    update = (spec.get("updateStrategy") or {}).get("type")
    if update not in (None, "OnDelete", "RollingUpdate"):
        yield causes.invalid("spec.updateStrategy", update, "must be 'RollingUpdate' or 'OnDelete'")
    yield from _not_negative(spec, "replicas", "minReadySeconds")
    yield from _selected(spec, "statefulset")
    if name:
        yield from broken("spec.serviceName", name, names.dns_label(name))
    yield from pods.template(spec.get("template"), _TEMPLATE)
    yield from _always(spec)


def spec_name(value: Object) -> str:
    return str((value.get("spec") or {}).get("serviceName") or "")


def job(value: Object) -> Iterator[Cause]:
    yield from job_spec(value.get("spec") or {}, "spec")


def job_spec(spec: Object, path: str, *, is_template: bool = False) -> Iterator[Cause]:
    names_ = ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex")
    for name in (*names_, "maxFailedIndexes", "ttlSecondsAfterFinished"):
        yield from _not_negative(spec, name, path=path)
    mode = spec.get("completionMode")
    if mode not in (None, "NonIndexed", "Indexed"):
        yield causes.unsupported(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))
    if mode == "Indexed" and spec.get("completions") is None:
        yield causes.required(f"{path}.completions", "when completion mode is Indexed")
    at = f"{path}.template"
    if is_template and spec.get("manualSelector"):
        yield causes.unsupported(f"{path}.manualSelector", True, ("nil", "false"))
    found = [*pods.template(spec.get("template"), at)]
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy")
    allowed = ("OnFailure", "Never")
    if policy in (None, "", "Always"):
        yield from found
        yield causes.required(f"{at}.spec.restartPolicy", 'valid values: "OnFailure", "Never"')
    elif policy not in allowed:
        yield from (each for each in found if each["field"] != f"{at}.spec.restartPolicy")
        yield causes.unsupported(f"{at}.spec.restartPolicy", policy, allowed)
    else:
        yield from found


def cron_job(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    if len(value["metadata"].get("name") or "") > 52:
        yield causes.invalid("metadata.name", value["metadata"]["name"], "must be no more than 52 characters")
    schedule = str(spec.get("schedule") or "")
    if not schedule:
        yield causes.required("spec.schedule")
    elif detail := _cron(schedule):
        yield causes.invalid("spec.schedule", schedule, detail)
    yield from _not_negative(spec, "startingDeadlineSeconds")
    policy = spec.get("concurrencyPolicy") or ""
    if not policy:
        yield causes.required("spec.concurrencyPolicy")
    elif policy not in ("Allow", "Forbid", "Replace"):
        yield causes.unsupported("spec.concurrencyPolicy", policy, ("Allow", "Forbid", "Replace"))
    yield from _not_negative(spec, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    yield from job_spec((spec.get("jobTemplate") or {}).get("spec") or {}, "spec.jobTemplate.spec", is_template=True)


def autoscaler(value: Object, *, is_new_target: bool = True) -> Iterator[Cause]:
    """Source: validateHorizontalPodAutoscalerSpec."""
    spec = value.get("spec") or {}
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1:
        yield causes.invalid("spec.minReplicas", least, "must be greater than or equal to 1")
    if most == 0:
        yield causes.required("spec.maxReplicas", "must be set and greater than 0")
    elif most < 0:
        yield causes.invalid("spec.maxReplicas", most, "must be greater than or equal to 1")
    if least is not None and most < least:
        yield causes.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")
    target = spec.get("scaleTargetRef") or {}
    for key in ("kind", "name"):
        if not target.get(key):
            yield causes.required(f"spec.scaleTargetRef.{key}")
    if is_new_target and "/" not in str(target.get("apiVersion") or "") and target.get("kind") != _IN_CORE:
        version = target.get("apiVersion") or ""
        yield causes.invalid("spec.scaleTargetRef.apiVersion", version, "apiVersion must specify API group")
    if least == 0 and not any(each.get("type") in ("Object", "External") for each in spec.get("metrics") or ()):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield causes.forbidden("spec.metrics", detail)


def autoscaler_changed(live: Object, value: Object) -> Iterator[Cause]:
    """An old target may lack its group."""
    was, target = ((each.get("spec") or {}).get("scaleTargetRef") or {} for each in (live, value))
    is_new_target = any(was.get(key) != target.get(key) for key in ("apiVersion", "kind"))
    yield from autoscaler(value, is_new_target=is_new_target)


def deployment_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from deployment(value)
    yield from _fixed_selector(live, value)


def stateful_set_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from stateful_set(value)
    specs = [
        {k: v for k, v in (each.get("spec") or {}).items() if k not in updates.STATEFUL_SET_FIELDS}
        for each in (live, value)
    ]
    if specs[0] != specs[1]:
        yield causes.forbidden("spec", _STATEFUL)


def daemon_set_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from daemon_set(value)
    yield from _fixed_selector(live, value)


def replica_set_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from replica_set(value)
    yield from _fixed_selector(live, value)


def job_changed(live: Object, value: Object) -> Iterator[Cause]:
    """Source: ValidateJobUpdate: what a suspended job may still change is left out."""
    yield from job(value)
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    if was.get("completionMode") != "Indexed" or spec.get("completions") != spec.get("parallelism"):
        yield from immutable("spec.completions", was.get("completions"), spec.get("completions"))
    yield from immutable("spec.selector", was.get("selector"), spec.get("selector"))
    if was.get("template") != spec.get("template") and not was.get("suspend"):
        yield causes.invalid(f"{_TEMPLATE}", go_values.template(spec.get("template") or {}), causes.IMMUTABLE)
    yield from immutable("spec.completionMode", was.get("completionMode"), spec.get("completionMode"))
    yield from immutable("spec.podFailurePolicy", was.get("podFailurePolicy"), spec.get("podFailurePolicy"))
    yield from immutable("spec.backoffLimitPerIndex", was.get("backoffLimitPerIndex"), spec.get("backoffLimitPerIndex"))


def _fixed_selector(live: Object, value: Object) -> Iterator[Cause]:
    selectors = [(each.get("spec") or {}).get("selector") for each in (live, value)]
    yield from immutable("spec.selector", *selectors)


def _selected(spec: Object, kind: str) -> Iterator[Cause]:
    selector, labels = spec.get("selector"), _labels(spec)
    if selector is None:
        yield causes.required("spec.selector")
        labels_match = True
    else:
        yield from label_selector(selector, "spec.selector")
        labels_match = selects(selector, labels)
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            yield causes.invalid("spec.selector", dict(selector), _EMPTY_SELECTOR.format(kind=kind))
    if not labels_match:
        yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels, _UNMATCHED)


def _labels(spec: Object) -> dict[str, Any]:
    return ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}


def _always(spec: Object) -> Iterator[Cause]:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy")
    if policy in ("OnFailure", "Never"):
        yield causes.unsupported(f"{_TEMPLATE}.spec.restartPolicy", policy, ("Always",))
    if ((spec.get("template") or {}).get("spec") or {}).get("activeDeadlineSeconds") is not None:
        yield causes.forbidden(
            f"{_TEMPLATE}.spec.activeDeadlineSeconds", "activeDeadlineSeconds in ReplicaSet is not Supported"
        )


def _strategy(given: Object, path: str) -> Iterator[Cause]:
    kind, rolling = given.get("type"), given.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            yield causes.forbidden(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
        return
    if kind != "RollingUpdate":
        yield causes.unsupported(f"{path}.type", kind or "", ("Recreate", "RollingUpdate"))
        return
    at, rolling = f"{path}.rollingUpdate", rolling or {}
    for name in ("maxUnavailable", "maxSurge"):
        yield from int_or_percent(rolling.get(name), f"{at}.{name}")
    if not _amount(rolling.get("maxUnavailable")) and not _amount(rolling.get("maxSurge")):
        yield causes.invalid(
            f"{at}.maxUnavailable", rolling.get("maxUnavailable", 0), "may not be 0 when `maxSurge` is 0"
        )
    if isinstance(rolling.get("maxUnavailable"), str) and _amount(rolling["maxUnavailable"]) > 100:
        yield causes.invalid(f"{at}.maxUnavailable", rolling["maxUnavailable"], "must not be greater than 100%")


def int_or_percent(given: Any, path: str) -> Iterator[Cause]:
    """Source: ValidatePositiveIntOrPercent."""
    if isinstance(given, str):
        if not re.fullmatch(r"[0-9]+%", given):
            detail = _PERCENT
            yield causes.invalid(path, given, detail)
    elif isinstance(given, int) and given < 0:
        yield causes.invalid(path, given, causes.NOT_NEGATIVE)


def _amount(given: Any) -> int:
    text = str(given or 0).removesuffix("%")
    return int(text) if text.isdecimal() else 0


def _not_negative(spec: Object, *keys: str, path: str = "spec") -> Iterator[Cause]:
    for name in keys:
        if isinstance(spec.get(name), int) and spec[name] < 0:
            yield causes.invalid(f"{path}.{name}", spec[name], causes.NOT_NEGATIVE)


def _cron(schedule: str) -> str:
    """What robfig's cron says of a schedule that it cannot read."""
    if schedule.startswith("@"):
        known = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
        is_known = schedule in known or schedule.startswith("@every ")
        return "" if is_known else f"unrecognized descriptor: {schedule}"
    words = schedule.split()
    if len(words) != 5:
        return f"expected exactly 5 fields, found {len(words)}: [{' '.join(words)}]"
    for word, (low, high) in zip(words, ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6)), strict=True):
        for number in re.findall(r"(?<![/\w])\d+", word):
            if int(number) > high:
                return f"end of range ({number}) above maximum ({high}): {word}"
            if int(number) < low:
                return f"beginning of range ({number}) below minimum ({low}): {word}"
        if not re.fullmatch(r"[\d*,/?\-A-Za-z]+", word):
            return f'failed to parse int from {word}: strconv.Atoi: parsing "{word}": invalid syntax'
    return ""
