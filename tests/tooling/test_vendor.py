"""The vendored front-end libraries are what the manifest says, from the packages that the lock file pins."""

import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "static" / "vendor", ROOT / "tests" / "browser" / "vendor")
FILES = json.loads((ROOT / "static" / "vendor" / "manifest.json").read_text())["files"]
LOCK_TEXT = (ROOT / "tools" / "vendor" / "package-lock.json").read_text()
LOCK = json.loads(LOCK_TEXT)["packages"]
PINS = json.loads((ROOT / "tools" / "vendor" / "package.json").read_text())["devDependencies"]
PACKAGES = [pytest.param(package, id=package["name"]) for row in FILES for package in row["packages"]]


@pytest.mark.parametrize("row", FILES, ids=lambda row: row["file"])
def test_file_is_the_one_that_was_bundled(row: dict[str, str]) -> None:
    assert hashlib.sha256((ROOT / row["file"]).read_bytes()).hexdigest() == row["sha256"], "run `make vendor`"


def test_manifest_lists_every_file() -> None:
    listed = {ROOT / row["file"] for row in FILES}
    listed |= {ROOT / package["licenseFile"] for row in FILES for package in row["packages"]}
    present = {path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()}
    assert present - {ROOT / "static" / "vendor" / "manifest.json"} == listed


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_the_locked_one_and_its_licence_lies_beside_it(package: dict[str, str]) -> None:
    locked = LOCK[f"node_modules/{package['name']}"]
    assert package["version"] == locked["version"]
    assert package["integrity"] == locked["integrity"]
    assert package["license"] in {"MIT", "ISC", "Apache-2.0", "MPL-2.0"}
    assert len((ROOT / package["licenseFile"]).read_text()) > 400


def test_pins_are_exact_and_the_lock_file_checks_every_package_and_names_no_host() -> None:
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in PINS.values()), PINS
    installed = {name: row for name, row in LOCK.items() if name}
    assert [name for name, row in installed.items() if not row.get("integrity", "").startswith("sha512-")] == []
    assert '"resolved"' not in LOCK_TEXT


def test_only_the_tests_use_copyleft() -> None:
    copyleft = {row["file"] for row in FILES for package in row["packages"] if package["license"] == "MPL-2.0"}
    assert copyleft == {"tests/browser/vendor/axe.js"}
