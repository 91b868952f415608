"""The lessons that ship: read once, and rendered for the page; HTML in their Markdown stays text."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt

from playground.models import Cluster, LessonRun
from playground.places import ROOT
from scheduler_core.lessons.load import FIRST_LANGUAGE, read_lesson
from scheduler_core.lessons.model import Directive, Lesson, Text

FOLDER = ROOT / "lessons"
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@cache
def all_lessons() -> Mapping[str, Lesson]:
    """By slug, in the order of their folders. Raises LessonError: a test keeps those that ship sound."""
    found = {}
    for folder in sorted(path.parent for path in FOLDER.glob("*/checks.yaml")):
        files = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}
        found[folder.name] = read_lesson(folder.name, files)
    return found


def listed(user_id: int, language: str) -> list[dict[str, Any]]:
    """The answer of `lessons/`: each with how far the user is in the newest walk through it."""
    runs = {run.lesson: run for run in LessonRun.objects.filter(cluster__owner_id=user_id).order_by("pk")}
    return [_about(lesson, language) | _progress(lesson, runs.get(lesson.slug)) for lesson in all_lessons().values()]


def whole(slug: str, language: str) -> dict[str, Any] | None:
    """The answer of `lessons/{slug}/`: the text with its directives; None when there is no such lesson."""
    lesson = all_lessons().get(slug)
    if lesson is None:
        return None
    text = _text(lesson, language)
    steps = [
        {"id": step.id, "title": step.title, "blocks": [_block(block) for block in step.blocks]} for step in text.steps
    ]
    return {**_about(lesson, language), "steps": steps}


def run_of(cluster_id: int) -> LessonRun | None:
    """The walk through a lesson for which this cluster was made."""
    return LessonRun.objects.filter(cluster_id=cluster_id).first()


def progress(cluster_id: int) -> dict[str, Any] | None:
    """The answer of `clusters/{id}/lesson/`; what a prediction's answer is stays hidden until it was given."""
    run = run_of(cluster_id)
    if run is None:
        return None
    return {"slug": run.lesson, "checks": {name: shown(state) for name, state in run.checks.items()}}


def shown(state: Mapping[str, Any]) -> dict[str, Any]:
    """A check as its reader may see it."""
    hidden = {"baseline"} if state["done"] else {"baseline", "right"}
    return {name: value for name, value in state.items() if name not in hidden}


def is_applied(cluster: Cluster) -> bool:
    """Whether every command that was posted has been carried out."""
    return cluster.applied >= cluster.submitted


def _about(lesson: Lesson, language: str) -> dict[str, Any]:
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
        "issues": list(lesson.issues),
        "total": len(lesson.checks),
    }


def _progress(lesson: Lesson, run: LessonRun | None) -> dict[str, Any]:
    done = sum(1 for name, state in run.checks.items() if name in lesson.checks and state["done"]) if run else 0
    return {"cluster": run.cluster_id if run else None, "done": done}


def _text(lesson: Lesson, language: str) -> Text:
    """In this language, in one of the same family, or in English."""
    family = language.partition("-")[0]
    for name in (language, family):
        if name in lesson.texts:
            return lesson.texts[name]
    return next((text for name, text in lesson.texts.items() if name.startswith(family)), lesson.texts[FIRST_LANGUAGE])


def _block(block: Any) -> dict[str, Any]:
    if not isinstance(block, Directive):
        return {"kind": "prose", "html": _markdown.render(block.markdown)}
    return {
        "kind": block.name,
        "argument": block.argument,
        "html": _markdown.render(block.markdown),
        "hints": [_markdown.render(hint) for hint in block.hints],
    }
