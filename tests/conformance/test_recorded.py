"""Files of recordings: the wrong kind of file is an error that names file, line and field."""

import gzip
from pathlib import Path

import pytest

from tests.conformance.__main__ import main

SESSION = '{"name": "get", "steps": [{"argv": ["get", "pods"]}]}\n'
NO_SEQUENCE = "line 1: not a sequence of a controller manager: the field"
NO_VECTOR = "line 1: not a vector of kube-scheduler: the field"
CASES = [
    (
        "other recording",
        "controllers",
        SESSION,
        f"{NO_SEQUENCE} steps.state",
    ),
    (
        "not a vector",
        "conformance",
        SESSION,
        f"{NO_VECTOR} scenario.name is missing",
    ),
    ("a list", "controllers", "[]\n", f"{NO_SEQUENCE} name is missing"),
    ("not JSON", "conformance", "\n{]\n", "line 2: not JSON: "),
]


@pytest.mark.parametrize(("command", "text", "error"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_file_of_another_kind_is_refused(
    command: str, text: str, error: str, packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / ("other.jsonl.gz" if packed else "other.jsonl")
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert main([command, str(file)]) == 2
    assert f"{file}, {error}" in capsys.readouterr().err


def test_a_broken_archive_and_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "broken.jsonl.gz"
    file.write_bytes(gzip.compress(SESSION.encode())[:-9])
    assert main(["controllers", str(file)]) == 2
    assert f"{file}: cannot be read: " in capsys.readouterr().err
    assert main(["conformance", str(tmp_path / "nothing")]) == 2
    assert f"{tmp_path / 'nothing'}: no such file or folder" in capsys.readouterr().err
