"""Sentences that can be translated: an English template, and what to put into its places.

Names, quantities and upstream's messages are never part of a template, so that translations leave them alone.
"""

from dataclasses import dataclass
from typing import Any

Sentence = dict[str, Any]
"""`{"text", "template", "args"}`: the English text, and what it was made of (args are text or whole numbers).

A sentence about a number has `plural` and `count` too: a catalogue has it as `ngettext(template, plural, count)`.
"""


class Template(str):
    """English with places like `{node}`. Calling it gives a Sentence; whole numbers get thousands separators."""

    __slots__ = ()

    def __call__(self, **args: str | int) -> Sentence:
        shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in args.items()}
        return {"text": self.format(**shown), "template": str(self), "args": args}


@dataclass(frozen=True, slots=True)
class Plural:
    """A template for one thing, and one for several; `{count}` says how many."""

    one: Template
    several: Template

    def __call__(self, count: int, **args: str | int) -> Sentence:
        sentence = (self.one if count == 1 else self.several)(count=count, **args)
        return sentence | {"template": str(self.one), "plural": str(self.several), "count": count}


def plural(one: str, several: str) -> Plural:
    return Plural(Template(one), Template(several))
