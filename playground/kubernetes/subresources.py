"""Handlers for subresources with their own semantics: scale, binding, eviction, finalize and token."""

from dataclasses import replace
from functools import partial
from typing import Any

from kube_apiserver import controller_fields, errors
from kube_apiserver.account_tokens import mint
from kube_apiserver.admission import namespace_lifecycle
from kube_apiserver.resources import Resource, by_kind
from kube_apiserver.writes import deleting, evicting, handlers, opening, pod_subresources, scales, strategy
from playground.kubernetes import list_pages, object_handlers, object_reads, write_commands
from playground.kubernetes.api_answer import ApiAnswer
from playground.kubernetes.credentials import account_tokens
from playground.kubernetes.keyed_locks import keyed_lock
from playground.kubernetes.requests import Request
from playground.web.request_guard import calculating

SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def handle_subresource(request: Request, resource: Resource, namespace: str, name: str, subresource: str) -> ApiAnswer:
    return write_commands.retry_conflicts(
        resource, name, lambda: _handle_subresource(request, resource, namespace, name, subresource)
    )


def _handle_subresource(request: Request, resource: Resource, namespace: str, name: str, subresource: str) -> ApiAnswer:
    if subresource == "scale":
        return _scale(request, resource, namespace, name)
    if resource.kind == "Namespace" and subresource == "finalize":
        return _finalize(request, resource, name)
    if resource.kind == "ServiceAccount" and subresource == "token" and request.method == "POST":
        return _token(request, resource, namespace, name)
    if resource.kind != "Pod" or subresource not in ("binding", "eviction", "resize", "ephemeralcontainers"):
        raise errors.no_such_path()
    if subresource in ("resize", "ephemeralcontainers"):
        return object_handlers.handle_resource(request, resource, namespace, name, subresource)
    if request.method != "POST":
        raise errors.not_allowed()
    request.check_options()
    return (
        bind(request, namespace, name, request.body(opening.BINDING.kind))
        if subresource == "binding"
        else _evict_in_turn(request, namespace, name)
    )


def bind_any(request: Request, namespace: str) -> ApiAnswer:
    """Handle a Binding that is posted to the collection. Its name is that of the Pod."""
    if request.method != "POST" or not namespace:
        raise errors.not_allowed()
    request.check_options()
    sent = request.body(opening.BINDING.kind)
    value, _ = opening.read(opening.BINDING, sent, namespace, request.write_options.validation)
    name = str(value["metadata"].get("name") or "")
    if not name:
        raise errors.bad_request("Name parameter required.")
    return write_commands.retry_conflicts(by_kind("Pod"), name, lambda: bind(request, namespace, name, sent))


def bind(request: Request, namespace: str, name: str, sent: Any) -> ApiAnswer:
    resource, options = by_kind("Pod"), request.write_options
    binding, warnings = opening.of_pod(opening.BINDING, sent, namespace, name, options.validation)
    world = object_reads.StoredClusterReader(request.cluster)
    namespace_lifecycle.check(resource, namespace, name, world)
    live = _live(request, resource, namespace, name)
    value = pod_subresources.bind_pod(live, binding, options.time, world)
    if not request.is_dry_run:
        write_commands.submit_and_wait(
            request, resource, [write_commands.write_payload("update", [value], is_strict=False, live=[live])]
        )
    return ApiAnswer(SUCCESS, 201, warnings)


def _scale(request: Request, resource: Resource, namespace: str, name: str) -> ApiAnswer:
    if request.method == "GET":
        live = _live(request, resource, namespace, name)
        return ApiAnswer(list_pages.convert_object(request, scales.SCALE, scales.scale(resource, live)))
    scales.check_kind(request.method, request.content_type)
    request.check_options()
    live = controller_fields.add(resource, _live(request, resource, namespace, name))
    options = object_handlers.options_of(request, resource, namespace, "scale")
    sent = request.body(scales.SCALE.kind if request.method == "PUT" else "")
    kind, world = (
        request.content_type if request.method == "PATCH" else "",
        object_reads.StoredClusterReader(request.cluster),
    )
    whole = strategy.as_read(resource, live)
    if scales.is_apply(kind):
        written, warnings = handlers.apply_scale(resource, whole, sent, options, world), list[str]()
    else:
        value, warnings = scales.scaled(resource, whole, kind, sent, options.validation)
        with calculating():
            written = handlers.replace(resource, whole, value, options, world)
    if written.value is None:
        return ApiAnswer(scales.scale(resource, live), 200, warnings)
    key = object_handlers.key_of(resource, namespace, name)
    stored = object_handlers.updated(request, resource, key, live, written.value)
    return ApiAnswer(scales.scale(resource, stored), 200, warnings)


def _evict_in_turn(request: Request, namespace: str, name: str) -> ApiAnswer:
    """Evict one Pod of a namespace at a time, so that two requests can't use the same allowed disruption."""
    with keyed_lock(request.cluster.pk, "evictions", namespace):
        return _evict(request, namespace, name)


def _evict(request: Request, namespace: str, name: str) -> ApiAnswer:
    """Evict a Pod and charge its PodDisruptionBudget once. Source: pkg/registry/core/pod/storage/eviction.go.

    The steps:

    1. Decode the Eviction and its delete options.
    2. Find the Pod's PodDisruptionBudget and check that it allows a disruption.
    3. Check the preconditions of the deletion.
    4. Add the DisruptionTarget condition, charge the budget and delete the Pod.
    """
    pods = by_kind("Pod")
    sent, validation = request.body(opening.EVICTION.kind), request.write_options.validation
    eviction, warnings = opening.of_pod(opening.EVICTION, sent, namespace, name, validation)
    wanted = deleting.options(opening.wanted_deletion(eviction, is_dry_run=request.is_dry_run), {})
    pod = _live(request, pods, namespace, name)
    guards = object_reads.StoredClusterReader(request.cluster).list("PodDisruptionBudget", namespace)
    budget = evicting.budget_of(pod, [dict(each) for each in guards])
    spent = [] if budget is None else [(budget, evicting.spent(budget, name, request.now))]
    # Check the preconditions after the budget, as upstream does.
    deletion = deleting.delete(pods, pod, wanted, request.now)
    if request.is_dry_run or wanted.is_dry_run:
        return ApiAnswer(SUCCESS, 201, warnings)
    value, wanted = evicting.with_disruption_condition(pod, request.now), replace(wanted, version="")
    if deletion.is_gone and spent:
        ((before, after),) = spent
        both = write_commands.write_payload("update", [value, after], is_strict=False, live=[pod, before])
        write_commands.submit_and_wait(request, pods, [both])
        write_commands.retry_conflicts(pods, name, lambda: _delete_evicted(request, pod, wanted))
    else:
        object_handlers.deleted(request, pods, value, wanted, spent)
    return ApiAnswer(SUCCESS, 201, warnings)


def _delete_evicted(request: Request, evicted: dict[str, Any], wanted: deleting.DeleteOptions) -> None:
    """Delete a Pod after its budget was charged, if it still exists."""
    pods = by_kind("Pod")
    live = object_reads.manifest(request.cluster, pods, object_reads.key_of(evicted))
    if live is not None and live["metadata"].get("uid") == evicted["metadata"].get("uid"):
        object_handlers.deleted(request, pods, live, wanted)


def _finalize(request: Request, resource: Resource, name: str) -> ApiAnswer:
    """Replace a namespace's finalizers. Source: namespaceFinalizeStrategy."""
    if request.method != "PUT":
        raise errors.not_allowed()
    request.check_options()
    live, options = _live(request, resource, "", name), replace(request.write_options, subresource="finalize")
    sent = request.body(resource.kind)
    opening.check_name(resource, sent, name, options.validation)
    with calculating():
        written = handlers.replace(resource, live, sent, options, object_reads.StoredClusterReader(request.cluster))
    if written.value is None:
        return ApiAnswer(live, 200, written.warnings)
    stored = object_handlers.updated(request, resource, name, live, written.value, is_strict=False)
    return ApiAnswer(stored, 200, written.warnings)


def _token(request: Request, resource: Resource, namespace: str, name: str) -> ApiAnswer:
    request.check_options()
    sent, options = request.body(opening.TOKEN_REQUEST.kind), request.write_options
    asked_for, warnings = opening.token_request(sent, namespace, name, options.validation)
    live, world, caller = (
        _live(request, resource, namespace, name),
        object_reads.StoredClusterReader(request.cluster),
        request.caller,
    )
    answer = mint(
        live,
        asked_for,
        request.now,
        options.seed,
        world,
        minter=account_tokens.minter(caller.token_id, caller.who),
        sign=partial(account_tokens.sign, request.cluster),
    )
    return ApiAnswer(answer, 201, warnings)


def _live(request: Request, resource: Resource, namespace: str, name: str) -> dict[str, Any]:
    return dict(
        object_reads.get_or_not_found(
            request.cluster, resource, object_handlers.key_of(resource, namespace, name), name
        )
    )
