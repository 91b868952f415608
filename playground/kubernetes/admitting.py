"""Admission of clients' writes, with what it needs of the cluster: rights, admission policies and quotas."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from kube_apiserver import access, conversion, errors, escalation
from kube_apiserver.access import AnyAttributes, NonResourceAttributes, UserInfo, Verdict
from kube_apiserver.admission import policies, resource_quota
from kube_apiserver.admission.attributes import AdmissionRequest
from kube_apiserver.resources import Resource, table
from kube_apiserver.writes.options import Guard
from playground.kubernetes import callers, custom_resources, object_reads
from playground.kubernetes.keyed_locks import keyed_lock
from playground.kubernetes.requests import Request

QUOTA = "ResourceQuota"


def escalation_guard(request: Request, resource: Resource, namespace: str) -> Guard | None:
    """Return the check against privilege escalation, or None for other kinds and for callers with a token's role."""
    who = request.caller.who
    if resource.group != access.RBAC or who.role or who.is_master:
        return None
    bound = callers.bound(request.cluster, namespace)
    return lambda live, value: escalation.check(resource, who, bound, live, value)


def check_other_verb(request: Request, resource: Resource, name: str, verb: str) -> None:
    """Raise ApiError if the caller lacks the right to use `verb` on the request's object.

    Sources: withAuthorization of apiserver/pkg/endpoints/handlers/create.go, pkg/registry/core/pod/rest/authorize.go.
    """
    who, info = request.caller.who, request.info
    if info.verb == verb:
        return
    verdict = access.decide(
        who, replace(info.attributes, verb=verb), callers.bound_to(request.cluster, who, info.namespace)
    )
    if not verdict.allowed:
        raise errors.refused(request.served or resource, name, verdict.reason)


def admit_delete(request: Request, resource: Resource, live: Mapping[str, Any], *, is_dry_run: bool) -> list[str]:
    """Return the policies' warnings about a delete. Raise ApiError if they deny it."""
    namespace = str(live["metadata"].get("namespace") or "")
    about = admission_request(request, resource, namespace, is_dry_run=is_dry_run).about(live, None)
    return policies.check(about, live, None, object_reads.StoredClusterReader(request.cluster))


def admission_request(
    request: Request, resource: Resource, namespace: str, subresource: str = "", *, is_dry_run: bool = False
) -> AdmissionRequest:
    """Return the request as admission policies see it. Operation and name follow from the object."""

    def decide(who: UserInfo, question: AnyAttributes) -> Verdict:
        if isinstance(question, NonResourceAttributes):
            bound = callers.bound_to(request.cluster, who, "")
            return access.decide_visit(who, question.verb, question.path, bound)
        return access.decide(who, question, callers.bound_to(request.cluster, who, question.namespace))

    known = table().values() if resource.custom is None else custom_resources.served_resources(request.cluster)
    return AdmissionRequest(
        "",
        resource,
        namespace,
        "",
        subresource,
        request.caller.who,
        is_dry_run or request.is_dry_run,
        request.served,
        conversion.versions(resource, known),
        decide,
    )


@contextmanager
def charged_quotas(
    request: Request, resource: Resource, key: str, value: Mapping[str, Any]
) -> Iterator[tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]]:
    """Yield the quotas that the write uses, as stored and with the write charged to them.

    One write per namespace is counted at a time. In a cluster with controllers, these count instead.
    """
    namespace = str(value["metadata"].get("namespace") or "")
    world = object_reads.StoredClusterReader(request.cluster)
    if request.cluster.actors or not namespace or not world.list(QUOTA, namespace):
        yield [], []
        return
    with keyed_lock(request.cluster.pk, QUOTA, namespace):
        live = object_reads.manifest(request.cluster, resource, key)
        quotas = object_reads.StoredClusterReader(request.cluster).list(QUOTA, namespace)
        spent = resource_quota.charge(resource, live, value, quotas)
        names = [each["metadata"]["name"] for each in spent]
        yield [each for name in names for each in quotas if each["metadata"]["name"] == name], list(spent)
