"""The events of a YAML text. libyaml reads it where PyYAML has it, PyYAML's own parser where not."""

from collections.abc import Iterator
from typing import Any

import yaml

_LOADER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


def yaml_events(text: str) -> Iterator[Any]:
    """Raises yaml.YAMLError where the text goes wrong."""
    get_event = _LOADER(text).get_event
    while (event := get_event()) is not None:
        yield event
