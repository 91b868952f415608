"""Api: the rules of the API server for what actors and users write. Gathers the changes; nothing is written at once.

Source: pkg/registry (generations, graceful deletion, finalizers), staging/src/k8s.io/apiserver/pkg/registry/generic.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from kube_controllers import admission
from kube_controllers.contract import ActorEvent, Change, Gone, Put
from kube_controllers.hashing import LETTERS
from kube_controllers.objects import View
from kube_controllers.pods import is_finished, node_of
from kube_objects.manifests import (
    Manifest,
    finalizers,
    format_time,
    generation,
    is_deleted,
    key,
    kind,
    meta,
    name,
    namespace,
    number,
    parse_time,
    spec,
    status,
    uid,
    with_meta,
    with_status,
)

NAMESPACE_FINALIZER = "kubernetes"  # it goes when everything in it has gone
FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"
_POLICIES = {"Foreground": FOREGROUND, "Orphan": ORPHAN}
# Kinds whose generation also moves with their annotations. Source: deploymentStrategy.PrepareForUpdate.
_ANNOTATED = ("Deployment",)
# Of kinds without a spec, what its generation follows, besides its labels. Source: endpointSliceStrategy.
_ASKED_FOR = {"EndpointSlice": ("addressType", "endpoints", "ports")}
DEFAULT_GRACE = 30
# Objects of a kind up to which controllers create more: what a process has memory for.
MOST_OF_A_KIND = 50_000


class Refused(Exception):  # noqa: N818 - the API server's word, not an error of ours
    """The API server would not take the write. `reason` is that of its Status."""

    def __init__(self, message: str, reason: str = "Forbidden") -> None:
        self.message, self.reason = message, reason
        super().__init__(message)


class Api:
    """Writes on top of a view: what was written is seen by the next write, and by `get`."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.changes: list[Change] = []
        self._created = 0  # objects of any kind
        self._own: dict[tuple[str, str], Manifest | None] = {}
        self._known_rules: admission.Rules | None = None  # most who write create nothing

    def get(self, of: str, at: str) -> Manifest | None:
        if self._own and (of, at) in self._own:
            return self._own[of, at]
        return self.view.get(of, at)

    def create(self, given: Manifest) -> Manifest:
        """The object as it was created; Refused if the API server says no."""
        obj = self._named(given)
        at = kind(obj), key(obj)
        if self.get(*at) is not None:
            raise Refused(f'{admission.plural(kind(obj))} "{name(obj)}" already exists', "AlreadyExists")
        if self.view.count(kind(obj)) + self._created >= MOST_OF_A_KIND:
            plural = admission.plural(kind(obj))
            room = f"the playground has room for {MOST_OF_A_KIND} {plural} that controllers create in a cluster"
            raise Refused(f'{plural} "{name(obj)}" is forbidden: {room}')
        # Pods that are made of the same template have the very same spec, which is read once.
        tolerant = partial(self.view.once, admission.with_default_tolerations)
        admitted = self._rules.given(admission.defaulted(obj, tolerant))
        if refusal := self._rules.refusal(admitted):
            raise Refused(refusal)
        self._created += 1
        return self._put(admitted, at)

    @property
    def _rules(self) -> admission.Rules:
        if self._known_rules is None:
            self._known_rules = admission.Rules(self.view)
        return self._known_rules

    def _named(self, given: Manifest) -> dict[str, Any]:
        counted = {} if kind(given) in admission.WITHOUT_GENERATION else {"generation": 1}
        fields: dict[str, Any] = {**counted, "creationTimestamp": format_time(self.view.now)}
        if not meta(given).get("uid"):
            fields["uid"] = self._new_uid()
        prefix = meta(given).get("generateName")
        if prefix and not meta(given).get("name"):
            fields["name"] = self._free_name(kind(given), namespace(given), str(prefix))
        return with_meta(given, **fields)

    def _free_name(self, of: str, in_namespace: str, prefix: str) -> str:
        """Upstream tries again when a name is taken. Source: names.SimpleNameGenerator, RetryGenerateName."""
        while True:
            made = prefix[:58] + "".join(self.view.chance.choice(LETTERS) for _ in range(5))
            if self.get(of, f"{in_namespace}/{made}" if in_namespace else made) is None:
                return made

    def _new_uid(self) -> str:
        digits = f"{self.view.chance.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"

    def _put(self, obj: Manifest, at: tuple[str, str]) -> Manifest:
        if self.view.has("ResourceQuota"):
            self._rules.wrote(obj, self.get(*at), obj)
        self._own[at] = obj
        self.changes.append(Put(obj, at))
        return obj

    def update(self, obj: Manifest) -> Manifest:
        """A new version of an object; its generation moves with what it asks for."""
        at = of, _ = kind(obj), key(obj)
        before = self.get(*at)
        if before is None or uid(before) != uid(obj):
            raise Refused(f'{admission.plural(of)} "{name(obj)}" not found', "NotFound")
        if (of in admission.WITH_GENERATION or of in _ASKED_FOR) and _asks(before) != _asks(obj):
            obj = with_meta(obj, generation=generation(before) + 1)
        if is_deleted(obj) and not finalizers(obj) and not number(meta(obj).get("deletionGracePeriodSeconds"), 0):
            return self._gone(obj)
        if of == "Node":
            obj = self._with_taint_times(obj)
        elif of == "DaemonSet":
            obj = admission.with_template_counted(obj, before)
        return obj if obj == before else self._put(obj, at)

    def _with_taint_times(self, node: Manifest) -> Manifest:
        """When a taint that evicts came is what tolerations count from; upstream's controller remembers it itself."""
        taints = spec(node).get("taints") or ()
        if all(one.get("timeAdded") or one.get("effect") != "NoExecute" for one in taints):
            return node
        at = format_time(self.view.now)
        noted = [{**one, "timeAdded": at} if _is_new_eviction(one) else one for one in taints]
        return {**node, "spec": {**spec(node), "taints": noted}}

    def update_status(self, obj: Manifest, status: Mapping[str, Any]) -> Manifest:
        at = kind(obj), key(obj)
        before = self.get(*at) or obj
        written = {**before, "metadata": _of_generation(obj, before), "status": dict(status)}
        return before if written == before else self._put(written, at)

    def delete(self, obj: Manifest, policy: str = "Background", grace: int | None = None) -> None:
        """Source: BeforeDelete, deletionFinalizersForGarbageCollection. A deleted object may stay for a while."""
        at = kind(obj), key(obj)
        live = self.get(*at)
        if live is None or uid(live) != uid(obj):
            raise Refused(f'{admission.plural(kind(obj))} "{name(obj)}" not found', "NotFound")
        seconds = self._grace(live, grace)
        waits = [one for one in finalizers(live) if one not in _POLICIES.values()]
        if policy in _POLICIES and not is_deleted(live):
            waits.append(_POLICIES[policy])
        elif is_deleted(live):
            waits = list(finalizers(live))
        if kind(live) == "Namespace" and not is_deleted(live):
            waits.append(NAMESPACE_FINALIZER)
        if not waits and not seconds:
            self._gone(live)
            return
        until, seconds = _time_left(live, seconds, self.view.now)
        fields: dict[str, Any] = {"deletionTimestamp": until, "deletionGracePeriodSeconds": seconds}
        if not is_deleted(live) and kind(live) in admission.WITH_GENERATION:
            fields["generation"] = generation(live) + 1
        changed = with_meta(live, finalizers=waits or None, **fields)
        if kind(live) == "Namespace":
            changed = with_status(changed, {**status(live), "phase": "Terminating"})
        if changed != live:
            self._put(changed, at)

    def _grace(self, obj: Manifest, requested: int | None) -> int:
        """Only pods on a node are given time. Source: podStrategy.CheckGracefulDelete."""
        if kind(obj) != "Pod" or not node_of(obj) or is_finished(obj):
            return 0
        given = number(spec(obj).get("terminationGracePeriodSeconds"), DEFAULT_GRACE)
        return given if requested is None else requested

    def _gone(self, obj: Manifest) -> Manifest:
        at = kind(obj), key(obj)
        if self.view.has("ResourceQuota"):
            self._rules.wrote(obj, self.get(*at), None)
        self._own[at] = None
        self.changes.append(Gone(obj))
        return obj

    def tell(self, about: Manifest, type_: str, reason: str, message: str, by: str) -> None:
        """A Kubernetes Event."""
        self.changes.append(ActorEvent(about, type_, reason, message, by))


def _is_new_eviction(taint: Mapping[str, Any]) -> bool:
    return taint.get("effect") == "NoExecute" and not taint.get("timeAdded")


def _time_left(live: Manifest, seconds: int, now: float) -> tuple[str, int]:
    """When a deleted object has to be gone, and its grace: what was given may only be shortened.

    Source: BeforeDelete.
    """
    until, before = meta(live).get("deletionTimestamp"), meta(live).get("deletionGracePeriodSeconds")
    if not until or before is None:
        return until or format_time(now + seconds), seconds
    if seconds >= int(before):
        return until, int(before)
    at = (parse_time(until) or now) - int(before) + seconds
    # Never in the past; whoever ends it gets a second for that, unless it was to end at once.
    return (format_time(at), seconds) if at >= now else (format_time(now), min(seconds, 1))


def _of_generation(obj: Manifest, before: Manifest) -> Mapping[str, Any]:
    """Its metadata, with the generation of the version before: mostly the very same, which nobody reads again."""
    found: Mapping[str, Any] = obj["metadata"]
    given = meta(before).get("generation")
    if found.get("generation") != given or None in found.values():
        found = with_meta(obj, generation=given)["metadata"]
    return found


def _asks(obj: Manifest) -> Any:
    parts = _ASKED_FOR.get(kind(obj))
    if parts is not None:
        return [obj.get(part) for part in parts], meta(obj).get("labels") or None
    given = meta(obj).get("annotations") if kind(obj) in _ANNOTATED else None
    return obj.get("spec"), given or None
