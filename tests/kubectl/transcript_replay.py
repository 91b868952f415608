"""Replay of a scenario against a cluster's API with the real programs, up to the first step that differs."""

import difflib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from kube_apiserver import built_in
from tests.kubectl.placeholders import Placeholders, without_races
from tests.kubectl.transcripts import Scenario, Step

# More than any step was recorded with; what takes longer hangs.
STEP_SECONDS = 90.0

# Where the recorded API server listened, and where a cluster's `kubernetes` Service says that it does.
_PORTS = {"27443": str(built_in.PORT)}

_KUBECONFIG = """apiVersion: v1
kind: Config
clusters: [{{name: sim, cluster: {{server: "{server}"}}}}]
users: [{{name: sim-admin, user: {{}}}}]
contexts: [{{name: sim, context: {{cluster: sim, user: sim-admin}}}}]
current-context: sim
"""


@dataclass(frozen=True, slots=True)
class Difference:
    number: int
    step: Step
    text: str


@dataclass(frozen=True, slots=True)
class Printed:
    exit: int
    stdout: str
    stderr: str


def play(
    scenario: Scenario,
    server: str,
    programs: Path,
    folder: Path,
    rest: Callable[[], object],
    *,
    is_whole: bool = False,
    documented: Collection[int] = (),
) -> tuple[int, list[Difference]]:
    """Return the number of steps that matched, and the first difference; with `is_whole` run all steps.

    `rest` waits until the cluster has nothing more to do.
    """
    work, home = folder / "work", folder / "home"
    for path, text in scenario.files.items():
        target = (work / path).resolve()
        assert target.is_relative_to(work.resolve()), f"{scenario.name}: {path} lies outside of its folder"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    work.mkdir(parents=True, exist_ok=True)
    home.mkdir(parents=True, exist_ok=True)
    config = folder / "kubeconfig"
    config.write_text(_KUBECONFIG.format(server=server), encoding="utf-8")
    environ = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(home),
        "KUBECONFIG": str(config),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        # What kubectl asks at once it asks in the order in which it was recorded, however busy the machine is.
        "GOMAXPROCS": "1",
    }
    host = server.split("://", 1)[1]
    literal = {server: "<server>", host: "<host>", str(home): "<home>", **_PORTS}
    placeholders = Placeholders(literal, scenario.generate_names, scenario.normalise)
    right, wrong = 0, list[Difference]()
    for number, step in enumerate(scenario.steps):
        if step.paused_before:
            # The recorder paused until its controllers had come to rest.
            rest()
        text = difference(step, _run(step, work, environ), placeholders)
        if text and number + 1 not in documented:
            wrong.append(Difference(number, step, text))
            if not is_whole:
                break
        else:
            right += not text
    return right, wrong


def difference(step: Step, printed: Printed, placeholders: Placeholders) -> str:
    """Return the difference from the recording; "" for none."""
    told = []
    if printed.exit != step.exit:
        told.append(f"exit {printed.exit} instead of {step.exit}")
    for name, want, got, unordered in (
        ("stdout", step.stdout, printed.stdout, step.stdout_unordered),
        ("stderr", step.stderr, printed.stderr, step.stderr_unordered),
    ):
        want, got = without_races(want), without_races(got)
        # The recorded text goes the same way: what is replaced in it already stays as it is.
        want, got = (placeholders.put_into(each, run=step.run, unordered=unordered) for each in (want, got))
        if want != got:
            lines = difflib.unified_diff(want.splitlines(), got.splitlines(), "recorded", "played", lineterm="", n=1)
            told.append("\n".join([name, *lines]))
    return "\n".join(told)


def _run(step: Step, work: Path, environ: dict[str, str]) -> Printed:
    beside = [threading.Timer(each.after, _beside(each.run, work, environ)) for each in step.parallel]
    for timer in beside:
        timer.start()
    try:
        return _bash(step.run, work, environ, step.stdin)
    finally:
        for timer in beside:
            timer.join()


def _beside(run: str, work: Path, environ: dict[str, str]) -> Callable[[], None]:
    def started() -> None:
        _bash(run, work, environ, "")

    return started


def _bash(run: str, work: Path, environ: dict[str, str], stdin: str) -> Printed:
    process = subprocess.Popen(
        ["bash", "-c", run],
        cwd=work,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(stdin, STEP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += f"\nnot over after {STEP_SECONDS:.0f} s"
    return Printed(process.returncode, out, err)
