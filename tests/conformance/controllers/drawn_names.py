"""Random names, in the form of recordings: `<rand>`. Hashes of templates stay."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kube_controllers.hashing import LETTERS

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class Names:
    """Replacement of random names in one sequence; `owners` are the prefixes of Pods' names."""

    def __init__(self) -> None:
        self._owners: dict[str, re.Pattern[str]] = {}

    def know_owners(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._owners:
                self._owners[name] = re.compile(rf"(?<![\w-])({re.escape(name)}-(?:\d+-)?)[{LETTERS}]{{5}}(?![\w-])")

    def plain(self, text: str) -> str:
        text = _UUID.sub("<uid>", text)
        for pattern in self._owners.values():
            text = pattern.sub(r"\1<rand>", text)
        return text

    def plain_in(self, value: Any) -> Any:
        """Replace names in all texts of a JSON value, keys of objects included."""
        if isinstance(value, str):
            return self.plain(value)
        if isinstance(value, Mapping):
            return {self.plain(str(key)): self.plain_in(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain_in(one) for one in value]
        return value
