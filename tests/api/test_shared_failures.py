"""What breaks, shared by workers: one that is killed in any moment leaves nothing that is waited for in vain."""

from contextlib import suppress
from typing import Any

import pytest
import redis
from redis.connection import AbstractConnection

from playground.capacity import shared_search as sharing
from playground.capacity.shared_search import Shared


@pytest.mark.parametrize("sends", range(4))
def test_who_is_killed_while_it_tells_has_told_or_not_begun(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, sends: int
) -> None:
    """`sends`: so many times it could speak to the broker."""
    send, left_to_send = AbstractConnection.send_packed_command, iter(range(sends))

    def dying(self: AbstractConnection, *arguments: Any, **options: Any) -> None:
        if next(left_to_send, None) is None:
            raise SystemExit
        send(self, *arguments, **options)

    with redis.Redis.from_url(redis_url) as broker:
        shared = Shared(broker, f"killed-{sends}")
        assert shared.keep_alive({}, ["a"])[0] == 1
        assert shared.take_value() == "a"
        with monkeypatch.context() as patched, suppress(SystemExit):
            patched.setattr(AbstractConnection, "send_packed_command", dying)
            shared.add_result("a", "helper", {"what": "a"})
        monkeypatch.setattr(sharing, "SILENT_SECONDS", -1)
        known = [row["what"] for _, row in shared.pop_results(0)]
        assert known == ["a"] or shared.keep_alive({}, ["a"])[0] == 1


@pytest.mark.parametrize(("is_local", "may"), [(True, [True, True]), (False, [True, False])])
def test_one_worker_at_a_time_helps_a_user(redis_url: str, settings: Any, is_local: bool, may: list[bool]) -> None:
    settings.LOCAL = is_local
    with redis.Redis.from_url(redis_url) as broker:
        one, other = Shared(broker, "one"), Shared(broker, "other")
        one.stop_helping(7)
        assert [one.may_help(7), other.may_help(7)] == may
        assert other.may_help(8)
        one.stop_helping(7)
        assert other.may_help(7)
        for owner in (7, 8):
            one.stop_helping(owner)
