"""Check that each command in the how-to guides prints what the guide shows."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from tests.core.cli.test_cli_docs import check

DOCS = Path(__file__).parents[3] / "docs"
# A block in a list item is indented.
BLOCK = re.compile(r"^( *)```console\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
BLOCKS = [
    (f"{page.stem}-{index}", dedent(match[2]))
    for page in sorted([*DOCS.glob("tutorials/*.md"), *DOCS.glob("how-to/*.md")])
    for index, match in enumerate(BLOCK.finditer(page.read_text()))
]


@pytest.mark.parametrize("block", [block for _, block in BLOCKS], ids=[name for name, _ in BLOCKS])
def test_the_commands_print_what_the_page_says(block: str, tmp_path: Path) -> None:
    check(block, tmp_path)


def test_guides_have_commands() -> None:
    assert {name.rsplit("-", 1)[0] for name, _ in BLOCKS} >= {"fix-a-pending-pod", "plan-capacity", "use-in-ci"}
