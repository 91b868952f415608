"""The broker: which one is used, that it really runs, and what is said when it does not."""

import stat
from pathlib import Path

import pytest
import redis

from playground.local import broker
from playground.local.options import StartError
from tests.services import spawn, wait_for


def test_a_given_address_is_used_as_it_is(tmp_path: Path) -> None:
    assert broker.choose({"REDIS_URL": "redis://broker:6379/3"}, tmp_path) == broker.Broker(
        "redis://broker:6379/3", "REDIS_URL"
    )


def test_a_server_of_this_machine_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("redis-server", "valkey-server"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    chosen = broker.choose({}, tmp_path)
    assert chosen.command[0] == chosen.description == str(tmp_path / "valkey-server")


@pytest.mark.parametrize("depth", [0, 20], ids=["short path", "path too long for a socket"])
def test_the_bundled_server_runs_for_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    monkeypatch.setenv("PATH", "")
    data_dir = tmp_path.joinpath(*["directory"] * depth)
    data_dir.mkdir(parents=True, exist_ok=True)
    chosen = broker.choose({}, data_dir)
    assert chosen == broker.choose({}, data_dir), "the same place at every start"
    server = spawn(list(chosen.command))
    try:
        socket_path = Path(chosen.url.removeprefix("unix://"))
        wait_for(socket_path.exists, "the socket")
        assert stat.S_IMODE(socket_path.stat().st_mode) == 0o700
        with redis.Redis.from_url(chosen.url) as client:
            wait_for(lambda: client.set("key", "value"), "an answer")
            assert client.config_get("port") == {"port": "0"}, "nobody can reach it over the network"
    finally:
        server.terminate()
        assert server.wait(10) == 0


UNUSABLE = [
    # name, REDIS_URL, what is said; never the password
    (
        "nobody there",
        "redis://user:secret@127.0.0.1:1/0",
        "The broker at redis://127.0.0.1:1/0 (REDIS_URL) does not answer",
    ),
    ("no such scheme", "http://:secret@127.0.0.1:1", "REDIS_URL=http://127.0.0.1:1: "),
]


@pytest.mark.parametrize(("name", "address", "want"), UNUSABLE, ids=[case[0] for case in UNUSABLE])
async def test_an_address_that_does_not_answer(name: str, address: str, want: str) -> None:
    with pytest.raises(StartError) as raised:
        await broker.wait_until_up(broker.Broker(address, "REDIS_URL"))
    assert str(raised.value).startswith(want)
    assert "secret" not in str(raised.value)
