"""The cache's serializer. It uses JSON, because unpickling data from Redis would let its writers run code."""

import json
from typing import Any


class JsonSerializer:
    """A serializer for Django's RedisCache. Integers stay bare, because Redis increments them itself."""

    def dumps(self, value: Any) -> Any:
        return value if type(value) is int else json.dumps(value)

    def loads(self, data: bytes) -> Any:
        return json.loads(data)
