"""Sentences in the language of whoever reads them: the catalogues of `locale/`, one for each language."""

import gettext
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from kube_objects.sentences import Sentence, fill, shown

ENGLISH = "en"
DOMAIN = "djangojs"


class Catalogue(Protocol):
    """What knows translations: one of `gettext`, or of Django."""

    def gettext(self, message: str) -> str: ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str: ...


def render(sentence: str | Mapping[str, Any], words: Catalogue) -> str:
    """A sentence, as itself or as JSON, in the language of the catalogue. Plain text stays as it is."""
    if isinstance(sentence, str):
        if not isinstance(sentence, Sentence):
            return sentence
        sentence = sentence.data
    args = {
        name: render(value, words) if isinstance(value, Mapping) else value for name, value in sentence["args"].items()
    }
    template = sentence["template"]
    if "plural" in sentence:
        found = words.ngettext(template, sentence["plural"], sentence["count"])
    else:
        found = words.gettext(template)
    if sentence.get("upstream"):
        return str(sentence["text"]) if found == template else f"{sentence['text']} ({fill(found, shown(args))})"
    return fill(found, shown(args))


def rendered(answer: Any, words: Catalogue) -> Any:
    """The answer with every sentence in it rendered: as itself, as JSON (its `text`), and what `said` says of others.

    `said` stands beside texts that are stored or handed on: it has the sentences that they are, by name.
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
    """Where the catalogues lie: beside the engine in a clone, among what a wheel ships otherwise."""
    root = Path(__file__).resolve().parent.parent
    shipped = root / "playground" / "shipped" / "locale"
    return shipped if shipped.is_dir() else root / "locale"


def languages(where: Path) -> list[str]:
    """The languages that there are catalogues of, as `locale/` names them (`zh_Hans`), besides English."""
    return sorted(path.parent.parent.name for path in where.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))


@cache
def catalogue(language: str, where: Path) -> Catalogue:
    """Of a language as `locale/` or the environment (`ko_KR.UTF-8`) names it; English where there is none."""
    wanted = language.split(".")[0].split("@")[0]
    there = languages(where)
    for name in (wanted, _SCRIPTS.get(wanted, ""), wanted.split("_")[0], *_of_family(wanted, there)):
        if name in there:
            return gettext.translation(DOMAIN, where, [name])
    return gettext.NullTranslations()


# Chinese is written in two ways, and the environment names the place.
_SCRIPTS = {"zh": "zh_Hans", "zh_CN": "zh_Hans", "zh_SG": "zh_Hans"}


def _of_family(wanted: str, there: list[str]) -> list[str]:
    return [name for name in there if name.split("_")[0] == wanted.split("_")[0]] if "_" not in wanted else []


def of_environment(environ: Mapping[str, str]) -> str:
    """The language that a program is asked to speak, in gettext's own order; English where nothing is said."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return value.split(":")[0]
    return ENGLISH
