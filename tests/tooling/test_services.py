"""The services that other tests build on really run."""

import psycopg
import redis


def test_broker_answers(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.ping()


def test_postgres_answers(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        version = connection.execute("SHOW server_version_num").fetchone()
    assert version
    assert int(version[0]) >= 140000, "Django 5.2 needs PostgreSQL 14"
