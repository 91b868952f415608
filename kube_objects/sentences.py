"""Sentences as data: an English template and the values of its placeholders.

A `Sentence` is a string with its English text, so records, logs and comparisons need no special handling. The UI
renders it with a catalog (`kube_objects.languages`). Names, quantities and messages of Kubernetes are never part of a
template, so that they are not translated. `tools/messages.py` collects the templates, which are literals in calls of
`say`, `quoted`, `Template` and `plural`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

Data = Annotated[dict[str, Any], "sentence"]
"""A sentence as JSON: `{"text", "template", "args"}`, the English text and what it was made of.

`args` are text, whole numbers, or sentences again. A sentence about a number has `plural` and `count` too: a catalogue
has it as `ngettext(template, plural, count)`. `upstream` marks words of Kubernetes: they stay, with a translation.
"""

PLACE = re.compile(r"\{(\w+)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its placeholders filled; one without a value stays as it is."""
    form, names = _form(template)
    return form % tuple([values.get(name, f"{{{name}}}") for name in names])


@lru_cache(maxsize=1024)
def _form(template: str) -> tuple[str, Sequence[str]]:
    """Return the template in the form that `%` fills, and the names of its placeholders."""
    pieces = [piece.replace("%", "%%") for piece in PLACE.split(template)]
    return "%s".join(pieces[::2]), tuple(pieces[1::2])


class Sentence(str):
    """The English text of a sentence, which knows what it was made of."""

    __slots__ = ("data",)
    data: Data

    def __new__(cls, data: Data) -> "Sentence":
        made = super().__new__(cls, data["text"])
        made.data = data
        return made

    def __str__(self) -> str:
        """Itself: the text of an error that was raised with a sentence is that sentence."""
        return self

    def __reduce__(self) -> tuple[type["Sentence"], tuple[Data]]:
        return Sentence, (self.data,)


def say(template: str, **values: object) -> Sentence:
    """Return a translatable sentence of this project.

    Values are formatted by `str`; sentences among them are translated, too.
    """
    args: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for name, value in values.items():
        texts[name] = text = str(value)
        args[name] = value.data if isinstance(value, Sentence) else text
    return Sentence({"text": fill(template, texts), "template": template, "args": args})


def quoted(template: str, **values: object) -> Sentence:
    """Return a sentence with Kubernetes' exact text. It stays in every language, with a translation beside it."""
    return Sentence(say(template, **values).data | {"upstream": True})


def joined(separator: str, *parts: str) -> str:
    """Several sentences as one; "" for none."""
    some = [part for part in parts if part]
    if len(some) < 2:
        return some[0] if some else ""
    places = {f"part{number}": part for number, part in enumerate(some, 1)}
    return say(separator.join(f"{{{name}}}" for name in places), **places)


def packed(sentence: str, most: int) -> str:
    """Return a sentence as text of limited length, for `unpacked`; its longest value is cut if necessary."""
    if not isinstance(sentence, Sentence):
        return sentence[:most]
    template, args = sentence.data["template"], dict(sentence.data["args"])
    while len(text := json.dumps([template, args], ensure_ascii=False)) > most:
        longest = max(args, key=lambda name: len(args[name]))
        # Half of what is too much: a quote takes two characters.
        args[longest] = args[longest][: -((len(text) - most + 1) // 2)]
    return text


def unpacked(text: str) -> str:
    """Return the packed sentence; any other text, such as upstream's, unchanged."""
    if not text.startswith('["'):
        return text
    template, args = json.loads(text)
    return say(template, **args)


def data_of(text: str) -> Data | None:
    """Return a sentence as JSON; None for plain text, such as messages of Kubernetes."""
    return text.data if isinstance(text, Sentence) else None


class Template(str):
    """An English template with placeholders such as `{node}`. A call returns the sentence as JSON."""

    __slots__ = ()

    def __call__(self, **args: str | int) -> Data:
        return {"text": fill(self, shown(args)), "template": str(self), "args": args}


@dataclass(frozen=True, slots=True)
class Plural:
    """A template for one thing, and one for several with `{count}`."""

    one: Template
    several: Template

    def __call__(self, count: int, **args: str | int) -> Data:
        sentence = (self.one if count == 1 else self.several)(count=count, **args)
        return sentence | {"template": str(self.one), "plural": str(self.several), "count": count}


def plural(one: str, several: str) -> Plural:
    return Plural(Template(one), Template(several))


def shown(args: Mapping[str, object]) -> dict[str, str]:
    """Return the values as they are displayed: 8152 as 8,152."""
    return {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in args.items()}
