"""The command line speaks the reader's language: explanations, problems and translations; upstream's words stay."""

import json
import re
from pathlib import Path

import pytest

from playground.__main__ import main

KOREAN = "[가-힣]"
MESSAGE = "0/2 nodes are available: 2 Insufficient cpu."
POLICY = '{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}]}'


@pytest.fixture(autouse=True)
def korean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")


def test_a_message(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["explain", "--decode", MESSAGE]) == 0
    told = capsys.readouterr().out
    assert re.search(KOREAN, told)
    assert "Insufficient cpu" in told
    monkeypatch.setenv("LANG", "C.UTF-8")
    assert main(["explain", "--decode", MESSAGE, "--json"]) == 0
    assert not re.search(KOREAN, json.dumps(json.loads(capsys.readouterr().out), ensure_ascii=False))


def test_what_became_of_a_policy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    file.write_text(POLICY, encoding="utf-8")
    assert main(["config", str(file), "--translate"]) == 0
    assert "플러그인 NodeResourcesFit이(가) 됨" in capsys.readouterr().out


def test_a_problem(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n", encoding="utf-8")
    assert main(["validate", str(file)]) != 0
    said = "".join(capsys.readouterr())
    assert "spec: Required value (" in said
    assert re.search(f"{KOREAN}.*spec.containers|spec.containers.*{KOREAN}", said)
