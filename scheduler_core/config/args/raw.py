"""Args of a plugin that kube-scheduler has no type for."""

import json
from dataclasses import dataclass
from typing import Any

from kube_objects.text.json_node import parse_json
from kube_objects.text.node import compact
from scheduler_core.config.limits import LIMITS


@dataclass(frozen=True, slots=True)
class RawArgs:
    """The JSON text as upstream keeps it."""

    text: str

    @property
    def value(self) -> Any:
        """The args as plain Python data."""
        return json.loads(self.text)

    @property
    def compact(self) -> str:
        """The JSON text without spaces, as Go writes it."""
        return compact(parse_json(self.text, LIMITS))
