"""The JSON renderer of the API."""

from typing import Any

from rest_framework.renderers import JSONRenderer

from playground.request_language import translate_answer


class Renderer(JSONRenderer):
    """A renderer that translates the sentences of every answer, so that views need not."""

    def render(self, data: Any, *args: Any, **named: Any) -> Any:
        return super().render(translate_answer(data), *args, **named)
