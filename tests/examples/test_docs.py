"""docs/contributing/write-a-plugin.md shows the plugin as it is, and a configuration that loads."""

import re
from pathlib import Path

import pytest

from examples.plugins import PLUGINS
from scheduler_core.plugins.table import IN_TREE
from tests.config_v1_34 import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing" / "write-a-plugin.md").read_text()
SOURCE = (ROOT / "examples" / "plugins" / "rack.py").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
# A block of "py" is not in the file.
PYTHON = [body for language, body in BLOCKS if language == "python"]


@pytest.mark.parametrize("block", PYTHON, ids=range(len(PYTHON)))
def test_every_block_is_in_the_file(block: str) -> None:
    assert block in SOURCE


def test_the_configuration_loads_and_runs_the_plugin() -> None:
    (text,) = [body for language, body in BLOCKS if language == "yaml"]
    config = load(text, IN_TREE.merged(PLUGINS).points())
    assert config.profiles[0].plugins.multi_point.enabled[-1].name == "Rack"
