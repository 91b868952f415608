"""Help for a configuration field in a form: a sentence, and the valid values."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Help:
    """The help for one field. `least` and `most` bound a number; `choices` are all valid values.

    `inert`: the field is exported, without effect in a simulation. `hidden`: the form doesn't offer the field.
    """

    text: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    inert: bool = False
    hidden: bool = False


HIDDEN = Help("", hidden=True)

# JSON name of the field → help.
FieldHelp = Mapping[str, Help]
