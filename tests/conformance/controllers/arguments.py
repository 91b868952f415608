"""The parsed words of a kubectl command: its verb, names and flags."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.controllers.flags import KNOWN, VALUED

SEPARATING = re.compile(r",(?![^()]*\))")  # none within parentheses
IN_SET = re.compile(r"\s*(?P<key>\S+)\s+(?P<not>not)?in\s*\((?P<values>[^()]*)\)\s*")
_UNKNOWN = "error: unknown {what}\nSee 'kubectl {verb} --help' for usage."
_FIELD = re.compile(r"([^=!]+)(==?|!=)([^=]*)")


class Fault(Exception):  # noqa: N818 - what kubectl itself says
    """Raised if kubectl prints this message and exits with `code`."""

    def __init__(self, message: str, code: int = 1) -> None:
        self.code = code
        super().__init__(message)


@dataclass(slots=True)
class Arguments:
    verb: str
    words: list[str]
    flags: dict[str, list[str]] = field(default_factory=dict)
    namespace: str = "default"
    command: Sequence[str] = ()  # what stands behind `--`

    @classmethod
    def parse(cls, words: Sequence[str]) -> "Arguments":
        plain: list[str] = []
        flags: dict[str, list[str]] = {}
        words = list(words)
        command = words[words.index("--") + 1 :] if "--" in words else []
        rest = iter(words[: len(words) - len(command) - ("--" in words)])
        for word in rest:
            if not word.startswith("-") or word == "-":
                plain.append(word)
                continue
            named, equals, value = word.lstrip("-").partition("=")
            if not equals and not word.startswith("--") and len(named) > 1 and named[0] in "nfolpLck":
                named, value = named[0], named[1:]
            elif named not in KNOWN:
                raise Fault(_UNKNOWN.format(what=_unknown(word), verb=plain[0] if plain else "kubectl"))
            elif not equals and named in VALUED:
                value = next(rest, "")
            flags.setdefault(named, []).append(value)
        found = cls(plain[0] if plain else "", plain[1:], flags, command=command)
        found.namespace = found.one("n", "namespace") or "default"
        return found

    def one(self, *names: str) -> str:
        return next((self.flags[name][-1] for name in names if name in self.flags), "")

    def all(self, *names: str) -> list[str]:
        return [value for name in names for value in self.flags.get(name, ())]

    def has(self, *names: str) -> bool:
        return any(name in self.flags and self.flags[name][-1] != "false" for name in names)

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Return True if `-l` selects the labels."""
        for part in filter(None, SEPARATING.split(self.one("l", "selector"))):
            if found := IN_SET.fullmatch(part):
                is_in = labels.get(found["key"]) in [one.strip() for one in found["values"].split(",")]
                if is_in == bool(found["not"]):
                    return False
            elif "!=" in part:
                named, _, value = part.partition("!=")
                if labels.get(named) == value:
                    return False
            elif "=" in part:
                named, _, value = part.replace("==", "=").partition("=")
                if labels.get(named) != value:
                    return False
            elif (part.lstrip("!") in labels) == part.startswith("!"):
                return False
        return True

    def has_fields(self, obj: Mapping[str, Any]) -> bool:
        """Return True if `--field-selector` selects the object."""
        for part in filter(None, self.one("field-selector").split(",")):
            found = _FIELD.fullmatch(part)
            if found is None:
                raise Fault(f"error: invalid field selector: {part}")
            path, sign, wanted = found.groups()
            value: Any = obj
            for step in path.split("."):
                value = value.get(step) if isinstance(value, Mapping) else None
            if (str(value or "") == wanted) == (sign == "!="):
                return False
        return True


def _unknown(word: str) -> str:
    if word.startswith("--"):
        return f"flag: {word.partition('=')[0]}"
    return f"shorthand flag: '{word[1]}' in {word}"
