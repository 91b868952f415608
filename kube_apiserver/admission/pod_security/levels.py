"""What the labels of a namespace ask of its pods. Source: pod-security-admission/api PolicyToEvaluate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

PRIVILEGED, BASELINE, RESTRICTED = LEVELS = ("privileged", "baseline", "restricted")
LATEST = "latest"
Wrong = tuple[str, str, str]
"""A path, the value there and the rule that it breaks."""
_PREFIX = "pod-security.kubernetes.io/"
_ENFORCE, _AUDIT, _WARN = "enforce", "audit", "warn"
_VERSION = re.compile(r"v1\.(0|[1-9][0-9]{0,5})")
_NO_LEVEL = f"must be one of {', '.join(LEVELS)}"
_NO_VERSION = 'must be "latest" or "v1.x"'


@dataclass(frozen=True, slots=True)
class Level:
    """As much as is asked for, and by the rules of which version."""

    name: str = PRIVILEGED
    version: str = LATEST

    @property
    def strictness(self) -> int:
        return LEVELS.index(self.name)

    def minor(self, newest: int) -> int:
        """The version's number, at most the newest that has rules of its own."""
        return newest if self.version == LATEST else min(newest, int(self.version.removeprefix("v1.")))

    def __str__(self) -> str:
        return f"{self.name}:{self.version}"


@dataclass(frozen=True, slots=True)
class Policy:
    """`problems`: what is wrong with the labels; then the strictest is enforced, and nothing is warned of."""

    enforce: Level
    warn: Level
    problems: tuple[Wrong, ...] = ()


def are_any(labels: Mapping[str, str]) -> bool:
    """Whether they ask for anything: most namespaces let everything in."""
    return any(name.startswith(_PREFIX) for name in labels)


def of(labels: Mapping[str, str]) -> Policy:
    problems: list[Wrong] = []
    found = {mode: _level(labels, mode, problems) for mode in (_ENFORCE, _AUDIT, _WARN)}
    enforce, warn = found[_ENFORCE], found[_WARN]
    level = labels.get(f"{_PREFIX}{_ENFORCE}")
    if f"{_PREFIX}{_WARN}" not in labels and level in LEVELS and enforce.strictness > warn.strictness:
        warn = replace(warn, name=enforce.name)
        if f"{_PREFIX}{_WARN}-version" not in labels:
            warn = enforce
    return Policy(enforce, warn, tuple(problems))


def _level(labels: Mapping[str, str], mode: str, problems: list[Wrong]) -> Level:
    found = Level()
    name, version = (labels.get(f"{_PREFIX}{mode}{part}") for part in ("", "-version"))
    if name in LEVELS:
        found = replace(found, name=name)
    elif name is not None:
        # What cannot be read is enforced as the strictest.
        found = replace(found, name=RESTRICTED if mode == _ENFORCE else PRIVILEGED)
        problems.append((f"metadata.labels[{_PREFIX}{mode}]", name, _NO_LEVEL))
    if version is not None and (version == LATEST or _VERSION.fullmatch(version)):
        found = replace(found, version=version)
    elif version is not None:
        problems.append((f"metadata.labels[{_PREFIX}{mode}-version]", version, _NO_VERSION))
    return found
