"""Forms of objects: sections of fields by path, each with its widget. The page draws them, in its own language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Path = tuple[str | int, ...]
Widget = Literal["text", "expression", "number", "check", "choice", "words", "labels", "map", "rows", "amount", "curve"]


@dataclass(slots=True, frozen=True)
class Input:
    """One field. A choice takes its values from what the parser allows; an amount is a number or a part, such as 25%;
    a curve is drawn over time, and its hint is the unit; an expression is long, and has a line of its own.

    `without`: keys of a map that other fields show. `columns`: the fields of each row, by paths within it.
    """

    label: str
    path: Path
    widget: Widget = "text"
    hint: str = ""
    without: Sequence[str] = ()
    columns: Sequence["Input"] = ()

    def as_dict(self) -> dict[str, Any]:
        field: dict[str, Any] = {"label": self.label, "path": list(self.path), "as": self.widget}
        if self.hint:
            field["hint"] = self.hint
        if self.without:
            field["without"] = list(self.without)
        if self.columns:
            field["columns"] = [column.as_dict() for column in self.columns]
        return field

    def words(self) -> Iterator[str]:
        """Yield the texts to translate."""
        yield self.label
        if self.widget == "curve":
            yield self.hint
        for column in self.columns:
            yield from column.words()


@dataclass(slots=True, frozen=True)
class Section:
    title: str
    fields: Sequence[Input]

    def as_dict(self) -> dict[str, Any]:
        return {"title": self.title, "fields": [field.as_dict() for field in self.fields]}

    def words(self) -> Iterator[str]:
        yield self.title
        for field in self.fields:
            yield from field.words()


NAME = Input("name", ("metadata", "name"))
NAMESPACE = Input("namespace", ("metadata", "namespace"), hint="default")
LABELS = Input("labels", ("metadata", "labels"), "map")
IDENTITY = Section("Identity", (NAME, LABELS))
IDENTITY_IN_NAMESPACE = Section("Identity", (NAME, NAMESPACE, LABELS))
OPERATOR = Input("operator", ("operator",), "choice")
# The columns of a node selector's requirements.
REQUIREMENT = (Input("label", ("key",), hint="disktype"), OPERATOR, Input("values", ("values",), "words", "ssd, nvme"))


def selects_pods(*path: str) -> Section:
    """Return the Pods that an object selects by the labels at this path."""
    return Section("Selects", (Input("pods with labels", path, "map"),))
