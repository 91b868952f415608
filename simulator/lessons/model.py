"""What a lesson is made of. Texts exist once a language, everything that is checked exists once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.text.problems import Problem
from scheduler_core.emulations import ORIGINAL_VERSION


class LessonError(ValueError):
    """A lesson that cannot be used; carries every problem found, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(slots=True, frozen=True)
class Prose:
    """Markdown to read."""

    markdown: str


@dataclass(slots=True, frozen=True)
class Directive:
    """`:::name argument` … `:::`: something that the page does or asks; `hints` are shown one after the other."""

    name: str
    argument: str
    markdown: str
    hints: tuple[str, ...] = ()
    line: int = 0


Block = Prose | Directive


@dataclass(slots=True, frozen=True)
class Step:
    """One screen of a lesson; `id` is the same in every language."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    line: int = 0

    @property
    def directives(self) -> tuple[Directive, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Directive))


@dataclass(slots=True, frozen=True)
class Text:
    """A lesson in one language. `question` is what users ask, in their words."""

    language: str
    title: str
    question: str
    summary: str
    steps: tuple[Step, ...]


@dataclass(slots=True, frozen=True)
class Check:
    """What a step waits for, asks or sets as a task; `form` is one of them, `body` as in checks.yaml.

    `model` are the commands by which a reader would get there.
    """

    id: str
    form: str
    body: Mapping[str, Any]
    model: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True, frozen=True)
class Scenario:
    """The cluster that a lesson begins with, after the commands in `setup`.

    `only_because` says why it cannot be taken under another version than the one that it names; "" where it can.
    """

    objects: Sequence[Mapping[str, Any]]
    seed: int = 0
    config: str | None = None
    emulates: str = ORIGINAL_VERSION.version
    only_because: str = ""
    setup: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True, frozen=True)
class Lesson:
    """`level` 1 to 3; `minutes` to take; `issues` are numbers of kubernetes/kubernetes where users asked.

    `after` are the slugs of the lessons that lead to this one.
    """

    slug: str
    level: int
    minutes: int
    issues: Sequence[int]
    scenario: Scenario
    checks: Mapping[str, Check]
    texts: Mapping[str, Text] = field(default_factory=dict)
    after: Sequence[str] = ()
