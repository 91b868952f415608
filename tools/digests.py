"""Name every image by its digest, for `.env`: `python3 tools/digests.py > .env.images`. Needs docker with buildx.

A tag may move, a digest is the image. docker-compose.yml and Dockerfile have each image as NAME and tag; the output
sets NAME. The digests come from the registry, so none is stored here.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# `image: ${NAME:-tag}` in the one, `ARG NAME=tag` in the other.
IMAGE = re.compile(r"^\s*image: \$\{(\w+_IMAGE):-([^}]+)\}$|^ARG (\w+_IMAGE)=(\S+)$", re.MULTILINE)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def images() -> dict[str, str]:
    """Return the tag of each image that isn't built here, by the variable that overrides it."""
    texts = [(ROOT / name).read_text() for name in ("docker-compose.yml", "Dockerfile")]
    found = [match for text in texts for match in IMAGE.findall(text)]
    return {compose or docker: tag or other for compose, tag, docker, other in found}


def digest(tag: str) -> str:
    """Return the tag's current digest, for every platform. Exit if the registry doesn't answer."""
    command = ["docker", "buildx", "imagetools", "inspect", tag, "--format", "{{json .Manifest}}"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = str(json.loads(listed)["digest"])
    except FileNotFoundError:
        sys.exit("There is no docker here; its plugin buildx asks the registries.")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{tag}: {failed.stderr.strip()}")
    except (ValueError, KeyError, TypeError):
        found = ""
    if not DIGEST.fullmatch(found):
        sys.exit(f"{tag}: docker named no digest")
    return found


def main() -> None:
    lines = [f"{name}={tag.partition('@')[0]}@{digest(tag)}" for name, tag in images().items()]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
