"""API view for imports: kubectl's output, CSV lists, folders, and files of the playground."""

import json
from pathlib import Path
from typing import Any

from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from kube_objects.sentences import say
from playground import limits, sandbox
from playground.api.base import ClusterView, validate_data
from playground.api.parsers import StrictJSONParser
from playground.api.schema import answers
from playground.exchange import imports
from playground.exchange.forms import ColumnMapping, ImportFiles, ImportText
from playground.exchange.import_options import Imported, ImportOptions
from playground.exchange.user_lock import hold_user_lock
from playground.problems import Refused, problem
from playground.request_language import in_words
from playground.response_types import to_plain


class Import(ClusterView):
    """Output of `kubectl get nodes,pods -A -o yaml`, or Node and Pod lists as CSV."""

    parser_classes = [StrictJSONParser, MultiPartParser]

    @answers(Imported, write=True, request={"application/json": ImportText, "multipart/form-data": ImportFiles})
    def post(self, request: Request, cluster_id: int) -> Response:
        """Import everything, or nothing and return every problem. `dry_run` changes nothing."""
        is_form = request.content_type.startswith("multipart/")
        assert request.user.pk is not None  # the view requires a login
        with hold_user_lock("import", request.user.pk):
            fields = validate_data(ImportFiles if is_form else ImportText, request.data)
            contents = {name: _content(value) for name, value in fields.items()}
            return Response(to_plain(_import(self.cluster.pk, contents, request.user.get_username())))


def _import(cluster_id: int, fields: dict[str, Any], author: str) -> Imported:
    """Run the import in a subprocess, because the size of the parsed text is unknown."""
    text, files, paths = fields.get("text"), fields.get("file") or [], _paths(fields.get("paths"))
    nodes, pods = fields.get("nodes_csv") or "", fields.get("pods_csv") or ""
    if bool(text) + bool(files) + bool(nodes or pods) != 1:
        raise Refused([problem("", say("needs one of: text, file, nodes_csv and/or pods_csv"))])
    budget = sandbox.CallLimits("import", limits.IMPORT_SECONDS, limits.IMPORT_MEMORY_BYTES)
    life = fields.get("live")
    options = ImportOptions(
        dry_run=fields["dry_run"],
        author=author,
        without_plugins=fields["without_plugins"],
        # Controllers need objects that they can read.
        strict=fields["strict"] or life is not None,
        life=life,
        keep_ownerless=fields["keep_ownerless"],
    )
    if text:
        return sandbox.call_in_sandbox(imports.from_text, budget, cluster_id, text, options)
    if files:
        if len(files) > 1 and len(paths) != len(files):
            raise Refused([problem("paths", say("must name every file"), value=len(paths))])
        return sandbox.call_in_sandbox(imports.from_files, budget, cluster_id, paths, files, options)
    mapping = _mapping(fields.get("mapping"))
    return sandbox.call_in_sandbox(imports.from_csv, budget, cluster_id, nodes, pods, mapping, options)


def _paths(text: str | None) -> list[str]:
    """Return the names of the files with their folders. Raises Refused."""
    try:
        paths = json.loads(text or "[]")
    except (ValueError, RecursionError) as error:
        raise Refused([problem("paths", say("must be JSON: {why}", why=error))]) from error
    if not isinstance(paths, list) or not all(isinstance(path, str) and len(path) <= 1000 for path in paths):
        raise Refused([problem("paths", say("must be a list of names"))])
    return paths


def _mapping(value: Any) -> dict[str, dict[str, str]]:
    """Return the validated mapping; a form contains it as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError) as error:
            raise serializers.ValidationError({"mapping": [in_words(say("must be JSON: {why}", why=error))]}) from error
    return validate_data(ColumnMapping, value or {})


def _content(value: Any) -> Any:
    if isinstance(value, list):
        return [_content(item) for item in value]
    if not hasattr(value, "read"):
        return value
    if value.size > limits.IMPORT_BYTES:
        raise Refused([problem("", say("a file may have at most {most} bytes", most=limits.IMPORT_BYTES))], 413)
    # A large file is on disk; the subprocess reads it.
    return (
        sandbox.FileArgument(Path(value.temporary_file_path()))
        if hasattr(value, "temporary_file_path")
        else value.read()
    )
