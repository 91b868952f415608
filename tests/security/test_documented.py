"""docs/explanation/security.md says every limit, with the number that holds."""

import re
from pathlib import Path
from types import ModuleType

from kube_objects.text.limits import Limits
from playground import limits
from scheduler_core.config import limits as config_limits
from simulator.exchange import share_file
from simulator.simulation.commands import configuration, fields, scheduling

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "security.md"
ROW = re.compile(r"^\| `(\w+)` \| ([\d,._ ]+)(?: ([KM]iB))? \|$", re.MULTILINE)
SIZES = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20}
MODULES = {
    "simulator/simulation/commands/": (configuration, fields, scheduling),
    "simulator/exchange/share_file.py": (share_file,),
}


def documented(module: str) -> dict[str, float]:
    """The numbers under a module's heading."""
    part = PAGE.read_text().split(f"### `{module}`\n", 1)[1].split("\n#", 1)[0]
    return {name: float(number.replace(",", "")) * SIZES[size] for name, number, size in ROW.findall(part)}


def numbers_of(module: ModuleType) -> dict[str, float]:
    names = {name for name in vars(module) if name.isupper() and not name.startswith("_")}
    return {name: value for name in names if type(value := getattr(module, name)) in (int, float)}


def test_every_limit_of_the_web_side() -> None:
    assert documented("playground/limits.py") == numbers_of(limits)


def test_every_limit_of_configurations() -> None:
    assert documented("scheduler_core/config/limits.py") == numbers_of(config_limits)


def test_limits_of_commands_and_links() -> None:
    for name, modules in MODULES.items():
        given = documented(name)
        has = {key: value for module in modules for key, value in numbers_of(module).items()}
        assert given
        assert given.items() <= has.items()


def test_every_limit_of_objects() -> None:
    has = {field: float(getattr(Limits(), field)) for field in Limits.__slots__}
    assert documented("kube_objects/text/limits.py") == has
