"""The Pod Security levels in the labels of a namespace. Source: pod-security-admission/api PolicyToEvaluate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

PRIVILEGED, BASELINE, RESTRICTED = LEVELS = ("privileged", "baseline", "restricted")
LATEST = "latest"
Wrong = tuple[str, str, str]
"""Path, value, and the rule that the value breaks."""
_PREFIX = "pod-security.kubernetes.io/"
_ENFORCE, _AUDIT, _WARN = "enforce", "audit", "warn"
_VERSION = re.compile(r"v1\.(0|[1-9][0-9]{0,5})")
_NO_LEVEL = f"must be one of {', '.join(LEVELS)}"
_NO_VERSION = 'must be "latest" or "v1.x"'


@dataclass(frozen=True, slots=True)
class Level:
    """A Pod Security level and the Kubernetes version of its rules."""

    name: str = PRIVILEGED
    version: str = LATEST

    @property
    def strictness(self) -> int:
        return LEVELS.index(self.name)

    def minor(self, newest: int) -> int:
        """Return the minor version of the rules, at most `newest`."""
        return newest if self.version == LATEST else min(newest, int(self.version.removeprefix("v1.")))

    def __str__(self) -> str:
        return f"{self.name}:{self.version}"


@dataclass(frozen=True, slots=True)
class Policy:
    """The levels of a namespace. `problems` has invalid labels: then `restricted` is enforced without warnings."""

    enforce: Level
    warn: Level
    problems: tuple[Wrong, ...] = ()


def are_any(labels: Mapping[str, str]) -> bool:
    """Return True if a label sets a level. Most namespaces have no such label."""
    return any(name.startswith(_PREFIX) for name in labels)


def policy_of(labels: Mapping[str, str]) -> Policy:
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
    level = Level()
    name, version = (labels.get(f"{_PREFIX}{mode}{part}") for part in ("", "-version"))
    if name in LEVELS:
        level = replace(level, name=name)
    elif name is not None:
        # An unknown level is enforced as the strictest one.
        level = replace(level, name=RESTRICTED if mode == _ENFORCE else PRIVILEGED)
        problems.append((f"metadata.labels[{_PREFIX}{mode}]", name, _NO_LEVEL))
    if version is not None and (version == LATEST or _VERSION.fullmatch(version)):
        level = replace(level, version=version)
    elif version is not None:
        problems.append((f"metadata.labels[{_PREFIX}{mode}-version]", version, _NO_VERSION))
    return level
