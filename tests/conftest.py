"""Setup of every test: folders for data, Django, and the real services of `services.py`."""

import atexit
import gc
import os
import shutil
import tempfile
from pathlib import Path

import django
import hypothesis
import pytest

from tools.check import SHARED_DIR

pytest_plugins = ["tests.services"]


# A database whose commits wait for a disk takes most of a test's time. No test is about what a power cut leaves.
MEMORY = Path("/dev/shm")  # noqa: S108
ROOM = 2 << 30


def _keep_files_in_memory() -> None:
    """Put temporary files into memory if the machine has a large enough memory file system; TMPDIR overrides this."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ROOM:
        return
    # Some tests run a program that they have just written.
    if os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        return
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None


def _set_up_django() -> None:
    """Configure Django away from the developer's data, before other conftest files import models."""
    # The databases of the tests are made on the server that DATABASE_URL names, their broker is that of REDIS_URL;
    # without them it is SQLite and a broker of our own. Test processes inherit the address under another name.
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if database := os.environ.get("TEST_RUN_DATABASE_URL" if is_worker else "DATABASE_URL"):
        for name in ("DATABASE_URL", "TEST_DATABASE_URL", "TEST_RUN_DATABASE_URL"):
            os.environ[name] = database
    # What a test process finds as REDIS_URL was written by the process that started it, and may be that one's own.
    broker = os.environ.get("TEST_REDIS_URL" if is_worker else "REDIS_URL")
    if broker:
        os.environ["TEST_REDIS_URL"] = broker
    for name in (
        "HOST",
        "PORT",
        "ALLOWED_HOSTS",
        "SECRET_KEY",
        "DEBUG",
        "HTTPS",
        "LEASE_SECONDS",
        "LOG_FORMAT",
        "LOG_LEVEL",
        "OPERATOR_TOKEN",
        "PUBLIC_ORIGINS",
        "TRUSTED_PROXIES",
        "DATABASE_PASSWORD",
        "REDIS_PASSWORD",
    ):
        os.environ.pop(name, None)
    data_dir = tempfile.TemporaryDirectory(prefix="playground-test-")
    atexit.register(data_dir.cleanup)
    # Test processes of this one, which inherit it, find what one of them has made.
    if SHARED_DIR not in os.environ:
        shared_dir = tempfile.TemporaryDirectory(prefix="playground-test-shared-")
        atexit.register(shared_dir.cleanup)
        os.environ[SHARED_DIR] = shared_dir.name
    os.environ["DATA_DIR"] = data_dir.name
    # Nobody listens there until a test asks for the `redis_url` fixture.
    os.environ["REDIS_URL"] = broker or f"unix://{data_dir.name}/broker.sock"
    os.environ["DJANGO_SETTINGS_MODULE"] = "playground.settings"
    django.setup()
    # Test processes that inherited it would read the settings before they come here, with this process's folder.
    del os.environ["DJANGO_SETTINGS_MODULE"]
    os.environ.pop("DATABASE_URL", None)


# Nothing of what is imported and collected is garbage; looking for some takes a quarter of that time.
gc.disable()
_keep_files_in_memory()
_set_up_django()

# A busy machine is no reason for a property to fail. With CI set Hypothesis also tries the same examples every time.
if not os.environ.get("CI"):
    hypothesis.settings.register_profile("patient", deadline=None)
    hypothesis.settings.load_profile("patient")


def pytest_xdist_setupnodes() -> None:
    """Remove inherited settings before test processes start, so that they read their own.

    Modules that were imported meanwhile may have set them again.
    """
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run browser tests last, because no asyncio test runs after Playwright started an event loop.

    They are in a folder of their own, because test processes take tests from each other.
    """
    for item in items:
        if "playwright" in getattr(item, "fixturenames", ()):
            if "browser" not in item.path.parts:
                raise pytest.UsageError(f"{item.nodeid}: what needs a browser belongs into tests/browser")
            item.add_marker("browser")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session", autouse=True)
def _empty_tables_only() -> None:
    """Empty the tables after a test, but keep the two that Django would fill again with the same rows."""
    from django.contrib.auth.models import Permission
    from django.contrib.contenttypes.models import ContentType
    from django.core.management.color import no_style
    from django.db import connections
    from django.test import TransactionTestCase

    stay = {Permission._meta.db_table, ContentType._meta.db_table}

    def empty(_case: TransactionTestCase) -> None:
        for connection in connections.all():
            tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - stay
            connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), sorted(tables)))

    setattr(TransactionTestCase, "_fixture_teardown", empty)  # noqa: B010  no stub knows of it


def pytest_collection_finish() -> None:
    """Exclude all imported and collected objects from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.enable()
