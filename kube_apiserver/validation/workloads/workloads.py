"""Validation of workload controllers' objects. Source: pkg/apis/apps/validation, pkg/apis/autoscaling/validation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission import updates
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, go_values
from kube_apiserver.validation.metadata import broken, immutable, label_selector
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


def deployment(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from not_negative(spec, "replicas")
    yield from _selected(spec, "deployment", "ReplicaSet", spec.get("template"))
    yield from _strategy(spec.get("strategy") or {}, "spec.strategy")
    yield from not_negative(spec, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    if deadline is not None and deadline <= ready:
        yield causes.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def replica_set(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from not_negative(spec, "replicas", "minReadySeconds")
    yield from _selected(spec, "deployment", "ReplicaSet", spec.get("template"))


def replication_controller(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from not_negative(spec, "minReadySeconds")
    selector, labels = spec.get("selector") or {}, _labels(spec)
    if not selector:
        yield causes.required("spec.selector")
    yield from not_negative(spec, "replicas")
    if not spec.get("template"):
        yield causes.required(_TEMPLATE)
        return
    if selector and any(labels.get(name) != text for name, text in selector.items()):
        yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels or None, _UNMATCHED)
    yield from pods.template(spec.get("template"), _TEMPLATE)
    yield from _always(spec, "ReplicationController")


def daemon_set(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    selector, labels = spec.get("selector"), _labels(spec)
    wrong = list(label_selector(selector, "spec.selector"))
    yield from wrong
    if selector is None or (not wrong and not selects(selector, labels)):
        yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels or None, _UNMATCHED)
    if selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions"):
        yield causes.invalid("spec.selector", go_values.Ordered(), _EMPTY_SELECTOR.format(kind="daemonset"))
    yield from pods.template(spec.get("template"), _TEMPLATE)
    yield from _always(spec, "DaemonSet")
    yield from not_negative(spec, "minReadySeconds")
    yield from _update_of_daemons(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    yield from not_negative(spec, "revisionHistoryLimit")


def _update_of_daemons(update: Object, path: str) -> Iterator[Cause]:
    """Source: ValidateDaemonSetUpdateStrategy."""
    kind, rolling, rolling_path = update.get("type") or "", update.get("rollingUpdate"), f"{path}.rollingUpdate"
    if kind == "OnDelete":
        return
    if kind != "RollingUpdate":
        yield causes.unsupported(path, _strategy_in_go(update, ("maxUnavailable", "maxSurge")), _UPDATES)
        return
    rolling = rolling or {}
    for name in ("maxUnavailable", "maxSurge"):
        yield from int_or_percent(rolling.get(name), f"{rolling_path}.{name}")
    for name in ("maxUnavailable", "maxSurge"):
        yield from no_more_than_all(rolling.get(name), f"{rolling_path}.{name}")
    max_unavailable, max_surge = (_amount(rolling.get(name)) for name in ("maxUnavailable", "maxSurge"))
    if max_unavailable and max_surge:
        yield causes.invalid(
            f"{rolling_path}.maxSurge", rolling["maxSurge"], "may not be set when maxUnavailable is non-zero"
        )
    elif not max_unavailable and not max_surge:
        yield causes.required(f"{rolling_path}.maxUnavailable", "cannot be 0 when maxSurge is 0")


def stateful_set(value: Object, *, is_new: bool = True) -> Iterator[Cause]:
    """Validate a StatefulSet. Immutable fields are validated only if `is_new`. Source: ValidateStatefulSetSpec."""
    spec, name = value.get("spec") or {}, spec_name(value)
    policy = spec.get("podManagementPolicy")
    if not policy:
        yield causes.required("spec.podManagementPolicy")
    elif policy not in ("OrderedReady", "Parallel"):
        yield causes.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    yield from _update_of_set(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    for key in ("whenDeleted", "whenScaled"):
        policy_name = (spec.get("persistentVolumeClaimRetentionPolicy") or {}).get(key)
        if policy_name not in (None, "Retain", "Delete"):
            path = f"spec.persistentVolumeClaimRetentionPolicy.{key}"
            yield causes.unsupported(path, policy_name, ("Retain", "Delete"))
    for number, claim in enumerate(spec.get("volumeClaimTemplates") or () if is_new else ()):
        yield from claims.claim_spec(claim.get("spec") or {}, f"spec.volumeClaimTemplates[{number}].spec")
    yield from not_negative(spec, "replicas", "minReadySeconds")
    yield from not_negative(spec.get("ordinals") or {}, "start", path="spec.ordinals")
    if name and is_new:
        yield from broken("spec.serviceName", name, names.dns_label(name))
    yield from _selected(spec, "statefulset", "StatefulSet", _with_claims(spec))


def _with_claims(spec: Object) -> Object:
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


def _update_of_set(update: Object, path: str) -> Iterator[Cause]:
    kind, rolling = update.get("type") or "", update.get("rollingUpdate")
    if not kind:
        yield causes.required(path)
    elif kind == "OnDelete":
        if rolling is not None:
            shown = _strategy_in_go(update, _OF_SET)["RollingUpdate"]
            yield causes.invalid(f"{path}.rollingUpdate", shown, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate":
        yield from not_negative(rolling or {}, "partition", path=f"{path}.rollingUpdate")
    else:
        yield causes.invalid(path, _strategy_in_go(update, _OF_SET), "must be 'RollingUpdate' or 'OnDelete'")


def _strategy_in_go(given: Object, fields: Sequence[str]) -> Object:
    """Return an update strategy as Go prints it."""
    rolling, result = given.get("rollingUpdate"), go_values.Ordered({"Type": given.get("type") or ""})
    go_names = {name: name[:1].upper() + name[1:] for name in fields}
    result["RollingUpdate"] = (
        None if rolling is None else go_values.Ordered({go_names[name]: rolling.get(name) for name in fields})
    )
    return result


def spec_name(value: Object) -> str:
    return str((value.get("spec") or {}).get("serviceName") or "")


def controller_revision(value: Object) -> Iterator[Cause]:
    """Source: validateControllerRevision."""
    yield from _revision(value)
    if value.get("data") is None:
        yield causes.required("data", "data is mandatory")
    elif not isinstance(value["data"], Mapping):
        yield causes.required("data", "data must be a valid JSON object")


def _revision(value: Object) -> Iterator[Cause]:
    number = value.get("revision") or 0
    if number < 0:
        yield causes.invalid("revision", number, causes.NOT_NEGATIVE)


def controller_revision_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from _revision(value)
    yield from immutable("data", live.get("data"), value.get("data"))


def deployment_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from deployment(value)
    yield from _fixed_selector(live, value)


def stateful_set_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from stateful_set(value, is_new=False)
    specs = [
        {k: v for k, v in (each.get("spec") or {}).items() if k not in updates.STATEFUL_SET_FIELDS}
        for each in (live, value)
    ]
    if specs[0] != specs[1]:
        yield causes.forbidden("spec", _STATEFUL)


def daemon_set_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from _fixed_selector(live, value)
    yield from daemon_set(value)


def replica_set_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from replica_set(value)
    yield from _fixed_selector(live, value)


def _fixed_selector(live: Object, value: Object) -> Iterator[Cause]:
    yield from go_values.same_selector(*((each.get("spec") or {}).get("selector") for each in (live, value)))


def _selected(spec: Object, message: str, kind: str, template: Any) -> Iterator[Cause]:
    """Validate the selector, and the template if there is one. Without a selector, nothing matches."""
    selector, labels = spec.get("selector"), _labels(spec)
    wrong: list[Cause] = []
    if selector is None:
        yield causes.required("spec.selector")
    else:
        wrong = list(label_selector(selector, "spec.selector"))
        yield from wrong
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            yield causes.invalid("spec.selector", go_values.Ordered(), _EMPTY_SELECTOR.format(kind=message))
    if wrong:
        # Upstream reports an invalid selector twice and doesn't validate the template.
        detail = "invalid label selector" if kind != "StatefulSet" else ""
        yield causes.invalid("spec.selector", go_values.selector(selector or {}), detail)
    else:
        if selector is None or not selects(selector, labels):
            yield causes.invalid(f"{_TEMPLATE}.metadata.labels", labels or None, _UNMATCHED)
        yield from pods.template(template, _TEMPLATE)
    if not wrong or kind == "StatefulSet":
        yield from _always(spec, kind)


def _labels(spec: Object) -> dict[str, Any]:
    return ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}


def _always(spec: Object, kind: str) -> Iterator[Cause]:
    inner = (spec.get("template") or {}).get("spec") or {}
    policy = inner.get("restartPolicy")
    if policy not in (None, "Always"):
        yield causes.unsupported(f"{_TEMPLATE}.spec.restartPolicy", policy, ("Always",))
    if inner.get("activeDeadlineSeconds") is not None:
        message = f"activeDeadlineSeconds in {kind} is not Supported"
        yield causes.forbidden(f"{_TEMPLATE}.spec.activeDeadlineSeconds", message)


def _strategy(given: Object, path: str) -> Iterator[Cause]:
    kind, rolling = given.get("type"), given.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            yield causes.forbidden(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
        return
    if kind != "RollingUpdate":
        shown = _strategy_in_go(given, ("maxUnavailable", "maxSurge"))
        yield causes.unsupported(path, shown, ("Recreate", "RollingUpdate"))
        return
    rolling_path, rolling = f"{path}.rollingUpdate", rolling or {}
    for name in ("maxUnavailable", "maxSurge"):
        yield from int_or_percent(rolling.get(name), f"{rolling_path}.{name}")
    if not _amount(rolling.get("maxUnavailable")) and not _amount(rolling.get("maxSurge")):
        yield causes.invalid(
            f"{rolling_path}.maxUnavailable", rolling.get("maxUnavailable", 0), "may not be 0 when `maxSurge` is 0"
        )
    yield from no_more_than_all(rolling.get("maxUnavailable"), f"{rolling_path}.maxUnavailable")


def int_or_percent(given: Any, path: str) -> Iterator[Cause]:
    """Source: ValidatePositiveIntOrPercent."""
    if isinstance(given, str):
        if not re.fullmatch(r"[0-9]+%", given):
            detail = _PERCENT
            yield causes.invalid(path, given, detail)
    elif isinstance(given, int) and given < 0:
        yield causes.invalid(path, given, causes.NOT_NEGATIVE)


def no_more_than_all(given: Any, path: str) -> Iterator[Cause]:
    """Source: IsNotMoreThan100Percent."""
    if isinstance(given, str) and re.fullmatch(r"[0-9]+%", given) and int(given[:-1]) > 100:
        yield causes.invalid(path, given, "must not be greater than 100%")


def _amount(given: Any) -> int:
    """Source: getIntOrPercentValue."""
    if isinstance(given, int):
        return given
    text = str(given or 0).removesuffix("%")
    return int(text) if text.isdecimal() else 0


def not_negative(spec: Object, *keys: str, path: str = "spec") -> Iterator[Cause]:
    for name in keys:
        if isinstance(spec.get(name), int) and spec[name] < 0:
            yield causes.invalid(f"{path}.{name}", spec[name], causes.NOT_NEGATIVE)
