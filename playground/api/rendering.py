"""The JSON of every answer of the API."""

from typing import Any

from rest_framework.renderers import JSONRenderer

from playground.language import answer


class Renderer(JSONRenderer):
    """Every answer of the API passes here: no view needs to know of languages."""

    def render(self, data: Any, *args: Any, **named: Any) -> Any:
        return super().render(answer(data), *args, **named)
