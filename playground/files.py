"""Data as files for people: YAML or JSON."""

import json
from typing import Any

import yaml

# libyaml writes ten times faster; it comes with PyYAML's wheels, not with every build of it.
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write(data: dict[str, Any], form: str) -> str:
    """`data` as text; `form` is "yaml" or "json"."""
    if form == "json":
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    text: str = yaml.dump(data, Dumper=_DUMPER, sort_keys=False, allow_unicode=True)
    return text
