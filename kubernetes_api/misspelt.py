"""Fields that no type of Kubernetes has, and which was probably meant."""

from kubernetes_api.resources import by_kind
from kubernetes_api.writes import go_types
from scheduler_core.text.hints import did_you_mean


def is_field(kind: str, path: str) -> bool:
    """Whether objects of the kind may have it; so may those of kinds whose types are not known.

    `path`: as `scheduler_core.objects.unused` has it, `spec.containers[].env`.
    """
    found = _beside(kind, path)
    return not found or path.rpartition(".")[2] in found


def hint(kind: str, path: str) -> str:
    """`did you mean "nodeSelector"?`, "" where nothing is near."""
    return did_you_mean(path.rpartition(".")[2], _beside(kind, path))


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
