"""Format, lint and type-check the page's own JavaScript and CSS: `python tools/page.py check|format|types`.

Biome formats and lints, Deno checks types; neither needs Node. biome.jsonc and tools/types/deno.json configure their
files and rules.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
# Every module is reached from these.
STARTS = ["static/js/main.js", "static/js/theme.js", "static/js/lesson/certificate.js"]
COMMANDS = {
    "check": ["biome", "ci", "--colors=off", "--error-on-warnings"],
    "format": ["biome", "check", "--write", "--error-on-warnings"],
    "types": ["deno", "check", "--quiet", "--no-remote", "--config", "tools/types/deno.json", *STARTS],
}


def program(name: str) -> str | None:
    """Return the program of this environment, or of this machine; None without either."""
    own = BIN / name
    return str(own) if own.exists() else shutil.which(name)


def main() -> None:
    if sys.argv[1:] not in [[name] for name in COMMANDS]:
        sys.exit(f"usage: python tools/page.py {'|'.join(COMMANDS)}")
    name, *arguments = COMMANDS[sys.argv[1]]
    found = program(name)
    if found is None:
        # Biome's package has a wheel for Linux on x86-64 alone; elsewhere one of one's own does the same.
        print(f"There is no {name} for this machine, and so nobody has looked at the page's files; CI does.")
        return
    environ = {**os.environ, "DENO_DIR": str(BIN.parent / "deno"), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
    sys.exit(subprocess.run([found, *arguments], cwd=ROOT, env=environ).returncode)


if __name__ == "__main__":
    main()
