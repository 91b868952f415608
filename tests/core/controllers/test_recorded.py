"""The actors do what the real controller manager did, in every recorded sequence."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.cli.api_server import Rules
from tests.conformance.cli.controllers import sequences
from tests.conformance.cli.shell import run_line
from tests.conformance.controllers.sequence import first_difference

SEQUENCES = {str(one["name"]): one for one in sequences(Path(__file__).parent / "sequences")}


def test_all_are_there() -> None:
    assert len(SEQUENCES) == 46 + 713


@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
def test_a_recorded_sequence(sequence: Mapping[str, Any]) -> None:
    assert first_difference(sequence, run_line, Rules()) == ""


def test_a_difference_is_told_with_its_step() -> None:
    """What was recorded, with one number changed."""
    recorded = SEQUENCES["deploy-create-scale"]
    first, *rest = recorded["steps"]
    web = first["state"]["deployments"]["web"]
    wrong = {**first, "state": {**first["state"], "deployments": {"web": {**web, "generation": 7}}}}
    told = first_difference({**recorded, "steps": [wrong, *rest]}, run_line, Rules())
    assert told == "step 1 (kubectl apply -f d.yaml): deployments web.generation: 1 instead of 7"
