"""Lessons: what a broken one is told, what is asked and answered, and that all that ship can be walked to their end."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from playground.__main__ import main
from scheduler_core.emulations import EMULATIONS
from simulator.cli.lessons import lesson_folders, read_folder
from simulator.explain.predictions import NO_OPTION
from simulator.lessons.asking import ASKS, STATE_ASKS, AskError, ask
from simulator.lessons.conditions import CONDITIONS, WAIT_FIELDS, meets, store_baseline, unmet_conditions
from simulator.lessons.load import ABOUT, SCENARIO_FIELDS, check_order, read_lesson
from simulator.lessons.model import LessonError, Prose
from simulator.lessons.text import DIRECTIVES, VIEWS
from simulator.lessons.walk import create_simulation, lint
from simulator.simulation import Simulation

ROOT = Path(__file__).parents[3]
LESSONS = ROOT / "lessons"
GUIDE = (ROOT / "docs" / "contributing" / "write-a-lesson.md").read_text()

NODES = """\
apiVersion: v1
kind: Node
metadata: {name: big, labels: {zone: a}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "9"}}
---
apiVersion: v1
kind: Node
metadata: {name: small, labels: {zone: b}}
status: {allocatable: {cpu: "1", memory: 8Gi, pods: "9"}}
---
"""


def pod(name: str, cpu: str, **spec: Any) -> str:
    meta = f"metadata: {{name: {name}, namespace: default, uid: {name}}}"
    more = "".join(f"{key}: {value}, " for key, value in spec.items())
    return (
        f"apiVersion: v1\nkind: Pod\n{meta}\n"
        f"spec: {{{more}containers: [{{name: c, image: i, resources: {{requests: {{cpu: {cpu!r}}}}}}}]}}\n---\n"
    )


CHECKS = """\
level: 1
minutes: 1
issues: []
after: []
checks:
  done: {wait: {pod: default/web, outcome: scheduled}}
"""
TEXT = """\
---
title: A title
question: A question?
summary: A summary.
---
## First {#first}
Words.

:::wait done
Press it.
:::hint
There.
:::
:::
"""


def files(**changed: str) -> dict[str, str]:
    given = {"lesson.en.md": TEXT, "checks.yaml": CHECKS, "scenario.yaml": NODES + pod("web", "500m")}
    return {**given, **{name.replace("__", "."): text for name, text in changed.items()}}


def test_a_lesson_is_read() -> None:
    lesson = read_lesson("one", files())
    (step,) = lesson.texts["en"].steps
    assert (step.id, step.title, step.blocks[0]) == ("first", "First", Prose("Words."))
    (directive,) = step.directives
    assert (directive.name, directive.argument, directive.markdown, directive.hints) == (
        "wait",
        "done",
        "Press it.",
        ("There.",),
    )
    assert lint(lesson) == []


def test_code_is_no_directive() -> None:
    text = TEXT.replace("Words.", "```\n:::wait nothing\n## no step\n```")
    (step,) = read_lesson("one", files(lesson__en__md=text)).texts["en"].steps
    assert step.blocks[0] == Prose("```\n:::wait nothing\n## no step\n```")


BROKEN = [
    # name, the file changed, what is said
    ("no header", {"lesson__en__md": TEXT.replace("question: A question?\n", "")}, "question: is required"),
    ("no step", {"lesson__en__md": TEXT.split("## First")[0]}, "has no step"),
    ("no id", {"lesson__en__md": TEXT.replace(" {#first}", "")}, "a step needs an id"),
    ("open", {"lesson__en__md": TEXT.removesuffix(":::\n")}, "has no ::: at its end"),
    ("closed twice", {"lesson__en__md": TEXT + ":::\n"}, "nothing that this ::: could end"),
    ("unknown directive", {"lesson__en__md": TEXT + ":::dance now\n:::\n"}, "there is no directive dance"),
    ("unknown view", {"lesson__en__md": TEXT + ":::point moon\n:::\n"}, "the page has no view moon"),
    (
        "unknown pod",
        {"lesson__en__md": TEXT + ":::point pod default/other\n:::\n"},
        "points at default/other, which is not",
    ),
    ("nested", {"lesson__en__md": TEXT.replace("Press it.", ":::wait done\n:::")}, "cannot be inside each other"),
    ("unknown check", {"lesson__en__md": TEXT.replace("wait done", "wait other")}, "has no wait other"),
    ("used twice", {"lesson__en__md": TEXT + ":::wait done\n:::\n"}, "used twice"),
    ("translation lacks a step", {"lesson__ko__md": TEXT.replace("#first", "#second")}, "must have the steps of"),
    (
        "translation lacks a hint",
        {"lesson__ko__md": TEXT.replace(":::hint\nThere.\n:::\n", "")},
        "directives and hints",
    ),
    ("other files", {"notes__txt": ""}, "is no file of a lesson"),
    ("no YAML", {"checks__yaml": "level: ["}, "is not valid YAML"),
    ("level", {"checks__yaml": CHECKS.replace("level: 1", "level: 4")}, "must be from 1 to 3"),
    ("unknown field", {"checks__yaml": CHECKS.replace("outcome", "outcom")}, "checks.done.wait.outcom: is not known"),
    ("two forms", {"checks__yaml": CHECKS.replace("{wait:", "{task: [], wait:")}, "exactly one of"),
    ("unknown question", {"checks__yaml": CHECKS + "  q: {predict: {ask: why}}\n"}, "must be one of next_pod"),
    ("unknown condition", {"checks__yaml": CHECKS + "  t: {task: [{happy: x}]}\n"}, "must have one of scheduled"),
    ("missing field", {"checks__yaml": CHECKS + "  t: {task: [{lane: active}]}\n"}, "pod: is required for lane"),
    ("not used", {"checks__yaml": CHECKS + "  q: {predict: {ask: next_pod}}\n"}, "is not used in lesson.en.md"),
    ("broken object", {"scenario__yaml": NODES + "kind: Pod\napiVersion: v1\nmetadata: {}\n"}, "scenario.yaml: "),
    ("unknown version", {"scenario__yaml": "emulates: v9\n---\n" + NODES}, "emulates: "),
]


@pytest.mark.parametrize(("changed", "said"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_what_is_wrong_is_said(changed: dict[str, str], said: str) -> None:
    with pytest.raises(LessonError) as error:
        read_lesson("one", files(**changed))
    assert said in str(error.value)


DEAD = [
    # name, checks, said
    ("never happens", CHECKS.replace("scheduled}", "unschedulable}"), "does not happen"),
    ("model refused", CHECKS.replace("scheduled}}", "scheduled}, model: [{kind: dance}]}"), "must be one of"),
    (
        "done already",
        CHECKS.replace("wait: {pod: default/web, outcome: scheduled}", "task: [{pending: default/web}]"),
        "is done before",
    ),
    (
        "not done",
        CHECKS.replace("wait: {pod: default/web, outcome: scheduled}", "task: [{gone: default/web}]"),
        "the model does not do it",
    ),
    (
        "no question",
        CHECKS.replace("wait: {pod: default/web, outcome: scheduled}", "predict: {ask: next_pod}"),
        "is no question",
    ),
]


@pytest.mark.parametrize(("checks", "said"), [case[1:] for case in DEAD], ids=[case[0] for case in DEAD])
def test_dead_steps_are_found(checks: str, said: str) -> None:
    form = next(form for form in ("wait", "task", "predict") if f"done: {{{form}" in checks)
    lesson = read_lesson("one", files(checks__yaml=checks, lesson__en__md=TEXT.replace("wait done", f"{form} done")))
    (problem,) = lint(lesson)
    assert said in str(problem)


ORDERS = [
    # name, what comes after what, what is said
    ("in order", {"a": [], "b": ["a"], "c": ["a", "b"]}, []),
    ("a lesson that is not there", {"a": [], "b": ["z"]}, ["b/checks.yaml: after[0]: z"]),
    ("itself", {"a": ["a"]}, ["a/checks.yaml: after[0]: a"]),
    ("a circle", {"a": ["b"], "b": ["a"]}, ["a/checks.yaml: after[0]: b"]),
]


@pytest.mark.parametrize(("after", "said"), [case[1:] for case in ORDERS], ids=[case[0] for case in ORDERS])
def test_what_leads_to_what(after: dict[str, list[str]], said: list[str]) -> None:
    lessons = [
        read_lesson(slug, files(checks__yaml=CHECKS.replace("after: []", f"after: {before}")))
        for slug, before in after.items()
    ]
    assert [f"{one.path}: {one.value}" for one in check_order(lessons)] == said


@pytest.fixture
def cluster() -> Simulation:
    low = pod("low", "3", nodeName="big", priority="0")
    wanted = pod("web", "2", priority="9") + pod("tiny", "100m", priority="5") + pod("giant", "64", priority="1")
    lesson = read_lesson("one", files(scenario__yaml=NODES + low + wanted))
    return create_simulation(lesson.scenario)


ASKED = [
    # question, kind, right
    ({"ask": "next_pod"}, "pod", ["default/web"]),
    ({"ask": "chosen_node"}, "node", [NO_OPTION]),
    ({"ask": "chosen_node", "pod": "default/tiny"}, "node", ["big"]),
    ({"ask": "nominated_node"}, "node", ["big"]),
    ({"ask": "outcome"}, "word", ["unschedulable"]),
    ({"ask": "victims"}, "pod", ["default/low"]),
    ({"ask": "rejected_by", "node": "small"}, "plugin", ["NodeResourcesFit"]),
    ({"ask": "rejected_by", "pod": "default/tiny", "node": "small"}, "plugin", [NO_OPTION]),
    ({"ask": "feasible_nodes", "pod": "default/tiny", "options": [1, 2, 3]}, "number", ["2"]),
    ({"ask": "evaluated_nodes", "options": [2, 5]}, "number", ["2"]),
]


@pytest.mark.parametrize(("question", "kind", "right"), ASKED, ids=[str(case[0]) for case in ASKED])
def test_the_engine_answers(cluster: Simulation, question: dict[str, Any], kind: str, right: list[str]) -> None:
    before = cluster.checkpoint()
    answer = ask(cluster, question)
    assert (answer.kind, answer.right) == (kind, right)
    assert set(right) <= set(answer.options)
    assert cluster.checkpoint() == before


NO_ANSWER = [
    ({"ask": "chosen_node", "pod": "default/nobody"}, "is not tried"),
    ({"ask": "rejected_by", "node": "nowhere"}, "was not evaluated"),
    ({"ask": "feasible_nodes", "options": [7]}, "not one of the options"),
]


@pytest.mark.parametrize(("question", "said"), NO_ANSWER)
def test_a_question_without_an_answer(cluster: Simulation, question: dict[str, Any], said: str) -> None:
    with pytest.raises(AskError, match=said):
        ask(cluster, question)


def test_waits(cluster: Simulation) -> None:
    (record,) = (record.data for record in cluster.apply({"kind": "schedule_one"}))
    yes: list[dict[str, str]] = [
        {"pod": "default/w*", "outcome": "unschedulable"},
        {"nominated": "big"},
        {"event": "Preempted", "pod": "default/low"},
        {"lane": "backoff", "pod": "default/web"},
        {"record": "cycle"},
    ]
    no: list[dict[str, str]] = [
        {"pod": "default/tiny"},
        {"outcome": "scheduled"},
        {"event": "Preempted", "pod": "default/web"},
        {"lane": "gated"},
        {"record": "clock"},
    ]
    assert [one for one in yes if not meets(record, one)] == []
    assert [one for one in no if meets(record, one)] == []


def test_tasks(cluster: Simulation) -> None:
    list(cluster.apply({"kind": "run", "until": {"pod": "default/giant"}}))
    unchanged = {"unchanged": "Pod default/giant", "path": "spec.priority"}
    baseline = store_baseline(cluster, [unchanged])
    yes: list[dict[str, Any]] = [
        {"scheduled": "default/tiny", "nodes": ["big"], "count": 1},
        {"pending": "default/giant"},
        {"gone": "default/low"},
        {"lane": "unschedulable", "pod": "default/giant"},
        {"skew": "default/tiny", "key": "zone", "at_most": 1},
        {"weight": "TaintToleration", "above": 3},
        unchanged,
    ]
    no: list[dict[str, Any]] = [
        {"scheduled": "default/tiny", "nodes": ["small"]},
        {"scheduled": "default/nobody"},
        {"pending": "default/tiny"},
        {"gone": "default/giant"},
        {"lane": "active", "pod": "default/giant"},
        {"skew": "default/tiny", "key": "zone", "at_most": 0},
        {"weight": "NodeName", "above": 1},
        {"unchanged": "Pod default/giant", "path": "spec.containers"},
    ]
    assert unmet_conditions(cluster, yes, baseline) == []
    assert unmet_conditions(cluster, no, baseline) == no


# v1.36 looks for a node that declares what such a pod needs.
OF_ONE_VERSION = NODES + pod("web", "500m", hostNetwork="true", hostUsers="false")


@pytest.mark.parametrize(
    ("head", "wrong"),
    [
        ("emulates: v1.34.1", ["v1.36.3: checks.yaml: checks.done.wait"]),
        ("emulates: v1.36.3", ["checks.yaml: checks.done.wait"]),
        ("emulates: v1.34.1\nonly_because: its nodes declare nothing", []),
    ],
)
def test_a_lesson_is_walked_under_every_version_of_today(head: str, wrong: list[str]) -> None:
    found = lint(read_lesson("one", files(scenario__yaml=f"{head}\n---\n{OF_ONE_VERSION}")))
    assert [problem.path for problem in found] == wrong


@pytest.mark.parametrize("folder", lesson_folders(LESSONS), ids=lambda folder: folder.name)
def test_lessons_name_their_version(folder: Path) -> None:
    assert "emulates" in next(yaml.safe_load_all((folder / "scenario.yaml").read_text()))


def test_every_lesson_that_ships(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lessons", str(LESSONS)]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out.endswith(f"{len(lesson_folders(LESSONS))} passed, 0 failed\n")


def test_a_broken_lesson_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in files(checks__yaml=DEAD[0][1]).items():
        (tmp_path / name).write_text(text)
    assert main(["lessons", str(tmp_path)]) == 1
    assert "does not happen" in capsys.readouterr().out
    assert main(["lessons", str(tmp_path / "nothing")]) == 2


DOCUMENTED = (*ASKS, *STATE_ASKS, *CONDITIONS, *WAIT_FIELDS, *DIRECTIVES, *VIEWS, *SCENARIO_FIELDS, *ABOUT, *EMULATIONS)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_documentation_is_complete(name: str) -> None:
    assert re.search(rf"`[^`]*\b{re.escape(name)}\b[^`]*`", GUIDE), name


def test_folders_are_lessons() -> None:
    assert read_folder(lesson_folders(LESSONS)[0]).texts["en"].title
