"""Fields that no type of Kubernetes has, and which was probably meant."""

from collections.abc import Sequence

from kube_apiserver.resources import by_kind
from kube_apiserver.writes import go_types
from kube_objects.collect import UnusedField
from kube_objects.text.hints import did_you_mean, hint_at_odd_spaces


def split(fields: Sequence[UnusedField]) -> tuple[list[UnusedField], list[UnusedField]]:
    """Return the fields that scheduling does not use, and those that Kubernetes does not have.

    Whole kinds, and columns of CSV files, which are no fields, are among the former.
    """
    unused: list[UnusedField] = []
    wrong: list[UnusedField] = []
    for field in fields:
        is_known = not field.path or not field.key or is_field(field.kind, field.path)
        (unused if is_known else wrong).append(field)
    return unused, wrong


def is_field(kind: str, path: str) -> bool:
    """Whether objects of the kind may have it; so may those of kinds whose types are not known.

    `path`: as `kube_objects.unused` has it, `spec.containers[].env`.
    """
    found = _beside(kind, path)
    return not found or path.rpartition(".")[2] in found


def hint(kind: str, path: str) -> str:
    """Return `did you mean "nodeSelector"?`, "" where nothing is near. A name with odd spaces says so."""
    name = path.rpartition(".")[2]
    return hint_at_odd_spaces(name) or did_you_mean(name, _beside(kind, path))


def _beside(kind: str, path: str) -> list[str]:
    """The fields that may stand where the path's last one does; none where anything may."""
    try:
        struct = go_types.of_resource(by_kind(kind))
    except KeyError:
        return []
    for name in path.split(".")[:-1]:
        field = None if struct is None else struct.fields.get(name.removesuffix("[]"))
        shape = None if field is None else field.shape
        while shape is not None and shape.struct is None and shape.item is not None:
            shape = shape.item
        struct = None if shape is None else shape.struct
    return [] if struct is None else list(struct.fields)
