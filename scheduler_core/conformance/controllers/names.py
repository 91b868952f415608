"""Names that are drawn or hashed, as recordings write them: `<rand>`, and hashes by the order in which they came."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.actors.hashing import LETTERS

_LAST = 2**63
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HASH = re.compile(rf"\b(\S+)-([{LETTERS}]{{4,10}})$")

_TO_BE_MADE = re.compile(r'new replica set "([^"]+)"')


def told_of(state: Mapping[str, Any]) -> list[tuple[int, str]]:
    """As for `know_hashed`, after all revisions: what conditions of deployments say could not be made."""
    messages = (str(line[3]) for one in state.get("deployments", {}).values() for line in one.get("conditions", ()))
    return [(_LAST, name) for message in messages for name in _TO_BE_MADE.findall(message)]


class Names:
    """What stands in one sequence; `owners` are the names that pods' names are made of."""

    def __init__(self) -> None:
        self._hashes: dict[str, str] = {}
        self._owners: dict[str, re.Pattern[str]] = {}

    def know_owners(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._owners:
                self._owners[name] = re.compile(rf"(?<![\w-])({re.escape(name)}-(?:\d+-)?)[{LETTERS}]{{5}}(?![\w-])")

    def know_hashed(self, names: Sequence[tuple[int, str]]) -> None:
        """Revisions with their names; those that are new get the next numbers, in the order of their revisions."""
        for _, name in sorted(names):
            found = _HASH.search(name)
            if found is not None:
                self._hashes.setdefault(found[2], f"<hash{len(self._hashes) + 1}>")

    def plain(self, text: str) -> str:
        text = _UUID.sub("<uid>", text)
        for pattern in self._owners.values():
            text = pattern.sub(r"\1<rand>", text)
        for found, number in self._hashes.items():
            text = re.sub(rf"-{found}\b", f"-{number}", text)
        return text

    def plain_in(self, value: Any) -> Any:
        """The same in all texts of a JSON value, keys of objects among them."""
        if isinstance(value, str):
            return self.plain(value)
        if isinstance(value, Mapping):
            return {self.plain(str(key)): self.plain_in(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain_in(one) for one in value]
        return value
