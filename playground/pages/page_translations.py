"""The page's translations in two parts: for the first screen, and for everything else."""

import json
from functools import cache
from typing import Any

from django.conf import settings
from django.http import JsonResponse
from django.views.i18n import JavaScriptCatalog, JSONCatalog


@cache
def _first() -> frozenset[str]:
    """Return the texts that `make messages` extracted from the modules of the first screen."""
    return frozenset(json.loads((settings.BASE_DIR / "locale" / "first.json").read_text(encoding="utf-8")))


class FirstWords(JavaScriptCatalog):
    """A script with the translations of the first screen and the functions to look them up."""

    def get_catalog(self) -> dict[str, Any]:
        return {text: translation for text, translation in super().get_catalog().items() if text in _first()}


class LaterWords(JSONCatalog):
    """The other translations, which are added to the script's catalog."""

    def get_catalog(self) -> dict[str, Any]:
        return {text: translation for text, translation in super().get_catalog().items() if text not in _first()}

    def render_to_response(self, context: dict[str, Any], **response_kwargs: Any) -> JsonResponse:
        # Without escapes, Chinese and Korean texts are smaller.
        return JsonResponse({"catalog": context["catalog"]}, json_dumps_params={"ensure_ascii": False})
