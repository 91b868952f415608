"""Translate sentences of engine and server into the language of the request, which Django's middleware has chosen."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, to_locale

from kube_objects import languages

# Unicode's marks, embeddings, overrides and isolates of direction (Bidi_Control).
DIRECTION_CHARACTERS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def translate_sentence() -> languages.Catalogue:
    """Return the catalogue of the request's language."""
    return languages.catalogue(to_locale(get_language() or languages.ENGLISH), Path(settings.LOCALE_PATHS[0]))


def in_words(text: str | Mapping[str, Any]) -> str:
    """Translate a sentence. Plain text, such as a message of Kubernetes, stays as it is."""
    return languages.render(text, translate_sentence())


def translate_answer(data: Any) -> Any:
    """Translate the sentences in an answer into the language of the request."""
    return languages.rendered(data, translate_sentence())
