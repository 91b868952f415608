"""Numbers that JSON does not have are a problem with its line, wherever a document is read, and never a failure."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from playground.__main__ import main
from playground.models import Cluster, Command
from tests.web import Api, node, pod

# As they are written in YAML and in JSON.
NUMBERS = [(".nan", "NaN"), (".inf", "Infinity"), ("-.inf", "-Infinity"), ("1e400", "1e400"), ("-1e400", "-1e400")]
IDS = [yaml for yaml, _ in NUMBERS]
HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
BELOW = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers: [{{name: c}}]\n  priority: {}\n"
CONFIG = HEAD + "parallelism: {}\n"
LINE_OF = {BELOW: 7, CONFIG: 3}


@pytest.mark.parametrize("number", IDS)
@pytest.mark.parametrize("text", [BELOW, CONFIG], ids=["objects", "configuration"])
@pytest.mark.parametrize("way", ["text", "file"])
def test_an_import(api: Api, text: str, number: str, way: str) -> None:
    cluster, body = api.cluster(), text.format(number)
    path = f"clusters/{cluster}/import/"
    if way == "text":
        answer = api.post(path, {"text": body}, 400)
    else:
        answer = api.upload(path, {"file": SimpleUploadedFile("a.yaml", body.encode()), "dry_run": "false"}, 400)
    (problem,) = answer["problems"]
    assert problem["line"] == LINE_OF[text]
    assert not Command.objects.filter(cluster=cluster).exists()


@pytest.mark.parametrize("number", IDS)
def test_an_amount_that_has_no_end(api: Api, number: str) -> None:
    """1e400 is text to Go's reader and a quantity to Kubernetes, which takes the largest for it; the others are not."""
    cluster = api.cluster([node("n1")])
    text = BELOW.replace("priority: {}", "nodeName: n1").replace(
        "{{name: c}}", "{name: c, resources: {requests: {cpu: X}}}"
    )
    answer = api.client.post(
        f"/api/v1/clusters/{cluster}/import/",
        {"text": text.replace("X", number)},
        "application/json",
        headers=api.headers,
    )
    if "e400" not in number:
        assert (answer.status_code, answer.json()["problems"][0]["line"]) == (400, 6)
        return
    if answer.status_code == 400:
        problem = answer.json()["problems"][0]
        assert (problem["path"], problem["line"]) == ("spec.containers[0].resources.requests.cpu", 6)
        return
    assert api.command(cluster, kind="run", until="idle")["state"] == "done"
    columns = api.get(f"clusters/{cluster}/nodes/")
    json.dumps(columns, allow_nan=False)


@pytest.mark.parametrize("number", [json_ for _, json_ in NUMBERS])
def test_json(api: Api, small: Cluster, number: str) -> None:
    """Refused as a body, before it is anything; as a text within one with its line."""
    for path, body in (
        ("commands", {"kind": "create", "objects": [pod("p", priority="X")]}),
        ("commands", {"kind": "advance_clock", "seconds": "X"}),
        ("pace", {"cycles_per_second": "X"}),
        ("comparisons", {"sides": [{"config": "default"}], "seeds": ["X"]}),
        ("import", {"text": "", "dry_run": "X"}),
    ):
        text = json.dumps(body).replace('"X"', number)
        answer = api.client.post(f"/api/v1/clusters/{small.pk}/{path}/", text, "application/json", headers=api.headers)
        assert answer.status_code == 400, (path, answer.content)
        assert answer.json()["problems"][0]["rule"]
    lines = json.dumps(pod("p", priority="X"), indent=1).replace('"X"', number)
    (problem,) = api.post(f"clusters/{small.pk}/import/", {"text": lines}, 400)["problems"]
    assert number in lines.splitlines()[problem["line"] - 1]
    scenario = {"apiVersion": "kube-scheduler-playground/v1", "kind": "Scenario", "seed": "X", "commands": []}
    text = json.dumps(scenario).replace('"X"', number)
    (problem,) = api.post(f"clusters/{api.cluster()}/import/", {"text": text}, 400)["problems"]
    assert problem["line"] == 1


@pytest.mark.parametrize("number", IDS)
def test_the_command_line(tmp_path: Path, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    objects, config = tmp_path / "objects.yaml", tmp_path / "config.yaml"
    objects.write_text(BELOW.format(number))
    config.write_text(CONFIG.format(number))
    objects_say, config_says = f"{objects}: document 1, line 7: ", f"{config}:3: "
    for arguments, says in (
        (["validate", "--config", str(config), str(objects)], [objects_say, config_says]),
        (["run", str(objects)], [objects_say]),
        (["run", "--config", str(config), str(objects)], [config_says]),
    ):
        assert main(arguments) == 2
        told = "".join(capsys.readouterr())
        assert [line for line in says if line not in told] == [], told
