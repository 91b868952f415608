"""A Pod for the checks of Pod Security, and the wording of their messages."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_apiserver.admission.pod_parts import CONTAINERS

Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pod:
    """A Pod and the minor version of the rules."""

    metadata: Object
    spec: Object
    minor: int

    @property
    def context(self) -> Object:
        return self.spec.get("securityContext") or {}

    @property
    def is_of_windows(self) -> bool:
        return (self.spec.get("os") or {}).get("name") == "windows"

    @property
    def has_users_of_its_own(self) -> bool:
        """Return True if a user namespace makes some checks of v1.35 and later unnecessary."""
        return self.minor >= 35 and self.spec.get("hostUsers") is False

    def containers(self) -> Iterator[tuple[Object, Object]]:
        """Yield each container with its security context."""
        for part in CONTAINERS:
            for each in self.spec.get(part) or ():
                yield each, each.get("securityContext") or {}

    def named(self, is_bad: Callable[[Object, Object], bool]) -> list[str]:
        """Return the names of the containers for which `is_bad` returns True."""
        return [str(each.get("name") or "") for each, context in self.containers() if is_bad(each, context)]


def quoted(items: Iterable[str]) -> str:
    return ", ".join(f'"{each}"' for each in items)


def several(items: Sequence[str], singular: str, plural: str = "") -> str:
    return singular if len(items) == 1 else plural or f"{singular}s"


def containers(named: Sequence[str]) -> str:
    return f"{several(named, 'container')} {quoted(named)}"


def setters(is_pod: bool, named: Sequence[str]) -> str:
    """Return the subject of a message: "pod", containers, or both; "" for neither."""
    return " and ".join([*(["pod"] if is_pod else ()), *([containers(named)] if named else ())])
