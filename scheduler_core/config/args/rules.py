"""What the args of one plugin are: their type with its defaults, what is checked and when, what fields are for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.text.problems import Problem
from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.errors import BuildError
from scheduler_core.config.field_errors import aggregate, distinct
from scheduler_core.config.help import FieldHelp
from scheduler_core.config.wording import Words, as_it_is, reworded


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgsRules:
    """One plugin's args. `check` takes the path that its problems are reported under.

    `struct` made without arguments holds the defaults. `wrong_type` is what the plugin says to args of another type.
    `validated` is false where only the plugin itself looks at its args; `finish` raises BuildError for what it finds
    last. `repeats`: a problem is reported as often as it is found. `words` makes a release's own of the problems'
    texts, which are v1.34's. `help` is about the fields of the struct, and of those within it.
    """

    struct: type[Any]
    check: Callable[[str, Any], Iterator[Problem]]
    wrong_type: str
    validated: bool = True
    repeats: bool = False
    words: Words = as_it_is
    finish: Callable[[Any], None] = lambda _: None
    help: Mapping[type[Any], FieldHelp] = field(default_factory=dict)

    def problems(self, path: str, args: Any) -> list[Problem]:
        found = (reworded(problem, self.words) for problem in self.check(path, args))
        return list(found) if self.repeats else distinct(found)

    def build(self, args: Any) -> None:
        """What the plugin does with its args when it is made. Raises BuildError, with upstream's text."""
        if not isinstance(args, self.struct):
            raise BuildError(self.wrong_type.format(_go_type(args)))
        _refuse(self.problems("", args))
        self.finish(args)


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        path = problems[0].path if len(problems) == 1 else ""
        raise BuildError(aggregate(problems), path, "; ".join(p.hint for p in problems if p.hint))


def _go_type(args: Any) -> str:
    if args is None:
        return "<nil>"
    return "*runtime.Unknown" if isinstance(args, RawArgs) else f"*config.{type(args).__name__}"
