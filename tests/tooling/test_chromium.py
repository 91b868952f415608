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
    shell = program(tmp_path / "bin" / "chromium-headless-shell")
    assert chromium.find() == shell
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


# What apt-get installs of the packages it is asked for.
RELEASES = [
    # packages of the release          installed
    ({"chromium-headless-shell", "chromium"}, "chromium-headless-shell"),
    ({"chromium"}, "chromium"),
]


@pytest.mark.parametrize(("packages", "installed"), RELEASES)
def test_installs_the_shell_or_where_there_is_none_the_whole_browser(
    packages: set[str], installed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt_get = tmp_path / "apt-get"
    program(apt_get)
    cases = "".join(
        f"*' {name}') touch {tmp_path}/bin/{name}; /bin/chmod +x {tmp_path}/bin/{name};;\n" for name in packages
    )
    apt_get.write_text(f'#!/bin/sh\nPATH=/usr/bin:/bin\ncase "$*" in update*) ;;\n{cases}*) exit 100;;\nesac\n')
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(chromium, "install_command", lambda: [str(apt_get)])
    chromium.main()
    assert chromium.find() == str(tmp_path / "bin" / installed)


def test_without_a_browser_and_without_the_right_to_install_one_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chromium, "install_command", lambda: None)
    with pytest.raises(SystemExit, match="apt-get install chromium"):
        chromium.main()
