"""Every configuration measured from kube-scheduler v1.34.1: errors, defaults, effective plugins."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.config import export_yaml
from tests.config_v1_34 import check, decode, load

VECTORS = Path(__file__).parents[2] / "conformance" / "config.jsonl.gz"


def _read() -> list[dict[str, Any]]:
    with gzip.open(VECTORS, "rt") as lines:
        return [json.loads(line) for line in lines]


ROWS = _read()
ACCEPTED = [row for row in ROWS if row["expected"]["ok"]]


def _name(row: dict[str, Any]) -> str:
    return str(row["scenario"]["name"])


def test_all_are_there() -> None:
    assert len(ROWS) == 90


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_vector(row: dict[str, Any]) -> None:
    want = {key: value for key, value in row["expected"].items() if key != "name"}
    assert check(row["scenario"]["yaml"]) == want


@pytest.mark.parametrize("row", ACCEPTED, ids=_name)
def test_export_is_read_back_as_the_same(row: dict[str, Any]) -> None:
    config = load(row["scenario"]["yaml"])
    assert load(export_yaml(config)) == config


@pytest.mark.parametrize("row", [row for row in ROWS if "defaulted" in row["expected"]], ids=_name)
def test_json_means_the_same_as_yaml(row: dict[str, Any]) -> None:
    config = decode(row["scenario"]["yaml"]).config
    assert decode(json.dumps(row["expected"]["defaulted"], separators=(",", ":"))).config == config
