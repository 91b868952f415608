"""`repair` from outside: a scenario in, repairs and exit statuses out; what is applied is run again by `run`."""

import io
import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from playground.__main__ import main

ROOT = Path(__file__).parents[3]
SHOP = str(ROOT / "examples" / "scenarios" / "shop.yaml")


def repair(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    status = main(["repair", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, out, _ = repair(capsys, *arguments, "--json")
    told: dict[str, Any] = json.loads(out)
    assert status == (0 if told["repairs"] or told["why"] else 1)
    return told


def test_it_is_told_best_first(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = repair(capsys, SHOP, "--pod", "shop/report")
    assert status == 0
    assert out.startswith("1. cost 10, verified on node-c, cheapest\n   Tolerate node.kubernetes.io/unschedulable")
    assert "\n     $ kubectl uncordon node-c\n" in out
    assert out.endswith("the search was complete\n")


def test_json_has_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    told = found(capsys, SHOP, "--pod", "shop/report")
    assert told["pod"] == "shop/report" and told["exhaustive"] and told["searched"]["sets"] > 0
    second = told["repairs"][1]
    assert (second["cost"], second["node"], second["verified"], second["claim"]) == (20, "node-c", True, "minimal")
    assert second["commands"][0] == {"kind": "uncordon", "node": "node-c"}
    assert second["inverse"][0]["kind"] == "restore"
    edit = second["edits"][0]
    assert (edit["kind"], edit["object"], edit["path"]) == (
        "uncordon",
        {"kind": "Node", "name": "node-c"},
        "spec.unschedulable",
    )
    assert edit["sentence"]["text"] == "Uncordon node-c"


@pytest.mark.parametrize("pod", ["shop/report", "shop/batch-0"])
def test_every_repair_places_the_pod_when_it_is_run_from_scratch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, pod: str
) -> None:
    for number in range(1, len(found(capsys, SHOP, "--pod", pod)["repairs"]) + 1):
        status, out, _ = repair(capsys, SHOP, "--pod", pod, "--apply", str(number))
        assert status == 0
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(out.encode())))
        namespace, name = pod.split("/")
        assert main(["run", "-", "--table"]) == 0
        table = capsys.readouterr().out
        row = next(line.split() for line in table.splitlines() if line.split()[:2] == [namespace, name])
        assert row[2] == "Placed", table


def test_what_a_quiet_machine_found_a_busy_one_applies(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    last = str(len(found(capsys, SHOP, "--pod", "shop/report")["repairs"]))
    monkeypatch.setattr("simulator.cli.repair.time.perf_counter", count(0.0, 0.5).__next__)
    assert len(found(capsys, SHOP, "--pod", "shop/report", "--seconds", "5")["repairs"]) < int(last)
    status, out, _ = repair(capsys, SHOP, "--pod", "shop/report", "--seconds", "5", "--apply", last)
    assert status == 0 and "kind: Pod" in out


def test_costs_and_locks(capsys: pytest.CaptureFixture[str]) -> None:
    told = found(capsys, SHOP, "--pod", "shop/report", "--cost", "tolerate=never", "--locked", "Node/node-c*")
    sentences = [edit["sentence"]["text"] for each in told["repairs"] for edit in each["edits"]]
    assert not any("node-c" in sentence or "Tolerate" in sentence for sentence in sentences)


def test_none_exists(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = repair(capsys, SHOP, "--pod", "shop/batch-0", "--locked", "Namespace/shop")
    assert (status, out) == (1, "fixes: 0; 0 sets of edits tried on 3 nodes; the search was complete\n")


def test_nothing_has_to_be_done_for_a_pod_with_a_node(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = repair(capsys, SHOP, "--pod", "shop/web-2")
    assert (status, out) == (0, "shop/web-2 runs on node-b already\n")


# arguments, what stderr says
BAD: list[tuple[list[str], str]] = [
    ([SHOP, "--pod", "shop/reprot"], "--pod: there is no pod shop/reprot in the scenario; did you mean"),
    ([SHOP, "--pod", "shop/report", "--cost", "tolerat=1"], 'no such kind of edit; did you mean "tolerate"?'),
    ([SHOP, "--pod", "shop/report", "--cost", "tolerate=-1"], "must be a whole number from 1 to 1000000"),
    ([SHOP, "--pod", "shop/report", "--locked", "node-c"], "must be KIND/NAME"),
    ([SHOP, "--pod", "shop/report", "--apply", "99"], "--apply 99: only 5 fixes were found"),
    (["missing.yaml", "--pod", "a"], "missing.yaml"),
]


@pytest.mark.parametrize(("arguments", "text"), BAD)
def test_bad_input(capsys: pytest.CaptureFixture[str], arguments: list[str], text: str) -> None:
    status, _, err = repair(capsys, *arguments)
    assert status == 2
    assert text in err
