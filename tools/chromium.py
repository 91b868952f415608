"""Find the browser for the browser tests, and install it where that is possible: `python tools/chromium.py`.

It is searched in this order: PLAYWRIGHT_CHROMIUM, the system's Chromium or Chrome, Playwright's own downloads.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The shell without a window is the same browser, and takes two thirds of the processor's time.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# Where Playwright keeps its downloads, and what the program is called in there.
CACHES = (os.environ.get("PLAYWRIGHT_BROWSERS_PATH", ""), "~/.cache/ms-playwright", "~/Library/Caches/ms-playwright")
DOWNLOADS = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*")

HELP = """\
The browser tests need Chromium, and none was found. Install one of these and run `make test` again:
  Debian:          apt-get install chromium
  other Linux:     .venv/bin/playwright install --with-deps chromium
  macOS:           .venv/bin/playwright install chromium
or name one that you have: make test PLAYWRIGHT_CHROMIUM=/path/to/chromium"""


def find() -> str | None:
    """Return the path of a Chromium or Chrome. Exit if PLAYWRIGHT_CHROMIUM names a missing file."""
    if named := os.environ.get("PLAYWRIGHT_CHROMIUM"):
        if found := shutil.which(named):
            return found
        sys.exit(f"PLAYWRIGHT_CHROMIUM={named}: no such program")
    for program in (*PROGRAMS, *MAC_APPS):
        if found := shutil.which(program):
            return found
    for cache in filter(None, CACHES):
        for pattern in DOWNLOADS:
            if downloads := sorted(Path(cache).expanduser().glob(pattern)):
                return str(downloads[-1])
    return None


def install_command() -> list[str] | None:
    """Return the apt-get command that needs no confirmation; None outside of Debian or without permission."""
    release = Path("/etc/os-release")
    if not release.exists() or "ID=debian" not in release.read_text().splitlines() or not shutil.which("apt-get"):
        return None
    # Tests that run at the same time may install something, too, or the very same.
    waiting = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    if os.geteuid() == 0:
        return waiting
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n", *waiting]
    return None


def main() -> None:
    if find():
        return
    if apt_get := install_command():
        print("Installing Chromium for the browser tests.", flush=True)
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # An index that is a little old is good enough; the installation says whether it really is.
        subprocess.run([*apt_get, "update", "-q"], env=environ)
        for package in ("chromium-headless-shell", "chromium"):
            installing = [*apt_get, "install", "-y", "-q", "--no-install-recommends", package]
            if subprocess.run(installing, env=environ).returncode == 0:
                break
    if not find():
        sys.exit(HELP)


if __name__ == "__main__":
    main()
