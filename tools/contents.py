"""Write the index of each section of `docs/`: `python tools/contents.py`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playground.documentation.contents import FOLDER, INDEX, SECTIONS, format_index  # noqa: E402


def main() -> None:
    for section in SECTIONS:
        # A section without pages has no index.
        if (FOLDER / section.folder).is_dir():
            (FOLDER / section.folder / INDEX).write_text(format_index(section), encoding="utf-8")


if __name__ == "__main__":
    main()
