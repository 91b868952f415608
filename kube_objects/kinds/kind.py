"""The description of a kind: API names, parser and writer, and its use in editors, forms and exports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.kinds.api_names import API_NAMES, ApiNames
from kube_objects.kinds.form import Section
from kube_objects.kinds.written import Written
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.read import Problems
from kube_objects.read_fields import Fields

Manifest = Mapping[str, Any]
Parser = Callable[[Manifest, Problems], KubeObject]
Check = Callable[[Manifest, Problems], None]

# In which order `kubectl apply` takes objects: what others need comes first. Kinds in between are in no order.
NEEDED_FIRST, APPLIED_BETWEEN, APPLIED_LAST = 0, 50, 99


@dataclass(slots=True, frozen=True, kw_only=True)
class Kind:
    """A kind that scheduling, or a controller, reads.

    In the API: `group` ("" is the core group), `version` (the one that is served and read), `older` (what only earlier
    servers had, with the same fields). Its other names are in `api_names`.

    In the engine: `type` and `parse`; `fields`, the ones that are read, the rest being kept; `written`, those that the
    engine writes. `check`: rules of fields that only controllers read, applied to user input. `wakes_pods`: a change
    of such an object may help a rejected Pod, so it becomes a cluster event.
    `feeds_columns`: it decides what columns over nodes hold, besides pods and nodes themselves.

    For people: `example`, YAML with the least that makes sense; `form`; `event_words`, what a cluster event says, by
    its action. `updatable`: the paths that an API server changes in an object that is there; None has no such rule.
    `label_maps`: paths that hold labels where other kinds have a selector.

    For export: `applied`, a place in the order; `to_apply` changes a cleaned copy of the manifest, given as well, into
    what an API server takes; `is_built_in` says of a name whether every cluster has the object already.
    """

    name: str
    group: str = ""
    version: str = "v1"
    older: Sequence[str] = ()
    type: type[KubeObject]
    parse: Parser
    check: Check = lambda manifest, problems: None
    fields: Fields
    written: Sequence[Written] = ()
    wakes_pods: bool = False
    feeds_columns: bool = False
    example: str = ""
    form: Sequence[Section] = ()
    event_words: Mapping[str, str] = field(default_factory=dict)
    updatable: Sequence[str] | None = None
    label_maps: Sequence[str] = ()
    applied: int = APPLIED_BETWEEN
    to_apply: Callable[[dict[str, Any], Manifest], None] = lambda cleaned, manifest: None
    is_built_in: Callable[[str], bool] = lambda name: False

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def names(self) -> ApiNames:
        """Return the kind's API names and scope. Raises KeyError if `api_names` has no line for the kind."""
        return API_NAMES[self.api_version, self.name]

    @property
    def resource(self) -> str:
        """Return the name in cluster events: `storage.k8s.io/CSINode`, or only the kind in the core group."""
        return f"{self.group}/{self.name}" if self.group else self.name


def parse_as_is(kind: str, manifest: Manifest, problems: Problems) -> KubeObject:
    """Return an object of which scheduling reads only the metadata."""
    metadata = manifest.get("metadata")
    namespaced = isinstance(metadata, Mapping) and bool(metadata.get("namespace"))
    return KubeObject(**read_meta(kind, manifest, problems, namespaced=namespaced))
