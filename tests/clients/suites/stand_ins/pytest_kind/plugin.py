"""The option of the package's pytest plugin that suites pass."""

from typing import Any


def pytest_addoption(parser: Any) -> None:
    """Add `--keep-cluster`, which is always on: `make clients` deletes the cluster."""
    parser.addoption("--keep-cluster", action="store_true", default=True)
