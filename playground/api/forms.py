"""What requests may say: bodies and queries."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from playground import limits
from playground.api.strict import Flag, Name, Number, StrictSerializer, Text, Whole
from playground.objects.queue import LANES
from scheduler_core.emulations import EMULATIONS
from scheduler_core.gates.table import MAX_TEXT as MAX_GATES

LARGEST = 10**18 - 1


def numbered(**options: Any) -> serializers.IntegerField:
    """A record's, cycle's or command's number in a query."""
    return serializers.IntegerField(min_value=0, max_value=LARGEST, **options)


class NewCluster(StrictSerializer):
    name = Name(max_length=100)
    example = Text(max_length=63, required=False)
    seed = Whole(min_value=0, max_value=2**63 - 1, required=False)
    config = Text(required=False, allow_blank=True, max_length=limits.OTHER_BYTES)
    emulates = serializers.ChoiceField(list(EMULATIONS), required=False)
    featureGates = Text(required=False, allow_blank=True, max_length=MAX_GATES)  # noqa: N815


class Renamed(StrictSerializer):
    name = Name(max_length=100)


class Keyed(StrictSerializer):
    """A write with nothing but an idempotency key."""

    key = Text(required=False, allow_null=True, min_length=1, max_length=limits.COMMAND_KEY)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": ["now"]},
            *(
                {
                    "type": "object",
                    "properties": {name: {"type": "integer", "minimum": 0, "maximum": LARGEST}},
                    "required": [name],
                    "additionalProperties": False,
                }
                for name in ("cycle", "seq")
            ),
        ]
    }
)
class Moment(serializers.Field):
    """`{"cycle": n}`, `{"seq": n}` or "now"."""

    def to_internal_value(self, data: Any) -> Any:
        if data == "now":
            return data
        if isinstance(data, dict) and len(data) == 1:
            ((name, number),) = data.items()
            is_whole = isinstance(number, int) and not isinstance(number, bool)
            if name in ("cycle", "seq") and is_whole and 0 <= number <= LARGEST:
                return data
        raise serializers.ValidationError('must be {"cycle": number}, {"seq": number} or "now"')

    def to_representation(self, value: Any) -> Any:
        return value


class NewBranch(Keyed):
    name = Name(max_length=100, required=False)
    at = Moment()


class BranchesQuery(serializers.Serializer):
    def get_fields(self) -> dict[str, serializers.Field]:
        # `with` is a word of Python's.
        return {"with": numbered()}


class Pace(StrictSerializer):
    cycles_per_second = Number(min_value=0, max_value=limits.CYCLES_PER_SECOND)


class ConfigText(StrictSerializer):
    """`against`: the version to tell the changes from; 0 is kube-scheduler's own."""

    yaml = Text(allow_blank=True, max_length=limits.OTHER_BYTES)
    against = Whole(required=False, min_value=0, max_value=2**31 - 1)


class ConfigDraft(StrictSerializer):
    """`cycle`: the one to run again; without it the next pod is tried as the cluster is now."""

    yaml = Text(allow_blank=True, max_length=limits.OTHER_BYTES)
    cycle = Whole(required=False, min_value=1, max_value=LARGEST)


class OldText(StrictSerializer):
    """A configuration of a past release; flags come first, on lines of their own."""

    text = Text(max_length=limits.OTHER_BYTES)


class VersionsQuery(serializers.Serializer):
    before = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


class RecordsQuery(serializers.Serializer):
    after = numbered(default=0)
    limit = serializers.IntegerField(min_value=1, max_value=limits.RECORDS_PER_PAGE, default=limits.RECORDS_PER_PAGE)
    brief = serializers.BooleanField(default=False)


class CyclesQuery(serializers.Serializer):
    def get_fields(self) -> dict[str, serializers.Field]:
        # `from` is a word of Python's.
        return {"from": numbered(default=0), "to": numbered(default=LARGEST)}


class CycleQuery(serializers.Serializer):
    cycle = numbered(required=False)


class MatrixQuery(serializers.Serializer):
    complete = serializers.BooleanField(default=False)


class CompareQuery(serializers.Serializer):
    a = serializers.CharField(max_length=253)
    b = serializers.CharField(max_length=253)


class UpgradeQuery(serializers.Serializer):
    """`gates`: feature gates of the other version, as `--feature-gates` takes them."""

    to = serializers.ChoiceField(list(EMULATIONS))
    gates = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_GATES)


class DomainQuery(serializers.Serializer):
    domain = serializers.CharField(max_length=253, allow_blank=True, trim_whitespace=False)


class ManifestText(StrictSerializer):
    text = Text(allow_blank=True, max_length=limits.MANIFEST_BYTES)


class PastedText(StrictSerializer):
    text = Text(allow_blank=True, max_length=limits.OTHER_BYTES)


class ChangesQuery(CycleQuery):
    since = numbered()


class PlacedQuery(CycleQuery):
    nodes = serializers.CharField(max_length=254 * limits.NODES_ASKED)

    def validate_nodes(self, value: str) -> list[str]:
        names = value.split(",")
        if len(names) > limits.NODES_ASKED:
            raise serializers.ValidationError(f"names {len(names)} nodes, at most {limits.NODES_ASKED} at a time")
        return names


class QueueQuery(CycleQuery):
    limit = serializers.IntegerField(min_value=1, max_value=limits.PODS_PER_LANE, default=limits.PODS_PER_LANE)
    lane = serializers.ChoiceField(LANES, required=False)
    offset = numbered(default=0)
    within = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["within"] and "cycle" not in attrs:
            raise serializers.ValidationError({"cycle": ["is needed along with within, which is a moment of it"]})
        if attrs["offset"] and "lane" not in attrs:
            raise serializers.ValidationError({"lane": ["is needed along with offset, which counts within one lane"]})
        return attrs


class ObjectsQuery(serializers.Serializer):
    kind = serializers.CharField(max_length=100, default="", allow_blank=True)
    search = serializers.CharField(max_length=253, default="", allow_blank=True)
    offset = numbered(default=0)
    limit = serializers.IntegerField(min_value=1, max_value=limits.OBJECTS_PER_PAGE, default=100)


class ExportQuery(serializers.Serializer):
    format = serializers.ChoiceField(["yaml", "json"], default="yaml")


class ConfigExportQuery(ExportQuery):
    scope = serializers.ChoiceField(["full", "minimal"], default="full")


class ClusterExportQuery(ExportQuery):
    target = serializers.ChoiceField(["playground", "kubectl"], default="playground")


class ColumnMapping(StrictSerializer):
    """Which columns hold what, {column: field}; see docs/csv_import.md."""

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


class ImportFiles(StrictSerializer):
    """An import as a form: files, `mapping` as JSON text. Several of `file` are a folder; `paths`, a list as JSON text,
    has their names.
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


class LanguageQuery(serializers.Serializer):
    """The language to answer in, such as `ko` or `zh-hans`; without it the browser's."""

    lang = serializers.RegexField(r"^[a-z]{2}(-[a-z]+)?$", max_length=20, required=False)


class Prediction(StrictSerializer):
    chosen = serializers.ListField(child=Text(max_length=400), max_length=limits.OPTIONS)
