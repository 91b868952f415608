"""The lessons that ship, rendered as HTML, and each user's progress. HTML in their Markdown is escaped."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, cast

from django.db.models import QuerySet

from playground.folders import ROOT
from playground.models import Cluster, LessonRun, SolvedLesson
from playground.response_types import Anything, named
from simulator.lessons.load import FIRST_LANGUAGE, read_lesson
from simulator.lessons.model import Directive, Lesson, LocalizedLesson
from simulator.lessons.showing import ShowAnswer, view_of_result

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

FOLDER = ROOT / "lessons"


class LessonAbout(TypedDict):
    slug: str
    language: str
    languages: list[str]
    title: str
    question: str
    summary: str
    level: int
    minutes: int
    emulates: str
    issues: list[int]
    after: list[str]
    total: int


class LessonRunProgress(TypedDict):
    cluster: int | None
    done: int


@named("LessonListAnswer")
class LessonRow(LessonAbout, LessonRunProgress):
    solved: bool


@named("BlockAnswer")
class Block(TypedDict):
    kind: Literal["prose", "point", "wait", "predict", "task"]
    html: str
    argument: NotRequired[str]
    hints: NotRequired[list[str]]
    show: NotRequired[ShowAnswer | None]


@named("StepAnswer")
class StepText(TypedDict):
    id: str
    title: str
    blocks: list[Block]


@named("LessonAnswer")
class LessonText(LessonAbout):
    steps: list[StepText]


@named("TryAnswer")
class Try(TypedDict):
    chosen: list[str]
    correct: bool
    why: list[Anything]


class CheckAnswer(TypedDict):
    form: Literal["wait", "predict", "task"]
    since: int
    done: bool
    kind: NotRequired[Literal["node", "pod", "plugin", "number", "word"]]
    options: NotRequired[list[str]]
    several: NotRequired[bool]
    chosen: NotRequired[list[str]]
    right: NotRequired[list[str]]
    correct: NotRequired[bool]
    tries: NotRequired[list[Try]]
    unmet: NotRequired[list[Anything]]


class LessonRunAnswer(TypedDict):
    slug: str
    checks: dict[str, CheckAnswer]


@cache
def all_lessons() -> Mapping[str, Lesson]:
    """Return the lessons by slug, in the order of their folders. Raises LessonError, which a test rules out."""
    lessons_by_slug = {}
    for folder in sorted(path.parent for path in FOLDER.glob("*/checks.yaml")):
        files = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}
        lessons_by_slug[folder.name] = read_lesson(folder.name, files)
    return lessons_by_slug


def list_lessons(user_id: int, language: str) -> list[LessonRow]:
    """Return the answer of `lessons/`: each lesson with the user's progress in the newest run of it."""
    runs = {run.lesson: run for run in _runs(user_id)}
    solved = {one["slug"] for one in solved_by(user_id, language)}
    return [
        {**_about(lesson, language), **_progress(lesson, runs.get(lesson.slug)), "solved": lesson.slug in solved}
        for lesson in all_lessons().values()
    ]


def solved_by(user_id: int, language: str) -> list[dict[str, Any]]:
    """Return the user's finished lessons in their order, for the certificate.

    `solved` is None for runs that were finished before the playground stored the time.
    """
    rows: dict[str, dict[str, Any]] = {
        run.lesson: {"solved": None, **summary(lesson, run)}
        for run in _runs(user_id)
        if (lesson := all_lessons().get(run.lesson)) and is_walked(lesson, run)
    }
    for row in SolvedLesson.objects.filter(owner_id=user_id):
        rows[row.lesson] = {"solved": row.solved, "asked": row.asked, "right": row.right, "tasks": row.tasks}
    return [
        {"slug": slug, "title": _text(lesson, language).title, "minutes": lesson.minutes, **rows[slug]}
        for slug, lesson in all_lessons().items()
        if slug in rows
    ]


def is_walked(lesson: Lesson, run: LessonRun) -> bool:
    """Return whether every check of the lesson is done."""
    return all(run.checks.get(name, {}).get("done") for name in lesson.checks)


def summary(lesson: Lesson, run: LessonRun) -> dict[str, int]:
    """Return the numbers of predictions, right predictions and tasks in a finished run."""
    states = [run.checks[name] for name in lesson.checks]
    predictions = [state for state in states if state["form"] == "predict"]
    return {
        "asked": len(predictions),
        "right": sum(state["correct"] for state in predictions),
        "tasks": sum(state["form"] == "task" for state in states),
    }


def _runs(user_id: int) -> QuerySet[LessonRun]:
    """Return a user's runs of lessons, the newest last."""
    return LessonRun.objects.filter(cluster__owner_id=user_id, cluster__deleted=None).order_by("pk")


def describe_lesson(slug: str, language: str) -> LessonText | None:
    """Return the answer of `lessons/{slug}/`: the text with its directives; None if there is no such lesson."""
    lesson = all_lessons().get(slug)
    if lesson is None:
        return None
    text = _text(lesson, language)
    steps: list[StepText] = [
        {"id": step.id, "title": step.title, "blocks": [_block(lesson, block) for block in step.blocks]}
        for step in text.steps
    ]
    return {**_about(lesson, language), "steps": steps}


def run_of(cluster_id: int) -> LessonRun | None:
    """Return the lesson run that this cluster was made for."""
    return LessonRun.objects.filter(cluster_id=cluster_id).first()


def describe_progress(cluster_id: int) -> LessonRunAnswer | None:
    """Return the answer of `clusters/{id}/lesson/`; a prediction's right answer is hidden until it is done."""
    run = run_of(cluster_id)
    if run is None:
        return None
    return {"slug": run.lesson, "checks": {name: visible_fields(state) for name, state in run.checks.items()}}


def visible_fields(state: Mapping[str, Any]) -> CheckAnswer:
    """Return a check as its reader may see it."""
    hidden = {"baseline", "reasons"} | (set() if state["done"] else {"right"})
    return cast(CheckAnswer, {name: value for name, value in state.items() if name not in hidden})


def is_applied(cluster: Cluster) -> bool:
    """Return whether all posted commands were executed."""
    return cluster.applied >= cluster.submitted


def _about(lesson: Lesson, language: str) -> LessonAbout:
    text = _text(lesson, language)
    return {
        "slug": lesson.slug,
        "language": text.language,
        "languages": list(lesson.texts),
        "title": text.title,
        "question": text.question,
        "summary": text.summary,
        "level": lesson.level,
        "minutes": lesson.minutes,
        "emulates": lesson.scenario.emulates,
        "issues": list(lesson.issues),
        "after": list(lesson.after),
        "total": len(lesson.checks),
    }


def _progress(lesson: Lesson, run: LessonRun | None) -> LessonRunProgress:
    done = sum(1 for name, state in run.checks.items() if name in lesson.checks and state["done"]) if run else 0
    return {"cluster": run.cluster_id if run else None, "done": done}


def _text(lesson: Lesson, language: str) -> LocalizedLesson:
    """Return the lesson's text in this language, one of the same family, or English."""
    family = language.partition("-")[0]
    for name in (language, family):
        if name in lesson.texts:
            return lesson.texts[name]
    return next((text for name, text in lesson.texts.items() if name.startswith(family)), lesson.texts[FIRST_LANGUAGE])


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _rendered(text: str) -> str:
    return _markdown().render(text)


def _block(lesson: Lesson, block: Any) -> Block:
    if not isinstance(block, Directive):
        return {"kind": "prose", "html": _rendered(block.markdown)}
    made: Block = {
        "kind": block.name,  # type: ignore[typeddict-item]  # a directive's name
        "argument": block.argument,
        "html": _rendered(block.markdown),
        "hints": [_rendered(hint) for hint in block.hints],
    }
    if block.name == "predict":
        made["show"] = view_of_result(lesson, block.argument)
    return made
