"""The API server's rules for writes by controllers and users. It collects changes and stores nothing itself.

Source: pkg/registry (generations, graceful deletion, finalizers), staging/src/k8s.io/apiserver/pkg/registry/generic.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from kube_apiserver.admission.pods import with_default_tolerations
from kube_controllers import admission
from kube_controllers.contract import Change, EmitEvent, PutObject, RemoveObject
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

NAMESPACE_FINALIZER = "kubernetes"  # removed when the namespace is empty
FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"
_POLICIES = {"Foreground": FOREGROUND, "Orphan": ORPHAN}
# Kinds whose generation also moves with their annotations. Source: deploymentStrategy.PrepareForUpdate.
_ANNOTATED = ("Deployment",)
# For kinds without a spec: the fields that move the generation, besides labels. Source: endpointSliceStrategy.
_GENERATION_FIELDS = {"EndpointSlice": ("addressType", "endpoints", "ports")}
DEFAULT_GRACE = 30
# Controllers create no more objects of a kind than these, because a process holds all of them in memory.
MOST_OF_A_KIND = 50_000


class WriteRefused(Exception):  # noqa: N818 - it reports a refusal by the API server, not an error of the engine
    """A write that the API server refuses. `reason` is the reason of its Status."""

    def __init__(self, message: str, reason: str = "Forbidden") -> None:
        self.message, self.reason = message, reason
        super().__init__(message)


class Api:
    """Writes on top of a view. Later writes and `get` see earlier ones."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.changes: list[Change] = []
        self._created = 0  # objects of all kinds
        self._own: dict[tuple[str, str], Manifest | None] = {}
        self._loaded_rules: admission.NamespaceRules | None = None  # built lazily: most reconciles create nothing

    def get(self, of: str, at: str) -> Manifest | None:
        if self._own and (of, at) in self._own:
            return self._own[of, at]
        return self.view.get(of, at)

    def create(self, submitted: Manifest) -> Manifest:
        """Return the object as created, with a name, defaults and what admission adds. Raise WriteRefused if it is not
        admitted.
        """
        obj = self._with_identity(submitted)
        kind_and_key = kind(obj), key(obj)
        if self.get(*kind_and_key) is not None:
            raise WriteRefused(f'{admission.plural(kind(obj))} "{name(obj)}" already exists', "AlreadyExists")
        if self.view.count(kind(obj)) + self._created >= MOST_OF_A_KIND:
            plural = admission.plural(kind(obj))
            room = f"the playground has room for {MOST_OF_A_KIND} {plural} that controllers create in a cluster"
            raise WriteRefused(f'{plural} "{name(obj)}" is forbidden: {room}')
        # Pods of one template share one spec object, so its tolerations are computed once.
        tolerant = partial(self.view.once, with_default_tolerations)
        admitted = self._rules.with_limit_range_defaults(admission.defaulted(obj, tolerant))
        if refusal := self._rules.refusal(admitted):
            raise WriteRefused(refusal)
        self._created += 1
        return self._put(admitted, kind_and_key)

    @property
    def _rules(self) -> admission.NamespaceRules:
        if self._loaded_rules is None:
            self._loaded_rules = admission.NamespaceRules(self.view)
        return self._loaded_rules

    def _with_identity(self, submitted: Manifest) -> dict[str, Any]:
        """Return the object with a creation time, a uid, a generation and a name."""
        generation_field = {} if kind(submitted) in admission.WITHOUT_GENERATION else {"generation": 1}
        fields: dict[str, Any] = {**generation_field, "creationTimestamp": format_time(self.view.now)}
        if not meta(submitted).get("uid"):
            fields["uid"] = self._new_uid()
        prefix = meta(submitted).get("generateName")
        if prefix and not meta(submitted).get("name"):
            fields["name"] = self._free_name(kind(submitted), namespace(submitted), str(prefix))
        return with_meta(submitted, **fields)

    def _free_name(self, obj_kind: str, in_namespace: str, prefix: str) -> str:
        """Return an unused name with the prefix. Source: names.SimpleNameGenerator, RetryGenerateName."""
        while True:
            candidate = prefix[:58] + "".join(self.view.chance.choice(LETTERS) for _ in range(5))
            if self.get(obj_kind, f"{in_namespace}/{candidate}" if in_namespace else candidate) is None:
                return candidate

    def _new_uid(self) -> str:
        digits = f"{self.view.chance.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"

    def _put(self, obj: Manifest, kind_and_key: tuple[str, str]) -> Manifest:
        if self.view.has("ResourceQuota"):
            self._rules.record_write(obj, self.get(*kind_and_key), obj)
        self._own[kind_and_key] = obj
        self.changes.append(PutObject(obj, kind_and_key))
        return obj

    def update(self, obj: Manifest) -> Manifest:
        """Return the object as updated. Its generation increases if its spec changes; a deleted object without
        finalizers is removed.
        """
        kind_and_key = obj_kind, _ = kind(obj), key(obj)
        before = self.get(*kind_and_key)
        if before is None or uid(before) != uid(obj):
            raise WriteRefused(f'{admission.plural(obj_kind)} "{name(obj)}" not found', "NotFound")
        if (obj_kind in admission.WITH_GENERATION or obj_kind in _GENERATION_FIELDS) and _generation_input(
            before
        ) != _generation_input(obj):
            obj = with_meta(obj, generation=generation(before) + 1)
        if is_deleted(obj) and not finalizers(obj) and not number(meta(obj).get("deletionGracePeriodSeconds"), 0):
            return self._remove(obj)
        if obj_kind == "Node":
            obj = self._with_taint_times(obj)
        elif obj_kind == "DaemonSet":
            obj = admission.with_template_generation(obj, before)
        return obj if obj == before else self._put(obj, kind_and_key)

    def _with_taint_times(self, node: Manifest) -> Manifest:
        """Return the Node with `timeAdded` on new NoExecute taints, from which tolerations count.

        The taint manager of Kubernetes keeps these times in memory.
        """
        taints = spec(node).get("taints") or ()
        if all(taint.get("timeAdded") or taint.get("effect") != "NoExecute" for taint in taints):
            return node
        now = format_time(self.view.now)
        noted = [{**taint, "timeAdded": now} if _is_new_eviction(taint) else taint for taint in taints]
        return {**node, "spec": {**spec(node), "taints": noted}}

    def update_status(self, obj: Manifest, status: Mapping[str, Any]) -> Manifest:
        kind_and_key = kind(obj), key(obj)
        before = self.get(*kind_and_key) or obj
        written = {**before, "metadata": _with_generation_of(obj, before), "status": dict(status)}
        return before if written == before else self._put(written, kind_and_key)

    def delete(self, obj: Manifest, policy: str = "Background", grace: int | None = None) -> None:
        """Delete an object, at once or gracefully, under a propagation policy.

        Source: BeforeDelete, deletionFinalizersForGarbageCollection.
        """
        kind_and_key = kind(obj), key(obj)
        live = self.get(*kind_and_key)
        if live is None or uid(live) != uid(obj):
            raise WriteRefused(f'{admission.plural(kind(obj))} "{name(obj)}" not found', "NotFound")
        seconds = self._grace(live, grace)
        remaining = [finalizer for finalizer in finalizers(live) if finalizer not in _POLICIES.values()]
        if policy in _POLICIES and not is_deleted(live):
            remaining.append(_POLICIES[policy])
        elif is_deleted(live):
            remaining = list(finalizers(live))
        if kind(live) == "Namespace" and not is_deleted(live):
            remaining.append(NAMESPACE_FINALIZER)
        if not remaining and not seconds:
            self._remove(live)
            return
        until, seconds = _time_left(live, seconds, self.view.now)
        fields: dict[str, Any] = {"deletionTimestamp": until, "deletionGracePeriodSeconds": seconds}
        if not is_deleted(live) and kind(live) in admission.WITH_GENERATION:
            fields["generation"] = generation(live) + 1
        changed = with_meta(live, finalizers=remaining or None, **fields)
        if kind(live) == "Namespace":
            changed = with_status(changed, {**status(live), "phase": "Terminating"})
        if changed != live:
            self._put(changed, kind_and_key)

    def _grace(self, obj: Manifest, requested: int | None) -> int:
        """Return the seconds of grace: only Pods on a Node have any. Source: podStrategy.CheckGracefulDelete."""
        if kind(obj) != "Pod" or not node_of(obj) or is_finished(obj):
            return 0
        seconds = number(spec(obj).get("terminationGracePeriodSeconds"), DEFAULT_GRACE)
        return seconds if requested is None else requested

    def _remove(self, obj: Manifest) -> Manifest:
        kind_and_key = kind(obj), key(obj)
        if self.view.has("ResourceQuota"):
            self._rules.record_write(obj, self.get(*kind_and_key), None)
        self._own[kind_and_key] = None
        self.changes.append(RemoveObject(obj))
        return obj

    def emit_event(self, about: Manifest, type_: str, reason: str, message: str, by: str) -> None:
        """Add a Kubernetes Event about an object."""
        self.changes.append(EmitEvent(about, type_, reason, message, by))


def _is_new_eviction(taint: Mapping[str, Any]) -> bool:
    return taint.get("effect") == "NoExecute" and not taint.get("timeAdded")


def _time_left(live: Manifest, seconds: int, now: float) -> tuple[str, int]:
    """Return the deletion time and the grace of a deleted object. A later request can only shorten them.

    Source: BeforeDelete.
    """
    until, before = meta(live).get("deletionTimestamp"), meta(live).get("deletionGracePeriodSeconds")
    if not until or before is None:
        return until or format_time(now + seconds), seconds
    if seconds >= int(before):
        return until, int(before)
    deadline = (parse_time(until) or now) - int(before) + seconds
    # The deadline is never in the past; the kubelet gets one second, unless the grace is zero.
    return (format_time(deadline), seconds) if deadline >= now else (format_time(now), min(seconds, 1))


def _with_generation_of(obj: Manifest, before: Manifest) -> Mapping[str, Any]:
    """Return the object's metadata with the generation of the version before. It is the same instance if nothing
    changes.
    """
    metadata: Mapping[str, Any] = obj["metadata"]
    old_generation = meta(before).get("generation")
    if metadata.get("generation") != old_generation or None in metadata.values():
        metadata = with_meta(obj, generation=old_generation)["metadata"]
    return metadata


def _generation_input(obj: Manifest) -> Any:
    """Return the fields whose change increases the generation."""
    fields = _GENERATION_FIELDS.get(kind(obj))
    if fields is not None:
        return [obj.get(field) for field in fields], meta(obj).get("labels") or None
    annotations = meta(obj).get("annotations") if kind(obj) in _ANNOTATED else None
    return obj.get("spec"), annotations or None
