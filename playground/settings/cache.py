"""What the cache holds is JSON: who can write to Redis must not be able to have a web process run what he wrote."""

import json
from typing import Any


class JsonSerializer:
    """For Django's RedisCache. Whole numbers stay bare, because Redis itself counts them up."""

    def dumps(self, value: Any) -> Any:
        return value if type(value) is int else json.dumps(value)

    def loads(self, data: bytes) -> Any:
        return json.loads(data)
