"""The class that suites create their cluster with."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any


class KindCluster:
    """The cluster that the environment variable KUBECONFIG names."""

    def __init__(self, name: str, image: str | None = None) -> None:
        self.name = name
        self.kubeconfig_path = Path(os.environ["KUBECONFIG"])
        self.kubectl_path = Path(shutil.which("kubectl") or "kubectl")

    def create(self) -> None:
        """Do nothing: the cluster is there."""

    def delete(self) -> None:
        """Do nothing: `make clients` deletes the cluster."""

    def kubectl(self, *arguments: str, **options: Any) -> str:
        """Run kubectl and return its output. Raises subprocess.CalledProcessError when kubectl fails."""
        command = [str(self.kubectl_path), "--kubeconfig", str(self.kubeconfig_path), *arguments]
        return subprocess.check_output(command, encoding="utf-8", **options)
