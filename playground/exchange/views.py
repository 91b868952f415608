"""In and out: files that kubectl and kube-scheduler read and write."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils import translation
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from playground import apart, limits
from playground.api.base import ClusterView, valid
from playground.api.forms import LanguageQuery
from playground.api.parsers import StrictJSONParser
from playground.api.schema import answers
from playground.configs import selectors as configs
from playground.exchange import cluster_files, imports, scenarios
from playground.exchange.answers import ImportAnswer
from playground.exchange.forms import ClusterExportQuery, ColumnMapping, ConfigExportQuery, ImportFiles, ImportText
from playground.exchange.turns import one_at_a_time
from playground.language import in_words
from playground.problems import Refused, problem
from playground.storyboard.page import storyboard
from scheduler_core.sentences import say

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
        return self.file("scheduler-config", form, configs.exported(self.cluster, form, query["scope"]), TYPES[form])


class ExportSecondScheduler(Download):
    """The configuration as a second scheduler."""

    @answers({"application/yaml": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Accounts, ConfigMap and Deployment; how to use it is in its first lines."""
        return self.file("second-scheduler", "yaml", configs.deployed(self.cluster, "second-scheduler"), TYPES["yaml"])


class ExportStaticPod(Download):
    """The configuration for the control plane's own scheduler."""

    @answers({"application/yaml": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """A patch for kubeadm; how to use it is in its first lines."""
        return self.file("kube-scheduler-patch", "yaml", configs.deployed(self.cluster, "static-pod"), TYPES["yaml"])


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


class Import(ClusterView):
    """What `kubectl get nodes,pods -A -o yaml` prints, or node and pod lists as CSV."""

    parser_classes = [StrictJSONParser, MultiPartParser]

    @answers(ImportAnswer, write=True, request={"application/json": ImportText, "multipart/form-data": ImportFiles})
    def post(self, request: Request, cluster_id: int) -> Response:
        """All of it, or nothing and every problem. With `dry_run` only look."""
        is_form = request.content_type.startswith("multipart/")
        assert request.user.pk is not None  # nobody else gets here
        with one_at_a_time("import", request.user.pk):
            given = valid(ImportFiles if is_form else ImportText, request.data)
            contents = {name: _content(value) for name, value in given.items()}
            return Response(_import(self.cluster.pk, contents, request.user.get_username()))


def _import(cluster_id: int, given: dict[str, Any], author: str) -> dict[str, Any]:
    """In a process apart: what a text comes to is not seen until it has been read."""
    dry_run = given["dry_run"]
    text, files, paths = given.get("text"), given.get("file") or [], _paths(given.get("paths"))
    nodes, pods = given.get("nodes_csv") or "", given.get("pods_csv") or ""
    if bool(text) + bool(files) + bool(nodes or pods) != 1:
        raise Refused([problem("", say("needs one of: text, file, nodes_csv and/or pods_csv"))])
    budget = apart.Budget("import", limits.IMPORT_SECONDS, limits.IMPORT_MEMORY_BYTES)
    options = {"dry_run": dry_run, "without_plugins": given["without_plugins"]}
    if text:
        return apart.call(imports.from_text, budget, cluster_id, text, author, **options)
    if files:
        if len(files) > 1 and len(paths) != len(files):
            raise Refused([problem("paths", say("must name every file"), value=len(paths))])
        return apart.call(imports.from_files, budget, cluster_id, paths, files, author, **options)
    mapping = _mapping(given.get("mapping"))
    return apart.call(imports.from_csv, budget, cluster_id, nodes, pods, mapping, dry_run=dry_run)


def _paths(text: str | None) -> list[str]:
    """The names of the files, folders included. Raises Refused."""
    try:
        paths = json.loads(text or "[]")
    except (ValueError, RecursionError) as error:
        raise Refused([problem("paths", say("must be JSON: {why}", why=error))]) from error
    if not isinstance(paths, list) or not all(isinstance(path, str) and len(path) <= 1000 for path in paths):
        raise Refused([problem("paths", say("must be a list of names"))])
    return paths


def _mapping(value: Any) -> dict[str, dict[str, str]]:
    """A form carries the mapping as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError) as error:
            raise serializers.ValidationError({"mapping": [in_words(say("must be JSON: {why}", why=error))]}) from error
    return valid(ColumnMapping, value or {})


def _content(value: Any) -> Any:
    if isinstance(value, list):
        return [_content(item) for item in value]
    if not hasattr(value, "read"):
        return value
    if value.size > limits.IMPORT_BYTES:
        raise Refused([problem("", say("a file may have at most {most} bytes", most=limits.IMPORT_BYTES))], 413)
    # Large ones are on a disk, and are read where they are needed.
    return apart.File(Path(value.temporary_file_path())) if hasattr(value, "temporary_file_path") else value.read()
