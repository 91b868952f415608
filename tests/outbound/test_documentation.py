"""docs/how-to/use-an-extender.md shows what is there and what works."""

import re
from pathlib import Path

from tests.config_v1_34 import load

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/how-to/use-an-extender.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_code_is_the_example_s() -> None:
    example = (ROOT / "examples/extenders/temperature.py").read_text()
    assert blocks("python")
    assert all(block in example for block in blocks("python"))


def test_the_configuration_is_one() -> None:
    [text] = blocks("yaml")
    [extender] = load(text).extenders
    assert (extender.filter_verb, extender.prioritize_verb, extender.weight) == ("filter", "prioritize", 5)
