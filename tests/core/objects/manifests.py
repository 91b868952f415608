"""Small manifests to invalidate, and the parser's problems with them."""

from typing import Any

from kube_objects.parse import parse_object
from kube_objects.text.problems import ObjectError

CONTAINER = {"name": "main"}


def pod(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [CONTAINER], **spec},
    }


def node(**parts: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, **parts}


def problems_of(manifest: dict[str, Any]) -> list[str]:
    try:
        parse_object(manifest)
    except ObjectError as error:
        return [str(problem) for problem in error.problems]
    return []
