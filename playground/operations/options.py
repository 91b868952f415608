"""The settings in effect, as an operator may see them: secrets are told to be there, never shown."""

import dataclasses
import re
from pathlib import Path
from typing import Any

from django.conf import settings

from playground import limits

SECRET = frozenset({"secret_key", "operator_token"})
ADDRESSES = frozenset({"database_url", "redis_url"})


def in_effect() -> dict[str, Any]:
    """`{settings: {NAME: value}, limits: {NAME: value}}`; names of settings are those of the environment."""
    values = dataclasses.asdict(settings.ENVIRONMENT)
    # Who can reach the playground is read from settings of their own.
    reach = values.pop("reach")
    shown = values | reach
    return {
        "settings": {name.upper(): _shown(name, value) for name, value in sorted(shown.items())},
        "limits": {name: value for name, value in sorted(vars(limits).items()) if name.isupper()},
    }


def _shown(name: str, value: Any) -> Any:
    if name in SECRET:
        return "(set)" if value else ""
    if name in ADDRESSES:
        return without_password(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value) if isinstance(value, Path) else value


def without_password(url: str) -> str:
    """An address with `***` for what follows the user's name, and for its query."""
    return re.sub(r"\?.*", "?***", re.sub(r"^([^:/]+://[^:/@]*):.*@", r"\1:***@", url))
