"""tools/digests.py: every image, by what the registry says. The registry is a stand-in: tests ask none."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.resilience.compose import ROOT, VARIABLES, Compose

# What `docker buildx imagetools inspect TAG --format '{{json .Manifest}}'` prints, and how it fails.
DOCKER = """#!/bin/sh
[ "$1 $2 $3 $5 $6" = "buildx imagetools inspect --format {{json .Manifest}}" ] || { echo "unknown: $*" >&2; exit 1; }
"""
SAYS = 'printf \'{"mediaType":"x","digest":"sha256:%s","size":1}\' "$(printf %s "$4" | sha256sum | cut -d" " -f1)"\n'
FAILURES = [
    ("refused", 'echo "ERROR: $4: not found" >&2; exit 1\n', "not found"),
    ("no JSON", "echo nothing\n", "docker named no digest"),
    ("no digest", """printf '{"digest":"latest"}'\n""", "docker named no digest"),
]


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    program = folder / "docker"
    program.write_text(DOCKER + script)
    program.chmod(0o755)
    environ = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run([sys.executable, ROOT / "tools" / "digests.py"], env=environ, capture_output=True, text=True)


def test_every_image_is_named_by_its_digest(tmp_path: Path) -> None:
    done = run(tmp_path, SAYS)
    assert done.returncode == 0, done.stderr
    named = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert set(named) == {"CADDY_IMAGE", "POSTGRES_IMAGE", "REDIS_IMAGE", "PYTHON_IMAGE"}
    for image in named.values():
        tag, _, digest = image.partition("@sha256:")
        assert digest == hashlib.sha256(tag.encode()).hexdigest()
    services = Compose({**VARIABLES, **named}).document["services"]
    from_elsewhere = {name: service["image"] for name, service in services.items() if "build" not in service}
    assert from_elsewhere.keys() == {"proxy", "postgres", "redis"}
    assert all("@sha256:" in image for image in from_elsewhere.values())
    # The image of ours: what it begins with is handed to its build by name.
    assert services["web"]["build"]["args"] == ["PYTHON_IMAGE"]
    froms = [line.split()[1] for line in (ROOT / "Dockerfile").read_text().splitlines() if line.startswith("FROM")]
    assert set(froms) == {"${PYTHON_IMAGE}"}


@pytest.mark.parametrize(("name", "script", "says"), FAILURES, ids=[case[0] for case in FAILURES])
def test_nothing_is_printed_when_one_is_not_known(name: str, script: str, says: str, tmp_path: Path) -> None:
    done = run(tmp_path, script)
    assert done.returncode == 1
    assert done.stdout == ""
    assert says in done.stderr
