"""A clone with the environment that `make run` creates in it, shared by the tests that a process runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clean_machine.clean_environment import PYTHON, clone, run


@pytest.fixture(scope="package")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return an empty folder with a clone in it, and an environment from requirements.txt alone."""
    folder = clone(tmp_path_factory.mktemp("stranger") / "playground")
    run(["make", "env", f"PYTHON={PYTHON}"], folder)
    yield folder
