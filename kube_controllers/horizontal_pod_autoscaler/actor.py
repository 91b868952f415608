"""The HorizontalPodAutoscaler controller. Source: pkg/controller/podautoscaler/horizontal.go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.built_in.scaling import scale
from kube_controllers.admission import plural
from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake
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
# How often it looks. Source: HorizontalPodAutoscalerSyncPeriod.
PERIOD_SECONDS = 15.0
SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_DEFAULT_METRICS = (
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}},
)


class HorizontalPodAutoscalerActor:
    name = "horizontal-pod-autoscaler"
    kind = "HorizontalPodAutoscaler"
    watches = frozenset({"HorizontalPodAutoscaler"})
    backoff = Backoff(PERIOD_SECONDS, PERIOD_SECONDS)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        """Each looks once a period; that it was changed does not bring it forward."""
        if new is not None and old is None and kind(new) == self.kind:
            yield Wake(key(new), PERIOD_SECONDS)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        sync = Sync(obj, Api(view))
        sync.run()
        memory = {"wanted": sync.known, "up": sync.ups, "down": sync.downs}
        return Outcome(sync.api.changes, sync.why, view.now + PERIOD_SECONDS, memory=memory)


class Sync:
    """One look at one autoscaler. Source: reconcileAutoscaler."""

    def __init__(self, hpa: Manifest, api: Api) -> None:
        self.hpa, self.api, self.now = hpa, api, api.view.now
        self.conditions = [dict(one) for one in status(hpa).get("conditions") or ()]
        self.statuses: list[Any] = []
        self.why = ""
        memory: Mapping[str, Any] = api.view.remembered or {}
        self.known, self.ups, self.downs = (
            [(at, int(count)) for at, count in memory.get(field, ())] for field in ("wanted", "up", "down")
        )

    def run(self) -> None:
        target = self._target()
        if target is None:
            return
        self._condition("AbleToScale", "True", "SucceededGetScale", _GOT_SCALE)
        current = number(spec(target).get("replicas"), 1)
        if not self.known:
            self.known = [(self.now, current)]
        least, most = number(spec(self.hpa).get("minReplicas"), 1), int(spec(self.hpa).get("maxReplicas") or 1)
        if current == 0:
            self._condition("ScalingActive", "False", "ScalingDisabled", _DISABLED)
            wanted = current
        elif current > most:
            wanted, self.why = most, "Current number of replicas above Spec.MaxReplicas"
        elif current < least:
            wanted, self.why = least, "Current number of replicas below Spec.MinReplicas"
        else:
            found = self._by_metrics(target, current)
            if found is None:
                self._write_status(current, number(status(self.hpa).get("desiredReplicas"), 0), False)
                return
            wanted = self._normalized(current, found, least, most)
        if wanted != current:
            self._rescale(target, current, wanted)
        else:
            self.why = ""
        self._write_status(current, wanted, wanted != current)

    def _target(self) -> Manifest | None:
        reference = spec(self.hpa).get("scaleTargetRef") or {}
        of, named = str(reference.get("kind")), str(reference.get("name"))
        found = self.api.view.get(of, key_of(namespace(self.hpa), named)) if _is_scaled(reference) else None
        if found is None:
            message = _why_none(reference)
            self._tell("Warning", "FailedGetScale", message)
            self._condition("AbleToScale", "False", "FailedGetScale", _NO_SCALE + message)
            self._write(dict(status(self.hpa)))
        return found

    def _by_metrics(self, target: Manifest, current: int) -> int | None:
        """The most that a metric asks for; None if nothing can be said. Source: computeReplicasForMetrics."""
        try:
            pods = self._pods(target)
        except _NotSelected as problem:
            self._condition("ScalingActive", "False", problem.reason, problem.condition)
            self._tell("Warning", "FailedComputeMetricsReplicas", problem.message)
            return None
        scale = metrics.Scale(current, number(status(target).get("replicas"), 0), pods)
        best, named, first, failed = 0, "", None, 0
        wanted: Sequence[Mapping[str, Any]] = spec(self.hpa).get("metrics") or _DEFAULT_METRICS
        for metric in wanted:
            try:
                proposal = metrics.ask(self.hpa, metric, scale, self.now)
            except metrics.MetricFailed as error:
                self._tell("Warning", error.reason, error.inner)
                first, failed = first or error, failed + 1
                self.statuses.append({"type": ""})
                continue
            self.statuses.append(proposal.status)
            if best == 0 or proposal.replicas > best:
                best, named = proposal.replicas, proposal.name
        if first is not None and (failed >= len(wanted) or best < current):
            self._condition("ScalingActive", "False", first.reason, _NO_COUNT + first.inner)
            message = f"invalid metrics ({failed} invalid out of {len(wanted)}), first error is: {first.message}"
            self._tell("Warning", "FailedComputeMetricsReplicas", message)
            return None
        self._condition("ScalingActive", "True", "ValidMetricFound", _COUNTED + named)
        # Metrics that ask for what is there give no reason; older recommendations may still move the size.
        self.why = "" if best == current else f"{named} above target" if best > current else "All metrics below target"
        return best

    def _pods(self, target: Manifest) -> list[Manifest]:
        """Raises _NotSelected. Source: validateAndParseSelector."""
        selector = selector_of(target)
        if is_empty(selector):
            message = "selector is required"
            self._tell("Warning", "SelectorRequired", message)
            raise _NotSelected("InvalidSelector", message, "the HPA target's scale is missing a selector")
        inside = self.api.view.of_kind("Pod", namespace(self.hpa))
        pods = [pod for pod in inside if selects(selector, labels(pod))]
        if len(found := self._all_that_select(pods)) > 1:
            known = " ".join(f"{{{name(one)} {namespace(one)}}}" for one in found)
            message = f"pods by selector {as_text(selector)} are controlled by multiple HPAs: [{known}]"
            self._tell("Warning", "AmbiguousSelector", message)
            raise _NotSelected("AmbiguousSelector", message, message)
        return pods

    def _all_that_select(self, pods: Sequence[Manifest]) -> list[Manifest]:
        """This autoscaler, and others that have looked at their own pods and have some of these among them.

        Upstream tells of them in no order. Source: hpasControllingPodsUnderSelector.
        """
        view, found = self.api.view, []
        for one in view.of_kind("HorizontalPodAutoscaler", namespace(self.hpa)):
            active = condition(conditions(one), "ScalingActive")
            has_looked = active is not None and active.get("reason") != "ScalingDisabled"
            reference = spec(one).get("scaleTargetRef") or {}
            target = view.get(str(reference.get("kind")), key_of(namespace(one), str(reference.get("name"))))
            if target is None or (key(one) != key(self.hpa) and not has_looked):
                continue
            if any(selects(selector_of(target), labels(pod)) for pod in pods):
                found.append(one)
        return found

    def _normalized(self, current: int, wanted: int, least: int, most: int) -> int:
        """Source: normalizeDesiredReplicas, normalizeDesiredReplicasWithBehaviors."""
        behavior = spec(self.hpa).get("behavior")
        if behavior is None:
            stable, self.known = limits.stabilized(self.known, wanted, self.now)
            message = "ScaleDownStabilized"
            limited = limits.within(current, stable, least, most)
        else:
            up, down = limits.rules_of(behavior, "scaleUp"), limits.rules_of(behavior, "scaleDown")
            stable, self.known = limits.stabilized_by(self.known, current, wanted, self.now, up, down)
            message = "ScaleUpStabilized" if wanted >= current else "ScaleDownStabilized"
            limited = limits.within_rates(current, stable, least, most, self.ups, self.downs, self.now, up, down)
        if stable != wanted:
            self._condition("AbleToScale", "True", message, _STABILIZED[message])
        else:
            self._condition("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size")
        held = limited.replicas != stable
        self._condition("ScalingLimited", "True" if held else "False", limited.reason, limited.message)
        return limited.replicas

    def _rescale(self, target: Manifest, current: int, wanted: int) -> None:
        self.api.update(scale(target, wanted))
        message = f"the HPA controller was able to update the target scale to {wanted}"
        self._condition("AbleToScale", "True", "SucceededRescale", message)
        self._tell("Normal", "SuccessfulRescale", f"New size: {wanted}; reason: {self.why}")
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

    def _tell(self, type_: str, reason: str, message: str) -> None:
        self.api.tell(self.hpa, type_, reason, message, COMPONENT)

    def _condition(self, type_: str, value: str, reason: str, message: str) -> None:
        """Source: setConditionInList."""
        found = next((one for one in self.conditions if one["type"] == type_), None)
        if found is None:
            found = {"type": type_}
            self.conditions.append(found)
        if found.get("status") != value:
            found["lastTransitionTime"] = format_time(self.now)
        found |= {"status": value, "reason": reason, "message": message}


def _is_scaled(reference: Mapping[str, Any]) -> bool:
    of = reference.get("kind")
    return of in SCALED and _group(reference) == ("" if of == "ReplicationController" else "apps")


def _group(reference: Mapping[str, Any]) -> str:
    return str(reference.get("apiVersion") or "").rpartition("/")[0]


def _why_none(reference: Mapping[str, Any]) -> str:
    """What an API server says that is asked for the scale of something that has none."""
    of, group = str(reference.get("kind")), _group(reference)
    if _is_scaled(reference):
        return f'{plural(of)}{"." if group else ""}{group} "{reference.get("name")}" not found'
    if (of, group) in _NOT_SCALED:
        return "the server could not find the requested resource"
    return f'no matches for kind "{of}" in group "{group}"'


def selector_of(target: Manifest) -> Any:
    selector = spec(target).get("selector")
    return {"matchLabels": selector or {}} if kind(target) == "ReplicationController" else selector


class _NotSelected(Exception):  # noqa: N818 - what an autoscaler says of its target, no error of ours
    """`reason` and `condition` (its message) are the condition's, `message` the Event's."""

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
