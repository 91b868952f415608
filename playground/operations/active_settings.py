"""The active settings for operators: secrets are masked."""

import dataclasses
import re
from pathlib import Path
from typing import Any

from django.conf import settings

from playground import limits

SECRET = frozenset({"secret_key", "operator_token"})
ADDRESSES = frozenset({"database_url", "redis_url"})


def read_active_settings() -> dict[str, Any]:
    """Return `{settings: {NAME: value}, limits: {NAME: value}}`; settings are named like environment variables."""
    values = dataclasses.asdict(settings.ENVIRONMENT)
    # The fields of `reach` are settings of their own.
    reach = values.pop("reach")
    shown = values | reach
    return {
        "settings": {name.upper(): _mask(name, value) for name, value in sorted(shown.items())},
        "limits": {name: value for name, value in sorted(vars(limits).items()) if name.isupper()},
    }


def _mask(name: str, value: Any) -> Any:
    if name in SECRET:
        return "(set)" if value else ""
    if name in ADDRESSES:
        return without_password(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value) if isinstance(value, Path) else value


def without_password(url: str) -> str:
    """Return an address with `***` in place of its password and query."""
    return re.sub(r"\?.*", "?***", re.sub(r"^([^:/]+://[^:/@]*):.*@", r"\1:***@", url))
