"""Validation of workload controllers' objects. Source: pkg/apis/apps/validation, pkg/apis/autoscaling/validation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission import updates
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, go_values
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field, validate_label_selector
from kube_apiserver.validation.pods import pods
from kube_objects import names
from kube_objects.selectors import selects

Object = Mapping[str, Any]

_UPDATES = ("RollingUpdate", "OnDelete")
_OF_SET = ("partition", "maxUnavailable")
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


def validate_deployment(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from validate_not_negative(spec, "replicas")
    yield from _validate_selector_and_template(spec, "deployment", "ReplicaSet", spec.get("template"))
    yield from _validate_deployment_strategy(spec.get("strategy") or {}, "spec.strategy")
    yield from validate_not_negative(spec, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    if deadline is not None and deadline <= ready:
        yield causes.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def validate_replica_set(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from validate_not_negative(spec, "replicas", "minReadySeconds")
    yield from _validate_selector_and_template(spec, "deployment", "ReplicaSet", spec.get("template"))


def validate_replication_controller(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from validate_not_negative(spec, "minReadySeconds")
    selector, labels = spec.get("selector") or {}, _get_template_labels(spec)
    if not selector:
        yield causes.required("spec.selector")
    yield from validate_not_negative(spec, "replicas")
    if not spec.get("template"):
        yield causes.required(_TEMPLATE)
        return
    if selector and any(labels.get(name) != text for name, text in selector.items()):
        yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels or None, _UNMATCHED)
    yield from pods.validate_pod_template(spec.get("template"), _TEMPLATE)
    yield from _validate_restart_always(spec, "ReplicationController")


def validate_daemon_set(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    selector, labels = spec.get("selector"), _get_template_labels(spec)
    wrong = list(validate_label_selector(selector, "spec.selector"))
    yield from wrong
    if selector is None or (not wrong and not selects(selector, labels)):
        yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels or None, _UNMATCHED)
    if selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions"):
        yield causes.invalid("spec.selector", go_values.Ordered(), _EMPTY_SELECTOR.format(kind="daemonset"))
    yield from pods.validate_pod_template(spec.get("template"), _TEMPLATE)
    yield from _validate_restart_always(spec, "DaemonSet")
    yield from validate_not_negative(spec, "minReadySeconds")
    yield from _validate_daemon_set_strategy(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    yield from validate_not_negative(spec, "revisionHistoryLimit")


def _validate_daemon_set_strategy(update: Object, path: str) -> Iterator[Cause]:
    """Source: ValidateDaemonSetUpdateStrategy."""
    kind, rolling, rolling_path = update.get("type") or "", update.get("rollingUpdate"), f"{path}.rollingUpdate"
    if kind == "OnDelete":
        return
    if kind != "RollingUpdate":
        yield causes.unsupported(path, _to_go_strategy(update, ("maxUnavailable", "maxSurge")), _UPDATES)
        return
    rolling = rolling or {}
    for name in ("maxUnavailable", "maxSurge"):
        yield from validate_int_or_percent(rolling.get(name), f"{rolling_path}.{name}")
    for name in ("maxUnavailable", "maxSurge"):
        yield from validate_at_most_100_percent(rolling.get(name), f"{rolling_path}.{name}")
    max_unavailable, max_surge = (_parse_amount(rolling.get(name)) for name in ("maxUnavailable", "maxSurge"))
    if max_unavailable and max_surge:
        yield causes.invalid(
            f"{rolling_path}.maxSurge", rolling["maxSurge"], "may not be set when maxUnavailable is non-zero"
        )
    elif not max_unavailable and not max_surge:
        yield causes.required(f"{rolling_path}.maxUnavailable", "cannot be 0 when maxSurge is 0")


def validate_stateful_set(value: Object, *, is_new: bool = True) -> Iterator[Cause]:
    """Validate a StatefulSet. Immutable fields are validated only if `is_new`. Source: ValidateStatefulSetSpec."""
    spec, name = value.get("spec") or {}, get_service_name(value)
    policy = spec.get("podManagementPolicy")
    if not policy:
        yield causes.required("spec.podManagementPolicy")
    elif policy not in ("OrderedReady", "Parallel"):
        yield causes.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    yield from _validate_stateful_set_strategy(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    for key in ("whenDeleted", "whenScaled"):
        policy_name = (spec.get("persistentVolumeClaimRetentionPolicy") or {}).get(key)
        if policy_name not in (None, "Retain", "Delete"):
            path = f"spec.persistentVolumeClaimRetentionPolicy.{key}"
            yield causes.unsupported(path, policy_name, ("Retain", "Delete"))
    for number, claim in enumerate(spec.get("volumeClaimTemplates") or () if is_new else ()):
        yield from claims.validate_claim_spec(claim.get("spec") or {}, f"spec.volumeClaimTemplates[{number}].spec")
    yield from validate_not_negative(spec, "replicas", "minReadySeconds")
    yield from validate_not_negative(spec.get("ordinals") or {}, "start", path="spec.ordinals")
    if name and is_new:
        yield from report_broken_rules("spec.serviceName", name, names.dns_label(name))
    yield from _validate_selector_and_template(spec, "statefulset", "StatefulSet", _add_claim_volumes(spec))


def _add_claim_volumes(spec: Object) -> Object:
    """Return the template as its Pods get it: with volumes for the claim templates, without hostname and subdomain."""
    template = spec.get("template") or {}
    claimed = spec.get("volumeClaimTemplates") or ()
    claim_names = list(dict.fromkeys(str((each.get("metadata") or {}).get("name") or "") for each in claimed))
    inner = {key: item for key, item in (template.get("spec") or {}).items() if key not in ("hostname", "subdomain")}
    if claim_names:
        other_volumes = [each for each in inner.get("volumes") or () if each.get("name") not in claim_names]
        inner["volumes"] = [
            {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claim_names
        ] + other_volumes
    return {**template, "spec": inner}


def _validate_stateful_set_strategy(update: Object, path: str) -> Iterator[Cause]:
    kind, rolling = update.get("type") or "", update.get("rollingUpdate")
    if not kind:
        yield causes.required(path)
    elif kind == "OnDelete":
        if rolling is not None:
            shown = _to_go_strategy(update, _OF_SET)["RollingUpdate"]
            yield causes.invalid(f"{path}.rollingUpdate", shown, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate":
        yield from validate_not_negative(rolling or {}, "partition", path=f"{path}.rollingUpdate")
    else:
        yield causes.invalid(path, _to_go_strategy(update, _OF_SET), "must be 'RollingUpdate' or 'OnDelete'")


def _to_go_strategy(strategy: Object, fields: Sequence[str]) -> Object:
    """Return an update strategy as Go prints it."""
    rolling, result = strategy.get("rollingUpdate"), go_values.Ordered({"Type": strategy.get("type") or ""})
    go_names = {name: name[:1].upper() + name[1:] for name in fields}
    result["RollingUpdate"] = (
        None if rolling is None else go_values.Ordered({go_names[name]: rolling.get(name) for name in fields})
    )
    return result


def get_service_name(value: Object) -> str:
    return str((value.get("spec") or {}).get("serviceName") or "")


def validate_controller_revision(value: Object) -> Iterator[Cause]:
    """Source: validateControllerRevision."""
    yield from _validate_revision(value)
    if value.get("data") is None:
        yield causes.required("data", "data is mandatory")
    elif not isinstance(value["data"], Mapping):
        yield causes.required("data", "data must be a valid JSON object")


def _validate_revision(value: Object) -> Iterator[Cause]:
    number = value.get("revision") or 0
    if number < 0:
        yield causes.invalid("revision", number, causes.NOT_NEGATIVE)


def validate_controller_revision_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from _validate_revision(value)
    yield from validate_immutable_field("data", live.get("data"), value.get("data"))


def validate_deployment_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_deployment(value)
    yield from _validate_selector_unchanged(live, value)


def validate_stateful_set_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_stateful_set(value, is_new=False)
    specs = [
        {k: v for k, v in (each.get("spec") or {}).items() if k not in updates.STATEFUL_SET_FIELDS}
        for each in (live, value)
    ]
    if specs[0] != specs[1]:
        yield causes.forbidden("spec", _STATEFUL)


def validate_daemon_set_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from _validate_selector_unchanged(live, value)
    yield from validate_daemon_set(value)


def validate_replica_set_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_replica_set(value)
    yield from _validate_selector_unchanged(live, value)


def _validate_selector_unchanged(live: Object, value: Object) -> Iterator[Cause]:
    yield from go_values.validate_selector_unchanged(
        *((each.get("spec") or {}).get("selector") for each in (live, value))
    )


def _validate_selector_and_template(spec: Object, message: str, kind: str, template: Any) -> Iterator[Cause]:
    """Validate the selector, and the template if there is one. Without a selector, nothing matches."""
    selector, labels = spec.get("selector"), _get_template_labels(spec)
    wrong: list[Cause] = []
    if selector is None:
        yield causes.required("spec.selector")
    else:
        wrong = list(validate_label_selector(selector, "spec.selector"))
        yield from wrong
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            yield causes.invalid("spec.selector", go_values.Ordered(), _EMPTY_SELECTOR.format(kind=message))
    if wrong:
        # Upstream reports an invalid selector twice and doesn't validate the template.
        detail = "invalid label selector" if kind != "StatefulSet" else ""
        yield causes.invalid("spec.selector", go_values.to_go_selector(selector or {}), detail)
    else:
        if selector is None or not selects(selector, labels):
            yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels or None, _UNMATCHED)
        yield from pods.validate_pod_template(template, _TEMPLATE)
    if not wrong or kind == "StatefulSet":
        yield from _validate_restart_always(spec, kind)


def _get_template_labels(spec: Object) -> dict[str, Any]:
    return ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}


def _validate_restart_always(spec: Object, kind: str) -> Iterator[Cause]:
    inner = (spec.get("template") or {}).get("spec") or {}
    policy = inner.get("restartPolicy")
    if policy not in (None, "Always"):
        yield causes.unsupported(f"{_TEMPLATE}.spec.restartPolicy", policy, ("Always",))
    if inner.get("activeDeadlineSeconds") is not None:
        message = f"activeDeadlineSeconds in {kind} is not Supported"
        yield causes.forbidden(f"{_TEMPLATE}.spec.activeDeadlineSeconds", message)


def _validate_deployment_strategy(strategy: Object, path: str) -> Iterator[Cause]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            yield causes.forbidden(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
        return
    if kind != "RollingUpdate":
        shown = _to_go_strategy(strategy, ("maxUnavailable", "maxSurge"))
        yield causes.unsupported(path, shown, ("Recreate", "RollingUpdate"))
        return
    rolling_path, rolling = f"{path}.rollingUpdate", rolling or {}
    for name in ("maxUnavailable", "maxSurge"):
        yield from validate_int_or_percent(rolling.get(name), f"{rolling_path}.{name}")
    if not _parse_amount(rolling.get("maxUnavailable")) and not _parse_amount(rolling.get("maxSurge")):
        yield causes.invalid(
            f"{rolling_path}.maxUnavailable", rolling.get("maxUnavailable", 0), "may not be 0 when `maxSurge` is 0"
        )
    yield from validate_at_most_100_percent(rolling.get("maxUnavailable"), f"{rolling_path}.maxUnavailable")


def validate_int_or_percent(amount: Any, path: str) -> Iterator[Cause]:
    """Source: ValidatePositiveIntOrPercent."""
    if isinstance(amount, str):
        if not re.fullmatch(r"[0-9]+%", amount):
            detail = _PERCENT
            yield causes.invalid(path, amount, detail)
    elif isinstance(amount, int) and amount < 0:
        yield causes.invalid(path, amount, causes.NOT_NEGATIVE)


def validate_at_most_100_percent(amount: Any, path: str) -> Iterator[Cause]:
    """Source: IsNotMoreThan100Percent."""
    if isinstance(amount, str) and re.fullmatch(r"[0-9]+%", amount) and int(amount[:-1]) > 100:
        yield causes.invalid(path, amount, "must not be greater than 100%")


def _parse_amount(amount: Any) -> int:
    """Source: getIntOrPercentValue."""
    if isinstance(amount, int):
        return amount
    text = str(amount or 0).removesuffix("%")
    return int(text) if text.isdecimal() else 0


def validate_not_negative(spec: Object, *keys: str, path: str = "spec") -> Iterator[Cause]:
    for name in keys:
        if isinstance(spec.get(name), int) and spec[name] < 0:
            yield causes.invalid(f"{path}.{name}", spec[name], causes.NOT_NEGATIVE)
