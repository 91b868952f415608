"""In and out: files that kubectl and kube-scheduler read and write."""

import json
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from playground import files, limits
from playground.api.answers import ImportAnswer
from playground.api.base import ClusterView, valid
from playground.api.forms import ColumnMapping, ExportQuery, ImportFiles, ImportText
from playground.api.parsers import StrictJSONParser
from playground.api.schema import answers
from playground.problems import Refused, problem
from playground.selectors import configs, objects
from playground.services import imports

TYPES = {"yaml": "application/yaml", "json": "application/json"}
FILE = dict.fromkeys(TYPES.values(), OpenApiTypes.OBJECT)


class Export(ClusterView):
    """A file to take along."""

    name = ""

    def text(self, form: str) -> str:
        raise NotImplementedError

    @answers(FILE, parameters=[ExportQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """YAML or JSON."""
        form = valid(ExportQuery, request.query_params)["format"]
        response = HttpResponse(self.text(form), content_type=f"{TYPES[form]}; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{self.name}-{self.cluster.pk}.{form}"'
        return response


class ExportConfig(Export):
    """The configuration, for a stock kube-scheduler."""

    name = "scheduler-config"

    def text(self, form: str) -> str:
        return configs.exported(self.cluster, form)


class ExportCluster(Export):
    """All objects as they are, for kubectl or another import."""

    name = "cluster"

    def text(self, form: str) -> str:
        return files.write(objects.as_list(self.cluster.pk), form)


class Import(ClusterView):
    """What `kubectl get nodes,pods -A -o yaml` prints, or node and pod lists as CSV."""

    parser_classes = [StrictJSONParser, MultiPartParser]

    @answers(ImportAnswer, write=True, request={"application/json": ImportText, "multipart/form-data": ImportFiles})
    def post(self, request: Request, cluster_id: int) -> Response:
        """All of it, or nothing and every problem. With `dry_run` only look."""
        is_form = request.content_type.startswith("multipart/")
        given = valid(ImportFiles if is_form else ImportText, request.data)
        return Response(_import(self.cluster.pk, {name: _content(value) for name, value in given.items()}))


def _import(cluster_id: int, given: dict[str, Any]) -> dict[str, Any]:
    dry_run = given["dry_run"]
    texts = [given[name] for name in ("text", "file") if given.get(name)]
    nodes, pods = given.get("nodes_csv") or "", given.get("pods_csv") or ""
    if len(texts) + bool(nodes or pods) != 1:
        raise Refused([problem("", "needs one of: text, file, nodes_csv and/or pods_csv")])
    if texts:
        return imports.from_text(cluster_id, texts[0], dry_run=dry_run)
    return imports.from_csv(cluster_id, nodes, pods, _mapping(given.get("mapping")), dry_run=dry_run)


def _mapping(value: Any) -> dict[str, dict[str, str]]:
    """A form carries the mapping as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError) as error:
            raise serializers.ValidationError({"mapping": [f"must be JSON: {error}"]}) from error
    return valid(ColumnMapping, value or {})


def _content(value: Any) -> Any:
    if not hasattr(value, "read"):
        return value
    if value.size > limits.IMPORT_BYTES:
        raise Refused([problem("", f"a file may have at most {limits.IMPORT_BYTES} bytes")], 413)
    return value.read()
