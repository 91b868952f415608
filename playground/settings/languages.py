"""The languages of the page and the API: English, and those that there are catalogues of in `locale/`."""

from pathlib import Path

from django.conf.locale import LANG_INFO
from django.utils.translation import to_language

from kube_objects.languages import ENGLISH, languages


def spoken(locale: Path) -> list[tuple[str, str]]:
    """(code, what it calls itself), English first; a language that Django does not know is called by its code."""
    codes = [ENGLISH, *map(to_language, languages(locale))]
    named = [(code, str(LANG_INFO.get(code, {}).get("name_local", code))) for code in codes]
    return sorted(named, key=lambda each: (each[0] != ENGLISH, each[1]))
