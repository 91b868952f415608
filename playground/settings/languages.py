"""The languages of the page and the API: English, and those with a catalog in `locale/`."""

from pathlib import Path

from django.conf.locale import LANG_INFO
from django.utils.translation import to_language

from kube_objects.languages import ENGLISH, languages


def spoken(locale: Path) -> list[tuple[str, str]]:
    """Return (code, own name) of the languages, English first; the code is the name of a language unknown to Django."""
    codes = [ENGLISH, *map(to_language, languages(locale))]
    named = [(code, str(LANG_INFO.get(code, {}).get("name_local", code))) for code in codes]
    return sorted(named, key=lambda each: (each[0] != ENGLISH, each[1]))
