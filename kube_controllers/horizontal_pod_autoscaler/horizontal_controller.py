"""The HorizontalPodAutoscaler controller. Source: pkg/controller/podautoscaler/horizontal.go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.scaling import scale
from kube_controllers.admission import plural
from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
from kube_controllers.horizontal_pod_autoscaler import limits, metrics
from kube_controllers.objects import View
from kube_controllers.selecting import as_text, is_empty
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    format_time,
    key,
    key_of,
    kind,
    labels,
    name,
    namespace,
    number,
    spec,
    status,
)
from kube_objects.selectors import selects
from kube_objects.sentences import say

COMPONENT = "horizontal-pod-autoscaler"
# Seconds between two reconciles. Source: HorizontalPodAutoscalerSyncPeriod.
PERIOD_SECONDS = 15.0
SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_DEFAULT_METRICS = (
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}},
)


class HorizontalController:
    name = "horizontal-pod-autoscaler"
    kind = "HorizontalPodAutoscaler"
    watches = frozenset({"HorizontalPodAutoscaler"})
    backoff = Backoff(PERIOD_SECONDS, PERIOD_SECONDS)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        """Request the first reconcile of a new autoscaler. Later changes wait for the next period, as upstream's do."""
        if new is not None and old is None and kind(new) == self.kind:
            yield ReconcileRequest(key(new), PERIOD_SECONDS)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        sync = AutoscalerSync(obj, Api(view))
        sync.run()
        memory = {"wanted": sync.recommendations, "up": sync.ups, "down": sync.downs}
        return Outcome(sync.api.changes, sync.why, view.now + PERIOD_SECONDS, memory=memory)


class AutoscalerSync:
    """One reconcile of an autoscaler. Source: reconcileAutoscaler."""

    def __init__(self, hpa: Manifest, api: Api) -> None:
        self.hpa, self.api, self.now = hpa, api, api.view.now
        self.conditions = [dict(entry) for entry in status(hpa).get("conditions") or ()]
        self.statuses: list[Any] = []
        self.why = ""
        memory: Mapping[str, Any] = api.view.remembered or {}
        self.recommendations, self.ups, self.downs = (
            [(time, int(count)) for time, count in memory.get(field, ())] for field in ("wanted", "up", "down")
        )

    def run(self) -> None:
        """Reconcile the autoscaler.

        1. Get the scale target.
        2. Compute the replicas that the metrics need.
        3. Normalize them by stabilization, rates and limits.
        4. Scale the target and write the status.
        """
        target = self._get_target()
        if target is None:
            return
        self._set_condition("AbleToScale", "True", "SucceededGetScale", _GOT_SCALE)
        current = number(spec(target).get("replicas"), 1)
        if not self.recommendations:
            self.recommendations = [(self.now, current)]
        least, most = number(spec(self.hpa).get("minReplicas"), 1), int(spec(self.hpa).get("maxReplicas") or 1)
        if current == 0:
            self._set_condition("ScalingActive", "False", "ScalingDisabled", _DISABLED)
            wanted = current
        elif current > most:
            wanted, self.why = most, "Current number of replicas above Spec.MaxReplicas"
        elif current < least:
            wanted, self.why = least, "Current number of replicas below Spec.MinReplicas"
        else:
            proposed = self._compute_replicas(target, current)
            if proposed is None:
                self._write_status(current, number(status(self.hpa).get("desiredReplicas"), 0), False)
                return
            wanted = self._normalize(current, proposed, least, most)
        if wanted != current:
            self._rescale(target, current, wanted)
        else:
            self.why = ""
        self._write_status(current, wanted, wanted != current)

    def _get_target(self) -> Manifest | None:
        reference = spec(self.hpa).get("scaleTargetRef") or {}
        target_kind, target_name = str(reference.get("kind")), str(reference.get("name"))
        target = (
            self.api.view.get(target_kind, key_of(namespace(self.hpa), target_name)) if _has_scale(reference) else None
        )
        if target is None:
            message = _missing_scale_message(reference)
            self._emit_event("Warning", "FailedGetScale", message)
            self._set_condition("AbleToScale", "False", "FailedGetScale", _NO_SCALE + message)
            self._write(dict(status(self.hpa)))
        return target

    def _compute_replicas(self, target: Manifest, current: int) -> int | None:
        """Return the highest proposal of the metrics; None if there is none. Source: computeReplicasForMetrics."""
        try:
            pods = self._select_pods(target)
        except _InvalidSelector as problem:
            self._set_condition("ScalingActive", "False", problem.reason, problem.condition)
            self._emit_event("Warning", "FailedComputeMetricsReplicas", problem.message)
            return None
        scale = metrics.Scale(current, number(status(target).get("replicas"), 0), pods)
        best, named, first, failed = 0, "", None, 0
        wanted: Sequence[Mapping[str, Any]] = spec(self.hpa).get("metrics") or _DEFAULT_METRICS
        for metric in wanted:
            try:
                proposal = metrics.propose_replicas(self.hpa, metric, scale, self.now)
            except metrics.MetricFailed as error:
                self._emit_event("Warning", error.reason, error.inner)
                first, failed = first or error, failed + 1
                self.statuses.append({"type": ""})
                continue
            self.statuses.append(proposal.status)
            if best == 0 or proposal.replicas > best:
                best, named = proposal.replicas, proposal.name
        if first is not None and (failed >= len(wanted) or best < current):
            self._set_condition("ScalingActive", "False", first.reason, _NO_COUNT + first.inner)
            message = f"invalid metrics ({failed} invalid out of {len(wanted)}), first error is: {first.message}"
            self._emit_event("Warning", "FailedComputeMetricsReplicas", message)
            return None
        self._set_condition("ScalingActive", "True", "ValidMetricFound", _COUNTED + named)
        # Without a change by metrics there is no reason; older recommendations may still change the size.
        self.why = "" if best == current else f"{named} above target" if best > current else "All metrics below target"
        return best

    def _select_pods(self, target: Manifest) -> list[Manifest]:
        """Return the target's Pods. Raise _InvalidSelector. Source: validateAndParseSelector."""
        selector = selector_of(target)
        if is_empty(selector):
            message = "selector is required"
            self._emit_event("Warning", "SelectorRequired", message)
            raise _InvalidSelector("InvalidSelector", message, "the HPA target's scale is missing a selector")
        candidates = self.api.view.of_kind("Pod", namespace(self.hpa))
        pods = [pod for pod in candidates if selects(selector, labels(pod))]
        if len(selecting := self._hpas_selecting(pods)) > 1:
            known = " ".join(f"{{{name(hpa)} {namespace(hpa)}}}" for hpa in selecting)
            message = f"pods by selector {as_text(selector)} are controlled by multiple HPAs: [{known}]"
            self._emit_event("Warning", "AmbiguousSelector", message)
            raise _InvalidSelector("AmbiguousSelector", message, message)
        return pods

    def _hpas_selecting(self, pods: Sequence[Manifest]) -> list[Manifest]:
        """Return this autoscaler and all other active ones that select one of the Pods.

        Source: hpasControllingPodsUnderSelector, which returns them in random order.
        """
        view, selecting = self.api.view, []
        for hpa in view.of_kind("HorizontalPodAutoscaler", namespace(self.hpa)):
            active = condition(conditions(hpa), "ScalingActive")
            is_active = active is not None and active.get("reason") != "ScalingDisabled"
            reference = spec(hpa).get("scaleTargetRef") or {}
            target = view.get(str(reference.get("kind")), key_of(namespace(hpa), str(reference.get("name"))))
            if target is None or (key(hpa) != key(self.hpa) and not is_active):
                continue
            if any(selects(selector_of(target), labels(pod)) for pod in pods):
                selecting.append(hpa)
        return selecting

    def _normalize(self, current: int, wanted: int, least: int, most: int) -> int:
        """Return the replicas within stabilization, rates and limits.

        Source: normalizeDesiredReplicas, normalizeDesiredReplicasWithBehaviors.
        """
        behavior = spec(self.hpa).get("behavior")
        if behavior is None:
            stable, self.recommendations = limits.stabilize(self.recommendations, wanted, self.now)
            message = "ScaleDownStabilized"
            limited = limits.limit_replicas(current, stable, least, most)
        else:
            up, down = limits.rules_of(behavior, "scaleUp"), limits.rules_of(behavior, "scaleDown")
            stable, self.recommendations = limits.stabilize_with_behavior(
                self.recommendations, current, wanted, self.now, up, down
            )
            message = "ScaleUpStabilized" if wanted >= current else "ScaleDownStabilized"
            limited = limits.limit_replicas_by_rate(
                current, stable, least, most, self.ups, self.downs, self.now, up, down
            )
        if stable != wanted:
            self._set_condition("AbleToScale", "True", message, _STABILIZED[message])
        else:
            self._set_condition("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size")
        held = limited.replicas != stable
        self._set_condition("ScalingLimited", "True" if held else "False", limited.reason, limited.message)
        return limited.replicas

    def _rescale(self, target: Manifest, current: int, wanted: int) -> None:
        self.api.update(scale(target, wanted))
        message = f"the HPA controller was able to update the target scale to {wanted}"
        self._set_condition("AbleToScale", "True", "SucceededRescale", message)
        self._emit_event("Normal", "SuccessfulRescale", f"New size: {wanted}; reason: {self.why}")
        behavior = spec(self.hpa).get("behavior")
        if behavior is not None:
            direction = "scaleUp" if wanted > current else "scaleDown"
            events = self.ups if wanted > current else self.downs
            rules = limits.rules_of(behavior, direction)
            events[:] = limits.with_event(events, abs(wanted - current), self.now, rules)
        self.why = say(
            "HorizontalPodAutoscaler {name} scales {target} from {old} to {new}: {reason}",
            name=name(self.hpa),
            target=f"{kind(target)} {name(target)}",
            old=current,
            new=wanted,
            reason=self.why or say("an earlier recommendation applies"),
        )

    def _write_status(self, current: int, wanted: int, rescaled: bool) -> None:
        """Source: setStatus."""
        new: dict[str, Any] = {"currentReplicas": current, "desiredReplicas": wanted, "currentMetrics": self.statuses}
        last = format_time(self.now) if rescaled else status(self.hpa).get("lastScaleTime")
        if last is not None:
            new["lastScaleTime"] = last
        self._write(new)

    def _write(self, new: dict[str, Any]) -> None:
        new["conditions"] = self.conditions
        if new != dict(status(self.hpa)):
            self.api.update_status(self.hpa, new)

    def _emit_event(self, type_: str, reason: str, message: str) -> None:
        self.api.emit_event(self.hpa, type_, reason, message, COMPONENT)

    def _set_condition(self, type_: str, value: str, reason: str, message: str) -> None:
        """Add or update a condition. Source: setConditionInList."""
        current = next((known for known in self.conditions if known["type"] == type_), None)
        if current is None:
            current = {"type": type_}
            self.conditions.append(current)
        if current.get("status") != value:
            current["lastTransitionTime"] = format_time(self.now)
        current |= {"status": value, "reason": reason, "message": message}


def _has_scale(reference: Mapping[str, Any]) -> bool:
    target_kind = reference.get("kind")
    return target_kind in SCALED and _group(reference) == ("" if target_kind == "ReplicationController" else "apps")


def _group(reference: Mapping[str, Any]) -> str:
    return str(reference.get("apiVersion") or "").rpartition("/")[0]


def _missing_scale_message(reference: Mapping[str, Any]) -> str:
    """Return the API server's error message for a target without a scale."""
    target_kind, group = str(reference.get("kind")), _group(reference)
    if _has_scale(reference):
        return f'{plural(target_kind)}{"." if group else ""}{group} "{reference.get("name")}" not found'
    if (target_kind, group) in _NOT_SCALED:
        return "the server could not find the requested resource"
    return f'no matches for kind "{target_kind}" in group "{group}"'


def selector_of(target: Manifest) -> Any:
    selector = spec(target).get("selector")
    return {"matchLabels": selector or {}} if kind(target) == "ReplicationController" else selector


class _InvalidSelector(Exception):  # noqa: N818 - it reports a problem of the target, not an error of the engine
    """A selector that the autoscaler can't use. `reason` and `condition` are for the condition, `message` is for the
    Event.
    """

    def __init__(self, reason: str, message: str, condition_message: str) -> None:
        self.reason, self.message, self.condition = reason, message, condition_message
        super().__init__(message)


_NOT_SCALED = (("DaemonSet", "apps"), ("Job", "batch"), ("CronJob", "batch"), ("Pod", ""))
_GOT_SCALE = "the HPA controller was able to get the target's current scale"
_NO_SCALE = "the HPA controller was unable to get the target's current scale: "
_DISABLED = "scaling is disabled since the replica count of the target is zero"
_NO_COUNT = "the HPA was unable to compute the replica count: "
_COUNTED = "the HPA was able to successfully calculate a replica count from "
_STABILIZED = {
    "ScaleUpStabilized": (
        "recent recommendations were lower than current one, applying the lowest recent recommendation"
    ),
    "ScaleDownStabilized": (
        "recent recommendations were higher than current one, applying the highest recent recommendation"
    ),
}
