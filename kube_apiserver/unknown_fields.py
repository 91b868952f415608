"""Fields that Kubernetes doesn't have, and suggestions for the intended names."""

from collections.abc import Sequence

from kube_apiserver.resources import by_kind
from kube_apiserver.writes import go_types
from kube_objects.collect import UnusedField
from kube_objects.text.hints import did_you_mean, hint_at_odd_spaces


def split_unknown(fields: Sequence[UnusedField]) -> tuple[list[UnusedField], list[UnusedField]]:
    """Return the fields that scheduling does not use, and the fields that Kubernetes does not have.

    Whole kinds and columns of CSV files belong to the first list.
    """
    unused: list[UnusedField] = []
    wrong: list[UnusedField] = []
    for field in fields:
        is_known = not field.path or not field.key or is_field(field.kind, field.path)
        (unused if is_known else wrong).append(field)
    return unused, wrong


def is_field(kind: str, path: str) -> bool:
    """Return True if objects of the kind may have the field, or if the type of the kind is unknown.

    `path` has the form of `kube_objects.unused`: `spec.containers[].env`.
    """
    found = _beside(kind, path)
    return not found or path.rpartition(".")[2] in found


def hint(kind: str, path: str) -> str:
    """Return `did you mean "nodeSelector"?`, a note about odd spaces, or "" if no field has a similar name."""
    name = path.rpartition(".")[2]
    return hint_at_odd_spaces(name) or did_you_mean(name, _beside(kind, path))


def _beside(kind: str, path: str) -> list[str]:
    """Return the names that are valid at the end of the path, or [] if any name is."""
    try:
        struct = go_types.struct_of(by_kind(kind))
    except KeyError:
        return []
    for name in path.split(".")[:-1]:
        field = None if struct is None else struct.fields.get(name.removesuffix("[]"))
        shape = None if field is None else field.shape
        while shape is not None and shape.struct is None and shape.item is not None:
            shape = shape.item
        struct = None if shape is None else shape.struct
    return [] if struct is None else list(struct.fields)
