"""Names every image by its digest, for `.env`: `python3 tools/digests.py > .env.images`. Needs docker with buildx.

A tag is moved by whoever may push it, a digest is the image. Which ones there are is said by docker-compose.yml and
Dockerfile, as NAME and tag; what is printed sets NAME. The registry says the digest, so none is kept here.
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
    """The tag of each image that is not built here, by the variable that may say another one."""
    texts = [(ROOT / name).read_text() for name in ("docker-compose.yml", "Dockerfile")]
    found = [match for text in texts for match in IMAGE.findall(text)]
    return {compose or docker: tag or other for compose, tag, docker, other in found}


def digest(tag: str) -> str:
    """What the tag stands for now, on every platform. Exits when the registry does not say."""
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
