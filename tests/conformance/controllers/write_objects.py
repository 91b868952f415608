"""kubectl's writes: their admission by the API server, and their effect in the replayed cluster."""

from collections.abc import Callable

from kube_controllers.api import WriteRefused
from kube_controllers.eviction import evict
from kube_objects.manifests import Manifest, key, key_of, kind, meta, name, spec
from tests.conformance.controllers.arguments import Arguments, Fault
from tests.conformance.controllers.checks import as_created, as_written
from tests.conformance.controllers.get_and_wait import Looking
from tests.conformance.controllers.kubectl_results import Problem
from tests.conformance.controllers.printing import written
from tests.conformance.controllers.resources import BY_KIND, Resource

_NO_KIND = (
    'resource mapping not found for name: "{}": no matches for kind "{}" in version "{}"\n'
    "ensure CRDs are installed first"
)
# Source: plugin/pkg/admission/namespace/lifecycle.
_KEPT_NAMESPACES = ("default", "kube-public", "kube-system")


class Writing(Looking):
    def _update(self, obj: Manifest, subresource: str = "") -> Manifest:
        api = self.player.api()
        before = self._objects().get(kind(obj), key(obj))
        if before is not None:
            obj = as_written(before, obj, subresource, self.server, self.strictness)
        made = api.update(obj)
        if self.is_trial:
            return made
        self.player.write(api)
        self._go_on()
        return made

    def _each(self, arguments: Arguments, word: str, change: Callable[[Manifest], Manifest]) -> str:
        def answer(obj: Manifest, made: Manifest) -> str:
            return self._shown(made, arguments) or f"{full_name(obj)}/{name(obj)} {word}\n"

        def act(target: tuple[Resource, Manifest]) -> str:
            self._is_as_expected(target[1], arguments)
            return answer(target[1], self._update(change(target[1]), arguments.one("subresource")))

        if arguments.has("local"):
            if not arguments.all("f", "filename"):
                raise Fault("error: you must specify resources by --filename when --local is set.")
            return "".join(answer(obj, change(obj)) for obj in self._read(arguments))
        missing: list[Problem] = []
        return self._for_all(self._targets(arguments, missing), act, missing)

    def _is_as_expected(self, obj: Manifest, arguments: Arguments) -> None:
        """Check the object's version. Raises Fault if it isn't the requested one."""
        wanted, now = arguments.one("resource-version"), str(meta(obj).get("resourceVersion", ""))
        if wanted not in ("", now):
            raise Fault(f"error: Expected resource version to be {wanted}, was {now}")

    def _shown(self, made: Manifest, arguments: Arguments) -> str:
        """Return the output of `-o yaml` for another command to read; "" without the flag."""
        how = arguments.one("o", "output")
        if how not in ("yaml", "json"):
            return ""
        return ("---\n" if how == "yaml" else "") + written(made, how)

    def _created(self, given: Manifest) -> str:
        if not self.server.knows(given) and not self._is_defined(given):
            raise Fault(_NO_KIND.format(name(given), given["kind"], given["apiVersion"]))
        if self.dry_run == "server" and self._before(given) is not None:
            raise WriteRefused(f'{full_name(given)} "{name(given)}" already exists', "AlreadyExists")
        made = given if self.is_trial else self.player.create(as_created(given, self.server, self.strictness))
        return f"{full_name(made)}/{name(made)} created\n"

    def _is_defined(self, given: Manifest) -> bool:
        """Return True if a CRD defines the object's kind."""
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
        if self.is_trial or api.get(kind(obj), key(obj)) is None:
            return
        if obj["kind"] == "Namespace" and name(obj) in _KEPT_NAMESPACES:
            raise WriteRefused(f'namespaces "{name(obj)}" is forbidden: this namespace may not be deleted')
        api.delete(obj, policy, int(grace) if grace else None)
        self.player.write(api)
        self._go_on()

    def _before(self, given: Manifest) -> Manifest | None:
        at = key_of(str(meta(given).get("namespace", "")), name(given))
        found: Manifest | None = self._objects().get(kind(given), at)
        return found


def full_name(obj: Manifest) -> str:
    found = BY_KIND.get(str(obj["kind"]))
    return found.full if found else str(obj["kind"]).lower()
