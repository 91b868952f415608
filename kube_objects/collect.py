"""The collector of the objects of texts: it expands lists, checks names and counts unused fields."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kube_objects import shapes
from kube_objects.held import held_by, policies_in
from kube_objects.kinds.storage_kind import storage_kind
from kube_objects.kinds.table import CHECKED
from kube_objects.meta import KubeObject
from kube_objects.parse import is_of_another_version, is_read, read_object
from kube_objects.sentences import say
from kube_objects.shapes import Held
from kube_objects.text.errors import LimitError
from kube_objects.text.gates_in_files import gates_in
from kube_objects.text.limits import Limits
from kube_objects.text.problems import Problem
from kube_objects.unused import unused_paths

_MOST_UNUSED = 1000
_LONGEST_PREFIX = 58
_NAME_OF_POLICY = "default"


@dataclass(slots=True, frozen=True)
class UnusedField:
    """A field that scheduling doesn't read, or with path "" a kind that it doesn't read.

    `document` (from 1) and `key` locate the first occurrence; `count` is the number of objects that have it.
    """

    kind: str
    path: str
    count: int
    document: int
    key: str


@dataclass(slots=True)
class ReadResult:
    """All objects of the texts, or all problems: with problems `objects` is empty.

    `configurations` are those found among the objects. `origins` are the files of the objects, in their order.
    `repeated` counts skipped duplicates by kind. `notes` are sentences about other skipped parts.
    """

    objects: list[KubeObject] = field(default_factory=list)
    unused: list[UnusedField] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    configurations: list[Held] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    repeated: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    gates: list[str] = field(default_factory=list)
    """Values of `--feature-gates` in files that create a cluster; see `kube_objects.text.gates_in_files`."""


class Collector:
    """The objects and problems of texts that are read one by one.

    `document` is the number of the current document in `file`. `strict` applies the rules of fields that only
    controllers read.
    """

    def __init__(self, limits: Limits, *, strict: bool = False) -> None:
        self.limits = limits
        self.strict = strict
        self.file = ""
        self.document = 0
        self.objects: list[KubeObject] = []
        self.origins: list[str] = []
        self.problems: list[Problem] = []
        self.configurations: list[Held] = []
        self.gates: list[str] = []
        self.notes: list[str] = []
        self.repeated: Counter[str] = Counter()
        self.typed = 0
        """Values that have a kind, or are known without one."""
        self.read = 0
        """Values that something is read of: all but those of kinds that scheduling does not know."""
        self._first_seen: dict[tuple[str, str], tuple[str, int, Mapping[str, Any]]] = {}
        self._generated: Counter[str] = Counter()
        self._unused: dict[tuple[str, str], UnusedField] = {}

    @property
    def unused(self) -> list[UnusedField]:
        return [self._unused[identity] for identity in sorted(self._unused)]

    def take(self, value: Any, path: str = "", list_type: tuple[str, str] | None = None) -> None:
        """Read an object, or a list of objects. `list_type` is the type of the items of a typed list.

        Raise LimitError for too many objects or problems.
        """
        if value is None and not path:
            return  # a document without content
        if not isinstance(value, Mapping):
            self.read += 1
            hint = (
                say("put the objects into the items of a List, or between lines of ---") if type(value) is list else ""
            )
            self._add_problem(path, Problem("", value, say("must be an object with apiVersion and kind"), hint))
            return
        if shapes.is_configuration(value):
            self._configuration(value, path)
            return
        if gates := gates_in(value):
            self.gates.append(gates)
        if not path and shapes.is_snapshot(value):
            self._take_snapshot(value)
            return
        kind, api_version = value.get("kind"), value.get("apiVersion")
        if list_type is not None and kind is None and api_version is None:
            api_version, kind = list_type
            value = {"apiVersion": api_version, "kind": kind, **value}
        if isinstance(kind, str) and kind.endswith("List") and isinstance(value.get("items"), list | None):
            prefix = f"{path}.items" if path else "items"
            item_kind = kind.removesuffix("List")
            item_type = (str(api_version), item_kind) if item_kind else None
            for index, item in enumerate(value.get("items") or ()):
                self.take(item, f"{prefix}[{index}]", item_type)
        else:
            self._add(value, path)

    def _take_snapshot(self, value: Mapping[str, Any]) -> None:
        self.typed += 1
        configuration = value.get(shapes.SNAPSHOT_CONFIGURATION)
        if isinstance(configuration, Mapping):
            version = {"apiVersion": f"{shapes.CONFIGURATION_GROUP}/v1", "kind": shapes.CONFIGURATION_KIND}
            self._configuration({**version, **configuration}, shapes.SNAPSHOT_CONFIGURATION)
        for name, item_type, items in shapes.snapshot_lists(value):
            for index, item in enumerate(items):
                self.take(item, f"{name}[{index}]", item_type)

    def _configuration(self, value: Mapping[str, Any], path: str) -> None:
        """Store the configuration. The caller replaces its text if it is a document of its own."""
        self.typed += 1
        self.read += 1
        self.configurations.append(Held(json.dumps(value), self.document, path, file=self.file, offset=None))

    def _add(self, manifest: Mapping[str, Any], path: str) -> None:
        if len(self.objects) >= self.limits.objects:
            raise LimitError(say("more than {n} objects", n=self.limits.objects))
        if len(self.problems) >= self.limits.problems:
            raise LimitError(say("more than {n} problems; the rest was not checked", n=self.limits.problems))
        kind, api_version, metadata = manifest.get("kind"), manifest.get("apiVersion"), manifest.get("metadata")
        typed = isinstance(kind, str) and isinstance(api_version, str) and bool(kind and api_version)
        known = CHECKED.get((str(api_version), str(kind))) if typed else None
        used = typed and (is_read(str(api_version), str(kind)) or is_of_another_version(str(api_version), str(kind)))
        self.typed += kind is not None
        self.read += used or not typed
        if typed and not used and metadata is None and not shapes.is_descheduler_policy(manifest):
            # A file such as a kubeconfig is not an API object, so nothing is stored.
            self._count_unused(storage_kind(str(api_version), str(kind)), "", "")
            return
        if isinstance(metadata, Mapping) and not metadata.get("name"):
            manifest = self._with_generated_name(manifest, metadata)
        if shapes.is_descheduler_policy(manifest) and not metadata:
            manifest = {**manifest, "metadata": {"name": _NAME_OF_POLICY}}
        found_problems: list[Problem] = []
        parsed = read_object(manifest, found_problems)
        doubts: list[Problem] = []
        if known is not None and not found_problems:
            known.check(manifest, doubts)
        if self.strict and known is not None:
            found_problems += doubts
        elif found_problems and typed and not used:
            # An invalid object of a kind that scheduling doesn't read is only counted.
            self._count_unused(storage_kind(str(api_version), str(kind)), "", "")
            return
        for problem in found_problems:
            self._add_problem(path, problem)
        if parsed is None or found_problems or self._is_repeated(parsed, manifest, path, used):
            return
        self.objects.append(parsed)
        self.origins.append(self.file)
        if not used and (known is None or doubts):
            self._count_unused(parsed.kind, "", parsed.key)
            if parsed.kind == "ConfigMap":
                self._read_config_map(parsed, path)
            return
        for unused in unused_paths(parsed.kind, manifest):
            self._count_unused(parsed.kind, unused, parsed.key)

    def _read_config_map(self, config_map: KubeObject, path: str) -> None:
        for key, text, offset in held_by(config_map.manifest):
            whole = ".".join(part for part in (path, "data", key) if part)
            self.configurations.append(Held(text, self.document, whole, config_map.key, self.file, offset))
        for key, policy in policies_in(config_map.manifest):
            self.notes.append(
                say(
                    "the DeschedulerPolicy in ConfigMap {config_map}, key {key}, becomes the DeschedulerPolicy {name}",
                    config_map=config_map.key,
                    key=key,
                    name=config_map.name,
                )
            )
            self._add({**policy, "metadata": {"name": config_map.name}}, f"{path}.data" if path else "data")

    def _is_repeated(self, parsed: KubeObject, manifest: Mapping[str, Any], path: str, used: bool) -> bool:
        """Return whether the object was read before. Equal copies, and kinds that don't matter, are skipped."""
        identity = (parsed.kind, parsed.key)
        if identity not in self._first_seen:
            self._first_seen[identity] = (self.file, self.document, manifest)
            return False
        file, document, first = self._first_seen[identity]
        # A Pod written twice by hand means two Pods; with uids it is one cluster that was printed twice.
        once_more = first == manifest and (parsed.kind not in ("Node", "Pod") or "uid" in manifest["metadata"])
        if not used or once_more:
            self.repeated[parsed.kind] += 1
            return True
        rule = say("there is already a {kind} of this name in document {n}", kind=parsed.kind, n=document)
        if file != self.file:
            rule = say("there is already a {kind} of this name in {file}", kind=parsed.kind, file=file)
        self._add_problem(path, Problem("metadata.name", parsed.key, rule))
        return True

    def _with_generated_name(self, manifest: Mapping[str, Any], metadata: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the manifest with a numbered name for its generateName. The API server appends random characters."""
        prefix = metadata.get("generateName")
        if not isinstance(prefix, str) or not prefix:
            return manifest
        self._generated[prefix] += 1
        name = f"{prefix[:_LONGEST_PREFIX]}{self._generated[prefix]:05d}"
        return {**manifest, "metadata": {**metadata, "name": name}}

    def _add_problem(self, path: str, problem: Problem) -> None:
        whole = ".".join(part for part in (path, problem.path) if part)
        self.problems.append(replace(problem, path=whole, document=self.document, file=self.file))

    def _count_unused(self, kind: str, path: str, key: str) -> None:
        entry = self._unused.get((kind, path))
        if entry is not None:
            self._unused[kind, path] = replace(entry, count=entry.count + 1)
        elif len(self._unused) < _MOST_UNUSED:
            self._unused[kind, path] = UnusedField(kind, path, 1, self.document, key)
