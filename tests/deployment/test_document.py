"""Compare docs/reference/settings.md with the settings that the code reads, and with the table that generates it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from playground.local.options import WORKER_PROCESSES, Options
from playground.settings.environment import DEFAULT_PLUGINS, Environment, read
from playground.settings.settings_table import SETTINGS
from tests.resilience.compose import VARIABLES, Compose
from tools import settings as page

ROWS = [(one.name, one.default) for settings in SETTINGS.values() for one in settings]


class Recording(Mapping[str, str]):
    """An empty environment that remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def settings_of(environment: Environment) -> dict[str, object]:
    numbers = {name.upper(): value for name, value in vars(environment).items()}
    return {**numbers, "WORKER_CONCURRENCY": WORKER_PROCESSES, "PLUGINS": DEFAULT_PLUGINS, "NO_BROWSER": 0}


def test_every_setting_is_in_the_table_and_every_row_is_a_setting(tmp_path: Path) -> None:
    environ = Recording()
    read(environ, tmp_path)
    Options.from_environment(environ)
    assert sorted(name for name, _ in ROWS) == sorted(environ.asked)


@pytest.mark.parametrize(("name", "default"), ROWS, ids=[name for name, _ in ROWS])
def test_defaults(name: str, default: str, tmp_path: Path) -> None:
    """A default that is one word is what the code has; others are described."""
    if " " in default or default in ("nobody", "none"):
        return
    value = settings_of(read({}, tmp_path / "data"))[name]
    if isinstance(value, Path):
        value = value.name
    elif isinstance(value, float | int):
        value = f"{value:g}"
    assert default.strip("`") == str(value)


def test_what_compose_sets_are_settings() -> None:
    assert set(Compose(VARIABLES).environment("web")) <= {name for name, _ in ROWS}


def test_the_page_is_what_the_table_makes() -> None:
    assert page.DOCUMENT.read_text() == page.text()
