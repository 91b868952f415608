"""Create and update the project's virtual environment: `python3 tools/env.py runtime|dev`.

Needs nothing but python3 with venv. It installs from the hashed requirements, and again when they change; otherwise it
returns within milliseconds. The syntax stays old on purpose: an old python3 must reach the message about its version.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MINIMUM = (3, 11)
# requirements-dev.txt holds the runtime pins too, so an environment for development also runs the playground.
REQUIREMENTS = {"runtime": "requirements.txt", "dev": "requirements-dev.txt"}


def digest(level: str) -> str:
    """Return the hash of the inputs of an environment of this level."""
    return hashlib.sha256((ROOT / REQUIREMENTS[level]).read_bytes()).hexdigest()


def is_ready(level: str) -> bool:
    """Return True if .venv holds exactly the pinned requirements of this level."""
    wanted = ["runtime", "dev"] if level == "runtime" else ["dev"]
    return PYTHON.exists() and any(stamp(each) == digest(each) for each in wanted)


def stamp(level: str) -> str:
    """Return the hash that was installed last, or ""."""
    path = VENV / f"installed-{level}"
    return path.read_text() if path.exists() else ""


def run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, cwd=ROOT)
    except subprocess.CalledProcessError as failed:
        sys.exit(f"The environment could not be made: `{' '.join(failed.cmd)}` failed, see above.")


def packages() -> list[str]:
    return sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


def check_python() -> None:
    """Exit with one clear sentence if this Python can't create the environment."""
    version = "{}.{}".format(*sys.version_info)
    if sys.version_info < MINIMUM:
        sys.exit(
            f"The playground needs Python {MINIMUM[0]}.{MINIMUM[1]} or newer; `{sys.executable}` is {version}. "
            "Name another one, for example: make run PYTHON=python3.12"
        )
    try:
        import ensurepip
        import venv
    except ImportError as missing:
        sys.exit(
            f"Python's `{missing.name}` module is missing, and the environment is made with it. "
            f"On Debian and Ubuntu: apt-get install python{version}-venv"
        )
    del ensurepip, venv


def installed_by_uv(requirements: str) -> bool:
    """Install with uv if it is available; return True if it did.

    It ignores an index that only pip is configured for.
    """
    uv = shutil.which("uv")
    if uv is None:
        return False
    # What it installs it compiles only when asked to.
    command = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(PYTHON)]
    done = subprocess.run([*command, "--require-hashes", "--requirement", requirements], cwd=ROOT, check=False)
    if done.returncode:
        print("uv could not, see above; pip does it.", flush=True)
    return not done.returncode


def install(level: str) -> None:
    if not PYTHON.exists():
        print("Making the environment in .venv; this takes about a minute, once.", flush=True)
        run(sys.executable, "-m", "venv", "--clear", str(VENV))
    print(f"Installing {REQUIREMENTS[level]}.", flush=True)
    before = digest(level)
    if not installed_by_uv(REQUIREMENTS[level]):
        pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        run(*pip, "--require-hashes", "--requirement", REQUIREMENTS[level])
    # Where PYTHONDONTWRITEBYTECODE is set, every process of every start would compile our own modules anew.
    run(str(PYTHON), "-m", "compileall", "-q", "-j", "0", *packages())
    (VENV / f"installed-{level}").write_text(before)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] not in REQUIREMENTS:
        sys.exit("usage: python3 tools/env.py runtime|dev")
    level = sys.argv[1]
    if is_ready(level):
        return
    check_python()
    # Two starts at the same time must not install into one environment at the same time.
    with open(ROOT / ".venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_ready(level):
            install(level)


if __name__ == "__main__":
    main()
