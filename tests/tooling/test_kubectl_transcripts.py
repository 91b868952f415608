"""The player of kubectl sessions: what it replaces, and that it tells what differs."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from tests.kubectl.placeholders import Placeholders
from tests.kubectl.transcript_replay import Printed, difference, play
from tests.kubectl.transcripts import Scenario, Step, load

RECORDED = load()


def test_every_scenario_is_there() -> None:
    assert (len(RECORDED), sum(len(each.steps) for each in RECORDED)) == (403, 7064)
    assert len({each.name for each in RECORDED}) == 403


@pytest.mark.parametrize("scenario", RECORDED, ids=lambda each: each.name)
def test_what_was_recorded_stays_as_it_is(scenario: Scenario) -> None:
    placeholders = Placeholders({}, scenario.generate_names, scenario.normalise)
    for step in scenario.steps:
        for text, unordered in ((step.stdout, step.stdout_unordered), (step.stderr, step.stderr_unordered)):
            if not unordered:
                assert placeholders.put_into(text, run=step.run) == text, step.run


@pytest.mark.parametrize(
    ("run", "printed", "want"),
    [
        (
            "kubectl get nodes",
            "NAME     STATUS   AGE     X\nnode-1   Ready    5m12s   y\n",
            "NAME   STATUS   AGE   X\nnode-1   Ready   <age>   y\n",
        ),
        ("kubectl get po --no-headers", "web   1/1   Running   0     3s\n", "web   1/1   Running   0   <age>\n"),
        ("kubectl get x", "NAME   VALUE\na      3s\n", "NAME   VALUE\na      3s\n"),
        (
            "x",
            '"resourceVersion":"12","uid":"0a1b2c3d-0000-1111-2222-333344445555"',
            '"resourceVersion":"<rv>","uid":"<uid>"',
        ),
        ("x", "pod/web-x7k2z created", "pod/web-<rand> created"),
        ("x", "http://h:1/k8s/3/api", "<server>/api"),
    ],
)
def test_what_differs_from_run_to_run_is_replaced(run: str, printed: str, want: str) -> None:
    assert Placeholders({"http://h:1/k8s/3": "<server>"}, ("web-",)).put_into(printed, run=run) == want


def test_only_a_time_of_these_days_is_replaced() -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    printed = f"at {now} and 2020-01-01T00:00:00Z"
    assert Placeholders().put_into(printed, run="x") == "at <time> and 2020-01-01T00:00:00Z"


def test_a_step_that_differs_is_told() -> None:
    step = Step("kubectl get x", 0, "a\nb\n", "")
    assert difference(step, Printed(0, "a\nb\n", ""), Placeholders()) == ""
    assert difference(step, Printed(0, "a\nb\n", "very short watch: ended\n"), Placeholders()) == ""
    told = difference(step, Printed(1, "a\nc\n", "no"), Placeholders())
    assert "exit 1 instead of 0" in told
    assert "-b" in told
    assert "+c" in told
    assert "stderr" in told


def test_a_scenario_runs_in_its_folder_until_it_differs(tmp_path: Path) -> None:
    steps = (
        Step("cat a/b.yaml", 0, "x: 1\n", ""),
        Step("read x; echo $x $HOME", 0, "in <home>\n", "", "in", paused_before=True),
        Step("echo c", 0, "d\n", ""),
    )
    rests: list[str] = []
    rest = partial(rests.append, "at rest")
    scenario = Scenario("s", {"a/b.yaml": "x: 1\n"}, (*steps, Step("true", 0, "", "")))
    right, wrong = play(scenario, "http://h:1/k8s/3", tmp_path, tmp_path / "play", rest)
    assert (right, [each.step.run for each in wrong]) == (2, ["echo c"])
    assert rests == ["at rest"]  # before the one step ahead of which the recorder paused
    right, wrong = play(scenario, "http://h:1/k8s/3", tmp_path, tmp_path / "whole", rest, is_whole=True)
    assert (right, [each.step.run for each in wrong]) == (3, ["echo c"])
    right, wrong = play(scenario, "http://h:1/k8s/3", tmp_path, tmp_path / "documented", rest, documented=(3,))
    assert (right, wrong) == (3, [])
