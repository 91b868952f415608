"""Data model of a lesson. Texts exist once per language, everything else once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.text.problems import Problem
from scheduler_core.emulations import ORIGINAL_VERSION


class LessonError(ValueError):
    """Error for an invalid lesson, with all problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(slots=True, frozen=True)
class Prose:
    """Markdown text without directives."""

    markdown: str


@dataclass(slots=True, frozen=True)
class Directive:
    """A block `:::name argument` … `:::` that the UI acts on; users see its `hints` one after the other."""

    name: str
    argument: str
    markdown: str
    hints: tuple[str, ...] = ()
    line: int = 0


Block = Prose | Directive


@dataclass(slots=True, frozen=True)
class Step:
    """One page of a lesson; `id` is the same in every language."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    line: int = 0

    @property
    def directives(self) -> tuple[Directive, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Directive))


@dataclass(slots=True, frozen=True)
class LocalizedLesson:
    """A lesson in one language; `question` is a typical user question."""

    language: str
    title: str
    question: str
    summary: str
    steps: tuple[Step, ...]


@dataclass(slots=True, frozen=True)
class Check:
    """A condition that a step waits for, a prediction that it asks for, or a task that it sets.

    `form` is `wait`, `predict` or `task`; `body` is as in checks.yaml. `model` are the commands of a model solution.
    """

    id: str
    form: str
    body: Mapping[str, Any]
    model: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True, frozen=True)
class LessonScenario:
    """A lesson's initial cluster, after the commands in `setup`.

    `only_because` is the reason why the lesson needs exactly the version that it names, "" if it does not.
    """

    objects: Sequence[Mapping[str, Any]]
    seed: int = 0
    config: str | None = None
    emulates: str = ORIGINAL_VERSION.version
    only_because: str = ""
    setup: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True, frozen=True)
class Lesson:
    """A lesson; `level` is 1 to 3, `minutes` its duration.

    `issues` are numbers of kubernetes/kubernetes issues in which users asked the question. `after` are slugs of the
    lessons that prepare for this one.
    """

    slug: str
    level: int
    minutes: int
    issues: Sequence[int]
    scenario: LessonScenario
    checks: Mapping[str, Check]
    texts: Mapping[str, LocalizedLesson] = field(default_factory=dict)
    after: Sequence[str] = ()
