"""The ways to a part of an object that are no reads and writes of it: its scale, its binding, its eviction."""

from dataclasses import replace
from typing import Any

from kubernetes_api import errors
from kubernetes_api.resources import Resource, by_kind
from kubernetes_api.writes import deleting, doors, evicting, patches, writing
from playground.kubernetes import listing, objects, reading, storing
from playground.kubernetes.objects import Answer
from playground.kubernetes.requests import Request

SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def answer(asked: Request, resource: Resource, namespace: str, name: str, door: str) -> Answer:
    if resource.kind in doors.SCALED and door == "scale":
        return _scale(asked, resource, namespace, name)
    if resource.kind == "Namespace" and door == "finalize":
        return _finalize(asked, resource, name)
    if resource.kind == "ServiceAccount" and door == "token" and asked.method == "POST":
        return _token(asked, resource, namespace, name)
    if resource.kind != "Pod" or door not in ("binding", "eviction", "resize", "ephemeralcontainers"):
        raise errors.no_such_path()
    if door in ("resize", "ephemeralcontainers"):
        return objects.answer(asked, resource, namespace, name, door)
    if asked.method != "POST":
        raise errors.not_allowed()
    return bind(asked, namespace, name, asked.body()) if door == "binding" else _evict(asked, namespace, name)


def bind_any(asked: Request, namespace: str) -> Answer:
    """A Binding posted by itself: the pod of its name."""
    if asked.method != "POST" or not namespace:
        raise errors.not_allowed()
    sent = asked.body()
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise errors.bad_request("name or generateName is required")
    return bind(asked, namespace, name, sent)


def bind(asked: Request, namespace: str, name: str, sent: Any) -> Answer:
    resource = by_kind("Pod")
    live = _live(asked, resource, namespace, name)
    value = doors.bound(live, sent, asked.write_options.time)
    if not asked.is_dry_run:
        storing.store(asked, resource, "update", [value], is_strict=False)
    return Answer(SUCCESS, 201)


def _scale(asked: Request, resource: Resource, namespace: str, name: str) -> Answer:
    live = _live(asked, resource, namespace, name)
    if asked.method == "GET":
        return Answer(listing.shown(asked, doors.SCALE, doors.scale(live)))
    if asked.method not in ("PUT", "PATCH") or asked.content_type in patches.APPLY_PATCH:
        raise errors.not_allowed()
    value = doors.scaled(resource, live, asked.content_type, asked.body())
    written = writing.replace(
        resource, live, value, replace(asked.write_options, subresource="scale"), reading.World(asked.cluster)
    )
    if written.value is None:
        return Answer(doors.scale(live))
    key = objects.key_of(resource, namespace, name)
    return Answer(doors.scale(objects.updated(asked, resource, key, live, written.value)))


def _evict(asked: Request, namespace: str, name: str) -> Answer:
    pods = by_kind("Pod")
    sent = asked.body()
    if not isinstance(sent, dict) or sent.get("kind") not in (None, "Eviction"):
        raise errors.bad_request("the object provided is no Eviction")
    metadata = sent.get("metadata") or {}
    if metadata.get("name") != name:
        raise errors.bad_request("name in URL does not match name in Eviction object")
    wanted = deleting.options(sent.get("deleteOptions") or {}, {})
    pod = _live(asked, pods, namespace, name)
    deleting.delete(pods, pod, wanted, asked.now)
    is_dry_run = asked.is_dry_run or wanted.is_dry_run
    guards = reading.World(asked.cluster).list("PodDisruptionBudget", namespace)
    budget = evicting.budget_of(pod, [dict(each) for each in guards])
    spent = (
        []
        if budget is None
        else [storing.writing("update", [evicting.spent(budget, name, asked.now)], is_strict=False)]
    )
    if not is_dry_run:
        objects.deleted(
            asked, pods, evicting.with_disruption_condition(pod, asked.now), replace(wanted, version=""), spent
        )
    return Answer(SUCCESS, 201)


def _finalize(asked: Request, resource: Resource, name: str) -> Answer:
    """What a namespace waits for before it goes. Source: namespaceFinalizeStrategy."""
    if asked.method != "PUT":
        raise errors.not_allowed()
    live = _live(asked, resource, "", name)
    sent = asked.body()
    spec = sent.get("spec") if isinstance(sent, dict) else None
    finalizers = [each for each in ((spec or {}).get("finalizers") or []) if each]
    value = {**live, "spec": {"finalizers": finalizers} if finalizers else {}}
    return Answer(objects.updated(asked, resource, name, live, value, is_strict=False))


def _token(asked: Request, resource: Resource, namespace: str, name: str) -> Answer:
    live = _live(asked, resource, namespace, name)
    return Answer(doors.token(live, asked.body(), asked.now, asked.write_options.seed), 201)


def _live(asked: Request, resource: Resource, namespace: str, name: str) -> dict[str, Any]:
    return dict(reading.one(asked.cluster, resource, objects.key_of(resource, namespace, name), name))
