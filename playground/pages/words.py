"""The page's words in two parts: those of the first screen, and those that come when something else is opened."""

import json
from functools import cache
from typing import Any

from django.conf import settings
from django.http import JsonResponse
from django.views.i18n import JavaScriptCatalog, JSONCatalog


@cache
def _first() -> frozenset[str]:
    """What `make messages` found in the modules that the page begins with."""
    return frozenset(json.loads((settings.BASE_DIR / "locale" / "first.json").read_text(encoding="utf-8")))


class FirstWords(JavaScriptCatalog):
    """A script, with what looks words up."""

    def get_catalog(self) -> dict[str, Any]:
        return {text: translation for text, translation in super().get_catalog().items() if text in _first()}


class LaterWords(JSONCatalog):
    """To be added to the catalogue of the script."""

    def get_catalog(self) -> dict[str, Any]:
        return {text: translation for text, translation in super().get_catalog().items() if text not in _first()}

    def render_to_response(self, context: dict[str, Any], **response_kwargs: Any) -> JsonResponse:
        # Escaped, Chinese and Korean take a tenth more, packed as well.
        return JsonResponse({"catalog": context["catalog"]}, json_dumps_params={"ensure_ascii": False})
