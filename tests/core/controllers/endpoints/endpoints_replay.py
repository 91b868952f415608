"""Replay of recorded endpoints of Services.

`endpoints.jsonl.gz` has a sequence per line. A step has the clients' writes (`put`, `gone`: Nodes, Services and Pods as
the API server stored them; `others`: their writes to slices and Endpoints), the time, and the recorded result (`want`).
"""

import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kube_controllers.contract import PutObject, RemoveObject
from kube_controllers.endpoints.slices import SERVICE
from kube_controllers.manager import Manager
from kube_controllers.table import make_controllers
from kube_objects.manifests import generation, key, labels, name, parse_time, with_meta

DATA = Path(__file__).parent / "endpoints.jsonl.gz"
ACTORS = ("endpoints", "endpointslice", "endpointslice-mirroring", "garbage-collector")
# Until nobody does anything any more about what clients did to a slice.
_SECONDS = 2.0
_DRAWN = ("uid", "resourceVersion", "creationTimestamp")
Object = dict[str, Any]


def sequences() -> Iterator[Mapping[str, Any]]:
    with gzip.open(DATA, "rt") as lines:
        for line in lines:
            yield json.loads(line)


class Played:
    """A cluster in which only these controllers run."""

    def __init__(self) -> None:
        self.manager = Manager(make_controllers(ACTORS), random.Random(0))
        self.events: list[Object] = []
        self.now = 0.0

    def step(self, step: Mapping[str, Any]) -> None:
        self.now = max(self.now, parse_time(step["at"]) or 0.0)
        for kind, named in step["gone"]:
            self.manager.remove(kind, named if kind == "Node" else f"default/{named}", self.now)
        for obj in step["put"]:
            self.manager.put(obj, self.now)
        for other in step["others"]:
            self._other(*other)
        self._settle()
        self.now += _SECONDS
        self._settle()

    def _other(self, what: str, *told: Any) -> None:
        """Write to an object of a controller, as the recorded client did."""
        if what == "create":
            self.manager.put(with_meta(told[0], namespace="default", uid="made by hand"), self.now)
        elif what == "delete":
            self.manager.remove(told[0], f"default/{told[1]}", self.now)
        elif what == "merge":
            live = self.manager.objects.get(told[0], f"default/{told[1]}")
            assert live is not None
            self.manager.put(_patched(live, told[2]), self.now)
        else:
            self._slice(told[0], told[1])

    def _slice(self, service: str, change: Any) -> None:
        """Delete the first slice of a Service, or change it by a JSON patch."""
        found = (one for one in self.of("EndpointSlice") if labels(one).get(SERVICE) == service)
        live = min(found, key=name)
        if change == "delete":
            self.manager.remove("EndpointSlice", key(live), self.now)
            return
        (operation,) = change
        changed = json.loads(json.dumps(live))
        *way, last = [part.replace("~1", "/") for part in operation["path"][1:].split("/")]
        there = changed
        for part in way:
            there = there[part]
        if operation["op"] == "remove":
            del there[int(last)]
        else:
            there[last] = operation["value"]
        self.manager.put(with_meta(changed, generation=generation(live) + 1), self.now)

    def _settle(self) -> None:
        while (found := self.manager.next(self.now)) is not None:
            for change in found.outcome.changes:
                if isinstance(change, PutObject):
                    self.manager.put(change.obj, self.now)
                elif isinstance(change, RemoveObject):
                    self.manager.remove(str(change.obj["kind"]), key(change.obj), self.now)
                else:
                    at = {"kind": change.about["kind"], "name": name(change.about), "by": change.by}
                    told = {"type": change.type, "reason": change.reason, "message": change.message}
                    self.events.append(at | told)

    def of(self, kind: str) -> Sequence[Mapping[str, Any]]:
        return self.manager.objects.of_kind(kind)


def _patched(live: Any, patch: Any) -> Any:
    """Return an object after a JSON merge patch."""
    if not isinstance(patch, dict):
        return patch
    known = live if isinstance(live, Mapping) else {}
    found = {**known, **{field: _patched(known.get(field), value) for field, value in patch.items()}}
    return {field: value for field, value in found.items() if value not in (None, {})}


def found(played: Played, kind: str) -> list[Object]:
    return in_order(kind, played.of(kind))


def in_order(kind: str, objects: Sequence[Mapping[str, Any]]) -> list[Object]:
    """Return the objects in comparable form: without random values, in an order that doesn't depend on chance."""
    made = [_plain(kind, one) for one in objects]
    return sorted(made, key=lambda one: json.dumps(one, sort_keys=True))


def _plain(kind: str, obj: Mapping[str, Any]) -> Object:
    metadata = {field: value for field, value in obj["metadata"].items() if field not in _DRAWN}
    if kind == "EndpointSlice":
        metadata["name"] = f"{labels(obj)[SERVICE]}-"
    if metadata.get("ownerReferences"):
        metadata["ownerReferences"] = [_plain_owner(one) for one in metadata["ownerReferences"]]
    found = {**obj, "metadata": metadata}
    if kind == "EndpointSlice":
        found["endpoints"] = sorted(obj.get("endpoints") or (), key=lambda one: str(one["addresses"]))
    elif obj.get("subsets"):
        found["subsets"] = sorted(obj["subsets"], key=lambda one: json.dumps(one, sort_keys=True))
    return found


def _plain_owner(owner: Object) -> Object:
    """Return the owner reference without the uid of Endpoints, which is random."""
    return {**owner, "uid": ""} if owner["kind"] == "Endpoints" else owner
