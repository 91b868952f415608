"""How kubectl changes objects: through what an API server takes, and what comes of it in the cluster that is played."""

from collections.abc import Callable

from scheduler_core.actors.api import Refused
from scheduler_core.actors.eviction import evict
from scheduler_core.actors.manifests import Manifest, key, key_of, meta, name, spec
from scheduler_core.conformance.controllers.answers import Problem
from scheduler_core.conformance.controllers.arguments import Arguments, Fault
from scheduler_core.conformance.controllers.checks import as_created, as_written
from scheduler_core.conformance.controllers.looking import Looking
from scheduler_core.conformance.controllers.resources import BY_KIND, Resource

_NO_KIND = (
    'resource mapping not found for name: "{}": no matches for kind "{}" in version "{}"\n'
    "ensure CRDs are installed first"
)
# Source: plugin/pkg/admission/namespace/lifecycle.
_KEPT_NAMESPACES = ("default", "kube-public", "kube-system")


class Writing(Looking):
    def _update(self, obj: Manifest, subresource: str = "") -> Manifest:
        api = self.player.api()
        before = self._objects().get(obj["kind"], key(obj))
        if before is not None:
            obj = as_written(before, obj, subresource, self.server, self.strictness)
        made = api.update(obj)
        if self.is_trial:
            return made
        self.player.write(api)
        self._go_on()
        return made

    def _each(self, arguments: Arguments, word: str, change: Callable[[Manifest], Manifest]) -> str:
        def act(target: tuple[Resource, Manifest]) -> str:
            self._update(change(target[1]), arguments.one("subresource"))
            return f"{target[0].full}/{name(target[1])} {word}\n"

        missing: list[Problem] = []
        return self._for_all(self._targets(arguments, missing), act, missing)

    def _created(self, given: Manifest) -> str:
        if not self.server.knows(given) and not self._is_defined(given):
            raise Fault(_NO_KIND.format(name(given), given["kind"], given["apiVersion"]))
        made = given if self.is_trial else self.player.create(as_created(given, self.server, self.strictness))
        return f"{full_name(made)}/{name(made)} created\n"

    def _is_defined(self, given: Manifest) -> bool:
        """Whether somebody created its kind."""
        group, _, _ = str(given["apiVersion"]).rpartition("/")
        kinds = (spec(one) for one in self._objects().of_kind("CustomResourceDefinition"))
        return any((one.get("group"), one["names"]["kind"]) == (group, given["kind"]) for one in kinds)

    def _evict(self, pod: Manifest) -> None:
        api = self.player.api()
        evict(pod, api)
        self.player.write(api)
        self.player.turn()

    def _delete(self, obj: Manifest, policy: str, grace: str) -> None:
        api = self.player.api()
        if self.is_trial or api.get(obj["kind"], key(obj)) is None:
            return
        if obj["kind"] == "Namespace" and name(obj) in _KEPT_NAMESPACES:
            raise Refused(f'namespaces "{name(obj)}" is forbidden: this namespace may not be deleted')
        api.delete(obj, policy, int(grace) if grace else None)
        self.player.write(api)
        self._go_on()

    def _before(self, given: Manifest) -> Manifest | None:
        at = key_of(str(meta(given).get("namespace", "")), name(given))
        found: Manifest | None = self._objects().get(given["kind"], at)
        return found


def full_name(obj: Manifest) -> str:
    found = BY_KIND.get(str(obj["kind"]))
    return found.full if found else str(obj["kind"]).lower()
