"""What a process does not need it does not load: each would take tens of megabytes of memory of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What Celery runs also loads what its app names.
LIST = """
import importlib, sys
for name in sys.argv[1:]:
    if app := getattr(importlib.import_module(name), "app", None):
        app.loader.import_default_modules()
print(*sys.modules)
"""
ENGINE = {"django.db.models", "numpy", "playground.models", "simulator.simulation"}
# What answers requests, and what it loads besides.
REQUESTS = {"psycopg", "requests", "rest_framework.serializers"}
# It sets Django up.
READY = "playground.sandbox.sandbox_process"


@pytest.mark.parametrize(
    ("loaded", "unneeded"),
    [
        (
            ["playground.__main__", "simulator.cli.run"],
            {"asyncio", "cel", "django", "kube_apiserver.validation", "kube_controllers.table"},
        ),
        (["playground.__main__", "playground.local.serve"], {"celery", "django", "redis"}),
        (["playground.asgi"], {"prompt_toolkit", "rich", "typer"}),
        (["playground.beat"], ENGINE),
        (["playground.celery"], REQUESTS),
        (["playground.questions.celery"], REQUESTS),
        ([READY, "playground.exchange.imports", "playground.exchange.cluster_files"], REQUESTS),
    ],
    ids=["engine", "supervisor", "web", "beat", "worker", "answers", "apart"],
)
def test_what_a_process_loads(loaded: list[str], unneeded: set[str], tmp_path: Path) -> None:
    program = subprocess.run(
        [sys.executable, "-c", LIST, *loaded],
        cwd=ROOT,
        env={"DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "playground.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not unneeded & set(program.stdout.split())
