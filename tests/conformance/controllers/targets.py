"""The objects that a kubectl command is about: named, selected, or from files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_controllers.api import WriteRefused
from kube_objects.manifests import Manifest, key_of, labels, name, namespace
from kube_objects.text.errors import TextError
from kube_objects.text.limits import Limits
from kube_objects.text.read import documents
from tests.conformance.controllers.arguments import Arguments, Fault
from tests.conformance.controllers.checks import ApiServer
from tests.conformance.controllers.player import Player, in_namespace
from tests.conformance.controllers.resources import BY_KIND, OF_ALL, Resource, known_as

_LIMITS = Limits()
_MANIFESTS = (".yaml", ".yml", ".json")
# Of what files have, they take what `-l` selects, and there has to be some.
_OF_GIVEN = ("apply", "create", "replace")
_SEPARATE = (
    "error: there is no need to specify a resource type as a separate argument when passing arguments in "
    "resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource "
    "resource/<resource_name>'"
)


class Targets:
    """Targets of commands. `files` are those of the working directory."""

    def __init__(self, player: Player, files: Mapping[str, str], server: ApiServer) -> None:
        self.player, self.files, self.server = player, files, server
        self.strictness = "Strict"
        self.stdin = ""
        self.served: dict[tuple[str, str, str], Manifest] = {}  # what was applied by servers: kind, key, manager
        self.dry_run = "none"

    @property
    def is_trial(self) -> bool:
        """Return True with `--dry-run`: nothing is written."""
        return self.dry_run not in ("", "none")

    def _objects(self) -> Any:
        return self.player.life.manager.objects

    def _read(self, arguments: Arguments) -> list[Manifest]:
        found: list[Manifest] = []
        for file in self._files_of(arguments):
            text = self.stdin if file == "-" else self.files.get(file)
            if text is None:
                raise Fault(f'error: the path "{file}" does not exist')
            for one in _unfolded(read_all(text)):
                inside = namespace(one) if is_namespaced(one) else ""
                if inside and inside != (arguments.one("n", "namespace") or inside):
                    raise Fault(
                        f'error: the namespace from the provided object "{inside}" does not match the namespace '
                        f"\"{arguments.namespace}\". You must pass '--namespace={inside}' to perform this operation."
                    )
                found.append(in_namespace(one, is_namespaced(one), arguments.namespace))
        if arguments.verb in _OF_GIVEN:
            found = [one for one in found if arguments.selects(labels(one))]
            if not found:
                raise Fault(f"error: no objects passed to {arguments.verb}")
        return found

    def _files_of(self, arguments: Arguments) -> list[str]:
        """Return files by name; those of a folder sorted by name, and of its subfolders if requested."""
        named = [one for given in arguments.all("f", "filename", "k", "kustomize") for one in given.split(",")]
        return [file for one in named for file in self._files_at(one, arguments.has("R", "recursive"))]

    def _files_at(self, place: str, with_folders: bool) -> list[str]:
        plain = place.removeprefix("./").rstrip("/")
        folder = "" if plain in (".", "") else f"{plain}/"
        inside = sorted(one for one in self.files if one.startswith(folder) and one.endswith(_MANIFESTS))
        if plain in self.files or plain == "-" or not inside:
            return [plain]
        return [one for one in inside if with_folders or "/" not in one[len(folder) :]]

    def _has_to_be_named(self, arguments: Arguments) -> None:
        """Check that a deletion names its targets. Raises Fault."""
        words = [word for word in arguments.words if not is_setting(word)]
        by_rule = arguments.has("all") or arguments.one("l", "selector", "field-selector")
        if len(words) == 1 and "/" not in words[0] and not by_rule and not arguments.all("f", "filename"):
            raise Fault("error: resource(s) were provided, but no name was specified")

    def _find(self, resource: Resource, named: str, arguments: Arguments) -> Manifest:
        at = key_of(arguments.namespace if resource.namespaced else "", named)
        found: Manifest | None = self._objects().get(resource.kind, at)
        if found is None:
            raise WriteRefused(f'{resource.full.partition(".")[0]}s "{named}" not found', "NotFound")
        return found

    def _targets(
        self, arguments: Arguments, missing: list[WriteRefused | Fault] | None = None
    ) -> list[tuple[Resource, Manifest]]:
        """Return what a command names: `deploy/web`, `pod a b`, `node --all`, or files.

        Raises Refused for a missing one, unless `missing` collects them.
        """
        if arguments.all("f", "filename", "k", "kustomize"):
            given = [(BY_KIND[one["kind"]], name(one)) for one in self._read(arguments)]
            return self._found(given, arguments, missing)
        words = [word for word in arguments.words if not is_setting(word)]
        if not words:
            raise Fault("error: required resource not specified")
        if "/" in words[0]:
            if not all("/" in word for word in words):
                raise Fault(_SEPARATE)
            pairs = [tuple(word.split("/", 1)) for word in words]
        else:
            kinds = [kind for word in words[0].split(",") for kind in (OF_ALL if word == "all" else (word,))]
            pairs = [(kind, named) for kind in kinds for named in words[1:]]
            if arguments.has("all") or arguments.one("l", "selector", "field-selector") or not words[1:]:
                return [(resource_of(kind), one) for kind in kinds for one in self._all(resource_of(kind), arguments)]
        return self._found([(resource_of(kind), named) for kind, named in pairs], arguments, missing)

    def _found(
        self, pairs: Sequence[tuple[Resource, str]], arguments: Arguments, missing: list[WriteRefused | Fault] | None
    ) -> list[tuple[Resource, Manifest]]:
        found = []
        for resource, named in pairs:
            try:
                found.append((resource, self._find(resource, named, arguments)))
            except WriteRefused as refused:
                if missing is None:
                    raise
                missing.append(refused)
        return found

    def _all(self, resource: Resource, arguments: Arguments) -> list[Manifest]:
        inside = arguments.namespace if resource.namespaced and not arguments.has("A", "all-namespaces") else None
        found = sorted(self._objects().of_kind(resource.kind, inside), key=name)
        return [one for one in found if arguments.selects(labels(one)) and arguments.has_fields(one)]


def read_all(text: str) -> list[Any]:
    """Return the documents of JSON or YAML; a text that begins as JSON may be YAML as well. Raises Fault."""
    try:
        return _read_whole(text)
    except TextError:
        try:
            return _read_whole(f"---\n{text}")
        except TextError as error:
            raise Fault(f"error: error parsing: {error}") from error


def _unfolded(found: Sequence[Any]) -> Iterator[Manifest]:
    """Return the items of lists, and the other objects. Raises Fault for anything else."""
    for one in found:
        if not isinstance(one, Mapping) or not one.get("kind") or not one.get("apiVersion"):
            raise Fault("error: unable to decode: Object 'Kind' or 'apiVersion' is missing")
        if str(one["kind"]).endswith("List") and isinstance(one.get("items"), list):
            yield from _unfolded(one["items"])
        else:
            yield one


def read_one(text: str) -> Any:
    """Return the one document of a text. Raises Fault."""
    found = read_all(text)
    if len(found) != 1:
        raise Fault(f"error: {len(found)} documents where there has to be one")
    return found[0]


def _read_whole(text: str) -> list[Any]:
    return [one.value for one in documents(text, _LIMITS) if one.value is not None]


def is_setting(word: str) -> bool:
    """Return True for `key=value`, `key=value:Effect`, and `key-`, which removes the key."""
    return (
        "=" in word or (word.endswith("-") and "/" not in word.split("-")[-1]) or bool(re.fullmatch(r"\S+:\w+-?", word))
    )


def resource_of(word: str) -> Resource:
    found = known_as(word)
    if found is None:
        raise Fault(f'error: the server doesn\'t have a resource type "{word}"')
    return found


def is_namespaced(obj: Manifest) -> bool:
    found = BY_KIND.get(str(obj.get("kind")))
    return found is None or found.namespaced
