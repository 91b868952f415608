"""The options and the answer of an import."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, TypedDict

from kube_apiserver import unknown_fields
from kube_objects.collect import UnusedField
from playground.exchange.embedded_configuration import ImportedConfiguration
from playground.exchange.import_controllers import Life
from playground.exchange.trace_check import TraceCheck
from playground.problems import Problem

Format = Literal["objects", "scenario", "configuration", "trace"]


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """The options of an import.

    `dry_run`: change nothing. `strict`: also reject what controllers would reject. `keep_ownerless`: drop references to
    missing owners, so that the garbage collector keeps the objects.
    """

    dry_run: bool
    author: str = ""
    without_plugins: bool = False
    strict: bool = False
    life: Life = None
    keep_ownerless: bool = False


class MisspeltField(TypedDict):
    """A field that Kubernetes doesn't have, in `count` objects; `hint` is the field that was probably meant."""

    kind: str
    path: str
    count: int
    hint: str


class Imported(TypedDict):
    """The answer of an import.

    `ownerless`: objects that the garbage collector would delete because their owners are missing.
    """

    format: Format
    counts: dict[str, int]
    unused: list[Annotated[UnusedField, "Unused"]]
    misspelt: list[MisspeltField]
    notes: list[str]
    podless: dict[str, int]
    workloads: NotRequired[dict[str, int]]
    ownerless: NotRequired[dict[str, int]]
    configuration: ImportedConfiguration | None
    problems: list[Problem]
    command: NotRequired[int]
    trace: NotRequired[TraceCheck]


def empty(format_: Format, counts: Mapping[str, int]) -> Imported:
    """Return an answer with counts only."""
    return {
        "format": format_,
        "counts": dict(sorted(counts.items())),
        "unused": [],
        "misspelt": [],
        "notes": [],
        "podless": {},
        "configuration": None,
        "problems": [],
    }


def split_unknown_fields(fields: Sequence[UnusedField]) -> tuple[list[UnusedField], list[MisspeltField]]:
    """Return the fields that scheduling doesn't use, and the fields that Kubernetes doesn't have.

    Unknown columns of CSV lists count as unused, because they are no fields.
    """
    unused, wrong = unknown_fields.split_unknown(fields)
    return unused, [
        MisspeltField(kind=each.kind, path=each.path, count=each.count, hint=unknown_fields.hint(each.kind, each.path))
        for each in wrong
    ]
