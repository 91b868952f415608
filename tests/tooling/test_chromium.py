"""The browser for the browser tests is found where the documentation says, and its absence is explained."""

from pathlib import Path

import pytest

from tools import chromium


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any browser."""
    monkeypatch.delenv("PLAYWRIGHT_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(chromium, "CACHES", (str(tmp_path / "cache"),))
    monkeypatch.setattr(chromium, "MAC_APPS", ())


def test_order_of_preference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chromium.find() is None
    program(tmp_path / "cache" / "chromium-1000" / "chrome-linux" / "chrome")
    newest = program(tmp_path / "cache" / "chromium-1100" / "chrome-linux64" / "chrome")
    assert chromium.find() == newest
    system = program(tmp_path / "bin" / "google-chrome")
    assert chromium.find() == system
    named = program(tmp_path / "mine")
    monkeypatch.setenv("PLAYWRIGHT_CHROMIUM", named)
    assert chromium.find() == named


def test_a_named_browser_that_is_not_there_is_an_error_and_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin" / "chromium")
    monkeypatch.setenv("PLAYWRIGHT_CHROMIUM", "/no/such/browser")
    with pytest.raises(SystemExit, match="PLAYWRIGHT_CHROMIUM=/no/such/browser: no such program"):
        chromium.find()


def test_without_a_browser_and_without_the_right_to_install_one_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chromium, "install_command", lambda: None)
    with pytest.raises(SystemExit, match="apt-get install chromium"):
        chromium.main()
