"""The folders of shipped files (templates, lessons, ...) and of data, for a clone and for an installed wheel.

A clone has the shipped files beside this package. A wheel has them inside it, in `shipped`, because folders such as
`templates` would collide with those of other packages. pyproject.toml puts them there.
"""

from pathlib import Path

import platformdirs

COMMAND = "kube-scheduler-playground"

_SHIPPED = Path(__file__).resolve().parent / "shipped"
INSTALLED = _SHIPPED.is_dir()
ROOT = _SHIPPED if INSTALLED else _SHIPPED.parents[1]
# The command that starts this copy. Settings may precede it.
START = COMMAND if INSTALLED else "make run"


def data_dir() -> Path:
    """Return the default of DATA_DIR: `data` in a clone, else the platform's folder for user data."""
    return platformdirs.user_data_path(COMMAND, appauthor=False) if INSTALLED else ROOT / "data"
