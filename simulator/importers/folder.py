"""Selection of a folder's files: all manifests, or those that a kustomization lists if it has no other effect."""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kube_objects.documents import File, decode_text
from kube_objects.sentences import say
from kube_objects.text.errors import TextError
from kube_objects.text.limits import Limits
from kube_objects.text.problems import Problem
from kube_objects.text.read import documents

MANIFESTS = (".yaml", ".yml", ".json")
KUSTOMIZATION = "Kustomization"
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", KUSTOMIZATION)
_LISTS = ("resources", "bases", "components", "crds")
# Fields of a kustomization that do not change the listed objects.
_HARMLESS = ("apiVersion", "kind", "metadata", *_LISTS)
_UNREADABLE = object()
_LIMITS = Limits(bytes=1 << 20, values=100_000)


@dataclass(slots=True)
class SelectedFiles:
    """The files to read, in order; `notes` name the others, `problems` say why some cannot be read."""

    files: list[File] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def choose(files: Sequence[File]) -> SelectedFiles:
    """Return all manifests of a folder and its subfolders. A kustomization selects the files that it lists."""
    return _FileSelector(files).chosen


class _FileSelector:
    def __init__(self, files: Sequence[File]) -> None:
        self.chosen = SelectedFiles()
        self.files = {posixpath.normpath(file.name): file for file in files}
        self.folders: dict[str, list[str]] = {"": []}
        for name in self.files:
            folder = posixpath.dirname(name)
            self.folders.setdefault(folder, []).append(name)
            while folder:
                folder = posixpath.dirname(folder)
                self.folders.setdefault(folder, [])
        self.seen: set[str] = set()
        self.listing: set[str] = set()
        self.folder("")
        if left := sorted(name for name in self.files if self.is_unlisted(name)):
            self.chosen.notes.append(say("not listed by a kustomization: {names}", names=_some(left)))

    def folder(self, folder: str) -> None:
        """Select the files of a folder and, without a kustomization, of its subfolders."""
        if folder in self.seen:
            return
        self.seen.add(folder)
        names = sorted(self.folders.get(folder, ()))
        kustomization = next((name for name in names if posixpath.basename(name) in _KUSTOMIZATIONS), None)
        if kustomization is not None:
            self.seen.add(kustomization)
            self.listing.add(folder)
            for entry in self.listed(kustomization):
                self.entry(folder, entry, kustomization)
            return
        for name in names:
            self.file(name)
        for inner in sorted(self.folders):
            if inner and posixpath.dirname(inner) == folder:
                self.folder(inner)

    def file(self, name: str) -> None:
        if name not in self.seen and name.endswith(MANIFESTS):
            self.seen.add(name)
            self.chosen.files.append(replace(self.files[name], in_folder=True))

    def entry(self, folder: str, entry: str, kustomization: str) -> None:
        name = posixpath.normpath(posixpath.join(folder, entry))
        name = "" if name == "." else name
        if name in self.files:
            self.file(name)
        elif name in self.folders:
            self.folder(name)
        else:
            self.problem(kustomization, say("lists {name}, which does not exist", name=entry))

    def listed(self, name: str) -> Iterator[str]:
        """Yield the entries of a kustomization.

        A kustomization that changes the listed objects is a problem, because the import would ignore the changes.
        """
        kustomization = self.parsed(name)
        if not isinstance(kustomization, dict):
            if kustomization is not _UNREADABLE:
                self.problem(name, say("is not a kustomization: it must be a mapping"))
            return
        changes = [field for field in kustomization if field not in _HARMLESS and kustomization[field]]
        if changes:
            rule = say("changes the files that it lists ({fields})", fields=", ".join(changes[:10]))
            # Only this option lets kustomize run Helm.
            command = "kubectl kustomize --enable-helm" if kustomization.get("helmCharts") else "kubectl kustomize"
            self.problem(name, rule, say("import the output of `{command}`", command=command))
            return
        for field_ in _LISTS:
            value = kustomization.get(field_) or ()
            yield from (entry for entry in value if isinstance(entry, str))

    def parsed(self, name: str) -> Any:
        """Return a kustomization's value, or _UNREADABLE if a problem was recorded."""
        text = decode_text(self.files[name].data, _LIMITS)
        if isinstance(text, Problem):
            self.chosen.problems.append(replace(text, file=name))
            return _UNREADABLE
        try:
            return next((document.value for document in documents(text, _LIMITS)), None)
        except TextError as error:
            self.chosen.problems.append(Problem("", None, error.rule, line=error.line, file=name))
            return _UNREADABLE

    def problem(self, name: str, rule: str, hint: str = "") -> None:
        self.chosen.problems.append(Problem("", None, rule, hint, file=name))

    def is_unlisted(self, name: str) -> bool:
        if name in self.seen or not name.endswith(MANIFESTS):
            return False
        folder = posixpath.dirname(name)
        while folder and folder not in self.listing:
            folder = posixpath.dirname(folder)
        return folder in self.listing


def _some(names: Sequence[str]) -> str:
    more = len(names) - 10
    return ", ".join(names[:10]) + (f" and {more} more" if more > 0 else "")
