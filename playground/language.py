"""What engine and server say, in the language of the request: Django's middleware has worked out which that is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, to_locale

from kube_objects import languages

# Unicode's marks, embeddings, overrides and isolates of direction (Bidi_Control).
TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def words() -> languages.Catalogue:
    """The catalogue of the request's language."""
    return languages.catalogue(to_locale(get_language() or languages.ENGLISH), Path(settings.LOCALE_PATHS[0]))


def in_words(text: str | Mapping[str, Any]) -> str:
    """A sentence; plain text, such as upstream's or what an older playground stored, stays as it is."""
    return languages.render(text, words())


def answer(found: Any) -> Any:
    """An answer with the sentences in it in the language of the request."""
    return languages.rendered(found, words())
