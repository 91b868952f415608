"""API views for exports: files that kubectl, kube-scheduler and another playground read."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils import translation
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from playground.api.base import ClusterView, validate_data
from playground.api.forms import LanguageQuery
from playground.api.schema import answers
from playground.configs import config_exports
from playground.exchange import cluster_files, scenarios
from playground.exchange.forms import ClusterExportQuery, ConfigExportQuery
from playground.storyboard.storyboard_page import storyboard

TYPES = {"yaml": "application/yaml", "json": "application/json"}
FILE = {TYPES["yaml"]: OpenApiTypes.STR, TYPES["json"]: OpenApiTypes.OBJECT}


class Download(ClusterView):
    """A file to download."""

    def file(self, name: str, ending: str, text: str | bytes, media_type: str) -> HttpResponse:
        response = HttpResponse(text, content_type=f"{media_type}; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}-{self.cluster.pk}.{ending}"'
        return response


class ExportConfig(Download):
    """The configuration, for a stock kube-scheduler."""

    @answers(FILE, parameters=[ConfigExportQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the configuration with all defaults, or with only the fields that differ from them."""
        query = validate_data(ConfigExportQuery, request.query_params)
        form = query["format"]
        return self.file(
            "scheduler-config", form, config_exports.export_config(self.cluster, form, query["scope"]), TYPES[form]
        )


class ExportSecondScheduler(Download):
    """The configuration as a second scheduler."""

    @answers({"application/yaml": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return accounts, ConfigMap and Deployment; the first lines explain their use."""
        return self.file(
            "second-scheduler",
            "yaml",
            config_exports.export_deployment(self.cluster, "second-scheduler"),
            TYPES["yaml"],
        )


class ExportStaticPod(Download):
    """The configuration for the control plane's own scheduler."""

    @answers({"application/yaml": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return a patch for kubeadm; its first lines explain its use."""
        return self.file(
            "kube-scheduler-patch", "yaml", config_exports.export_deployment(self.cluster, "static-pod"), TYPES["yaml"]
        )


class ExportCluster(Download):
    """All objects."""

    @answers(FILE, parameters=[ClusterExportQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the objects for another import, or for `kubectl apply` without fields of the API server."""
        query = validate_data(ClusterExportQuery, request.query_params)
        form = query["format"]
        text = cluster_files.export_cluster(self.cluster.pk, query["target"], form)
        return self.file("cluster", form, text, TYPES[form])


class ExportScenario(Download):
    """The cluster's start, and every command since then."""

    @answers({"application/json": OpenApiTypes.OBJECT})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the scenario. Imported into a new cluster it gives the same trace, byte for byte."""
        return self.file("scenario", "json", scenarios.export_scenario(self.cluster), TYPES["json"])


class ExportTrace(Download):
    """The trace."""

    @answers({"application/x-ndjson": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return every record on a line of its own, as docs/reference/commands-and-trace.md defines them."""
        return self.file("trace", "jsonl", scenarios.export_trace(self.cluster), "application/x-ndjson")


class Storyboard(Download):
    """A cycle as a page for a talk."""

    @answers({"text/html": OpenApiTypes.STR}, parameters=[LanguageQuery])
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return one HTML file that steps through the cycle, without a server or other requests."""
        requested = validate_data(LanguageQuery, request.query_params).get("lang")
        language = requested if requested in dict(settings.LANGUAGES) else translation.get_language()
        with translation.override(language):
            text = storyboard(self.cluster, number)
        if text is None:
            raise Http404
        return self.file(f"cycle-{number}", "html", text, "text/html")
