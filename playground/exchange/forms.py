"""Serializers for requests about imports and exports."""

from rest_framework import serializers

from playground import limits
from playground.api.strict_fields import Flag, StrictSerializer, Text
from playground.exchange.import_controllers import LIVES


class ExportQuery(serializers.Serializer):
    format = serializers.ChoiceField(["yaml", "json"], default="yaml")


class ConfigExportQuery(ExportQuery):
    scope = serializers.ChoiceField(["full", "minimal"], default="full")


class ClusterExportQuery(ExportQuery):
    target = serializers.ChoiceField(["playground", "kubectl"], default="playground")


class ColumnMapping(StrictSerializer):
    """The fields that CSV columns hold, {column: field}; see docs/reference/file-formats.md."""

    nodes = serializers.DictField(child=Text(max_length=200, allow_blank=True), required=False)
    pods = serializers.DictField(child=Text(max_length=200, allow_blank=True), required=False)


class ImportText(StrictSerializer):
    """An import as JSON."""

    text = Text(required=False, allow_blank=True)
    nodes_csv = Text(required=False, allow_blank=True)
    pods_csv = Text(required=False, allow_blank=True)
    mapping = ColumnMapping(required=False)
    dry_run = Flag(default=False)
    without_plugins = Flag(default=False)
    live = serializers.ChoiceField(LIVES, required=False)
    strict = Flag(default=False)
    keep_ownerless = Flag(default=False)


class ImportFiles(StrictSerializer):
    """An import as a form: files, and `mapping` as JSON text.

    Several values of `file` are a folder; `paths`, a list as JSON text, has their names.
    """

    text = Text(required=False, allow_blank=True)
    file = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True), required=False, max_length=limits.IMPORT_FILES
    )
    paths = Text(required=False, allow_blank=True)
    nodes_csv = serializers.FileField(required=False, allow_empty_file=True)
    pods_csv = serializers.FileField(required=False, allow_empty_file=True)
    mapping = Text(required=False, allow_blank=True)
    dry_run = serializers.BooleanField(default=False)
    without_plugins = serializers.BooleanField(default=False)
    live = serializers.ChoiceField(LIVES, required=False)
    strict = serializers.BooleanField(default=False)
    keep_ownerless = serializers.BooleanField(default=False)
