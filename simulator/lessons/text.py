"""Parser of `lesson.<lang>.md`: a header, then a step per `## Title {#id}`, with directives between `:::` lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from kube_objects.text.problems import Problem
from simulator.lessons.model import Block, Directive, LocalizedLesson, Prose, Step

MAX_BYTES = 200_000
HEADER = ("title", "question", "summary")
# Directive → True if its argument is an id of checks.yaml.
DIRECTIVES = {"point": False, "wait": True, "predict": True, "task": True}
# Targets of `point`; the UI has an element for each.
VIEWS = (
    "cluster",
    "compare",
    "events",
    "matrix",
    "pipeline",
    "pod",
    "preemption",
    "profile",
    "queues",
    "scores",
    "spread",
    "timeline",
    "transport",
    "why",
)
HINT = "hint"
_STEP = re.compile(r"##\s+(?P<title>.+?)\s*\{#(?P<id>[a-z0-9-]+)\}\s*$")
_FENCE = re.compile(r":::\s*(?P<name>[a-z]+)?(?:\s+(?P<argument>\S.*?))?\s*$")


def read_text(language: str, source: str, name: str) -> tuple[LocalizedLesson | None, list[Problem]]:
    """Return the text, or None, and its problems; `name` is the file's name in problems."""
    if len(source.encode()) > MAX_BYTES:
        return None, [Problem(name, None, f"is larger than {MAX_BYTES} bytes")]
    head, body, first_line = _split(source)
    problems = [Problem(f"{name}: {key}", None, "is required in the header") for key in HEADER if not head.get(key)]
    problems += [Problem(f"{name}: {key}", None, "is not a field of the header") for key in head if key not in HEADER]
    reader = _Reader(name, first_line, problems)
    steps = tuple(reader.steps(body))
    if not steps:
        problems.append(Problem(name, None, "has no step", "begin each with a line such as: ## Meet the pod {#meet}"))
    if problems:
        return None, problems
    title, question, summary = (str(head[key]).strip() for key in HEADER)
    return LocalizedLesson(language, title, question, summary, steps), []


def _split(source: str) -> tuple[dict[str, object], list[str], int]:
    lines = source.splitlines()
    if lines and lines[0] == "---" and "---" in lines[1:]:
        end = lines.index("---", 1)
        try:
            head = yaml.safe_load("\n".join(lines[1:end]))
        except yaml.YAMLError:
            head = None
        return (head if isinstance(head, dict) else {}), lines[end + 1 :], end + 2
    return {}, lines, 1


@dataclass(slots=True)
class _OpenDirective:
    """A directive whose closing `:::` has not been read yet."""

    name: str
    argument: str
    line: int
    lines: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Reader:
    name: str
    first_line: int
    problems: list[Problem]
    seen: set[str] = field(default_factory=set)

    def steps(self, lines: list[str]) -> Iterator[Step]:
        title, identity, began = "", "", 0
        blocks: list[Block] = []
        prose: list[str] = []
        stack: list[_OpenDirective] = []
        in_code = False

        def end_prose() -> None:
            text = "\n".join(prose).strip()
            prose.clear()
            if text:
                blocks.append(Prose(text))

        for number, line in enumerate(lines, self.first_line):
            if line.startswith("```"):
                in_code = not in_code
            step = None if in_code else _STEP.match(line)
            fence = None if in_code else _FENCE.match(line)
            if step or (line.startswith("## ") and not in_code):
                end_prose()
                self._report_open(stack)
                if identity:
                    yield Step(identity, title, tuple(blocks), began)
                elif blocks:
                    self._report(number, "there is text before the first step")
                blocks.clear()
                title, identity, began = self._heading(step, number, line)
            elif fence and fence["name"]:
                if not stack:
                    end_prose()
                self._open(stack, fence["name"], fence["argument"] or "", number)
            elif fence:
                self._close(stack, blocks, number)
            else:
                (stack[-1].lines if stack else prose).append(line)
        end_prose()
        self._report_open(stack)
        if identity:
            yield Step(identity, title, tuple(blocks), began)

    def _heading(self, step: re.Match[str] | None, number: int, line: str) -> tuple[str, str, int]:
        if step is None:
            self._report(number, "a step needs an id", f"such as: {line.strip()} {{#its-id}}")
            return "", "", number
        if step["id"] in self.seen:
            self._report(number, f"the step {step['id']} is there already")
        self.seen.add(step["id"])
        return step["title"], step["id"], number

    def _open(self, stack: list[_OpenDirective], name: str, argument: str, number: int) -> None:
        if name == HINT and not (stack and stack[-1].name != HINT):
            self._report(number, "a hint belongs inside a task, a wait or a predict")
        elif name != HINT and (name not in DIRECTIVES or stack):
            rule = "directives cannot be inside each other" if stack else f"there is no directive {name}"
            self._report(number, rule, f"there are {', '.join(DIRECTIVES)}, and hint inside them")
        elif name == "point" and argument.partition(" ")[0] not in VIEWS:
            self._report(number, f"the page has no view {argument or '(none)'}", f"it has {', '.join(VIEWS)}")
        elif name != HINT and not argument:
            self._report(number, f"{name} needs the id of its check")
        stack.append(_OpenDirective(name, argument, number))

    def _close(self, stack: list[_OpenDirective], blocks: list[Block], number: int) -> None:
        if not stack:
            self._report(number, "there is nothing that this ::: could end")
            return
        done = stack.pop()
        text = "\n".join(done.lines).strip()
        if done.name == HINT and stack:
            stack[-1].hints.append(text)
        else:
            blocks.append(Directive(done.name, done.argument, text, tuple(done.hints), done.line))

    def _report_open(self, stack: list[_OpenDirective]) -> None:
        for left in stack:
            self._report(left.line, f"the {left.name} that begins here has no ::: at its end")
        stack.clear()

    def _report(self, line: int, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(self.name, None, rule, hint, line=line))
