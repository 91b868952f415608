"""A shell in which `kubectl` is ours: bash runs a recorded line, with its pipes and loops.

Time is the cluster's: `sleep` advances it, and `timeout` ends a kubectl command that takes longer. `kubectl edit` runs
the line's editor on the output of `get -o yaml`, and replaces the object by the result.

The lines come from recordings named on the command line; they run with the user's own rights.
"""

import json
import math
import os
import re
import select
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.conformance.controllers.kubectl import Kubectl
from tests.conformance.controllers.kubectl_results import Answer

_OURS = ("bin", "out", "err", "kubectl.socket")
_SPECIAL = set("|;$<>&()`\n")
_DURATION = re.compile(r"(\d*\.?\d+)([smhd]?)")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_TIMED_OUT = 124
_MOST_AT_ONCE = "PLAYED_SECONDS"  # the environment variable in which a command finds what `timeout` gave it
_SHIM = """#!{python} -SE
import json, os, socket, subprocess, sys, tempfile

def ask(words, stdin=""):
    link = socket.socket(socket.AF_UNIX)
    link.connect({path!r})
    link.sendall(json.dumps([words, stdin, os.environ.get({limit!r}, "")]).encode())
    link.shutdown(socket.SHUT_WR)
    return json.loads(b"".join(iter(lambda: link.recv(65536), b"")))

def edited(what):
    code, text, err = ask(["kubectl", "get", *what, "-o", "yaml"])
    if code:
        return code, text, err
    editor = os.environ.get("KUBE_EDITOR") or os.environ.get("EDITOR") or "vi"
    with tempfile.NamedTemporaryFile("w+", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        if subprocess.call(editor + " " + file.name, shell=True):
            return 1, "", "error: there was a problem with the editor\\n"
        with open(file.name) as made:
            new = made.read()
    if new == text:
        return 0, "Edit cancelled, no changes made.\\n", ""
    return ask(["kubectl", "replace", "-f", "-"], new)

words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
if words[:2] == ["kubectl", "edit"]:
    code, out, err = edited(words[2:])
else:
    has_stdin = any(one in ("-", "-f-") or one.endswith("=-") for one in words)
    code, out, err = ask(words, sys.stdin.read() if has_stdin else "")
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
"""
_TIMEOUT = """#!/bin/sh
while :; do
  case "$1" in
    -k | -s | --kill-after | --signal) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
export {limit}="$1"
shift
exec "$@"
"""


def run_line(line: str, kubectl: Kubectl) -> Answer:
    """Run a line. A plain command runs without bash."""
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
        asks = _SHIM.format(python=sys.executable, path=path, limit=_MOST_AT_ONCE)
        (Path(folder) / "bin").mkdir()
        for name, text in (("kubectl", asks), ("sleep", asks), ("timeout", _TIMEOUT.format(limit=_MOST_AT_ONCE))):
            shim = Path(folder) / "bin" / name
            shim.write_text(text)
            shim.chmod(0o700)
        for name, text in kubectl.files.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen()
            return _serve(line, kubectl, server, Path(folder))


def _serve(line: str, kubectl: Kubectl, server: socket.socket, folder: Path) -> Answer:
    """Answer requests until bash and its children have ended, which closes their pipe."""
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
    """Return the files of the working directory, which the line may have changed."""
    ours = {folder / name for name in _OURS}
    found = (one for one in sorted(folder.rglob("*")) if not ours & {one, *one.parents} and one.is_file())
    return {str(one.relative_to(folder)): one.read_text(errors="replace") for one in found}


def _answer(kubectl: Kubectl, server: socket.socket) -> None:
    link, _ = server.accept()
    with link:
        (command, *words), stdin, limit = json.loads(b"".join(iter(lambda: link.recv(65536), b"")))
        most = _seconds([limit]) if limit else math.inf
        answer = kubectl.run(words, stdin, most) if command == "kubectl" else _sleep(_seconds(words), most, kubectl)
        link.sendall(json.dumps([answer.code, answer.out, answer.err]).encode())


def _sleep(seconds: float, most: float, kubectl: Kubectl) -> Answer:
    kubectl.player.wait(min(seconds, most))
    return Answer(_TIMED_OUT if seconds > most else 0)


def _seconds(words: list[str]) -> float:
    """Return the seconds of an argument of `sleep` or `timeout`: `2`, `1.5m`."""
    found = (_DURATION.fullmatch(word) for word in words)
    return sum(float(one[1]) * _UNITS[one[2]] for one in found if one is not None)
