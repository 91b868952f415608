"""The steps of the Dockerfile, run in a folder: the same files, the same commands, and no container.

Paths of the image become paths below the folder. All stages share one folder, because an environment can't be moved.
The two programs that create a user and its folder are replaced, because a test may not create users.
"""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.clean_machine.clean_environment import PYTHON, environ

# A folder of the image, as it stands in commands and settings.
OURS = re.compile(r"(?<![\w./-])/(?=(?:app|data|venv)\b)")
STAND_INS = {
    "python": f'exec {PYTHON} "$@"\n',
    "useradd": 'echo "useradd $*" >> "$NOTES"\n',
    # As `install -d` does, but for whose the folder is.
    "install": 'echo "install $*" >> "$NOTES"\nfor last; do :; done\nmkdir -p "$last"\n',
}


@dataclass
class Image:
    """The result of all steps."""

    root: Path
    settings: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    command: list[str] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)

    def path(self, of_image: str) -> Path:
        """Return the place of a path of the image; a relative one begins at the working directory."""
        return self.root / (Path("/") / self.workdir / of_image).relative_to("/")

    @property
    def notes(self) -> list[str]:
        """Return the calls of the replaced programs."""
        return (self.root / "notes").read_text().splitlines()

    def environ(self, **settings: str) -> dict[str, str]:
        given = environ(**self.settings, NOTES=str(self.root / "notes"), **settings)
        return {**given, "PATH": given["PATH"].replace("$PATH", f"{self.root / 'stand-ins'}:{environ()['PATH']}")}


def build(context: Path, root: Path) -> Image:
    """Run the steps of the Dockerfile in `context`."""
    image = Image(root)
    for name, script in STAND_INS.items():
        program = root / "stand-ins" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}")
        program.chmod(0o755)
    for word, rest in instructions((context / "Dockerfile").read_text()):
        _do(image, context, word, rest)
    return image


def instructions(text: str) -> list[tuple[str, str]]:
    """Yield each instruction with its arguments."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def _do(image: Image, context: Path, word: str, rest: str) -> None:
    match word:
        case "FROM":
            # A new stage begins with nothing of the one before it, but for what it copies.
            image.settings, image.workdir = {"PATH": "$PATH"}, "/"
        case "ENV":
            for pair in rest.split():
                name, _, value = pair.partition("=")
                image.settings[name] = OURS.sub(f"{image.root}/", value)
        case "WORKDIR":
            image.workdir = rest
            image.path(".").mkdir(parents=True, exist_ok=True)
        case "RUN":
            _run(image, rest)
        case "COPY":
            _copy(image, context, rest.split())
        case "CMD":
            image.command = json.loads(rest)
        case "ARG" | "USER" | "VOLUME" | "EXPOSE" | "STOPSIGNAL":
            image.said[word] = rest
        case _:
            raise AssertionError(f"{word}: this is not known how to do in a folder")


def _run(image: Image, command: str) -> None:
    # Whether packages come from the index or from pip's own cache is the same to what is installed.
    command = OURS.sub(f"{image.root}/", command).replace("--no-cache-dir ", "")
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=image.path("."),
        env=image.environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"RUN {command}\n{done.stdout}"


def _copy(image: Image, context: Path, words: list[str]) -> None:
    if words[0].startswith("--from="):
        _, source, target = words
        assert source == target
        assert image.path(source).exists(), f"no stage made {source}"
        return
    source, target = words
    # Everything is left out of the build but what has a line of its own.
    assert f"!{source}" in (context / ".dockerignore").read_text().splitlines(), f".dockerignore leaves {source} out"
    where = image.path(target) / source if target.endswith(("/", ".")) else image.path(target)
    if (context / source).is_dir():
        shutil.copytree(context / source, where)
    else:
        where.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(context / source, where)
