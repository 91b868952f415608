"""Find the proxy that tests run in front of the playground, and install it where that is possible."""

import os
import shutil
import subprocess
import sys

from tools.chromium import install_command

HELP = """\
The tests put the playground behind a real proxy, Caddy, and none was found. Install it and run `make test` again:
  Debian:          apt-get install caddy
  macOS:           brew install caddy
  other:           https://caddyserver.com/docs/install"""


def find() -> str:
    """Return the path of a Caddy, which may be installed first. Exit with instructions if that is impossible."""
    if not shutil.which("caddy") and (apt_get := install_command()):
        # Its service is of no use here; Debian's packages start theirs unless they are told not to.
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        subprocess.run([*apt_get, "update", "-q"], env=environ)
        subprocess.run([*apt_get, "install", "-y", "-q", "--no-install-recommends", "caddy"], env=environ)
    return shutil.which("caddy") or sys.exit(HELP)
