"""Loader of a lesson's files: `lesson.<lang>.md` per language, `scenario.yaml` and `checks.yaml`.

It reports all problems at once.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from kube_objects.documents import read_documents
from kube_objects.text.problems import Problem
from scheduler_core.emulations import EMULATIONS, ORIGINAL_VERSION
from simulator.lessons.asking import ASKS, STATE_ASKS
from simulator.lessons.conditions import CONDITION_FIELDS, WAIT_FIELDS, condition_name
from simulator.lessons.model import Check, Lesson, LessonError, LessonScenario, LocalizedLesson
from simulator.lessons.text import DIRECTIVES, read_text

CHECKS, SCENARIO = "checks.yaml", "scenario.yaml"
FIRST_LANGUAGE = "en"
TEXT_FILE = re.compile(r"lesson\.(?P<language>[a-z]{2}(-[A-Za-z]+)?)\.md")
FORMS = ("wait", "predict", "task")
SCENARIO_FIELDS = {"seed": int, "config": str, "emulates": str, "only_because": str, "setup": list}
ABOUT = {"level": int, "minutes": int, "issues": list, "after": list}
MAX_CHECKS = 60
# Fields of `predict` besides `ask`.
PREDICT_FIELDS = {"pod": str, "node": str, "options": list, "version": str}


def read_lesson(slug: str, files: Mapping[str, str]) -> Lesson:
    """Return the lesson in a folder's files, by name. Raises LessonError."""
    problems: list[Problem] = []
    texts: dict[str, LocalizedLesson] = {}
    for name, source in sorted(files.items()):
        if match := TEXT_FILE.fullmatch(name):
            text, wrong = read_text(match["language"], source, name)
            problems += wrong
            if text is not None:
                texts[text.language] = text
        elif name not in (CHECKS, SCENARIO):
            problems.append(
                Problem(name, None, "is no file of a lesson", f"{CHECKS}, {SCENARIO}, lesson.<lang>.md are")
            )
    about, checks = _read_checks(files.get(CHECKS), problems)
    scenario = _read_scenario(files.get(SCENARIO), problems)
    if FIRST_LANGUAGE not in texts and f"lesson.{FIRST_LANGUAGE}.md" not in files:
        problems.append(Problem(f"lesson.{FIRST_LANGUAGE}.md", None, "is missing"))
    for text in texts.values():
        problems += _check_directives(text, checks)
        problems += _check_targets(text, scenario)
        problems += _check_translation(texts.get(FIRST_LANGUAGE, text), text)
    if problems:
        raise LessonError(problems)
    return Lesson(slug, scenario=scenario, checks=checks, texts=texts, **about)


def _read_mapping(name: str, source: str | None, problems: list[Problem]) -> dict[str, Any]:
    if source is None:
        problems.append(Problem(name, None, "is missing"))
        return {}
    try:
        value = yaml.safe_load(source)
    except yaml.YAMLError as error:
        problems.append(Problem(name, None, f"is not valid YAML: {' '.join(str(error).split())}"))
        return {}
    if not isinstance(value, dict):
        problems.append(Problem(name, None, "must be a mapping"))
        return {}
    return value


def _read_checks(source: str | None, problems: list[Problem]) -> tuple[dict[str, Any], dict[str, Check]]:
    content = _read_mapping(CHECKS, source, problems)
    about = {name: content[name] for name in ABOUT if name in content}
    problems += _check_fields(CHECKS, {name: value for name, value in content.items() if name != "checks"}, ABOUT)
    problems += [Problem(f"{CHECKS}: {name}", None, "is required") for name in ABOUT if name not in content]
    if isinstance(about.get("level"), int) and not 1 <= about["level"] <= 3:
        problems.append(Problem(f"{CHECKS}: level", about["level"], "must be from 1 to 3"))
    entries = content.get("checks") or {}
    if not isinstance(entries, dict) or len(entries) > MAX_CHECKS:
        problems.append(Problem(f"{CHECKS}: checks", None, f"must be a mapping of at most {MAX_CHECKS} checks"))
        return about, {}
    checks = {}
    for identity, entry in entries.items():
        path = f"{CHECKS}: checks.{identity}"
        wrong = list(_check_problems(path, entry))
        problems += wrong
        if not wrong:
            form = next(name for name in FORMS if name in entry)
            body = {"all": entry[form]} if form == "task" else entry[form]
            checks[str(identity)] = Check(str(identity), form, body, entry.get("model", ()))
    return about, checks


def _check_problems(path: str, entry: Any) -> Iterator[Problem]:
    if not isinstance(entry, dict) or len([name for name in FORMS if name in entry]) != 1:
        yield Problem(path, None, f"must have exactly one of {', '.join(FORMS)}")
        return
    form = next(name for name in FORMS if name in entry)
    body = entry[form]
    if not set(entry) <= {form, "model"} or not _is_commands(entry.get("model", [])):
        yield Problem(path, None, f"must have {form} and, as an option, model: a list of commands")
    if form == "task":
        if not isinstance(body, list) or not body:
            yield Problem(f"{path}.task", None, "must be a list of conditions")
            return
        for i, condition in enumerate(body):
            yield from _condition_problems(f"{path}.task[{i}]", condition)
    elif not isinstance(body, dict) or not body:
        yield Problem(f"{path}.{form}", None, "must be a mapping")
    elif form == "wait":
        yield from _check_fields(f"{path}.wait", body, dict.fromkeys(WAIT_FIELDS, str))
    else:
        if body.get("ask") not in (*ASKS, *STATE_ASKS):
            yield Problem(f"{path}.predict.ask", body.get("ask"), f"must be one of {', '.join((*STATE_ASKS, *ASKS))}")
        if body.get("ask") == "lands_elsewhere":
            yield from _check_version(f"{path}.predict.version", body.get("version"))
        yield from _check_fields(f"{path}.predict", {k: v for k, v in body.items() if k != "ask"}, PREDICT_FIELDS)


def _condition_problems(path: str, condition: Any) -> Iterator[Problem]:
    name = condition_name(condition) if isinstance(condition, dict) else ""
    if not name or not isinstance(condition[name], str):
        yield Problem(path, None, f"must have one of {', '.join(CONDITION_FIELDS)}, with text")
        return
    if name == "stays_under":
        yield from _check_version(f"{path}.{name}", condition[name])
    further = CONDITION_FIELDS[name]
    allowed = {field.lower(): kind for field, kind in further.items()}
    yield from _check_fields(path, {k: v for k, v in condition.items() if k != name}, allowed)
    for field in further:
        if field.isupper() and field.lower() not in condition:
            yield Problem(f"{path}.{field.lower()}", None, f"is required for {name}")


def _check_fields(path: str, values: Mapping[str, Any], allowed: Mapping[str, type]) -> Iterator[Problem]:
    """Yield problems of unknown fields, and of fields with a wrong type."""
    separator = ": " if path.endswith(".yaml") else "."
    for name, value in values.items():
        place = f"{path}{separator}{name}"
        if name not in allowed:
            yield Problem(place, None, "is not known", f"there are {', '.join(allowed)}" if allowed else "")
        elif not isinstance(value, allowed[name]) or isinstance(value, bool):
            yield Problem(place, value, f"must be {_NAMES[allowed[name]]}")


_NAMES = {int: "a whole number", str: "text", list: "a list"}


def _is_commands(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(command, dict) for command in value)


def _read_scenario(source: str | None, problems: list[Problem]) -> LessonScenario:
    if source is None:
        problems.append(Problem(SCENARIO, None, "is missing"))
        return LessonScenario(())
    head, objects = _scenario_head(source)
    wrong = list(_check_fields(SCENARIO, head, SCENARIO_FIELDS))
    if not _is_commands(head.get("setup", [])):
        wrong.append(Problem(f"{SCENARIO}: setup", None, "must be a list of commands"))
    wrong += _check_version(f"{SCENARIO}: emulates", head.get("emulates", ORIGINAL_VERSION.version))
    read = read_documents(objects)
    wrong += [
        Problem(f"{SCENARIO}: {found.path}", found.value, found.rule, found.hint, found.document)
        for found in read.problems
    ]
    problems += wrong
    if wrong:
        return LessonScenario(())
    return LessonScenario([dict(obj.manifest) for obj in read.objects], **head)


def _check_version(path: str, named: Any) -> Iterator[Problem]:
    if not isinstance(named, str) or named not in EMULATIONS:
        yield Problem(path, named, f"must be one of {', '.join(EMULATIONS)}")


def _scenario_head(source: str) -> tuple[dict[str, Any], bytes]:
    """Split a scenario into its settings, a first document that is not an object, and its objects as bytes."""
    first, separator, rest = source.removeprefix("---\n").partition("\n---\n")
    try:
        head = yaml.safe_load(first)
    except yaml.YAMLError:
        head = None
    if separator and isinstance(head, dict) and "kind" not in head:
        return head, rest.encode()
    return {}, source.encode()


def _check_directives(text: LocalizedLesson, checks: Mapping[str, Check]) -> Iterator[Problem]:
    """Yield problems of directives without a check, and of checks that no directive uses."""
    name = f"lesson.{text.language}.md"
    used: set[str] = set()
    for step in text.steps:
        for directive in step.directives:
            if not DIRECTIVES[directive.name]:
                continue
            check = checks.get(directive.argument)
            if check is None or check.form != directive.name:
                rule = f"{CHECKS} has no {directive.name} {directive.argument}"
                yield Problem(name, None, rule, line=directive.line)
            if directive.argument in used:
                yield Problem(name, None, f"{directive.argument} is used twice", line=directive.line)
            used.add(directive.argument)
    for identity in checks.keys() - used:
        yield Problem(f"{CHECKS}: checks.{identity}", None, f"is not used in {name}")


def _check_targets(text: LocalizedLesson, scenario: LessonScenario) -> Iterator[Problem]:
    """Yield problems of `point` directives whose node or pod is not in the scenario."""
    names = set()
    for manifest in scenario.objects:
        metadata = manifest["metadata"]
        pod = f"{metadata.get('namespace', 'default')}/{metadata['name']}"
        names.add(metadata["name"] if manifest["kind"] == "Node" else pod)
    for step in text.steps:
        for directive in step.directives:
            name = directive.argument.partition(" ")[2]
            if directive.name == "point" and name and name not in names:
                rule = f"points at {name}, which is not in {SCENARIO}"
                hint = "a node's name, or a pod's namespace/name"
                yield Problem(f"lesson.{text.language}.md", None, rule, hint, line=directive.line)


def _check_translation(first: LocalizedLesson, text: LocalizedLesson) -> Iterator[Problem]:
    """Yield problems of a translation whose steps, directives or numbers of hints differ from the first language."""
    name = f"lesson.{text.language}.md"
    if [step.id for step in text.steps] != [step.id for step in first.steps]:
        rule = f"must have the steps of lesson.{first.language}.md: {', '.join(step.id for step in first.steps)}"
        yield Problem(name, None, rule)
        return
    for step, other in zip(first.steps, text.steps, strict=True):
        if _shape(step.directives) != _shape(other.directives):
            rule = f"step {other.id} must have the directives and hints of lesson.{first.language}.md, in that order"
            yield Problem(name, None, rule, line=other.line)


def _shape(directives: Any) -> list[tuple[str, str, int]]:
    return [(directive.name, directive.argument, len(directive.hints)) for directive in directives]


def check_order(lessons: Sequence[Lesson]) -> list[Problem]:
    """Return problems of `after` entries that do not name an earlier lesson; so there are no cycles."""
    problems, known = [], set[str]()
    for lesson in lessons:
        for i, slug in enumerate(lesson.after):
            if slug not in known:
                path = f"{lesson.slug}/{CHECKS}: after[{i}]"
                problems.append(
                    Problem(path, slug, "must be a lesson that stands before this one", _guess(slug, known))
                )
        known.add(lesson.slug)
    return problems


def _guess(slug: str, known: set[str]) -> str:
    return f"there are {', '.join(sorted(known))}" if known else "this is the first one: it comes after none"
