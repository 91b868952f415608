"""Reader of the two CSV files of a cluster trace in a folder."""

import os
from pathlib import Path

from kube_objects.collect import ReadResult
from simulator.importers.csv import read_csv

DEFAULT_FOLDER = Path(os.environ.get("TRACE_DIR") or "../shared/traces")


class TraceError(Exception):
    """Error for missing or invalid files; the text has one problem per line."""


def read_trace(folder: Path) -> ReadResult:
    """Return the nodes and pods of `*node*.csv[.gz]` and `*pod*.csv[.gz]`. Raises TraceError."""
    files = {kind: _find(folder, kind) for kind in ("node", "pod")}
    missing = " and ".join(kind for kind, file in files.items() if file is None)
    if missing:
        raise TraceError(f"{folder}: no {missing} list there; set TRACE_DIR to a folder with *node*.csv and *pod*.csv")
    nodes, pods = (file.read_bytes() for file in files.values() if file is not None)
    read = read_csv(nodes, pods)
    if read.problems:
        raise TraceError("\n".join(map(str, read.problems)))
    return read


def _find(folder: Path, kind: str) -> Path | None:
    return next(iter(sorted([*folder.glob(f"*{kind}*.csv.gz"), *folder.glob(f"*{kind}*.csv")])), None)
