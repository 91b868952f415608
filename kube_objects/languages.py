"""Sentences in the reader's language: the catalogs of `locale/`, one for each language."""

import gettext
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from kube_objects.sentences import Sentence, fill, shown

ENGLISH = "en"
DOMAIN = "djangojs"


class Catalogue(Protocol):
    """A source of translations: a catalog of `gettext` or of Django."""

    def gettext(self, message: str) -> str: ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str: ...


def render(sentence: str | Mapping[str, Any], words: Catalogue) -> str:
    """Return a sentence, or its JSON, in the language of the catalog. Plain text is returned as it is."""
    if isinstance(sentence, str):
        if not isinstance(sentence, Sentence):
            return sentence
        sentence = sentence.data
    args = {
        name: render(value, words) if isinstance(value, Mapping) else value for name, value in sentence["args"].items()
    }
    template = sentence["template"]
    if "plural" in sentence:
        translated = words.ngettext(template, sentence["plural"], sentence["count"])
    else:
        translated = words.gettext(template)
    if sentence.get("upstream"):
        text = str(sentence["text"])
        return text if translated == template else f"{text} ({fill(translated, shown(args))})"
    return fill(translated, shown(args))


def rendered(answer: Any, words: Catalogue) -> Any:
    """Return the answer with all its sentences rendered, also those listed in `said`.

    `said` maps names of plain text fields to the sentences that they contain.
    """
    if isinstance(answer, Mapping):
        if "template" in answer and "args" in answer:
            return {**answer, "text": render(answer, words)}
        sentences = answer.get("said", {})
        is_whole = isinstance(sentences, Mapping) and all(isinstance(each, Mapping) for each in sentences.values())
        whole = sentences if is_whole else {}
        shown = {
            name: rendered(value, words) for name, value in answer.items() if name != "said" or whole is not sentences
        }
        return shown | {name: render(sentence, words) for name, sentence in whole.items()}
    if isinstance(answer, list | tuple):
        # Columns of numbers, as long as there are nodes, hold no sentence.
        return answer if answer and isinstance(answer[0], int | float) else [rendered(each, words) for each in answer]
    return render(answer, words) if isinstance(answer, Sentence) else answer


def folder() -> Path:
    """Return the folder of the catalogs: `locale/` in a clone, or the package's copy in a wheel."""
    root = Path(__file__).resolve().parent.parent
    shipped = root / "playground" / "shipped" / "locale"
    return shipped if shipped.is_dir() else root / "locale"


def languages(where: Path) -> list[str]:
    """Return the languages that have a catalog, in the form of `locale/` (`zh_Hans`), without English."""
    return sorted(path.parent.parent.name for path in where.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))


@cache
def catalogue(language: str, where: Path) -> Catalogue:
    """Return the catalog of a language in the form of `locale/` or the environment (`ko_KR.UTF-8`); English
    by default.
    """
    wanted = language.split(".")[0].split("@")[0]
    available = languages(where)
    for name in (wanted, _SCRIPTS.get(wanted, ""), wanted.split("_")[0], *_of_family(wanted, available)):
        if name in available:
            return gettext.translation(DOMAIN, where, [name])
    return gettext.NullTranslations()


# Chinese is written in two ways, and the environment names the place.
_SCRIPTS = {"zh": "zh_Hans", "zh_CN": "zh_Hans", "zh_SG": "zh_Hans"}


def _of_family(wanted: str, there: list[str]) -> list[str]:
    return [name for name in there if name.split("_")[0] == wanted.split("_")[0]] if "_" not in wanted else []


def of_environment(environ: Mapping[str, str]) -> str:
    """Return the language that the environment requests, in gettext's order; English by default."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return value.split(":")[0]
    return ENGLISH
