"""Read `lesson.<lang>.md`: a header, then one step under each `## Title {#id}`, with directives between `:::` lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from kube_objects.text.problems import Problem
from simulator.lessons.model import Block, Directive, Prose, Step, Text

MAX_BYTES = 200_000
HEADER = ("title", "question", "summary")
# Directives, and whether what follows the name is an id of checks.yaml.
DIRECTIVES = {"point": False, "wait": True, "predict": True, "task": True}
# What `point` may point at; the page has an element for each of them.
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


def read_text(language: str, source: str, name: str) -> tuple[Text | None, list[Problem]]:
    """The text, or None, and what is wrong with it; `name` is the file's name in problems."""
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
    return Text(language, title, question, summary, steps), []


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
class _Open:
    """A directive that has not ended yet."""

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
        stack: list[_Open] = []
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
                self._still_open(stack)
                if identity:
                    yield Step(identity, title, tuple(blocks), began)
                elif blocks:
                    self._say(number, "there is text before the first step")
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
        self._still_open(stack)
        if identity:
            yield Step(identity, title, tuple(blocks), began)

    def _heading(self, step: re.Match[str] | None, number: int, line: str) -> tuple[str, str, int]:
        if step is None:
            self._say(number, "a step needs an id", f"such as: {line.strip()} {{#its-id}}")
            return "", "", number
        if step["id"] in self.seen:
            self._say(number, f"the step {step['id']} is there already")
        self.seen.add(step["id"])
        return step["title"], step["id"], number

    def _open(self, stack: list[_Open], name: str, argument: str, number: int) -> None:
        if name == HINT and not (stack and stack[-1].name != HINT):
            self._say(number, "a hint belongs inside a task, a wait or a predict")
        elif name != HINT and (name not in DIRECTIVES or stack):
            rule = "directives cannot be inside each other" if stack else f"there is no directive {name}"
            self._say(number, rule, f"there are {', '.join(DIRECTIVES)}, and hint inside them")
        elif name == "point" and argument.partition(" ")[0] not in VIEWS:
            self._say(number, f"the page has no view {argument or '(none)'}", f"it has {', '.join(VIEWS)}")
        elif name != HINT and not argument:
            self._say(number, f"{name} needs the id of its check")
        stack.append(_Open(name, argument, number))

    def _close(self, stack: list[_Open], blocks: list[Block], number: int) -> None:
        if not stack:
            self._say(number, "there is nothing that this ::: could end")
            return
        done = stack.pop()
        text = "\n".join(done.lines).strip()
        if done.name == HINT and stack:
            stack[-1].hints.append(text)
        else:
            blocks.append(Directive(done.name, done.argument, text, tuple(done.hints), done.line))

    def _still_open(self, stack: list[_Open]) -> None:
        for left in stack:
            self._say(left.line, f"the {left.name} that begins here has no ::: at its end")
        stack.clear()

    def _say(self, line: int, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(self.name, None, rule, hint, line=line))
