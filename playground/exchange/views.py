"""Out: files that kubectl and kube-scheduler read."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils import translation
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from playground.api.base import ClusterView, valid
from playground.api.forms import LanguageQuery
from playground.api.schema import answers
from playground.configs import exports
from playground.exchange import cluster_files, scenarios
from playground.exchange.forms import ClusterExportQuery, ConfigExportQuery
from playground.storyboard.page import storyboard

TYPES = {"yaml": "application/yaml", "json": "application/json"}
FILE = {TYPES["yaml"]: OpenApiTypes.STR, TYPES["json"]: OpenApiTypes.OBJECT}


class Download(ClusterView):
    """A file to take along."""

    def file(self, name: str, ending: str, text: str | bytes, media_type: str) -> HttpResponse:
        response = HttpResponse(text, content_type=f"{media_type}; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}-{self.cluster.pk}.{ending}"'
        return response


class ExportConfig(Download):
    """The configuration, for a stock kube-scheduler."""

    @answers(FILE, parameters=[ConfigExportQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """With all defaults, or with only what differs from them."""
        query = valid(ConfigExportQuery, request.query_params)
        form = query["format"]
        return self.file("scheduler-config", form, exports.exported(self.cluster, form, query["scope"]), TYPES[form])


class ExportSecondScheduler(Download):
    """The configuration as a second scheduler."""

    @answers({"application/yaml": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Accounts, ConfigMap and Deployment; how to use it is in its first lines."""
        return self.file("second-scheduler", "yaml", exports.deployed(self.cluster, "second-scheduler"), TYPES["yaml"])


class ExportStaticPod(Download):
    """The configuration for the control plane's own scheduler."""

    @answers({"application/yaml": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """A patch for kubeadm; how to use it is in its first lines."""
        return self.file("kube-scheduler-patch", "yaml", exports.deployed(self.cluster, "static-pod"), TYPES["yaml"])


class ExportCluster(Download):
    """All objects as they are."""

    @answers(FILE, parameters=[ClusterExportQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """For another import, or for `kubectl apply`: then without what only an API server may write."""
        query = valid(ClusterExportQuery, request.query_params)
        form = query["format"]
        text = cluster_files.written(self.cluster.pk, query["target"], form)
        return self.file("cluster", form, text, TYPES[form])


class ExportScenario(Download):
    """What the cluster starts from, and every command since."""

    @answers({"application/json": OpenApiTypes.OBJECT})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Imported into a new cluster it leads to the same trace, byte for byte."""
        return self.file("scenario", "json", scenarios.exported(self.cluster), TYPES["json"])


class ExportTrace(Download):
    """The trace."""

    @answers({"application/x-ndjson": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Every record as docs/trace_format.md defines its bytes, one a line."""
        return self.file("trace", "jsonl", scenarios.trace(self.cluster), "application/x-ndjson")


class Storyboard(Download):
    """A cycle to take to a talk."""

    @answers({"text/html": OpenApiTypes.STR}, parameters=[LanguageQuery])
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """One HTML file that steps through the cycle, without a server and without asking for anything else."""
        wished = valid(LanguageQuery, request.query_params).get("lang")
        language = wished if wished in dict(settings.LANGUAGES) else translation.get_language()
        with translation.override(language):
            text = storyboard(self.cluster, number)
        if text is None:
            raise Http404
        return self.file(f"cycle-{number}", "html", text, "text/html")
