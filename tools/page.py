"""Format and lint of the page's own JavaScript and CSS: `python tools/page.py check|format`.

It is Biome that does it, which needs no Node. What it looks at, and which of its rules are off, stands
in biome.jsonc.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = {
    "check": ["ci", "--colors=off", "--error-on-warnings"],
    "format": ["check", "--write", "--error-on-warnings"],
}


def biome() -> str | None:
    """The program, of this environment or of this machine; None where there is none."""
    own = Path(sys.executable).parent / "biome"
    return str(own) if own.exists() else shutil.which("biome")


def main() -> None:
    if sys.argv[1:] not in [[name] for name in COMMANDS]:
        sys.exit(f"usage: python tools/page.py {'|'.join(COMMANDS)}")
    program = biome()
    if program is None:
        # Its package has a wheel for Linux on x86-64 alone; elsewhere a Biome of one's own does the same.
        print("There is no Biome for this machine, and so nobody has looked at the page's files; CI does.")
        return
    sys.exit(subprocess.run([program, *COMMANDS[sys.argv[1]]], cwd=ROOT).returncode)


if __name__ == "__main__":
    main()
