"""Pages for operators: metrics, active configuration, cache debugger."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from playground.configs import selectors as configs
from playground.models import Cluster
from playground.operations import active_settings, debugger
from playground.operations.exposition import exposition
from playground.operations.operators import operators_only


@require_safe
@operators_only
def metrics(request: HttpRequest) -> HttpResponseBase:
    """Return the metrics in Prometheus' text format, or in OpenMetrics if the client accepts it."""
    body, content_type = exposition(request.headers.get("Accept", ""))
    return HttpResponse(body, content_type=content_type)


@require_safe
@operators_only
def configz(request: HttpRequest) -> HttpResponseBase:
    """Return the playground's settings; with `?cluster=ID` a cluster's scheduler configuration with all defaults."""
    number = request.GET.get("cluster")
    if number is None:
        return JsonResponse(
            {"playground": active_settings.read_active_settings(), "componentconfig": configs.full_config(None)}
        )
    if not (number.isascii() and number.isdigit() and len(number) <= 18):
        raise Http404
    return JsonResponse({"componentconfig": configs.full_config(get_object_or_404(Cluster, pk=int(number)))})


@require_safe
@operators_only
def cache_debugger(request: HttpRequest, cluster_id: int) -> HttpResponseBase:
    """Return the dump of `playground.operations.debugger`."""
    return JsonResponse(debugger.debug(get_object_or_404(Cluster, pk=cluster_id)))
