"""Where what ships beside the code lies, and where data is kept when nobody says: one rule for every kind of copy.

A checkout has templates, lessons and the like beside this package. A wheel carries them inside it, in `shipped`:
`templates` or `examples` are no names for a folder that all packages of an environment share. pyproject.toml puts them
there.
"""

from pathlib import Path

import platformdirs

COMMAND = "kube-scheduler-playground"

_SHIPPED = Path(__file__).resolve().parent / "shipped"
INSTALLED = _SHIPPED.is_dir()
ROOT = _SHIPPED if INSTALLED else _SHIPPED.parents[1]
# How this copy is started; settings may stand before either.
START = COMMAND if INSTALLED else "make run"


def data_dir() -> Path:
    """DATA_DIR when nobody gives one: `data` in a checkout, else the folder that the platform has for a user's data."""
    return platformdirs.user_data_path(COMMAND, appauthor=False) if INSTALLED else ROOT / "data"
