"""Check the commands and costs in docs/how-to/fix-a-pending-pod.md and docs/how-to/plan-capacity.md."""

import re
from pathlib import Path

import pytest

from scheduler_core.edits.costs import COSTS
from tests.core.cli.test_cli_docs import check

GUIDES = Path(__file__).parents[3] / "docs" / "how-to"
PAGE = (GUIDES / "fix-a-pending-pod.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE + (GUIDES / "plan-capacity.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_commands_print_what_the_page_says(block: str, tmp_path: Path) -> None:
    check(block, tmp_path)


def test_the_table_of_costs_is_whole() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert rows == [(kind, str(row.cost), str(row.what)) for kind, row in COSTS.items()]
