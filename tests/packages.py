"""The product's packages, as pyproject.toml includes them in the wheel."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES: tuple[str, ...] = tuple(_PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
# Packages that read no clock, file or random number; see the contracts in pyproject.toml.
PURE = tuple(name for name in PACKAGES if name != "playground")
