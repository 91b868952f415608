"""ArgsRules: type, defaults, validation and help of one plugin's args."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.text.problems import Problem
from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.errors import BuildError
from scheduler_core.config.field_errors import aggregate, distinct
from scheduler_core.config.help import FieldHelp
from scheduler_core.config.wording import Words, reworded, unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgsRules:
    """One plugin's args. `check` takes the path under which it reports problems.

    `struct` has the defaults. `wrong_type` is the plugin's message for args of another type. `validated` is False if
    only the plugin itself checks its args; `finish` raises BuildError for what it finds last. `repeats` keeps duplicate
    problems. `words` adapts v1.34's messages to a release. `help` is for the fields of `struct` and of structs in it.
    """

    struct: type[Any]
    check: Callable[[str, Any], Iterator[Problem]]
    wrong_type: str
    validated: bool = True
    repeats: bool = False
    words: Words = unchanged
    finish: Callable[[Any], None] = lambda _: None
    help: Mapping[type[Any], FieldHelp] = field(default_factory=dict)

    def problems(self, path: str, args: Any) -> list[Problem]:
        problems = (reworded(problem, self.words) for problem in self.check(path, args))
        return list(problems) if self.repeats else distinct(problems)

    def build(self, args: Any) -> None:
        """Check the args as the plugin's New does. Raises BuildError with upstream's message."""
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
