"""What a form says of a field: a sentence, and the values that make sense."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Help:
    """`least` and `most` bound a number; `choices` are all there is. `inert`: kept for the export, without effect
    in a simulation. `hidden`: not offered in a form, since nothing may be said there."""

    text: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    inert: bool = False
    hidden: bool = False


HIDDEN = Help("", hidden=True)

# By the name of the field on the wire.
FieldHelp = Mapping[str, Help]
