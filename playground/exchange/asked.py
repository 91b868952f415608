"""How something is to be imported, and what is answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, TypedDict

from kube_apiserver import unknown_fields
from kube_objects.collect import UnusedField
from playground.exchange.held import ImportedConfiguration
from playground.exchange.living import Life
from playground.exchange.traces import TraceCheck
from playground.problems import Problem

Format = Literal["objects", "scenario", "configuration", "trace"]


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How something is to be imported.

    `dry_run`: only look. `strict`: refuse also what controllers would. `keep_ownerless`: what has an owner that is not
    there loses it, and so is no garbage to controllers.
    """

    dry_run: bool
    author: str = ""
    without_plugins: bool = False
    strict: bool = False
    life: Life = None
    keep_ownerless: bool = False


class MisspeltField(TypedDict):
    """A field that Kubernetes does not have, `count` objects have it; `hint`: what was probably meant."""

    kind: str
    path: str
    count: int
    hint: str


class Imported(TypedDict):
    """`ownerless`: what the garbage collector would take, as its owners are neither in it nor in the cluster."""

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
    """The answer about what nothing else is to be said of."""
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


def told_apart(fields: Sequence[UnusedField]) -> tuple[list[UnusedField], list[MisspeltField]]:
    """What scheduling does not use, and what nobody does: columns of lists, which are no fields, are the former."""
    unused, wrong = unknown_fields.split_unknown(fields)
    return unused, [
        MisspeltField(kind=each.kind, path=each.path, count=each.count, hint=unknown_fields.hint(each.kind, each.path))
        for each in wrong
    ]
