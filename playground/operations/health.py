"""The health checks of this process and its services."""

import logging
from collections.abc import Callable, Mapping

import redis
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from playground.engine import workers
from playground.limits import WORKER_SILENT_SECONDS

logger = logging.getLogger(__name__)

_is_migrated = False


class UnhealthyError(Exception):
    """The reason why a check failed. Everybody may read it, so it has no addresses or names."""


Check = Callable[[], None]


def check_process() -> None:
    """Succeed if the process answers."""


def check_database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        logger.warning("the database does not respond: %s", error)
        raise UnhealthyError("it does not answer") from error


def check_migrations() -> None:
    """Check that every migration is applied. Once true, this stays true while the process runs."""
    global _is_migrated
    if _is_migrated:
        return
    try:
        executor = MigrationExecutor(connection)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError as error:
        raise UnhealthyError("the database does not respond") from error
    if missing:
        raise UnhealthyError(f"{missing} are not applied; run: manage.py migrate")
    _is_migrated = True


def check_broker() -> None:
    try:
        with workers.connect() as client:
            client.ping()
    except redis.RedisError as error:
        logger.warning("the broker does not answer: %s", error)
        raise UnhealthyError("it does not answer") from error


def check_worker() -> None:
    try:
        with workers.connect() as client:
            alive = workers.list_alive(client)
    except redis.RedisError as error:
        raise UnhealthyError("the broker, which knows the workers, does not answer") from error
    if not alive:
        raise UnhealthyError(f"none has given a sign of life for {WORKER_SILENT_SECONDS} s")


# Checks for liveness (restart the process if one fails) and for readiness (send no requests if one fails).
LIVE: Mapping[str, Check] = {"ping": check_process}
READY: Mapping[str, Check] = {
    "ping": check_process,
    "database": check_database,
    "migrations": check_migrations,
    "broker": check_broker,
    "worker": check_worker,
}
