"""A shell in which `kubectl` is ours: a line of a recording, with its pipes and loops, run by bash.

The lines are those of the vectors that one names on the command line; they run with one's own rights.
"""

import json
import os
import select
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from scheduler_core.conformance.controllers.answers import Answer
from scheduler_core.conformance.controllers.kubectl import Kubectl

_OURS = ("bin", "out", "err", "kubectl.socket")
_SPECIAL = set("|;$<>&()`\n")
_SHIM = """#!{python} -SE
import json, socket, sys
words = sys.argv[1:]
stdin = sys.stdin.read() if any(one in ("-", "-f-") or one.endswith("=-") for one in words) else ""
link = socket.socket(socket.AF_UNIX)
link.connect({path!r})
link.sendall(json.dumps([words, stdin]).encode())
link.shutdown(socket.SHUT_WR)
code, out, err = json.loads(b"".join(iter(lambda: link.recv(65536), b"")))
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
"""


def run_line(line: str, kubectl: Kubectl) -> Answer:
    """A plain command is run as it is; for anything else bash is asked."""
    if not _is_special(line):
        words = shlex.split(line)
        if words[:1] == ["kubectl"]:
            return kubectl.run(words[1:])
    return _in_bash(line, kubectl)


def _is_special(line: str) -> bool:
    outside, quote = [], ""
    for letter in line:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            outside.append(letter)
    return bool(_SPECIAL & set(outside)) or '"$' in line or "\\" in line


def _in_bash(line: str, kubectl: Kubectl) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "kubectl.socket")
        shim = Path(folder) / "bin" / "kubectl"
        shim.parent.mkdir()
        shim.write_text(_SHIM.format(python=sys.executable, path=path))
        shim.chmod(0o700)
        for name, text in kubectl.files.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen()
            return _serve(line, kubectl, server, Path(folder))


def _serve(line: str, kubectl: Kubectl, server: socket.socket, folder: Path) -> Answer:
    """Answer until bash and all that it started have ended: then the pipe that they hold is closed."""
    bash = shutil.which("bash") or "/bin/sh"
    env = {"PATH": f"{folder / 'bin'}:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}
    alive, held = os.pipe()
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err, os.fdopen(alive, "rb") as ended:
        process = subprocess.Popen(
            [bash, "-c", line],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=[held],
        )
        os.close(held)
        while server in select.select([server, ended], [], [])[0]:
            kubectl.files = _files_in(folder)
            _answer(kubectl, server)
        code = process.wait()
    kubectl.files = _files_in(folder)
    return Answer(code, (folder / "out").read_text(), (folder / "err").read_text())


def _files_in(folder: Path) -> dict[str, str]:
    """The working directory as the line has it by now: it may have changed files, and made others."""
    ours = {folder / name for name in _OURS}
    found = (one for one in sorted(folder.rglob("*")) if not ours & {one, *one.parents} and one.is_file())
    return {str(one.relative_to(folder)): one.read_text(errors="replace") for one in found}


def _answer(kubectl: Kubectl, server: socket.socket) -> None:
    link, _ = server.accept()
    with link:
        words, stdin = json.loads(b"".join(iter(lambda: link.recv(65536), b"")))
        answer = kubectl.run(words, stdin)
        link.sendall(json.dumps([answer.code, answer.out, answer.err]).encode())
