"""python -m playground config: the answers of kube-scheduler as JSON, exports, and what goes wrong."""

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from playground.__main__ import main

VECTORS = Path(__file__).parents[2] / "conformance"
MEASURED = {"v1.34.1": VECTORS / "config.jsonl.gz", "v1.36.3": VECTORS / "v1.36" / "config.jsonl.gz"}
V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def rows(version: str) -> list[dict[str, Any]]:
    with gzip.open(MEASURED[version], "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer, encoding="utf-8"))
    return buffer


def say(stdin: io.BytesIO, text: str) -> None:
    stdin.write(text.encode())
    stdin.seek(0)


@pytest.mark.parametrize("version", MEASURED)
def test_json_is_what_kube_scheduler_says(version: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "config.yaml"
    for row in rows(version):
        file.write_bytes(row["scenario"]["yaml"].encode())
        status = main(["config", str(file), "--json", "--emulate", version])
        said = json.loads(capsys.readouterr().out)
        name = row["scenario"]["name"]
        assert (name, said) == (name, {key: value for key, value in row["expected"].items() if key != "name"})
        assert status == (0 if said["ok"] else 2)


@pytest.mark.parametrize("version", MEASURED)
@pytest.mark.parametrize("form", ["minimal", "full"])
def test_exports_are_read_back(form: str, version: str, tmp_path: Path, capsys: Any) -> None:
    for row in rows(version):
        if not row["expected"]["ok"]:
            continue
        file = tmp_path / "config.yaml"
        file.write_text(row["scenario"]["yaml"])
        assert main(["config", str(file), "--export", form, "--emulate", version]) == 0
        file.write_text(capsys.readouterr().out)
        assert main(["config", str(file), "--json", "--emulate", version]) == 0
        assert json.loads(capsys.readouterr().out)["effective"] == row["expected"]["effective"]


def test_from_the_standard_input(stdin: io.BytesIO, capsys: Any) -> None:
    say(stdin, V1)
    assert main(["config", "-"]) == 0
    assert "  queueSort: PrioritySort\n" in capsys.readouterr().out


@pytest.mark.parametrize("form", [[], ["--export", "minimal"]])
def test_a_refused_configuration_says_where(form: list[str], stdin: io.BytesIO, capsys: Any) -> None:
    say(stdin, V1 + "parallelism: 0\n")
    assert main(["config", "-", *form]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("standard input:3: validate: parallelism: Invalid value: 0")


def test_a_translation_as_json(stdin: io.BytesIO, capsys: Any) -> None:
    say(stdin, "--algorithm-provider=DefaultProvider\n")
    assert main(["config", "-", "--translate", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["config_text"].startswith(V1)
    assert said["problems"] == []
    assert said["lines"][0]["removed_in"] == "v1.22"


def test_a_translation_exported_in_full(stdin: io.BytesIO, capsys: Any) -> None:
    say(stdin, "--algorithm-provider=DefaultProvider\n")
    assert main(["config", "-", "--translate", "--export", "full"]) == 0
    assert "podMaxBackoffSeconds: 10" in capsys.readouterr().out


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_translation_that_fails(form: list[str], stdin: io.BytesIO, capsys: Any) -> None:
    say(stdin, "--algorithm-provider=NoProvider\n")
    assert main(["config", "-", "--translate", *form]) == 2
    out, err = capsys.readouterr()
    assert "is not registered" in out + err


def test_a_file_that_is_not_there(capsys: Any) -> None:
    assert main(["config", "nowhere.yaml", "--json"]) == 2
    assert "nowhere.yaml: No such file" in capsys.readouterr().err
