"""RawArgs: args of a plugin without an args type."""

import json
from dataclasses import dataclass
from typing import Any

from kube_objects.text.json_node import parse_json
from kube_objects.text.node import compact
from scheduler_core.config.limits import LIMITS


@dataclass(frozen=True, slots=True)
class RawArgs:
    """The JSON text of the args, as upstream stores it."""

    text: str

    @property
    def value(self) -> Any:
        """Return the args as plain Python data."""
        return json.loads(self.text)

    @property
    def compact(self) -> str:
        """Return the JSON text without spaces, as Go writes it."""
        return compact(parse_json(self.text, LIMITS))
