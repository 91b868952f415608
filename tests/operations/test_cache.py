"""The cache: JSON in Redis, counted up there, and nothing in it that could be run."""

import pickle

import pytest
import redis
from django.core.cache import cache

VALUES = [0, -3, 1 << 40, True, None, "", "text é", 1.5, [1, "a"], {"a": {"b": [None]}}]


@pytest.fixture
def server(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_is_put_in_comes_out(server: redis.Redis, value: object) -> None:
    cache.set("kept", value, 60)
    found = cache.get("kept")
    assert (found, type(found)) == (value, type(value))
    stored = server.get(cache.make_key("kept"))
    assert isinstance(stored, bytes)
    assert not stored.startswith(b"\x80"), "a pickle"


def test_redis_counts(server: redis.Redis) -> None:
    cache.delete("counted")
    assert cache.add("counted", 0, 60)
    assert [cache.incr("counted") for _ in range(3)] == [1, 2, 3]
    assert cache.get("counted") == 3


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("run by whoever can write to Redis",)


def test_a_pickle_is_not_run(server: redis.Redis, capsys: pytest.CaptureFixture[str]) -> None:
    server.set(cache.make_key("planted"), pickle.dumps(Evil()), 60)
    with pytest.raises(ValueError, match=r"codec|JSON|Expecting"):
        cache.get("planted")
    assert capsys.readouterr().out == ""
