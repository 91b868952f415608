"""The HTTP entry of the Kubernetes API: authorization, routing, encoding, and Status objects for errors."""

import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.csrf import csrf_exempt

from kube_apiserver import access, conversion, errors
from kube_apiserver.documents import discovery, gnostic, health, openapi
from kube_apiserver.errors import ApiError, NoSuchPathError
from kube_apiserver.reads import containers, encoding
from kube_apiserver.request_info import WATCH
from kube_apiserver.resources import Resource, by_kind, of_version
from kube_apiserver.reviews import KINDS
from kube_apiserver.warnings.recording import bounded
from kube_apiserver.writes import opening
from playground.database_errors import refusal_of
from playground.kubernetes import (
    access_reviews,
    admitting,
    callers,
    custom_resources,
    followed,
    object_handlers,
    object_reads,
    subresources,
    watch_streams,
)
from playground.kubernetes.requests import Request
from playground.problems import Refused
from playground.web.client_places import client_of
from playground.web.request_guard import CLIENT, LEFT, MEMORY, TIME, RequestStoppedError, calculating, guarded

logger = logging.getLogger(__name__)

_WHY_STOPPED = {TIME: "it took too long", MEMORY: "it needed too much memory", LEFT: "its client left"}
_TOO_MUCH_MEMORY = "the request needs too much memory: ask for less at once, or send a smaller object"
NOTHING_RUNS = "nothing runs in a playground: there is no container to ask"
_PLAIN, _NO_PAGE = "text/plain; charset=utf-8", "404 page not found\n"
# Lists with more items are encoded item by item.
_FEW = 10
_TRUE, _READERS = ("1", "t", "T", "true", "TRUE", "True"), ("curl", "Wget", "Mozilla/5.0")
# Since v1.35 (AuthorizePodWebsocketUpgradeCreatePermission) a WebSocket to these also needs the verb `create`.
_UPGRADED, _CREATES_UPGRADES = ("attach", "exec", "portforward"), 35
_PROXY, _OF_KUBELET = "proxy", ("attach", "exec", "log", "portforward")
CONTAINER_SUBRESOURCES = ("log", "exec", "attach", "portforward", _PROXY)


@csrf_exempt  # pages of other origins are refused later, and client libraries don't send a CSRF token
def kubernetes(request: HttpRequest, cluster_id: int, path: str) -> HttpResponseBase:
    try:
        scope = getattr(request, "scope", {})
        with guarded(scope.get(CLIENT), client_of(scope) if scope else ""):
            return _as_wanted(request, _handle_request(Request(request, cluster_id, path.strip("/"))))
    except RequestStoppedError as stopped:
        logger.warning("%s %r was stopped: %s", request.method, request.path, _WHY_STOPPED[stopped.reason])
        return refusal(errors.request_timeout() if stopped.reason != MEMORY else errors.too_large(_TOO_MUCH_MEMORY))
    except NoSuchPathError as error:
        # Upstream returns a Status only below the paths of resources.
        is_of_resources = discovery.is_served(path.strip("/").split("/"))
        if is_of_resources:
            return _as_wanted(request, refusal(error))
        return HttpResponse(_NO_PAGE, status=404, content_type=_PLAIN)
    except ApiError as error:
        return _as_wanted(request, refusal(error))
    except Refused as refused:
        status = refused.status if refused.status in (409, 429) else 422
        reason = {409: "Conflict", 429: "TooManyRequests"}.get(status, "Invalid")
        return _json(ApiError(status, reason, str(refused)).status, status)
    except (DatabaseError, InterfaceError) as error:
        unavailable = refusal_of(error)
        if unavailable is None:
            raise
        return _as_wanted(request, refusal(errors.unavailable(str(unavailable.problems[0]["rule"]))))


def _as_wanted(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Return the response as YAML or indented JSON if the client wants that. Source: negotiation.isPrettyPrint."""
    if not isinstance(response, HttpResponse) or response.headers["Content-Type"] != "application/json":
        return response
    if encoding.wants_yaml(request.headers.get("Accept", "")):
        with calculating():
            if len(response.content) > encoding.MOST_YAML_BYTES:
                too_large = "the answer is too large to be written as YAML: ask for pages, with limit"
                response = refusal(errors.too_large(too_large))
            response.content = encoding.as_yaml(json.loads(response.content)).encode()
            response.headers["Content-Type"] = encoding.YAML
            return response
    pretty = request.GET.get("pretty")
    is_read = pretty in _TRUE if pretty else request.headers.get("User-Agent", "").startswith(_READERS)
    if is_read:
        response.content = encoding.indented_json(json.loads(response.content)).encode()
    return response


def refusal(error: ApiError) -> HttpResponse:
    response = _json(error.status, error.code)
    if retry := error.retry_after:
        response["Retry-After"] = str(retry)
    # Django logs answers of 500 and above as errors, but a Status explains itself to the client.
    response._has_been_logged = True  # type: ignore[attr-defined]
    _warned(response, error.warnings)
    return response


def _handle_request(request: Request) -> HttpResponseBase:
    if request.info.is_resource:
        return _resource(request)
    _authorize(request)
    match request.parts:
        case [] | [""]:
            paths = json.dumps(discovery.paths(custom_resources.served_resources(request.cluster)), indent=2)
            return HttpResponse(paths, content_type="application/json")
        case ["version"]:
            # Upstream indents only this answer.
            version = json.dumps(discovery.version(request.cluster.emulates), indent=2)
            return HttpResponse(version, content_type="application/json")
        case ["healthz" | "livez" | "readyz"]:
            report = health.report(request.parts[0], request.query("exclude"), is_verbose=request.has("verbose"))
            return HttpResponse(report, content_type="text/plain; charset=utf-8")
        case ["healthz" | "livez" | "readyz" as probe, *check] if "/".join(check) in health.checks(probe):
            return HttpResponse("ok", content_type="text/plain; charset=utf-8")
        case ["api"] | ["apis"]:
            return _groups(request)
        case ["openapi", "v3"]:
            with calculating():
                return _json(
                    openapi.index(custom_resources.served_resources(request.cluster)),
                    content_type="text/plain; charset=utf-8",
                )
        case ["metrics"]:
            return HttpResponse(discovery.metrics(request.cluster.emulates), content_type="text/plain; charset=utf-8")
        case ["openapi", "v2"]:
            return _openapi_v2(request)
        case ["openapi", "v3", "api", version]:
            return _openapi(request, "", version)
        case ["openapi", "v3", "apis", group, version]:
            return _openapi(request, group, version)
        case ["openapi", "v3", *place] if (document := openapi.v3_non_resource("/".join(place))) is not None:
            return HttpResponse(document, content_type="application/json")
        case [".well-known", "openid-configuration"]:
            return _json(discovery.issuer(f"{request.base}/openid/v1/jwks"))
        case ["openid", "v1", "jwks"]:
            return _json(discovery.KEYS, content_type="application/jwk-set+json")
        case ["api", version]:
            return _resources(request, "", version)
        case ["apis", group] if discovery.is_group(group, custom_resources.served_resources(request.cluster)):
            return _json(discovery.group(group, custom_resources.served_resources(request.cluster)))
        case ["apis", group, version]:
            return _resources(request, group, version)
    raise errors.no_such_path()


def _groups(request: Request) -> HttpResponseBase:
    _must_read(request)
    is_core = request.parts == ["api"]
    with calculating():
        registered = custom_resources.served_resources(request.cluster)
        if "as=APIGroupDiscoveryList" in request.accept and "v=v2;" in f"{request.accept};":
            return _json(discovery.aggregated(core=is_core, custom=registered), content_type=discovery.AGGREGATED)
        return _json(discovery.legacy_versions() if is_core else discovery.legacy_groups(registered))


def _openapi(request: Request, group: str, version: str) -> HttpResponseBase:
    if of_version(group, version):
        return HttpResponse(openapi.v3(group, version), content_type="application/json")
    with calculating():
        registered = of_version(group, version, custom_resources.served_resources(request.cluster))
        if not registered:
            raise errors.no_such_path()
        return _json(openapi.v3_custom(registered))


def _openapi_v2(request: Request) -> HttpResponseBase:
    minor = request.cluster.emulates.removeprefix("v").rpartition(".")[0]
    if any(kind in request.accept for kind in gnostic.CONTENT_TYPES):
        return HttpResponse(gnostic.document(minor), content_type=gnostic.CONTENT_TYPE)
    return HttpResponse(openapi.v2(minor), content_type="application/json")


def _must_read(request: Request) -> None:
    """Raise ApiError for methods that write."""
    if request.method not in ("GET", "HEAD"):
        raise errors.not_allowed()


def _resources(request: Request, group: str, version: str) -> HttpResponseBase:
    registered = custom_resources.served_resources(request.cluster)
    if not of_version(group, version, registered):
        raise errors.no_such_path()
    _must_read(request)
    return _json(discovery.resource_list(group, version, registered))


def _resource(request: Request) -> HttpResponseBase:
    """Answer a request for `[watch/][namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]`."""
    info = request.info
    resource = custom_resources.find(request.cluster, (info.group, info.version, info.resource))
    if resource is None:
        _authorize(request)
        raise errors.no_such_path()
    try:
        _authorize(request)
        return _answer_resource(request, resource)
    except NoSuchPathError:
        raise
    except ApiError as error:
        if resource.kind not in KINDS and info.subresource not in CONTAINER_SUBRESOURCES:
            followed.refused(request, resource, info.attributes, error)
        raise


def _answer_resource(request: Request, resource: Resource) -> HttpResponseBase:
    """Answer an authorized request for a resource. Raise ApiError if nothing is at its path.

    The steps:

    1. Check that the path is complete and that it is the one that was authorized.
    2. Answer reviews, bindings, and requests to containers.
    3. Convert to the stored version of the kind.
    4. Answer a watch, an object or a subresource, in the version of the request.
    """
    info = request.info
    namespace, name, subresource = info.namespace if resource.namespaced else "", info.name, info.subresource
    is_proxy, is_namespace = subresource == _PROXY, resource.kind == "Namespace" and info.namespace == name
    has_wrong_place = info.namespace != namespace and not is_namespace
    if has_wrong_place or (subresource and not name) or (len(info.parts) > 3 and not is_proxy):
        raise errors.no_such_path()
    # The request must do only what it was authorized for.
    if info.special_verb and (info.special_verb != WATCH or subresource):
        raise errors.no_such_path()
    if info.verb == WATCH and request.method != "GET":
        raise errors.not_allowed()
    has_subresource = subresource in ("", *(each["name"] for each in resource.subresources))
    if not has_subresource and resource.custom is not None:
        raise errors.not_found(resource, name)
    if not has_subresource or (name and resource.namespaced and not namespace):
        raise errors.no_such_path()
    if resource.kind in KINDS and not name:
        review = access_reviews.answer_review(request, resource, namespace)
        return _warned(_json(review.body, review.status), review.warnings)
    if resource.kind == opening.BINDING.kind:
        bound = subresources.bind_any(request, namespace)
        return _json(bound.body, bound.status)
    if subresource in CONTAINER_SUBRESOURCES:
        return _of_container(request, resource, namespace, name, subresource)
    served, resource = resource, conversion.stored(resource)
    request.served = served if served is not resource else None
    if info.verb == WATCH:
        if encoding.wants_yaml(request.accept):
            raise errors.not_acceptable(("application/json;stream=watch",))
        return _warned(_stream(watch_streams.watch(request, resource, namespace, name)), [served.deprecation])
    try:
        if subresource in ("", "status", "approval"):
            answer = object_handlers.handle_resource(request, resource, namespace, name, subresource)
        else:
            answer = subresources.handle_subresource(request, resource, namespace, name, subresource)
    except ApiError as error:
        error.warnings[:0] = filter(None, [served.deprecation])
        raise
    with calculating():
        response = _json(conversion.answer(served, answer.body), answer.status)
    return _warned(response, [served.deprecation, *answer.warnings])


def _of_container(request: Request, resource: Resource, namespace: str, name: str, subresource: str) -> HttpResponse:
    """Refuse a request that a kubelet would answer. Sources: LogLocation and streamLocation of registry/core/pod."""
    if (
        resource.kind == "Pod"
        and subresource in _UPGRADED
        and discovery.minor(request.cluster.emulates) >= _CREATES_UPGRADES
    ):
        admitting.check_other_verb(request, resource, name, "create")
    live = object_reads.get_or_not_found(
        request.cluster, resource, object_handlers.key_of(resource, namespace, name), name
    )
    if resource.kind == "Pod" and subresource == _PROXY and not (live.get("status") or {}).get("podIP"):
        raise errors.bad_request("address not allowed")
    if resource.kind == "Pod" and subresource in ("exec", "attach", "log"):
        containers.check_container(live, request.query("container"))
    node = str((live.get("spec") or {}).get("nodeName") or "") if resource.kind == "Pod" else name
    if not node and subresource == "log":
        return HttpResponse(b"", content_type="text/plain")
    if not node and subresource in _OF_KUBELET:
        raise errors.bad_request(f"pod {name} does not have a host assigned")
    if resource.kind == "Node" or subresource in _OF_KUBELET:
        _must_be_reached(request, resource, node)
    raise errors.bad_request(NOTHING_RUNS)


def _must_be_reached(request: Request, resource: Resource, node: str) -> None:
    """Raise ApiError if the Node has no address. Source: NodeConnectionInfoGetter."""
    live = object_reads.manifest(request.cluster, by_kind("Node"), node)
    if live is None:
        # Upstream names the requested resource in the error, not the missing Node.
        raise errors.not_found(resource, node)
    if not (live.get("status") or {}).get("addresses"):
        raise errors.ApiError(500, "", "no preferred addresses found; known addresses: []")


def _authorize(request: Request) -> None:
    """Raise ApiError if the caller may not do this. Every request is authorized here before it is answered."""
    who, info = request.caller.who, request.info
    if info.is_resource:
        access.check(who, info.attributes, callers.bound_to(request.cluster, who, info.namespace))
    else:
        access.check_visit(who, info.verb, info.path, callers.bound_to(request.cluster, who, ""))


def _stream(lines: AsyncIterator[bytes]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="application/json")
    # Without compression, because an event must not wait for later ones.
    response["Content-Encoding"] = "identity"
    response["X-Accel-Buffering"] = "no"
    return response


def _warned(response: HttpResponseBase, warnings: Sequence[str]) -> HttpResponseBase:
    if any(warnings):
        response["Warning"] = ", ".join(f'299 - "{_quoted(each)}"' for each in bounded(warnings))
    return response


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _json(body: Mapping[str, Any], status: int = 200, content_type: str = "application/json") -> HttpResponse:
    # Upstream's encoder adds a line end, too.
    return HttpResponse(f"{_encode_json(body)}\n", status=status, content_type=content_type)


def _encode_json(body: Mapping[str, Any]) -> str:
    """Return the JSON of a body. Encode a long list item by item, so that other threads can run in between."""
    many = next((name for name, value in body.items() if isinstance(value, list) and len(value) > _FEW), None)
    if many is None:
        return encoding.compact_json(body)
    parts = []
    for name, value in body.items():
        text = f"[{','.join(map(encoding.compact_json, value))}]" if name == many else encoding.compact_json(value)
        parts.append(f"{encoding.compact_json(name)}:{text}")
    return f"{{{','.join(parts)}}}"
