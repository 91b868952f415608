"""Validation of Jobs and CronJobs. Source: pkg/apis/batch/validation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field, validate_label_selector
from kube_apiserver.validation.pods import pods
from kube_apiserver.validation.workloads import job_policies, schedules
from kube_apiserver.validation.workloads.workloads import validate_not_negative
from kube_objects import names
from kube_objects.selectors import selects

Object = Mapping[str, Any]

_MODES = ("NonIndexed", "Indexed")
_MOST_AT_ONCE = _MOST_FAILED = 100_000
_MANY, _AT_ONCE_OF_MANY = 100_000, 10_000
_LONGEST_MANAGER = 63
_LONGEST_NAME = 52
_PATH = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+")
_NUMBERS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_UNMATCHED = "`selector` does not match template `labels`"
_UID, _NAME = "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"
_DIRECTIVES = ("nodeSelector", "tolerations", "schedulingGates")


def validate_job(value: Object) -> Iterator[Cause]:
    spec, metadata = value.get("spec") or {}, value["metadata"]
    name = str(metadata.get("name") or "")
    selector, labels = spec.get("selector"), ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    if not spec.get("manualSelector") and selector is not None:
        uid = metadata.get("uid")
        own = {_UID: uid, _NAME: name, "controller-uid": uid, "job-name": name}
        for key, wanted in (("controller-uid", uid), ("job-name", name), (_UID, uid), (_NAME, name)):
            if labels.get(key) != wanted:
                yield causes.invalid(f"spec.template.metadata.labels[{key}]", labels or None, f"must be '{wanted}'")
        # An invalid selector is reported below.
        if not list(validate_label_selector(selector, "")) and not selects(selector, own):
            yield causes.invalid("spec.selector", go_values.to_go_selector(selector), "`selector` not auto-generated")
    yield from validate_job_spec(spec, "spec")
    wrong = list(validate_label_selector(selector, "spec.selector"))
    yield from wrong
    if selector is None:
        yield causes.required("spec.selector")
    if selector is None or (not wrong and not selects(selector, labels)):
        yield causes.invalid("spec.template.metadata.labels", labels or None, _UNMATCHED)
    if spec.get("completionMode") == "Indexed" and (spec.get("completions") or 0) > 0:
        host = f"{name}-{spec['completions'] - 1}"
        if names.dns_label(host):
            detail = f"will not able to create pod with invalid DNS label: {host}"
            yield causes.invalid("metadata.name", name, detail)


def validate_job_spec(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validateJobSpec."""
    for name in _NUMBERS:
        yield from validate_not_negative(spec, name, path=path)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield causes.required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    if spec.get("managedBy") is not None:
        yield from _validate_managed_by(str(spec["managedBy"]), f"{path}.managedBy")
    mode = spec.get("completionMode")
    if mode not in (None, *_MODES):
        yield causes.unsupported(f"{path}.completionMode", mode, _MODES)
    if mode == "Indexed":
        yield from _validate_indexed_job(spec, path)
    if mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield causes.invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")
    yield from job_policies.validate_failure_policy(spec, f"{path}.podFailurePolicy")
    yield from job_policies.validate_success_policy(spec, f"{path}.successPolicy")
    yield from job_policies.validate_replacement_policy(spec, f"{path}.podReplacementPolicy")
    yield from pods.validate_pod_template(spec.get("template"), f"{path}.template")
    yield from _validate_restart_policy(spec, f"{path}.template.spec.restartPolicy")


def _validate_managed_by(name: str, path: str) -> Iterator[Cause]:
    """Source: IsDomainPrefixedPath."""
    domain, slash, rest = name.partition("/")
    if not name:
        yield causes.required(path)
    elif not (domain and slash and rest):
        yield causes.invalid(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        yield from report_broken_rules(path, domain, names.dns_subdomain(domain))
        if not _PATH.fullmatch(rest):
            detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
            yield causes.invalid(path, rest, detail)
    if len(name) > _LONGEST_MANAGER:
        yield causes.too_long(path, _LONGEST_MANAGER)


def _validate_indexed_job(spec: Object, path: str) -> Iterator[Cause]:
    completions, parallelism, max_failed = (
        spec.get(name) for name in ("completions", "parallelism", "maxFailedIndexes")
    )
    if completions is None:
        yield causes.required(f"{path}.completions", "when completion mode is Indexed")
    if parallelism is not None and parallelism > _MOST_AT_ONCE:
        detail = f"must be less than or equal to {_MOST_AT_ONCE} when completion mode is Indexed"
        yield causes.invalid(f"{path}.parallelism", parallelism, detail)
    if completions is not None and max_failed is not None and max_failed > completions:
        yield causes.invalid(f"{path}.maxFailedIndexes", max_failed, "must be less than or equal to completions")
    if max_failed is not None and max_failed > _MOST_FAILED:
        yield causes.invalid(f"{path}.maxFailedIndexes", max_failed, f"must be less than or equal to {_MOST_FAILED}")
    if (completions or 0) <= _MANY or spec.get("backoffLimitPerIndex") is None:
        return
    if max_failed is None:
        yield causes.required(f"{path}.maxFailedIndexes", f"must be specified when completions is above {_MANY}")
    for name, number in (("parallelism", parallelism), ("maxFailedIndexes", max_failed)):
        if number is not None and number > _AT_ONCE_OF_MANY:
            bound = f"must be less than or equal to {_AT_ONCE_OF_MANY}"
            detail = f"{bound} when completions are above {_MANY} and used with backoff limit per index"
            yield causes.invalid(f"{path}.{name}", number, detail)


def _validate_restart_policy(spec: Object, path: str) -> Iterator[Cause]:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy")
    if policy in (None, "", "Always"):
        yield causes.required(path, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield causes.unsupported(path, policy, ("OnFailure", "Never"))
    elif policy != "Never" and spec.get("podFailurePolicy") is not None:
        yield causes.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')


def validate_job_update(live: Object, value: Object, sent: Object) -> Iterator[Cause]:
    """Validate an update.

    The template of a suspended Job without active Pods may change its scheduling. Source: ValidateJobUpdate.
    """
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    yield from (each for each in validate_job(value) if each["field"] != "metadata.name")
    yield from _validate_completions_update(was, spec)
    yield from go_values.validate_selector_unchanged(was.get("selector"), spec.get("selector"))
    yield from _validate_template_update(live, was, spec)
    for key in ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"):
        if (was.get(key) or None) != (spec.get(key) or None):
            shown = job_policies.to_go_policy(key, (sent.get("spec") or {}).get(key))
            yield causes.invalid(f"spec.{key}", shown, causes.IMMUTABLE)


def _validate_completions_update(was: Object, spec: Object) -> Iterator[Cause]:
    old, new = was.get("completions"), spec.get("completions")
    if spec.get("completionMode") != "Indexed" or new is None:
        yield from validate_immutable_field("spec.completions", old, new)
    elif old != new and new != spec.get("parallelism"):
        yield causes.invalid("spec.completions", new, "can only be modified in tandem with spec.parallelism")


def _validate_template_update(live: Object, was: Object, spec: Object) -> Iterator[Cause]:
    status = live.get("status") or {}
    is_suspended = bool(was.get("suspend"))
    is_idle = not status.get("startTime") or any(
        each.get("type") == "Suspended" and each.get("status") == "True" for each in status.get("conditions") or ()
    )
    old, new = was.get("template") or {}, spec.get("template") or {}
    is_template_mutable = is_suspended and is_idle and not status.get("active")
    if is_template_mutable:
        old = _with_directives(old, new)
        inner, changed = _with_resources(old.get("spec") or {}, new.get("spec") or {}), new.get("spec") or {}
        if inner != changed:
            shown = go_values.to_go_value("PodSpec", changed)
            yield causes.invalid("spec.template.spec", shown, causes.IMMUTABLE)
    elif old != new:
        yield causes.invalid("spec.template", go_values.to_go_template(new), causes.IMMUTABLE)


def _with_directives(old: Object, new: Object) -> Object:
    """Return the new template with the old Pod spec, except the scheduling directives, which are the new ones."""
    there, here = old.get("spec") or {}, new.get("spec") or {}
    inner = {key: item for key, item in there.items() if key not in (*_DIRECTIVES, "affinity")}
    inner |= {key: here[key] for key in _DIRECTIVES if key in here}
    affinity = {key: item for key, item in (there.get("affinity") or {}).items() if key != "nodeAffinity"}
    if "nodeAffinity" in (here.get("affinity") or {}):
        affinity["nodeAffinity"] = here["affinity"]["nodeAffinity"]
    if affinity or here.get("affinity") == {}:
        inner["affinity"] = affinity
    return {**new, "spec": inner}


def _with_resources(old: Object, new: Object) -> Object:
    result = dict(old)
    for part in ("containers", "initContainers"):
        pairs: Sequence[tuple[Any, Any]] = list(zip(old.get(part) or (), new.get(part) or (), strict=False))
        if part in old and len(pairs) == len(old[part]) == len(new.get(part) or ()):
            result[part] = [
                {**mine, "resources": other.get("resources")} if mine.get("name") == other.get("name") else mine
                for mine, other in pairs
            ]
    return result


def validate_cron_job(value: Object) -> Iterator[Cause]:
    yield from validate_cron_job_spec(value.get("spec") or {}, None)
    name = str(value["metadata"].get("name") or "")
    if len(name) > _LONGEST_NAME:
        yield causes.invalid("metadata.name", name, f"must be no more than {_LONGEST_NAME} characters")


def validate_cron_job_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_cron_job_spec(value.get("spec") or {}, live.get("spec") or {})


def validate_cron_job_spec(spec: Object, was: Object | None) -> Iterator[Cause]:
    """Validate a CronJob's spec. `was` is the stored spec, or None on create."""
    schedule, zone = str(spec.get("schedule") or ""), spec.get("timeZone")
    if not schedule:
        yield causes.required("spec.schedule")
    else:
        may_have_zone = was is not None and "TZ" in str(was.get("schedule") or "")
        yield from schedules.validate_schedule(schedule, zone, "spec.schedule", may_have_zone=may_have_zone)
    yield from validate_not_negative(spec, "startingDeadlineSeconds")
    if zone is not None and (was is None or was.get("timeZone") != zone):
        yield from schedules.validate_time_zone(str(zone), "spec.timeZone")
    policy = spec.get("concurrencyPolicy") or ""
    if not policy:
        yield causes.required("spec.concurrencyPolicy")
    elif policy not in ("Allow", "Forbid", "Replace"):
        yield causes.unsupported("spec.concurrencyPolicy", policy, ("Allow", "Forbid", "Replace"))
    inner = (spec.get("jobTemplate") or {}).get("spec") or {}
    yield from validate_job_spec(inner, "spec.jobTemplate.spec")
    if inner.get("selector") is not None:
        selector = go_values.to_go_selector(inner["selector"])
        yield causes.invalid("spec.jobTemplate.spec.selector", selector, "`selector` will be auto-generated")
    if inner.get("manualSelector"):
        yield causes.unsupported("spec.jobTemplate.spec.manualSelector", True, ("nil", "false"))
    yield from validate_not_negative(spec, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
